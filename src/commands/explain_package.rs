//! `capdex explain` of a package of several capabilities: the verdict of each in a line, worst first.

use capdex_dataset::escape;
use capdex_dataset::export::band_counts::{BandCounts, place};
use capdex_dataset::export::ranked_capability;
use capdex_db::{CurrentName, Reader};
use capdex_model::score::Band;
use capdex_model::time::AsOf;

use crate::output::{self, Out};

/// Parts shown; the page of the package in a site and the table `capabilities` of an export have all.
const SHOWN: usize = 20;

/// One capability of the package.
struct Part<'a> {
    name: &'a CurrentName,
    band: Band,
    reason: String,
}

pub(super) fn print(reader: &Reader, names: &[CurrentName], as_of: AsOf, out: &mut Out) -> anyhow::Result<()> {
    let (mut parts, mut version) = (Vec::with_capacity(names.len()), None);
    for name in names {
        let Some(current) = reader.current_of(&name.id)? else { continue };
        let (_, verdict) = ranked_capability::scores(reader, &current, as_of)?;
        version = version.or(current.version);
        parts.push(Part { name, band: verdict.band, reason: verdict.reason });
    }
    let Some(first) = parts.first() else { return Ok(()) };
    out.line(format_args!(
        "package {} version {}: {}",
        escape::escape(&first.name.identity),
        escape::escape(version.as_deref().unwrap_or("-")),
        escape::count(parts.len() as u64, "capability")
    ))?;
    let mut counts = BandCounts::default();
    parts.iter().for_each(|part| counts.add(part.band));
    out.line(format_args!("  verdicts  {counts}"))?;
    out.line(format_args!("  as of     {as_of}"))?;
    parts.sort_by_key(|part| (place(part.band), part.name.kind, &part.name.path));
    for Part { name, band, reason } in parts.iter().take(SHOWN) {
        let word = output::styled(output::band_style(*band), &format!("{:<8}", band.as_str()));
        out.line(format_args!("  {word}  {} {}", name.kind, escape::escape(&name.slug)))?;
        if *band != Band::Ok {
            out.line(output::hanging("            because ", &escape::escape(reason)))?;
        }
    }
    let more = parts.len().saturating_sub(SHOWN);
    if more > 0 {
        out.line(format_args!("  … and {more} more"))?;
    }
    if let Some(worst) = parts.first() {
        out.line(format_args!("Next: capdex explain {}", escape::escape(&worst.name.slug)))?;
    }
    Ok(())
}
