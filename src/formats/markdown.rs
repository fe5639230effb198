//! `scan --format markdown`: for pull requests and issues, the worst first, no longer than they take. Untrusted text stands in
//! code spans only.

use capdex_dataset::escape;
use capdex_model::score::Band;
use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::{JudgedCapability, Printer, ScanFormat, not_shown};
use crate::output::Out;
use capdex_dataset::finding::BaselineStatus;

pub(super) struct MarkdownFormat;

impl ScanFormat for MarkdownFormat {
    fn id(&self) -> &'static str {
        "markdown"
    }

    fn about(&self) -> &'static str {
        "Markdown, for pull requests and job summaries"
    }

    fn printer(&self) -> Box<dyn Printer> {
        Box::<MarkdownPrinter>::default()
    }
}

/// Findings, and gaps, of one capability that are shown: with them the longest section leaves room for others.
const SHOWN: usize = 50;
/// Letters of a path, of evidence, of a gap, as they are printed.
const TEXT: usize = 160;
/// Bytes of a whole print: a comment of a pull request takes 65,536 letters.
const ROOM: usize = 60_000;

/// The text about one capability.
struct MarkdownSection {
    band: Band,
    text: String,
    /// The rules that it names.
    rules: BTreeSet<&'static str>,
}

/// The sections as they are gathered.
#[derive(Default)]
struct MarkdownPrinter(Vec<MarkdownSection>);

impl Printer for MarkdownPrinter {
    fn add(&mut self, judged: &JudgedCapability, _: &mut Out) -> anyhow::Result<()> {
        self.0.push(section(judged)?);
        Ok(())
    }

    fn finish(mut self: Box<Self>, out: &mut Out) -> anyhow::Result<()> {
        // Worst first: where the room ends, the milder ones are left out.
        self.0.sort_by_key(|section| gravity(section.band));
        let (mut used, mut left, mut named) = (0, 0, BTreeSet::new());
        for section in &self.0 {
            // The explanation of a rule counts for the first section that names it.
            let words: Vec<String> = section.rules.difference(&named).map(|rule| explained(rule)).collect();
            let needs = section.text.len() + words.iter().map(String::len).sum::<usize>();
            if used + needs > ROOM {
                // Left out and not cut: half a table is no Markdown. A smaller one may still fit.
                left += 1;
                continue;
            }
            used += needs;
            out.line(&section.text)?;
            named.extend(&section.rules);
        }
        if left > 0 {
            let left = escape::count(left, "capability");
            out.line(format_args!("{left} more, for which there is no room here; `--format jsonl` has all.\n"))?;
        }
        if !named.is_empty() {
            out.line("## Rules\n")?;
        }
        for rule in named {
            out.line(explained(rule))?;
        }
        Ok(())
    }
}

/// The words of a rule and its advice, which are our own.
fn explained(rule: &str) -> String {
    capdex_rules::INDEX.find(rule).map_or_else(String::new, |meta| {
        format!("- **{}**: {} *Fix:* {}", meta.id, plain(&meta.title), plain(&meta.fix))
    })
}

/// The worst first; what is unknown stands before what is known to be good.
const fn gravity(band: Band) -> u8 {
    match band {
        Band::Block => 0,
        Band::Caution => 1,
        Band::Watch => 2,
        Band::Unknown => 3,
        Band::Ok => 4,
    }
}

