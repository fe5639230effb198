//! `check --format table`: one line a target, worst first, then the counts.

use std::collections::BTreeMap;

use capdex_dataset::escape;
use capdex_model::capability::Kind;
use capdex_model::listing::Claim;
use capdex_model::score::Band;
use capdex_model::time::AsOf;
use capdex_rubrics::rank::place;

use crate::analysis;
use crate::check::{CheckedTarget, stored};
use crate::formats::JudgedCapability;
use crate::output::{self, Out};

/// Columns of the longest band.
const BAND_WIDTH: usize = 7;
/// The sentence behind the verdict, in columns.
const REASON: usize = 200;
/// Letters of a day at the beginning of an instant.
const DAY: usize = 10;
/// The most columns of a name that others are aligned to.
const NAME: usize = 40;

/// One line: a target, or one of the files that have only their client in common.
struct CheckLine<'a> {
    name: String,
    band: Band,
    /// The sentence behind the band.
    reason: String,
    /// The band by capdex alone, where the operator says otherwise.
    own: Option<Band>,
    of: &'a CheckedTarget,
}

/// Prints what was checked, worst first. `at` is the instant of the check.
pub(super) fn print(checked: &[CheckedTarget], at: AsOf, out: &mut Out) -> anyhow::Result<()> {
    let mut lines: Vec<CheckLine<'_>> = checked.iter().flat_map(lines_of).collect();
    // A stable sort: equals stay in their order.
    lines.sort_by_key(|line| std::cmp::Reverse(place(line.band)));
    let width = lines.iter().map(|line| line.name.chars().count().min(NAME)).max().unwrap_or(0);
    for CheckLine { name, band, reason, own, of: one } in &lines {
        let mut text = escape::shorten(&escape::escape(reason), REASON);
        if let (Some(day), Some(by)) = (old_day(one, at), one.record.answered_by) {
            text.push_str(&format!("  (as the {by} knew it on {day})"));
        }
        if let Some(own) = own {
            text.push_str(&format!("  (by the operator's word; capdex says {})", own.as_str()));
        }
        if one.approved == Claim::Known(false) {
            text.push_str("  (not on your own list)");
        }
        if let Some(origin) = &one.target.found_in {
            text.push_str(&format!("  ({})", escape::escape(&place_of(origin))));
        }
        let padding = " ".repeat(BAND_WIDTH.saturating_sub(band.as_str().len()));
        // Wrapped first: the letters of a colour have no width.
        let label = format!("{}{padding}  {name:width$}  ", band.as_str());
        let line = output::hanging(&label, &text);
        let rest = line.strip_prefix(band.as_str()).unwrap_or(&line);
        out.line(format_args!("{}{rest}", output::styled(output::band_style(*band), band.as_str())))?;
    }
    if !lines.is_empty() {
        out.line(counts(lines.iter().map(|line| line.band)))?;
    }
    Ok(())
}

/// The lines of a target: one, or one for each file that stands alone.
fn lines_of(checked: &CheckedTarget) -> Vec<CheckLine<'_>> {
    let line = |name: String, judged: &JudgedCapability| {
        let (band, own) = (judged.acting_band(), judged.verdict.band);
        let reason = judged.acting_reason().to_owned();
        CheckLine { name, band, reason, own: (own != band).then_some(own), of: checked }
    };
    let Some((package, parts)) = checked.judged.split_last() else { return Vec::new() };
    if checked.loose.is_empty() {
        return vec![line(name(checked), package)];
    }
    let shown = |path: &str| {
        let place = checked.loose.get(path).map_or(path, String::as_str);
        escape::escape(place).into_owned()
    };
    let is_bad = |band: Band| matches!(band, Band::Block | Band::Caution);
    // The servers of a configuration have a line each. It has one itself where what it starts is an attack by its own words.
    let has_line =
        |judged: &&JudgedCapability| judged.scanned.capability.kind != Kind::McpServer || is_bad(judged.acting_band());
    let mut lines: Vec<CheckLine<'_>> =
        parts.iter().filter(has_line).map(|judged| line(shown(&judged.scanned.capability.path), judged)).collect();
    // Files that are no capability, such as the programs of a hook, have a line where something is said of them.
    if is_bad(package.own_band) || !package.gaps().is_empty() {
        let rest = analysis::judge(&package.scores, &package.scanned.completeness);
        let deciding = package.all_findings().into_iter().max_by_key(|finding| finding.severity);
        let file = deciding.map(|finding| finding.file.to_owned()).unwrap_or_default();
        let name = if file.is_empty() { escape::escape(&checked.target.name).into_owned() } else { shown(&file) };
        lines.push(CheckLine { name, band: package.own_band, reason: rest.reason, own: None, of: checked });
    }
    lines
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

/// How many lines each band has, worst first.
fn counts(bands: impl Iterator<Item = Band>) -> String {
    let mut counts: BTreeMap<_, (Band, usize)> = BTreeMap::new();
    for band in bands {
        counts.entry(std::cmp::Reverse(place(band))).or_insert((band, 0)).1 += 1;
    }
    let each: Vec<String> = counts.values().map(|(band, count)| format!("{count} {}", band.as_str())).collect();
    each.join(" · ")
}
