//! Commands: one file each; they read options, call jobs and exports, and print.
//!
//! No rule, no rubric and no SQL may live here.

use anyhow::Context as _;
use capdex_core::capability::Kind;
use capdex_core::ids::slug_of;
use capdex_core::rubrics::RUBRICS;
use capdex_db::{CurrentCapability, Reader};

use crate::cli::{Cli, Command, Global};
use crate::exit::{Exit, usage};
use crate::output::Out;

mod abuse;
mod alerts;
mod backfill;
mod backup;
mod bench;
mod campaigns;
mod clones;
pub(crate) mod collisions;
mod completions;
mod confirm;
mod daemon;
mod docs;
mod doctor;
pub(crate) mod drift;
mod explain;
mod export;
mod exposure;
mod listed;
pub(crate) mod lookalikes;
mod man;
mod nightly;
mod prune;
mod report;
mod rules;
mod scan;
mod score;
mod serve;
pub(crate) mod status;
mod summary;
mod verify;

/// Runs the command that was asked for.
///
/// # Errors
/// Wrong usage, or that nothing could be done; see [`crate::exit::code_of`].
pub fn run(cli: &Cli) -> anyhow::Result<Exit> {
    let mut out = Out::stdout();
    let exit = match &cli.command {
        Command::Nightly(options) => nightly::run(&cli.global, options, &mut out),
        Command::Backfill(options) => backfill::run(&cli.global, options, &mut out),
        Command::Scan(options) => scan::run(&cli.global, options, &mut out),
        Command::Score(options) => score::run(&cli.global, options, &mut out),
        Command::Drift(options) => drift::run(&cli.global, options, &mut out),
        Command::Clones(options) => clones::run(&cli.global, options, &mut out),
        Command::Campaigns(options) => campaigns::run(&cli.global, options, &mut out),
        Command::Lookalikes(options) => lookalikes::run(&cli.global, options, &mut out),
        Command::Collisions(options) => collisions::run(&cli.global, options, &mut out),
        Command::Export(options) => export::run(&cli.global, options, &mut out),
        Command::Report(options) => report::run(&cli.global, options, &mut out),
        Command::Serve(options) => serve::run(&cli.global, options, &mut out),
        Command::Verify(options) => verify::run(&cli.global, options, &mut out),
        Command::Explain(options) => explain::run(&cli.global, options, &mut out),
        Command::Exposure(options) => exposure::run(&cli.global, options, &mut out),
        Command::Abuse(command) => abuse::run(&cli.global, command, &mut out),
        Command::Alerts(command) => alerts::run(&cli.global, command, &mut out),
        Command::Rules(command) => rules::run(command, &mut out),
        Command::Docs(options) => docs::run(options, &mut out),
        Command::Bench(options) => bench::run(&cli.global, options, &mut out),
        Command::Confirm(options) => confirm::run(&cli.global, options, &mut out),
        Command::Status(options) => status::run(&cli.global, options, &mut out),
        Command::Daemon(options) => daemon::run(&cli.global, options, &mut out),
        Command::Doctor(options) => doctor::run(&cli.global, options, &mut out),
        Command::Prune(options) => prune::run(&cli.global, options, &mut out),
        Command::Backup(options) => backup::backup(&cli.global, options, &mut out),
        Command::Restore(options) => backup::restore(&cli.global, options, &mut out),
        Command::Completions(options) => completions::run(options, &mut out),
        Command::Man(options) => man::run(options, &mut out),
    }?;
    out.flush()?;
    Ok(exit)
}

/// Opens the store for reading, with what to do when there is none.
fn reader(global: &Global) -> anyhow::Result<Reader> {
    Reader::open(&global.db)
        .with_context(|| format!("failed to open the store {} (run `capdex nightly` first)", global.db.display()))
}

/// Finds a capability by slug, by `npm:@scope/name#kind:path`, or by at least 8 hex digits of its id.
fn find(reader: &Reader, text: &str) -> anyhow::Result<CurrentCapability> {
    found(reader, text)?.ok_or_else(|| not_found(text, 0))
}

/// The same; none where none of that name stands now.
fn found(reader: &Reader, text: &str) -> anyhow::Result<Option<CurrentCapability>> {
    let (wanted, hex) = names(text);
    let mut found: Vec<CurrentCapability> = reader
        .current()?
        .into_iter()
        .filter(|current| {
            current.capability.slug == wanted
                || (!hex.is_empty() && current.capability.id.to_string().starts_with(&hex))
        })
        .collect();
    match found.len() {
        0 | 1 => Ok(found.pop()),
        several => Err(not_found(text, several)),
    }
}

/// What a written name may be: a slug, and the first digits of an id (empty where it cannot be one).
fn names(text: &str) -> (String, String) {
    let hex = text.strip_prefix("sha256:").unwrap_or(text).to_ascii_lowercase();
    let is_hex = hex.len() >= 8 && hex.bytes().all(|byte| byte.is_ascii_hexdigit());
    (slug_like(text), if is_hex { hex } else { String::new() })
}

fn not_found(text: &str, several: usize) -> anyhow::Error {
    match several {
        0 => usage(format!("no capability {text:?} in the store; `capdex export` lists them all")),
        _ => usage(format!("{text:?} means {several} capabilities; give more digits of the id")),
    }
}

/// The slug that a written name means: `npm:@scope/name#kind:path`, or a slug as it is.
fn slug_like(text: &str) -> String {
    let parts = text.split_once('#').and_then(|(identity, rest)| {
        let (kind, path) = rest.split_once(':').unwrap_or((rest, ""));
        kind.parse::<Kind>().ok().map(|kind| slug_of(identity, kind, path))
    });
    parts.unwrap_or_else(|| text.to_lowercase())
}

/// Checks a rubric's id.
fn known_rubric(id: &str) -> anyhow::Result<()> {
    if RUBRICS.iter().any(|rubric| rubric.meta().rubric.id == id) {
        return Ok(());
    }
    let known: Vec<&str> = RUBRICS.iter().map(|rubric| rubric.meta().rubric.id.as_str()).collect();
    Err(usage(format!("there is no rubric {id:?}; the rubrics are {}", known.join(", "))))
}
