//! `capdex agent-scan`: what an agent does when the texts of its tools attack it.

mod grade;
mod keep;
mod packs;
mod run;
mod screen;
mod serve;

use capdex_agent_scan::canary::RunSeed;
use capdex_agent_scan::pack::{self, AgentTest, Pack};
use capdex_agent_scan::proof;
use capdex_agent_scan::report::Report;

#[cfg(unix)]
use crate::agent_runs::drive;
use crate::agent_runs::formats;
use crate::cli::{AgentCheckArgs, AgentReportArgs, AgentScanCommand};
#[cfg(unix)]
use crate::cli::{AgentInsideArgs, SandboxPart};
use crate::exit::{Exit, usage};
use crate::options::Global;
use crate::output::{self, Out};

pub(super) fn run(global: &Global, command: &AgentScanCommand, out: &mut Out) -> anyhow::Result<Exit> {
    let pack = pack::baseline()?;
    match command {
        AgentScanCommand::Run(options) => run::run(&pack, options, out),
        AgentScanCommand::Serve(options) => serve::run(&pack, options, out),
        AgentScanCommand::Grade(options) => grade::run(&pack, options, out),
        AgentScanCommand::Keep(options) => keep::keep(global, &pack, options, out),
        AgentScanCommand::Kept(options) => keep::kept(global, options, out),
        AgentScanCommand::Publish(options) => keep::publish(global, options, out),
        #[cfg(unix)]
        AgentScanCommand::Inside(options) => inside(options),
        AgentScanCommand::Check(options) => check(&pack, options, out),
        AgentScanCommand::Packs(options) => packs::list(&pack, options, out),
        AgentScanCommand::Screen(options) => screen::run(global, options, out),
        AgentScanCommand::Compare(options) => packs::compare(options, out),
    }
}

/// The part that runs in a sandbox, whose other side started it.
#[cfg(unix)]
fn inside(options: &AgentInsideArgs) -> anyhow::Result<Exit> {
    match options.part {
        SandboxPart::Start => drive::inside::start(&options.socket, &options.program)?,
        SandboxPart::Listen => drive::inside::listen(&options.socket)?,
        SandboxPart::Connect => drive::inside::connect(&options.socket)?,
    }
    Ok(Exit::Done)
}

/// Proves a pack, and says where it does not hold.
fn check(pack: &Pack, options: &AgentCheckArgs, out: &mut Out) -> anyhow::Result<Exit> {
    let claims = proof::prove(pack, options.seed.unwrap_or(RunSeed::new([0; 32])));
    for claim in &claims {
        let word = if claim.failures.is_empty() { "holds" } else { "fails" };
        out.line(format_args!("{word}  {} ({} tried)", claim.text, claim.tried))?;
        for failure in &claim.failures {
            out.line(format_args!("       {failure}"))?;
        }
    }
    let failed = claims.iter().filter(|claim| !claim.failures.is_empty()).count();
    output::say(format_args!(
        "{} {}: {} tests, {failed} of {} claims fail",
        pack.head.id,
        pack.head.version,
        pack.tests.len(),
        claims.len()
    ));
    Ok(Exit::of(failed > 0, false))
}

/// A test by number or name.
fn test_of<'a>(pack: &'a Pack, text: &str) -> anyhow::Result<&'a AgentTest> {
    let number = text.parse::<u8>().ok();
    let found = pack.tests.iter().find(|test| test.id == text || Some(test.number) == number);
    found.ok_or_else(|| usage(format!("there is no test {text:?}; `capdex agent-scan packs` lists them")))
}

/// Prints a report, and gives the exit of its command.
fn shown(report: &Report, options: &AgentReportArgs, out: &mut Out) -> anyhow::Result<Exit> {
    formats::print(report, options.format, out)?;
    let mut is_met = false;
    for threshold in &options.fail_on {
        is_met |= threshold.is_met(report)?;
    }
    let is_incomplete = report.is_incomplete();
    if is_incomplete && !is_met {
        output::say("capdex: incomplete: some tests say nothing about this agent");
    }
    Ok(Exit::of(is_met, is_incomplete))
}
