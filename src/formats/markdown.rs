//! `scan --format markdown`: for pull requests and issues, the worst first, no longer than they take. Untrusted text stands in
//! code spans only.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::fmt::Write as _;

use capdex_core::rules;
use capdex_core::score::Band;

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
        Box::<Sections>::default()
    }
}

/// Findings, and gaps, of one capability that are shown.
const SHOWN: usize = 50;
/// Letters of one piece of evidence.
const EVIDENCE: usize = 200;
/// Bytes of a whole print: a comment of a pull request takes 65,536 letters.
const ROOM: usize = 60_000;

/// The sections as they are gathered, each with what sorts it.
#[derive(Default)]
struct Sections(Vec<(Band, String)>);

impl Printer for Sections {
    fn add(&mut self, judged: &Judged, _: &mut Out) -> anyhow::Result<()> {
        self.0.push((judged.verdict.band, section(judged)?));
        Ok(())
    }

    fn finish(mut self: Box<Self>, out: &mut Out) -> anyhow::Result<()> {
        self.0.sort_by_key(|(band, _)| gravity(*band));
        let (mut used, all) = (0, self.0.len());
        let fits = |(_, section): &&(Band, String)| {
            used += section.len();
            used <= ROOM
        };
        let shown: Vec<&str> = self.0.iter().take_while(fits).map(|(_, section)| section.as_str()).collect();
        for section in &shown {
            out.line(section)?;
        }
        if shown.len() < all {
            let left = output::count(u64::try_from(all - shown.len())?, "capability");
            out.line(format_args!("{left} less grave, for which there is no room here; `--format jsonl` has all.\n"))?;
        }
        Ok(())
    }
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

fn section(judged: &Judged) -> anyhow::Result<String> {
    let (scanned, mut text) = (&judged.scanned, String::new());
    let (kind, slug) = (scanned.capability.kind, code(&scanned.capability.slug));
    writeln!(text, "## {kind} {slug} — {}\n", judged.verdict.band.as_str())?;
    writeln!(text, "| rubric | value | grade | coverage |\n|---|---|---|---|")?;
    for score in judged.shown() {
        let value = score.value.map_or_else(|| "n/a".to_owned(), |value| value.to_string());
        let (id, grade, coverage) = (&score.rubric.id, &score.grade, score.coverage.to_json());
        writeln!(text, "| {id} | {value} | {grade} | {coverage} |")?;
    }
    let mut findings = judged.findings();
    findings.sort_by_key(|finding| Reverse(finding.severity));
    if !findings.is_empty() {
        writeln!(text, "\n| severity | rule | where | evidence |\n|---|---|---|---|")?;
    }
    for finding in findings.iter().take(SHOWN) {
        let known = finding.baseline.filter(|standing| *standing != Standing::New);
        let known = known.map(|standing| format!(" ({})", standing.words())).unwrap_or_default();
        let (severity, rule) = (finding.severity.as_str(), finding.rule);
        let place = code(&format!("{}:{}", finding.file, finding.line));
        let evidence = code(&output::shorten(finding.evidence, EVIDENCE));
        writeln!(text, "| {severity}{known} | {rule} | {place} | {evidence} |")?;
    }
    left_out(&mut text, findings.len(), "finding")?;
    let found: BTreeSet<&str> = findings.iter().map(|finding| finding.rule).collect();
    for (at, meta) in found.into_iter().filter_map(rules::find).enumerate() {
        let lead = if at == 0 { "\n" } else { "" };
        writeln!(text, "{lead}- **{}**: {} *Fix:* {}", meta.id, plain(&meta.title), plain(&meta.fix))?;
    }
    for gap in judged.gaps().iter().take(SHOWN) {
        writeln!(text, "\nNot looked at: {}", code(&output::shorten(&gap.to_string(), EVIDENCE)))?;
    }
    left_out(&mut text, judged.gaps().len(), "gap")?;
    Ok(text)
}

fn left_out(text: &mut String, all: usize, noun: &str) -> anyhow::Result<()> {
    if let Some(left) = all.checked_sub(SHOWN).filter(|left| *left > 0) {
        writeln!(text, "\n… and {} more.", output::count(u64::try_from(left)?, noun))?;
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
