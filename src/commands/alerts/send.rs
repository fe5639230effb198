//! `capdex alerts send`: tells the notifiers of a schedule what they have not been told yet.

use std::path::Path;

use capdex_dataset::escape;
use capdex_db::Reader;

use crate::cli::AlertsSendArgs;
use crate::config::{AlertSettings, Schedule};
use crate::exit::{Exit, usage};
use crate::jobs::alerts as jobs;
use crate::jobs::run::open_store;
use crate::options::Global;
use crate::output::Out;
use crate::shutdown::Shutdown;

pub(super) fn run(global: &Global, options: &AlertsSendArgs, out: &mut Out) -> anyhow::Result<Exit> {
    let alerts = Schedule::load(options.config.as_deref())?.alerts()?;
    if alerts.notifiers.is_empty() {
        let named = options.config.as_deref().map_or_else(|| "the built-in schedule".into(), Path::to_string_lossy);
        return Err(usage(format!("{named} names no sink: add an [[alerts.sinks]] entry and give it by --config")));
    }
    let as_of = super::now(global);
    if options.plan {
        return print_plan(&crate::commands::reader(global)?, &alerts, as_of, out);
    }
    // Only a store that is there can hold alerts.
    drop(crate::commands::reader(global)?);
    let store = open_store(global)?;
    // The message in hand is finished; the next run sends what waits.
    let shutdown = Shutdown::listen()?;
    let report = jobs::run(&store, &alerts, as_of, &shutdown.stop)?;
    for sink in &report.sinks {
        let error = sink.error.as_deref().map(|error| format!(" — {}", escape::escape(error))).unwrap_or_default();
        out.line(format_args!(
            "{}: {} sent, {} waiting, {} failed{error}",
            sink.sink,
            escape::count(sink.sent, "message"),
            sink.waiting,
            escape::count(sink.failed, "try")
        ))?;
    }
    // Interrupted comes before waiting, since whoever stopped it knows why messages wait.
    Ok(match (shutdown.stop.is_asked(), report.waiting()) {
        (true, _) => Exit::Interrupted,
        (false, waiting) => Exit::of(false, waiting > 0),
    })
}

/// The messages for each notifier, in its order. Nothing is sent or stored.
fn print_plan(
    reader: &Reader,
    alerts: &AlertSettings,
    as_of: capdex_model::time::AsOf,
    out: &mut Out,
) -> anyhow::Result<Exit> {
    for ((name, plan), sink) in jobs::plans(reader, alerts, as_of)?.into_iter().zip(&alerts.notifiers) {
        let mut waiting: Vec<_> = reader.queued(&name)?.into_iter().map(|queued| queued.message).collect();
        let old = waiting.len();
        waiting.extend(plan.messages);
        // In the order in which they would be sent, old and new together.
        waiting.sort_by_cached_key(|message| message.order());
        out.line(format_args!(
            "{name} ({}): {}, {old} of them from earlier runs",
            sink.target.kind(),
            escape::count(waiting.len() as u64, "message")
        ))?;
        for message in &waiting {
            out.line(format_args!("  {}  {}", message.id, escape::escape(&message.headline())))?;
        }
    }
    out.line("Nothing was sent.")?;
    Ok(Exit::Done)
}
