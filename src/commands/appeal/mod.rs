//! `capdex appeal`: the right of reply, filed, proved, decided and shown.

mod claims;
mod decide;
mod file;
mod leads;
pub(super) mod list;
mod prove;

use std::fs;
use std::path::Path;

use capdex_db::Reader;
use capdex_model::appeal::{Actor, Appeal, AppealDeed, AppealId};
use capdex_model::time::AsOf;

use crate::advice;
use crate::appeals::settings::AppealSettings;
use crate::cli::{AppealCommand, AppealScheduleArgs, WaitArgs};
use crate::clock;
use crate::config::{AppealsSection, Schedule};
use crate::exit::{Exit, usage};
use crate::options::Global;
use crate::output::Out;

/// The most bytes of a text that somebody hands in.
const MAX_TEXT_BYTES: u64 = 64 << 10;

pub(super) fn run(global: &Global, command: &AppealCommand, out: &mut Out) -> anyhow::Result<Exit> {
    match command {
        AppealCommand::File(options) => file::file(global, options, out)?,
        AppealCommand::Import(options) => file::import(global, options, out)?,
        AppealCommand::Challenge(options) => prove::challenge(global, options, out)?,
        AppealCommand::Verify(options) => return prove::verify(global, options, out),
        AppealCommand::List(options) => return list::list(global, options, out),
        AppealCommand::Show(options) => list::show(global, options, out)?,
        AppealCommand::Rules(options) => list::rules(global, options, out)?,
        AppealCommand::Take(options) => decide::take(global, options, out)?,
        AppealCommand::Decide(options) => decide::decide(global, options, out)?,
        AppealCommand::Reopen(options) => decide::reopen(global, options, out)?,
        AppealCommand::Withdraw(options) => decide::withdraw(global, options, out)?,
        AppealCommand::Case(options) => decide::case(global, options, out)?,
        AppealCommand::Claims(options) => claims::claims(global, options, out)?,
        AppealCommand::Leads(options) => leads::leads(global, options, out)?,
    }
    Ok(Exit::Done)
}

fn now(global: &Global) -> AsOf {
    global.as_of.unwrap_or_else(|| AsOf(clock::now()))
}

/// The settings of a schedule, or the usual ones.
fn settings(schedule: &AppealScheduleArgs) -> anyhow::Result<AppealSettings> {
    match &schedule.config {
        Some(path) => Schedule::load(Some(path))?.appeals.settings(),
        None => AppealsSection::default().settings(),
    }
}

/// The appeal that is named.
fn known(reader: &Reader, id: &AppealId) -> anyhow::Result<Appeal> {
    reader.appeal(id)?.ok_or_else(|| usage(format!("there is no appeal {id}; `capdex appeal list` shows them")))
}

/// Adds events to an appeal; gives it with them.
fn add(
    global: &Global,
    waiting: &WaitArgs,
    mut appeal: Appeal,
    (actor, by): (Actor, &str),
    deeds: Vec<AppealDeed>,
) -> anyhow::Result<Appeal> {
    let mut events = Vec::new();
    for deed in deeds {
        let event = appeal.next(now(global), actor, by, deed).map_err(|fault| usage(fault.to_string()))?;
        appeal.add(event.clone()).map_err(|fault| usage(fault.to_string()))?;
        events.push(event);
    }
    super::decide(global, waiting, move |decisions| decisions.add_appeal_events(&events))?;
    Ok(appeal)
}

/// The text of a file that somebody hands in.
fn text_of(path: &Path) -> anyhow::Result<String> {
    let shown = path.display();
    let size =
        fs::metadata(path).map_err(|error| usage(format!("cannot read {shown}: {}", advice::told(&error))))?.len();
    if size > MAX_TEXT_BYTES {
        return Err(usage(format!("{shown} has {size} bytes; a text has at most {MAX_TEXT_BYTES}")));
    }
    let text =
        fs::read_to_string(path).map_err(|error| usage(format!("cannot read {shown}: {}", advice::told(&error))))?;
    // Editors of some systems end lines otherwise, and the same words must be the same appeal.
    Ok(text.replace("\r\n", "\n").trim().to_owned())
}
