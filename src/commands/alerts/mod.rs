//! `capdex alerts`: the queue of alerts.

use std::collections::BTreeSet;

use capdex_db::Reader;
use capdex_model::alert::origin::Origins;
use capdex_model::alert::plan::kept_back;
use capdex_model::alert::{Raised, by_rank};
use capdex_model::time::AsOf;

use crate::cli::AlertsCommand;
use crate::clock;
use crate::exit::{Exit, usage};
use crate::jobs::alerts::{origins, ruled};
use crate::options::Global;
use crate::output::Out;

mod ack;
mod list;
mod send;
mod show;

pub(super) use list::print_new;

/// Digits of a short name that are needed at least.
const DIGITS: usize = 6;

pub(super) fn run(global: &Global, command: &AlertsCommand, out: &mut Out) -> anyhow::Result<Exit> {
    match command {
        AlertsCommand::List(options) => list::run(global, options, out),
        AlertsCommand::Show { key, format } => show::run(global, key, *format, out),
        AlertsCommand::Ack(options) => ack::run(global, options, out),
        AlertsCommand::Send(options) => send::run(global, options, out),
    }
}

fn now(global: &Global) -> AsOf {
    global.as_of.unwrap_or_else(|| AsOf(clock::now()))
}

/// The state of an alert in one word: `open`, `acknowledged`, `suppressed` or `ruled`.
fn state(raised: &Raised, known: &AlertExclusions) -> &'static str {
    let origin = known.origins.get(&raised.alert.key);
    let kept_back = kept_back(&raised.alert, origin, &known.acks, &known.suppressions, &known.ruled, known.now);
    kept_back.map_or("open", |kind| kind.as_str())
}

/// The rules that keep alerts back.
struct AlertExclusions {
    acks: Vec<capdex_model::alert::ack::Ack>,
    suppressions: Vec<capdex_model::alert::suppression::Suppression>,
    /// The keys of alerts that the operator's rulings answer.
    ruled: BTreeSet<String>,
    /// Whose doing they are about; empty where nothing is suppressed, and nobody asks.
    origins: Origins,
    now: AsOf,
}

impl AlertExclusions {
    fn read(reader: &Reader, now: AsOf) -> anyhow::Result<Self> {
        let suppressions = reader.suppressions()?;
        let raised = reader.raised()?;
        let origins = if suppressions.is_empty() { Origins::new() } else { origins(reader, &raised)? };
        Ok(Self { acks: reader.acks()?, suppressions, ruled: ruled(reader, &raised, now)?, origins, now })
    }
}

/// Every alert, worst first.
fn ranked(reader: &Reader) -> anyhow::Result<Vec<Raised>> {
    let mut raised = reader.raised()?;
    raised.sort_by(by_rank);
    Ok(raised)
}

/// Finds an alert by its key or short name, or by the unique beginning of either.
fn find(reader: &Reader, text: &str) -> anyhow::Result<Raised> {
    let wanted = text.trim();
    let mut found = reader.raised()?;
    // A whole key first, because it may also be the beginning of another.
    if let Some(exact) = found.iter().position(|raised| raised.alert.key == wanted) {
        return Ok(found.swap_remove(exact));
    }
    // A few digits of a handle would fit many alerts by chance.
    let is_handle = wanted.len() >= DIGITS;
    found.retain(|Raised { alert, .. }| {
        !wanted.is_empty() && (alert.key.starts_with(wanted) || (is_handle && alert.handle().starts_with(wanted)))
    });
    match found.len() {
        0 => Err(usage(format!("no alert {text:?} in the store; `capdex alerts list --all` lists them"))),
        // Only a unique beginning: acknowledging the wrong alert would silence it.
        1 => Ok(found.remove(0)),
        several => Err(usage(format!("{text:?} means {several} alerts; give more of the key"))),
    }
}