fn section(judged: &JudgedCapability) -> anyhow::Result<MarkdownSection> {
    let (scanned, mut text) = (&judged.scanned, String::new());
    let (kind, slug) = (scanned.capability.kind, code(&scanned.capability.slug));
    writeln!(text, "## {kind} {slug} — {}\n", judged.verdict.band.as_str())?;
    writeln!(text, "Because: {}\n", code(&judged.verdict.reason))?;
    if let Some(said) = &judged.operator {
        writeln!(text, "By the operator's word: {}, because: {}\n", said.band.as_str(), code(&said.reason))?;
    }
    writeln!(text, "| rubric | value | grade | coverage |\n|---|---|---|---|")?;
    for score in judged.shown() {
        let value = score.value.map_or_else(|| "n/a".to_owned(), |value| value.to_string());
        let (id, grade, coverage) = (&score.rubric.id, &score.grade, score.coverage.to_json());
        writeln!(text, "| {id} | {value} | {grade} | {coverage} |")?;
    }
    let mut findings = judged.findings();
    // A stable sort: equals stay in the order of the files.
    findings.sort_by_key(|finding| Reverse(finding.severity));
    if !findings.is_empty() {
        writeln!(text, "\n| severity | rule | where | evidence |\n|---|---|---|---|")?;
    }
    for finding in findings.iter().take(SHOWN) {
        let known = finding.baseline.filter(|standing| *standing != BaselineStatus::New);
        let known = known.map(|standing| format!(" ({})", standing.words())).unwrap_or_default();
        let aside = finding.ruling.map(|ruling| format!(" (set aside: {})", ruling.status.words())).unwrap_or_default();
        let known = known + &aside;
        let (severity, rule) = (finding.severity.as_str(), finding.rule);
        let place =
            if finding.line > 0 { code(&format!("{}:{}", finding.file, finding.line)) } else { code(finding.file) };
        let evidence = code(finding.evidence);
        writeln!(text, "| {severity}{known} | {rule} | {place} | {evidence} |")?;
    }
    left_out(&mut text, findings.len(), "finding")?;
    if let Some(note) = not_shown(judged) {
        writeln!(text, "\n{note}")?;
    }
    for gap in judged.gaps().iter().take(SHOWN) {
        writeln!(text, "\nNot looked at: {}", code(&gap.to_string()))?;
    }
    left_out(&mut text, judged.gaps().len(), "gap")?;
    let rules = findings
        .iter()
        .filter_map(|finding| capdex_rules::INDEX.find(finding.rule))
        .map(|meta| meta.id.as_str())
        .collect();
    Ok(MarkdownSection { band: judged.verdict.band, text, rules })
}

fn left_out(text: &mut String, all: usize, noun: &str) -> anyhow::Result<()> {
    if let Some(left) = all.checked_sub(SHOWN).filter(|left| *left > 0) {
        writeln!(text, "\n… and {} more.", escape::count(u64::try_from(left)?, noun))?;
    }
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

/// A code span with the beginning of a text. Cut last: what is escaped is longer.
fn code(text: &str) -> String {
    code_span(&escape::shorten(&escape::escape(text), TEXT))
}

/// A code span that no escaped text can leave: back-ticks and bars are replaced. Empty for an empty text.
pub(crate) fn code_span(escaped: &str) -> String {
    // Within a code span nothing is markup, so only what ends it has to go.
    let text = escaped.replace('`', "'").replace('|', "¦");
    if text.is_empty() { text } else { format!("`{text}`") }
}

#[cfg(test)]
mod tests {
    use super::{SHOWN, code, left_out, plain};

    #[test]
    fn nothing_leaves_a_code_span() {
        assert_eq!(code("a`b|c\n<script>"), "`a'b¦c\\u{a}<script>`");
        assert_eq!(code(""), "");
        assert!(code(&"\u{200b}".repeat(300)).len() < 2 * super::TEXT);
    }

    #[test]
    fn what_a_section_leaves_out_is_told() {
        let said = |all| {
            let mut text = String::new();
            left_out(&mut text, all, "finding").expect("writes");
            text
        };
        assert_eq!(said(SHOWN), "");
        assert_eq!(said(SHOWN + 2), "\n… and 2 findings more.\n");
    }

    #[test]
    fn our_own_words_are_no_markup() {
        assert_eq!(plain("a <b> in `c` [d](e)"), "a \\<b\\> in \\`c\\` \\[d\\](e)");
    }
}
