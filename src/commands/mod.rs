//! Commands: one file each; they read options, call jobs and exports, and print.
//!
//! No rule, no rubric and no SQL may live here.

use std::time::Duration;

use anyhow::Context as _;
use capdex_db::{Decisions, Reader, StoreError};
use capdex_rubrics::RUBRICS;

use crate::cli::{Cli, CliCommand, SourcesCommand, WaitArgs};
use crate::exit::{Exit, usage};
use crate::nearest::did_you_mean;
use crate::options::Global;
use crate::output::Out;

mod abuse;
mod abuse_reports;
mod accept_removals;
mod agent_scan;
mod alerts;
mod appeal;
mod backfill;
mod backup;
mod bench;
mod campaigns;
mod check;
mod clones;
mod collisions;
mod completions;
mod daemon;
mod dependents;
mod diff;
mod docs;
mod doctor;
mod drift;
mod explain;
mod explain_json;
mod explain_package;
mod export;
mod hook;
mod init_ci;
mod init_hook;
mod init_schedule;
mod judge;
mod keys;
mod list_output;
mod man;
mod mcp;
mod nightly;
mod prune;
mod report;
mod rules;
mod rulings;
mod scan;
mod score;
mod serve;
mod status;
mod summary;
mod typosquats;
mod verify;
mod work;

/// Runs the command that was asked for.
///
/// # Errors
/// Wrong usage, or that nothing could be done; see [`crate::exit::code_of`].
pub fn run(cli: &Cli) -> anyhow::Result<Exit> {
    let mut out = Out::stdout();
    let exit = match &cli.command {
        CliCommand::Nightly(options) => nightly::run(&cli.global, options, &mut out),
        CliCommand::Backfill(options) => backfill::run(&cli.global, options, &mut out),
        CliCommand::Scan(options) => scan::run(&cli.global, options, &mut out),
        CliCommand::Check(options) => check::run(&cli.global, options, &mut out),
        CliCommand::Diff(options) => diff::run(&cli.global, options, &mut out),
        CliCommand::Score(options) => score::run(&cli.global, options, &mut out),
        CliCommand::Drift(options) => drift::run(&cli.global, options, &mut out),
        CliCommand::Clones(options) => clones::run(&cli.global, options, &mut out),
        CliCommand::Campaigns(options) => campaigns::run(&cli.global, options, &mut out),
        CliCommand::Typosquats(options) => typosquats::run(&cli.global, options, &mut out),
        CliCommand::Collisions(options) => collisions::run(&cli.global, options, &mut out),
        CliCommand::Export(options) => export::run(&cli.global, options, &mut out),
        CliCommand::Report(options) => report::run(&cli.global, options, &mut out),
        CliCommand::Serve(options) => serve::run(&cli.global, options, &mut out),
        CliCommand::Verify(options) => verify::run(&cli.global, options, &mut out),
        CliCommand::Explain(options) => explain::run(&cli.global, options, &mut out),
        CliCommand::Dependents(options) => dependents::run(&cli.global, options, &mut out),
        CliCommand::Rulings(command) => rulings::run(&cli.global, command, &mut out),
        CliCommand::Appeal(command) => appeal::run(&cli.global, command, &mut out),
        CliCommand::Abuse(command) => abuse::run(&cli.global, command, &mut out),
        CliCommand::Alerts(command) => alerts::run(&cli.global, command, &mut out),
        CliCommand::Rules(command) => rules::run(&cli.global, command, &mut out),
        CliCommand::Docs(options) => docs::run(options, &mut out),
        CliCommand::Bench(options) => bench::run(&cli.global, options, &mut out),
        CliCommand::Sources(SourcesCommand::AcceptRemovals(options)) | CliCommand::Confirm(options) => {
            accept_removals::run(&cli.global, options, &mut out)
        }
        CliCommand::Status(options) => status::run(&cli.global, options, &mut out),
        CliCommand::Daemon(options) => daemon::run(&cli.global, options, &mut out),
        CliCommand::Work(options) => work::run(&cli.global, options, &mut out),
        CliCommand::Doctor(options) => doctor::run(&cli.global, options, &mut out),
        CliCommand::Prune(options) => prune::run(&cli.global, options, &mut out),
        CliCommand::Backup(options) => backup::backup(&cli.global, options, &mut out),
        CliCommand::Restore(options) => backup::restore(&cli.global, options, &mut out),
        CliCommand::Mcp(options) => mcp::run(&cli.global, options),
        CliCommand::Hook(options) => hook::run(&cli.global, options, &mut out),
        CliCommand::Init(options) => match (options.hook, options.ci) {
            (Some(client), _) => init_hook::run(client, &cli.global, options, &mut out),
            (None, Some(system)) => init_ci::run(system, options, &mut out),
            (None, None) => init_schedule::run(options, &mut out),
        },
        CliCommand::AgentScan(command) => agent_scan::run(&cli.global, command, &mut out),
        CliCommand::Judge(command) => judge::run(&cli.global, command, &mut out),
        CliCommand::Keys(command) => keys::run(&cli.global, command, &mut out),
        CliCommand::Completions(options) => completions::run(options, &mut out),
        CliCommand::Man(options) => man::run(options, &mut out),
    }?;
    // Flushed here, so that a full disk becomes an error and no silent loss.
    out.flush()?;
    Ok(exit)
}

/// Opens the store for reading, with what to do when there is none.
fn reader(global: &Global) -> anyhow::Result<Reader> {
    Reader::open(&global.db, &capdex_rules::INDEX).with_context(|| {
        // Of a file that is no store another run would only say the same.
        let first = if global.db.exists() { "" } else { " (run `capdex nightly` first)" };
        format!("failed to open the store {}{first}", global.db.display())
    })
}

/// Writes an operator's decision, also while a run holds the store; says so where it has to wait.
fn decide<T: Send + 'static>(
    global: &Global,
    waiting: &WaitArgs,
    work: impl FnOnce(&Decisions<'_>) -> Result<T, StoreError> + Send + 'static,
) -> anyhow::Result<T> {
    let patience = Duration::from_secs(waiting.wait);
    let mut waits = || tracing::warn!("a run is in the middle of a write; waiting for {} s at most", waiting.wait);
    capdex_db::decide(&global.db, &capdex_rules::INDEX, patience, &mut waits, work)
        .with_context(|| format!("failed to write into the store {}", global.db.display()))
}

/// Checks a rubric's id.
fn known_rubric(id: &str) -> anyhow::Result<()> {
    if RUBRICS.iter().any(|rubric| rubric.meta().rubric.id == id) {
        return Ok(());
    }
    let known: Vec<&str> = RUBRICS.iter().map(|rubric| &*rubric.meta().rubric.id).collect();
    let meant = did_you_mean(id, known.iter().copied());
    Err(usage(format!("there is no rubric {id:?}{meant}; the rubrics are {}", known.join(", "))))
}
