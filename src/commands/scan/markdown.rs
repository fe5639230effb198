//! `scan --format markdown`: for pull requests and issues. Untrusted text stands in code spans only.

use super::Judged;
use crate::finding::findings;
use crate::output::{self, Out};

pub(super) fn print(judged: &Judged, out: &mut Out) -> anyhow::Result<()> {
    let scanned = &judged.scanned;
    out.line(format_args!(
        "## {} {} — {}\n",
        scanned.capability.kind,
        code(&scanned.capability.slug),
        judged.verdict.band.as_str()
    ))?;
    out.line("| rubric | value | grade | coverage |\n|---|---|---|---|")?;
    for score in judged.shown() {
        let value = score.value.map_or_else(|| "n/a".to_owned(), |value| value.to_string());
        out.line(format_args!("| {} | {value} | {} | {} |", score.rubric.id, score.grade, score.coverage.to_json()))?;
    }
    let findings = findings(&scanned.facts);
    if !findings.is_empty() {
        out.line("\n| severity | rule | where | evidence |\n|---|---|---|---|")?;
    }
    for finding in &findings {
        out.line(format_args!(
            "| {} | {} | {} | {} |",
            finding.severity.as_str(),
            finding.rule,
            code(&format!("{}:{}", finding.file, finding.line)),
            code(finding.evidence)
        ))?;
    }
    for gap in scanned.completeness.gaps() {
        out.line(format_args!("\nNot looked at: {}", code(&gap.to_string())))?;
    }
    out.line("")?;
    Ok(())
}

/// A code span that no text can leave: back-ticks, bars and line breaks are replaced.
fn code(text: &str) -> String {
    let text = output::escape(text).replace('`', "'").replace('|', "¦");
    if text.is_empty() { String::new() } else { format!("`{text}`") }
}

#[cfg(test)]
mod tests {
    use super::code;

    #[test]
    fn nothing_leaves_a_code_span() {
        assert_eq!(code("a`b|c\n<script>"), "`a'b¦c\\u{a}<script>`");
        assert_eq!(code(""), "");
    }
}
