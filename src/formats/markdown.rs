//! `scan --format markdown`: for pull requests and issues. Untrusted text stands in code spans only.

use std::collections::BTreeSet;

use capdex_core::rules;

use super::{Format, Judged, Printer};
use crate::baseline::Standing;
use crate::output::{self, Out};

pub(super) struct Markdown;

impl Format for Markdown {
    fn id(&self) -> &'static str {
        "markdown"
    }

    fn about(&self) -> &'static str {
        "Markdown, for pull requests and job summaries"
    }

    fn printer(&self) -> Box<dyn Printer> {
        Box::new(Sections)
    }
}

struct Sections;

impl Printer for Sections {
    fn add(&mut self, judged: &Judged, out: &mut Out) -> anyhow::Result<()> {
        print(judged, out)
    }
}

fn print(judged: &Judged, out: &mut Out) -> anyhow::Result<()> {
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
    let findings = judged.findings();
    if !findings.is_empty() {
        out.line("\n| severity | rule | where | evidence |\n|---|---|---|---|")?;
    }
    for finding in &findings {
        let known = finding.baseline.filter(|standing| *standing != Standing::New);
        let known = known.map(|standing| format!(" ({})", standing.words())).unwrap_or_default();
        out.line(format_args!(
            "| {}{known} | {} | {} | {} |",
            finding.severity.as_str(),
            finding.rule,
            code(&format!("{}:{}", finding.file, finding.line)),
            code(finding.evidence)
        ))?;
    }
    let found: BTreeSet<&str> = findings.iter().map(|finding| finding.rule).collect();
    for (at, meta) in found.into_iter().filter_map(rules::find).enumerate() {
        let lead = if at == 0 { "\n" } else { "" };
        out.line(format_args!("{lead}- **{}**: {} *Fix:* {}", meta.id, plain(&meta.title), plain(&meta.fix)))?;
    }
    for gap in judged.gaps() {
        out.line(format_args!("\nNot looked at: {}", code(&gap.to_string())))?;
    }
    out.line("")?;
    Ok(())
}

/// Our own words, in which nothing is to become markup: rules speak of tags and of links.
fn plain(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for letter in text.chars() {
        if matches!(letter, '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '|' | '#' | '~' | '!' | '&' | '@') {
            safe.push('\\');
        }
        safe.push(letter);
    }
    safe
}

/// A code span that no text can leave: back-ticks, bars and line breaks are replaced.
fn code(text: &str) -> String {
    let text = output::escape(text).replace('`', "'").replace('|', "¦");
    if text.is_empty() { String::new() } else { format!("`{text}`") }
}

#[cfg(test)]
mod tests {
    use super::{code, plain};

    #[test]
    fn nothing_leaves_a_code_span() {
        assert_eq!(code("a`b|c\n<script>"), "`a'b¦c\\u{a}<script>`");
        assert_eq!(code(""), "");
    }

    #[test]
    fn our_own_words_are_no_markup() {
        assert_eq!(plain("a <b> in `c` [d](e)"), "a \\<b\\> in \\`c\\` \\[d\\](e)");
    }
}
