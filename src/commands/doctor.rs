//! `capdex doctor`: what stands in the way of a good night, and what to do about it.

use std::path::Path;

use anstyle::{AnsiColor, Style};
use capdex_dataset::escape;

use crate::cli::DoctorArgs;
use crate::config::Schedule;
use crate::doctor::{DoctorContext, Health, HealthFinding, examine};
use crate::exit::Exit;
use crate::options::Global;
use crate::output::{self, Out};

pub(super) fn run(global: &Global, options: &DoctorArgs, out: &mut Out) -> anyhow::Result<Exit> {
    let (schedules, mut found) = schedules(options);
    let patient = DoctorContext { global, schedules: &schedules, is_online: !options.offline, is_deep: options.deep };
    found.extend(examine(&patient));
    let worst = found.iter().map(|one| one.health).max().unwrap_or(Health::Ok);
    super::list_output::print(options.format, "capdex.doctor/1", &found, out, |out| {
        for one in &found {
            print(one, out)?;
        }
        out.line(match worst {
            Health::Ok => "Nothing stands in the way of a night.",
            Health::Warn => "A night would run; see the warnings.",
            Health::Fail => "A night would fail or lack something; see what fails.",
        })?;
        Ok(())
    })?;
    // Warnings leave the exit code alone: a night would still run.
    Ok(Exit::of(worst == Health::Fail, false))
}

/// The schedules that can be read, and the faults of the others.
fn schedules(options: &DoctorArgs) -> (Vec<(String, Schedule)>, Vec<HealthFinding>) {
    let files = match (&options.schedules, options.config.is_empty()) {
        (Some(folder), _) => super::daemon::files(folder),
        (None, false) => Ok(options.config.clone()),
        (None, true) => Ok(Vec::new()),
    };
    let (mut read, mut found) = (Vec::new(), Vec::new());
    // Faults of schedules are findings like any other, so that all of them are shown at once.
    let say = |subject: &str, health, what: String, advice: &str| HealthFinding {
        check: "schedule",
        subject: subject.to_owned(),
        health,
        found: what,
        advice: advice.to_owned(),
    };
    let files = match files {
        Ok(files) => files,
        Err(error) => {
            found.push(say("schedules", Health::Fail, format!("{error:#}"), "name the folder with --schedules"));
            Vec::new()
        }
    };
    let mut take = |shown: String, path: Option<&Path>| match Schedule::load(path) {
        Ok(schedule) => {
            let timing = schedule.timing().ok().flatten();
            let when =
                timing.map_or_else(|| "run by hand".to_owned(), |timing| format!("at {} UTC", timing.cron.as_str()));
            let sources = escape::count(schedule.sources.len() as u64, "source");
            found.push(say(&shown, Health::Ok, format!("{}, {sources}, {when}", schedule.name), ""));
            read.push((shown, schedule));
        }
        Err(error) => {
            found.push(say(&shown, Health::Fail, format!("{error:#}"), "mend the file; docs/config.md has every key"))
        }
    };
    // Without a file the program runs its built-in schedule, so that is the one to examine.
    if options.schedules.is_none() && options.config.is_empty() {
        take("the built-in quickstart".to_owned(), None);
    }
    for file in &files {
        take(file.display().to_string(), Some(file));
    }
    (read, found)
}

fn print(one: &HealthFinding, out: &mut Out) -> anyhow::Result<()> {
    let health = output::styled(health_style(one.health), &format!("{:<4}", one.health.as_str()));
    let (subject, found) = (escape::escape(&one.subject), escape::escape(&one.found));
    out.line(format_args!("{health}  {:<8}  {subject}: {found}", one.check))?;
    if !one.advice.is_empty() {
        out.line(format_args!("                → {}", one.advice))?;
    }
    Ok(())
}

/// The colour of a state of health.
fn health_style(health: Health) -> Style {
    let colour = match health {
        Health::Ok => AnsiColor::Green,
        Health::Warn => AnsiColor::Yellow,
        Health::Fail => AnsiColor::Red,
    };
    Style::new().fg_color(Some(colour.into()))
}
