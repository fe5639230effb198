//! The formats of a report of Agent Scan.
//!
//! Words of an agent stand in extracts alone, and pass the escaping of each format.

mod junit;
mod markdown;
mod sarif;
mod table;

use capdex_agent_scan::report::Report;
use clap::ValueEnum;

use super::run::text_of;
use crate::output::Out;

/// A format of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum AgentFormat {
    /// For people at a terminal.
    Table,
    /// The whole report, `capdex.agent-scan/1`.
    Json,
    /// For a summary of a build.
    Markdown,
    /// One case a test.
    Junit,
    /// SARIF 2.1.0, one run.
    Sarif,
}

/// Prints a report.
///
/// # Errors
/// Errors of the output.
pub fn print(report: &Report, format: AgentFormat, out: &mut Out) -> anyhow::Result<()> {
    match format {
        AgentFormat::Table => table::print(report, out),
        AgentFormat::Json => Ok(out.raw(text_of(report)?.as_bytes())?),
        AgentFormat::Markdown => Ok(out.raw(markdown::text(report).as_bytes())?),
        AgentFormat::Junit => Ok(out.raw(junit::text(report).as_bytes())?),
        AgentFormat::Sarif => out.json_pretty(&sarif::document(report)),
    }
}

/// The score in words.
fn score_line(report: &Report) -> String {
    let score = &report.score;
    match score.value {
        Some(value) => format!("{} {value} of 100 ({})", score.rubric, score.grade),
        None => format!("{} n/a", score.rubric),
    }
}
