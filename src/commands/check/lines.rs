//! `check --format table`: one line a target, worst first, then the counts.

use std::collections::BTreeMap;

use capdex_dataset::escape;
use capdex_model::score::Band;
use capdex_model::time::AsOf;
use capdex_rubrics::rank::place;

use crate::check::{CheckedTarget, stored};
use crate::output::{self, Out};

/// Columns of the longest band.
const BAND_WIDTH: usize = 7;
/// The sentence behind the verdict, in columns.
const REASON: usize = 200;
/// Letters of a day at the beginning of an instant.
const DAY: usize = 10;
/// The most columns of a name that others are aligned to.
const NAME: usize = 40;

/// Prints targets, which come worst first. `at` is the instant of the check.
pub(super) fn print(checked: &[CheckedTarget], at: AsOf, out: &mut Out) -> anyhow::Result<()> {
    let names: Vec<String> = checked.iter().map(name).collect();
    let width = names.iter().map(|name| name.chars().count().min(NAME)).max().unwrap_or(0);
    for (one, name) in checked.iter().zip(&names) {
        let band = one.band();
        let reason = one.judged.last().map(|package| package.acting_reason()).unwrap_or_default();
        let mut text = escape::shorten(&escape::escape(reason), REASON);
        if let (Some(day), Some(by)) = (old_day(one, at), one.record.answered_by) {
            text.push_str(&format!("  (as the {by} knew it on {day})"));
        }
        if let Some(own) = one.judged.last().map(|package| package.verdict.band).filter(|own| *own != band) {
            text.push_str(&format!("  (by the operator's word; capdex says {})", own.as_str()));
        }
        if let Some(origin) = &one.target.found_in {
            text.push_str(&format!("  ({})", escape::escape(&place_of(origin))));
        }
        let padding = " ".repeat(BAND_WIDTH.saturating_sub(band.as_str().len()));
        // Wrapped first: the letters of a colour have no width.
        let label = format!("{}{padding}  {name:width$}  ", band.as_str());
        let line = output::hanging(&label, &text);
        let rest = line.strip_prefix(band.as_str()).unwrap_or(&line);
        out.line(format_args!("{}{rest}", output::styled(output::band_style(band), band.as_str())))?;
    }
    if !checked.is_empty() {
        out.line(counts(checked))?;
    }
    Ok(())
}

/// The target with the version that was judged, where it does not say one itself.
fn name(checked: &CheckedTarget) -> String {
    let name = escape::escape(&checked.target.name);
    match &checked.record.version {
        // A commit in full would fill the line.
        Some(version) if !name.contains(version.as_str()) => {
            let is_commit = version.len() == 40 && version.bytes().all(|byte| byte.is_ascii_hexdigit());
            let shown = if is_commit { version.get(..12).unwrap_or(version) } else { version };
            format!("{name} {}", escape::escape(shown))
        }
        _ => name.into_owned(),
    }
}

/// The day on which the answer of the store or of a dataset was asked of its registry, where that is not today's knowledge any more.
fn old_day(checked: &CheckedTarget, at: AsOf) -> Option<String> {
    let asked: AsOf = checked.record.asked_at.as_ref()?.parse().ok()?;
    let is_old = at.0.unix_seconds() - asked.0.unix_seconds() > stored::FRESH_S;
    is_old.then(|| asked.to_string().chars().take(DAY).collect())
}

fn place_of(origin: &capdex_dataset::scan_record::TargetOrigin) -> String {
    match &origin.server {
        Some(server) if !server.is_empty() => format!("{server} in {}", origin.file),
        _ => origin.file.clone(),
    }
}

/// How many targets each band has, worst first.
fn counts(checked: &[CheckedTarget]) -> String {
    let mut counts: BTreeMap<_, (Band, usize)> = BTreeMap::new();
    for one in checked {
        counts.entry(std::cmp::Reverse(place(one.band()))).or_insert((one.band(), 0)).1 += 1;
    }
    let each: Vec<String> = counts.values().map(|(band, count)| format!("{count} {}", band.as_str())).collect();
    each.join(" · ")
}
