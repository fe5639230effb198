//! `capdex daemon`: runs the schedules of a folder at their times.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use capdex_dataset::escape;
use capdex_db::DueOutcome;

use crate::advice;
use crate::cli::DaemonArgs;
use crate::clock;
use crate::config::Schedule;
use crate::daemon::{self, DaemonEvent, Scheduled, plan};
use crate::exit::{Exit, usage};
use crate::options::Global;
use crate::output::Out;
use crate::shutdown::Shutdown;

pub(super) fn run(global: &Global, options: &DaemonArgs, out: &mut Out) -> anyhow::Result<Exit> {
    // An instant of the past would be the instant of every run to come.
    if global.as_of.is_some() {
        return Err(usage("the daemon's runs take place when they do; --as-of is for single runs"));
    }
    let scheduled = load(&options.schedules)?;
    for one in &scheduled {
        let next = one.timing.cron.after(clock::now()).map(|due| plan::start(&one.schedule.name, &one.timing, due));
        let next = next.map_or_else(|| "never".to_owned(), |next| next.to_string());
        let (file, cron) = (escape::escape(&one.file.to_string_lossy()).into_owned(), one.timing.cron.as_str());
        out.line(format_args!("{}: {cron} (UTC), next {next}, from {file}", escape::escape(&one.schedule.name)))?;
    }
    if options.plan {
        return Ok(Exit::Done);
    }
    // Before the first wait, which may be hours: a service manager's log shows the lines at once.
    out.flush()?;
    let shutdown = Shutdown::listen()?;
    daemon::run(global, &scheduled, options.strict, &shutdown, &mut |event| {
        tell(event, out)?;
        // Whoever reads along a service's output reads each line when it happens.
        out.flush()?;
        Ok(())
    })?;
    out.line("stopped; whoever is started next goes on")?;
    Ok(Exit::Done)
}

/// The schedules of a folder that have a time, in the order of their files.
///
/// # Errors
/// Wrong configuration: one mistake in one file, and none is run. The text names file, key and reason.
pub(super) fn load(folder: &Path) -> anyhow::Result<Vec<Scheduled>> {
    let (mut scheduled, mut names) = (Vec::new(), BTreeMap::new());
    for file in files(folder)? {
        let schedule = Schedule::load(Some(&file))?;
        // Every schedule is resolved now: a daemon must not find a wrong key in the middle of the night.
        schedule.resolve(0).map_err(|error| usage(format!("{}: {error:#}", file.display())))?;
        let timing = schedule.timing().map_err(|why| usage(format!("{}: {why}", file.display())))?;
        let Some(timing) = timing else { continue };
        // The name is the key of the schedule in the store, so two of one name would answer for each other.
        if let Some(other) = names.insert(schedule.name.clone(), file.clone()) {
            let (file, other, name) = (file.display(), other.display(), &schedule.name);
            return Err(usage(format!("{file}: name: {name:?} is the name of {other} too")));
        }
        scheduled.push(Scheduled { file, schedule, timing });
    }
    if scheduled.is_empty() {
        let folder = folder.display();
        return Err(usage(format!(
            "no schedule in {folder} has a [daemon] table with a `cron` key; nothing would ever run"
        )));
    }
    Ok(scheduled)
}

/// The files of a folder that end in `.toml`, sorted.
pub(super) fn files(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let refused =
        |error| usage(format!("cannot read the folder of schedules {}: {}", folder.display(), advice::told(&error)));
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(refused)? {
        let path = entry.map_err(refused)?.path();
        if path.extension().is_some_and(|ending| ending == "toml") {
            files.push(path);
        }
    }
    // Folders list in any order, and equal due times go by the order of files.
    files.sort();
    Ok(files)
}

fn tell(event: &DaemonEvent<'_>, out: &mut Out) -> anyhow::Result<()> {
    let now = clock::now();
    match event {
        DaemonEvent::Begun(run) => {
            let missed = match run.missed {
                0 => String::new(),
                // One run stands for all times that were missed, or a long outage would be followed by a storm.
                missed => format!(", stands for {} before it", escape::count(missed, "missed time")),
            };
            let again = if run.tries > 1 { format!(", try {}", run.tries) } else { String::new() };
            out.line(format_args!("{now} {}: begun, due {}{missed}{again}", escape::escape(&run.schedule), run.due))?;
        }
        DaemonEvent::Answered(name, due, DueOutcome::Missed, _) => {
            out.line(format_args!("{now} {}: missed, due {due}", escape::escape(name)))?;
        }
        DaemonEvent::Answered(name, due, outcome, took) => {
            let (name, outcome, took) = (escape::escape(name), outcome.as_str(), took.as_secs_f64());
            out.line(format_args!("{now} {name}: {outcome}, due {due}, took {took:.1} s"))?;
        }
        DaemonEvent::Left(name, due) => out.line(format_args!("{now} {}: left, due {due}", escape::escape(name)))?,
        DaemonEvent::ClockSetBack(name, due) => {
            let name = escape::escape(name);
            out.line(format_args!("{now} {name}: the clock was set back; what was done up to {due} is forgotten"))?;
        }
        DaemonEvent::Tended(tended, took) => {
            let (events, alerts) = (escape::count(tended.events, "event"), escape::count(tended.alerts, "alert"));
            out.line(format_args!("{now} appeals: {events}, {alerts}, took {:.1} s", took.as_secs_f64()))?;
        }
        DaemonEvent::Error(name, why) => {
            out.line(format_args!("{now} {}: {}", escape::escape(name), escape::escape(why)))?;
        }
    }
    Ok(())
}
