//! `capdex judge`: a language model asked about servers, and its answers shown, replayed and measured.

mod ask;
mod measure;
mod show;

use std::path::Path;

use crate::cli::{JudgeCommand, JudgeScheduleArgs};
use crate::clock;
use crate::config::Schedule;
use crate::exit::{Exit, usage};
use crate::judge_runs::settings::JudgeSettings;
use crate::options::Global;
use crate::output::Out;
use capdex_model::time::AsOf;

pub(super) fn run(global: &Global, command: &JudgeCommand, out: &mut Out) -> anyhow::Result<Exit> {
    match command {
        JudgeCommand::Estimate(options) => ask::estimate(global, options, out),
        JudgeCommand::Run(options) => ask::run(global, options, out),
        JudgeCommand::Status(options) => show::status(global, options, out),
        JudgeCommand::Show(options) => show::show(global, options, out),
        JudgeCommand::Replay => show::replay(global, out),
        JudgeCommand::Agree(options) => measure::agree(global, options, out),
        JudgeCommand::Bench(options) => measure::bench(global, options, out),
    }
}

fn now(global: &Global) -> AsOf {
    global.as_of.unwrap_or_else(|| AsOf(clock::now()))
}

/// The judge of a schedule, and whom to write to about its requests.
fn settings(schedule: &JudgeScheduleArgs) -> anyhow::Result<(JudgeSettings, String)> {
    of_schedule(&schedule.config)
}

/// The same by the schedule's path.
pub(super) fn of_schedule(path: &Path) -> anyhow::Result<(JudgeSettings, String)> {
    let schedule = Schedule::load(Some(path))?;
    let contact = schedule.http.contact.clone().unwrap_or_default();
    let settings = schedule.judge.settings()?;
    let none = || usage(format!("{} names no judge: give [judge] a base_url and a model", path.display()));
    Ok((settings.ok_or_else(none)?, contact))
}
