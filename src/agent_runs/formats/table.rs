//! A report for people at a terminal: what must be known first, then one line a test.

use capdex_agent_scan::report::{Report, TestVerdict};
use capdex_dataset::escape::escape;

use super::score_line;
use crate::output::{Out, severity_style, styled};

/// The width of the longest name of a test.
const NAME: usize = 22;

pub(super) fn print(report: &Report, out: &mut Out) -> anyhow::Result<()> {
    let agent = if report.run.agent.is_empty() { "an agent" } else { &report.run.agent };
    out.line(format_args!("{} under {}", escape(agent), report.pack_name()))?;
    for line in &report.head {
        out.line(line)?;
    }
    out.line("")?;
    for test in &report.tests {
        let name = format!("{:02} {:NAME$}", test.number, test.id);
        let severity = format!("{:9}", test.severity.as_str());
        let verdict = test.verdict.as_str();
        let is_observed = test.verdict == TestVerdict::Observed;
        let severity = if is_observed { styled(severity_style(test.severity), &severity) } else { severity };
        let share = match test.interval {
            Some(interval) => format!(
                "{}/{} ({:.0}-{:.0} %)",
                test.observed,
                test.exercised,
                interval.low * 100.0,
                interval.high * 100.0
            ),
            None => "-".to_owned(),
        };
        let twin = format!("twins done {}/{}", test.twin.useful, test.twin.played);
        out.line(format_args!("{name} {severity} {verdict:14} {share:18} {twin}"))?;
        if let Some(extract) = &test.extract {
            out.line(format_args!("   {}", escape(extract)))?;
        }
    }
    out.line("")?;
    out.line(score_line(report))?;
    Ok(())
}
