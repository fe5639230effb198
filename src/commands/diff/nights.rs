//! `capdex diff NIGHT NIGHT`: what an agent could newly do with what changed between two nights of the store.

use capdex_dataset::escape;
use capdex_db::{DriftEvent, Reader};
use capdex_model::time::{AsOf, Timestamp};

use super::newly;
use crate::cli::{DiffArgs, ListFormat};
use crate::diff::nights::{self, NightsRecord};
use crate::exit::{Exit, usage};
use crate::options::Global;
use crate::output::{self, Out};

pub(super) fn run(global: &Global, options: &DiffArgs, ends: [Timestamp; 2], out: &mut Out) -> anyhow::Result<Exit> {
    let reader = crate::commands::reader(global)?;
    let before = night(&reader, ends[0], &options.before)?;
    let after = night(&reader, ends[1], &options.after)?;
    let events = nights::between(&reader, before, after)?;
    match options.format {
        ListFormat::Table => print(before, after, &events, out)?,
        ListFormat::Json => out.json_pretty(&NightsRecord::new(before, after, &events))?,
        ListFormat::Jsonl => out.json(&NightsRecord::new(before, after, &events))?,
    }
    Ok(Exit::Done)
}

fn night(reader: &Reader, end: Timestamp, text: &str) -> anyhow::Result<AsOf> {
    let none = || usage(format!("the store has no night up to {text}; `capdex status` tells its runs"));
    nights::night_until(reader, end)?.ok_or_else(none)
}

fn print(before: AsOf, after: AsOf, events: &[DriftEvent], out: &mut Out) -> anyhow::Result<()> {
    if after < before {
        out.line(format_args!("{after} is before {before}: name the earlier night first."))?;
        return Ok(());
    }
    out.line(format_args!("{before} -> {after}"))?;
    let (new, same): (Vec<&DriftEvent>, Vec<&DriftEvent>) =
        events.iter().partition(|event| !nights::newly(event).is_empty());
    for event in &new {
        let severity = output::styled(output::severity_style(event.severity), event.severity.as_str());
        let versions = match (event.from_version.as_deref(), event.to_version.as_deref()) {
            (None, None) => String::new(),
            (from, to) => {
                format!("  {} -> {}", escape::escape(from.unwrap_or("none")), escape::escape(to.unwrap_or("none")))
            }
        };
        let (kind, slug) = (event.kind.as_str(), escape::escape(&event.slug));
        out.line(format_args!("{severity}  {kind}  {slug}{versions}"))?;
        newly(&nights::newly(event), "  ", out)?;
    }
    let others = escape::count(same.len() as u64, "change");
    match (new.len(), same.len()) {
        (0, 0) => out.line("Nothing changed that was seen in both.")?,
        (0, _) => out.line(format_args!("An agent could do nothing new; {others} without an effect on it."))?,
        (_, 0) => {}
        _ => out.line(format_args!("{others} more without an effect on an agent."))?,
    }
    if !events.is_empty() {
        out.line(format_args!("Next: capdex drift --since {before} shows files and lines."))?;
    }
    Ok(())
}
