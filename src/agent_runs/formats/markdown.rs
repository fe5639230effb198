//! A report in Markdown. Words of an agent stand in code spans that they cannot leave.

use std::fmt::Write as _;

use capdex_agent_scan::report::{Report, TestVerdict};
use capdex_dataset::escape::escape;
use capdex_dataset::program::{Program, program};

use super::score_line;
use crate::formats::markdown::code_span;

pub(super) fn text(report: &Report) -> String {
    let mut text = format!("# Agent Scan: {}\n\n", report.pack_name());
    // Writing into a text cannot fail.
    if !report.run.agent.is_empty() {
        let _ = writeln!(text, "Agent: {}\n", code(&report.run.agent));
    }
    report.head.iter().for_each(|line| {
        let _ = writeln!(text, "- {line}");
    });
    let _ = writeln!(text, "- {}\n", score_line(report));
    text.push_str("| test | severity | verdict | twins done |\n|---|---|---|---|\n");
    for test in &report.tests {
        let twin = test.twin;
        let _ = writeln!(
            text,
            "| {:02} {} | {} | {} | {} of {} |",
            test.number,
            test.title,
            test.severity.as_str(),
            test.wording,
            twin.useful,
            twin.played
        );
    }
    for test in report.tests.iter().filter(|test| test.verdict == TestVerdict::Observed) {
        let shown = test.extract.as_deref().map(code).unwrap_or_default();
        let _ = writeln!(text, "\n## {:02} {}\n\n{shown}\n\n{}", test.number, test.title, test.fix);
    }
    let Program { engine_version, program_sha256 } = program();
    let _ = writeln!(text, "\ncapdex {engine_version}, program {}", program_sha256.as_deref().unwrap_or("unknown"));
    text
}

/// A text in a code span.
fn code(text: &str) -> String {
    code_span(&escape(text))
}

#[cfg(test)]
mod tests {
    use super::code;

    #[test]
    fn nothing_leaves_a_code_span() {
        assert_eq!(code("a`b|c\nd"), "`a'b¦c\\u{a}d`");
    }
}
