//! `capdex diff`: two versions, folders or nights side by side.

mod nights;
mod together;

use std::path::Path;

use anyhow::Context as _;
use capdex_corpus::drift::{Effect, Newly};
use capdex_crawlers::folder::{self, FolderOptions};
use capdex_dataset::{bulk, escape};
use capdex_model::bundle::Bundle;
use capdex_model::score::Verdict;
use capdex_model::time::{AsOf, Timestamp};

use crate::check;
use crate::check::stored::StoredAnswers;
use crate::check::target::{self, CheckTarget};
use crate::cli::{DiffArgs, ListFormat};
use crate::clock;
use crate::diff::record::DiffRecord;
use crate::diff::together::Together;
use crate::diff::{self, DiffSide, Difference, nights as night, side};
use crate::exit::{Exit, usage};
use crate::operator;
use crate::options::Global;
use crate::output::{self, Out};

/// Changes of files shown for one capability in the table; the other formats show all.
const CHANGES: usize = 40;
/// New findings shown likewise.
const FINDINGS: usize = 20;
/// Columns of the longest word of what is new.
const WORD_WIDTH: usize = 7;

pub(super) fn run(global: &Global, options: &DiffArgs, out: &mut Out) -> anyhow::Result<Exit> {
    if let Some(ends) = two_nights(&options.before, &options.after)? {
        if !options.with.is_empty() {
            return Err(usage("--with is about one thing; name two versions of it in place of two nights"));
        }
        return nights::run(global, options, ends, out);
    }
    let at = global.as_of.unwrap_or_else(|| AsOf(clock::now()));
    let schedule = check::schedule(options.config.as_deref())?;
    let resolved = schedule.resolve(u64::try_from(at.0.unix_seconds()).unwrap_or(0))?;
    // Both are read as arguments before either is fetched.
    let named = [target_of(&options.before)?, target_of(&options.after)?];
    let store = if options.offline { StoredAnswers::open(&global.db, at, true)? } else { None };
    let read = |text: &str, target: Option<&CheckTarget>| match target {
        Some(target) if options.offline => side::stored(target, &resolved, store.as_ref()),
        Some(target) => side::fetched(target, &resolved, at),
        None => read_path(text),
    };
    let before = read(&options.before, named[0].as_ref())?;
    let after = read(&options.after, named[1].as_ref())?;
    let policy = schedule.verdict.policy()?.and(operator::named(&options.rulings, &[])?);
    let pool = bulk::pool(global.threads)?;
    let difference = pool.install(|| diff::compare(&before, &after, &policy, at));
    let together = match options.with.as_slice() {
        [] => None,
        _ => {
            let asked = together::Asked { global, options, resolved, at, pool: &pool };
            Some(asked.together(&difference, named[1].as_ref(), &shown(&after))?)
        }
    };
    let record = || DiffRecord::new([&before, &after], &difference, together.as_ref());
    match options.format {
        ListFormat::Table => {
            print(&before, &after, &difference, out)?;
            together.as_ref().map(|together| together::print(together, out)).transpose()?;
        }
        ListFormat::Json => out.json_pretty(&record())?,
        ListFormat::Jsonl => out.json(&record())?,
    }
    let is_whole = difference.is_whole && together.is_none_or(|Together { not_known, .. }| not_known.is_empty());
    Ok(Exit::of(false, !is_whole))
}

/// The ends of the two nights that are named; none where files or targets are.
fn two_nights(before: &str, after: &str) -> anyhow::Result<Option<[Timestamp; 2]>> {
    // What is there is meant, whatever it is called.
    let end = |text: &str| night::end_of(text).filter(|_| !Path::new(text).exists());
    match (end(before), end(after)) {
        (Some(before), Some(after)) => Ok(Some([before, after])),
        (None, None) => Ok(None),
        _ => {
            Err(usage(format!("{before} and {after} are not of one sort: name two nights, or two versions or folders")))
        }
    }
}

/// The target that a side is; none for a path.
fn target_of(text: &str) -> anyhow::Result<Option<CheckTarget>> {
    let target = target::read(text).map_err(usage)?;
    if target.is_none() && !Path::new(text).exists() {
        return Err(usage(format!(
            "there is nothing at {text}; a package is written npm:NAME@VERSION, a night 2026-11-21"
        )));
    }
    Ok(target)
}

fn read_path(text: &str) -> anyhow::Result<DiffSide> {
    let input =
        folder::read(Path::new(text), &FolderOptions::default()).with_context(|| format!("failed to read {text}"))?;
    let local = Bundle::local(format!("folder:{}", input.name), input.files);
    let bundle = Bundle { gaps: input.gaps, named: input.named, ..local };
    Ok(DiffSide { name: text.to_owned(), version: None, bundle })
}

fn print(before: &DiffSide, after: &DiffSide, difference: &Difference, out: &mut Out) -> anyhow::Result<()> {
    let [was, is] = &difference.verdicts;
    out.line(format_args!("{} -> {}", shown(before), shown(after)))?;
    out.line(format_args!("verdict  {} -> {}", band(was), band(is)))?;
    out.line(output::hanging("because  ", &escape::escape(&is.reason)))?;
    if difference.operator.iter().any(Option::is_some) {
        let said = |at: usize| difference.operator.get(at).and_then(Option::as_ref);
        let shown = |at: usize, own: &Verdict| said(at).map_or(own.band, |word| word.band);
        let words = [shown(0, was), shown(1, is)].map(|band| output::styled(output::band_style(band), band.as_str()));
        out.line(format_args!("by the operator's word  {} -> {}", words[0], words[1]))?;
        if let Some(word) = said(1) {
            out.line(output::hanging("because  ", &escape::escape(&word.reason)))?;
        }
    }
    newly(&difference.newly(), "", out)?;
    let found = difference.new_findings();
    if !found.is_empty() {
        out.line("Rules newly find:")?;
    }
    for finding in found.iter().take(FINDINGS) {
        let severity = output::styled(output::severity_style(finding.severity), finding.severity.as_str());
        let place = format!("{}:{}", escape::escape(finding.file), finding.line);
        out.line(format_args!("  {severity}  {}  {place}  {}", finding.rule, finding.title))?;
    }
    let more = found.len().saturating_sub(FINDINGS);
    if more > 0 {
        out.line(format_args!("  … and {more} more (--format json shows all)"))?;
    }
    for (slug, drift) in &difference.drifts {
        out.line(format_args!(
            "{} {}  ({} {})",
            drift.kind.as_str(),
            escape::escape(slug),
            drift.class.as_str(),
            drift.class.name()
        ))?;
        for change in drift.changes.iter().take(CHANGES) {
            out.line(format_args!("    {} {} {}", change.what, change.part, escape::escape(&change.subject)))?;
        }
        let more = drift.changes.len().saturating_sub(CHANGES);
        if more > 0 {
            out.line(format_args!("    … and {more} more (--format json shows all)"))?;
        }
    }
    if difference.drifts.is_empty() {
        out.line("No file of a capability differs.")?;
    }
    if !difference.is_whole {
        out.line("Not all of both sides could be looked at: what is missing there may be new too.")?;
    }
    Ok(())
}

/// What an agent could newly do, one line each behind `indent`.
fn newly(effects: &[(Newly, &Effect)], indent: &str, out: &mut Out) -> anyhow::Result<()> {
    if effects.is_empty() {
        out.line(format_args!("{indent}An agent could do nothing new."))?;
    } else {
        out.line(format_args!("{indent}An agent could newly:"))?;
    }
    for (word, effect) in effects {
        let detail = if effect.detail.is_empty() { String::new() } else { format!(": {}", effect.detail) };
        let text = format!("{}{detail}  ({})", effect.kind.title(), effect.subject);
        out.line(output::hanging(&format!("{indent}  {:WORD_WIDTH$}  ", word.as_str()), &escape::escape(&text)))?;
    }
    Ok(())
}

fn shown(side: &DiffSide) -> String {
    let name = escape::escape(&side.name);
    match &side.version {
        Some(version) if !name.contains(version.as_str()) => format!("{name} {}", escape::escape(version)),
        _ => name.into_owned(),
    }
}

fn band(verdict: &Verdict) -> String {
    output::styled(output::band_style(verdict.band), verdict.band.as_str())
}
