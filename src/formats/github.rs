//! `scan --format github`: workflow commands, which GitHub shows as annotations of a pull request.
//!
//! The runner acts on every line that begins with `::`: the gate lets none of a stranger's through. It shows ten annotations
//! of a level for each step, so the worst come first, and the tenth says how many more there are.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use capdex_model::fact::Severity;

use super::{JudgedCapability, Level, Printer, ScanFormat, level};
use crate::output::Out;
use capdex_dataset::escape::{self, escape};
use capdex_dataset::finding::BaselineStatus;

pub(super) struct GithubFormat;

impl ScanFormat for GithubFormat {
    fn id(&self) -> &'static str {
        "github"
    }

    fn about(&self) -> &'static str {
        "Annotations for a GitHub workflow"
    }

    fn printer(&self) -> Box<dyn Printer> {
        Box::new(GithubPrinter::default())
    }
}

/// Annotations of one level that the runner shows of one step.
const SHOWN: usize = 10;

/// One command, with what sorts it.
struct Annotation {
    level: Level,
    /// None for a gap, which comes after the findings of its level.
    severity: Option<Severity>,
    line: String,
}

/// The commands as they are gathered.
#[derive(Default)]
struct GithubPrinter {
    found: Vec<Annotation>,
    /// Each once: a gap is told of every capability that it concerns, and of the package once more.
    gaps: BTreeSet<String>,
    known: u64,
    set_aside: u64,
    not_shown: u64,
}

impl Printer for GithubPrinter {
    fn add(&mut self, judged: &JudgedCapability, _: &mut Out) -> anyhow::Result<()> {
        for finding in &judged.findings() {
            // What is known is counted and not annotated: it would take one of the ten places.
            if finding.baseline == Some(BaselineStatus::Known) {
                self.known += 1;
                continue;
            }
            // Likewise what the operator has set aside.
            if finding.ruling.is_some() {
                self.set_aside += 1;
                continue;
            }
            let mut place = property("file", &judged.place.join(judged.file_of(finding)));
            // A finding about a whole file has line 0, which is no line to the runner.
            if finding.line > 0 {
                place = format!("{place},line={},col={}", finding.line, finding.column.max(1));
            }
            let title = property("title", &format!("capdex {}: {}", finding.severity.as_str(), finding.rule));
            let fix =
                capdex_rules::INDEX.find(finding.rule).map_or_else(String::new, |meta| format!(" Fix: {}", meta.fix));
            let evidence =
                if finding.evidence.is_empty() { String::new() } else { format!(" Found: {}", finding.evidence) };
            // Titles may end with a full stop, and two in a row look like a fault.
            let text = data(&format!("{}.{evidence}{fix}", finding.title.trim_end_matches('.')));
            let level = level(finding.severity);
            let line = format!("::{} {place},{title}::{text}", command(level));
            self.found.push(Annotation { level, severity: Some(finding.severity), line });
        }
        self.not_shown += u64::try_from(judged.not_shown())?;
        for gap in judged.gaps() {
            let place = property("file", &judged.place.join(""));
            let text = data(&format!("Not looked at, so not known to be clean: {gap}"));
            self.gaps.insert(format!("::warning {place},title=capdex gap::{text}"));
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>, out: &mut Out) -> anyhow::Result<()> {
        let findings = escape::count(u64::try_from(self.found.len())?, "finding");
        let gaps = escape::count(u64::try_from(self.gaps.len())?, "gap");
        let gap = |line| Annotation { level: Level::Warning, severity: None, line };
        self.found.extend(std::mem::take(&mut self.gaps).into_iter().map(gap));
        // A stable sort: equals stay in the order of the files.
        self.found.sort_by_key(|one| Reverse(one.severity));
        for line in bounded(&self.found) {
            out.line(line)?;
        }
        let known = if self.known == 0 { String::new() } else { format!(", {} in the baseline", self.known) };
        let aside = if self.set_aside == 0 { String::new() } else { format!(", {} set aside", self.set_aside) };
        let hidden = if self.not_shown == 0 { String::new() } else { format!(", {} not shown", self.not_shown) };
        out.line(format_args!("capdex: {findings}{known}{aside}{hidden}, {gaps}"))?;
        Ok(())
    }
}

const fn command(level: Level) -> &'static str {
    match level {
        Level::Error => "error",
        Level::Warning => "warning",
        Level::Note => "notice",
    }
}

/// The lines of sorted annotations, level by level. Of a level with more than are shown, the last place says how many.
fn bounded(sorted: &[Annotation]) -> Vec<String> {
    let mut lines = Vec::new();
    for level in [Level::Error, Level::Warning, Level::Note] {
        let of_level: Vec<&Annotation> = sorted.iter().filter(|one| one.level == level).collect();
        let shown = if of_level.len() > SHOWN { SHOWN - 1 } else { of_level.len() };
        lines.extend(of_level.iter().take(shown).map(|one| one.line.clone()));
        let left = of_level.len() - shown;
        if left > 0 {
            let command = command(level);
            lines.push(format!(
                "::{command} title=capdex::and {left} more; `--format sarif` and `--format jsonl` have all"
            ));
        }
    }
    lines
}

/// The text behind `::`: the rules of commands ask for `%` and line ends to be encoded.
fn data(text: &str) -> String {
    // The percent sign first, or the others' encodings would be encoded again.
    escape(text).replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// A property, in which `:` and `,` have a meaning too.
fn property(name: &str, value: &str) -> String {
    format!("{name}={}", data(value).replace(':', "%3A").replace(',', "%2C"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ten_of_a_level_are_shown_and_of_more_the_tenth_place_counts_the_rest() {
        let of = |count: usize| {
            let one = |at| Annotation { level: Level::Warning, severity: None, line: format!("::warning ::{at}") };
            bounded(&(0..count).map(one).collect::<Vec<_>>())
        };
        assert_eq!((of(9).len(), of(SHOWN).len(), of(SHOWN + 1).len()), (9, 10, 10));
        assert_eq!(of(SHOWN).last().map(String::as_str), Some("::warning ::9"));
        assert!(of(SHOWN + 1).last().is_some_and(|last| last.contains("and 2 more")));
    }

    #[test]
    fn no_text_of_a_strangers_ends_or_begins_a_command() {
        assert_eq!(data("50%\n::error::x"), "50%25\\u{a}::error::x");
        assert_eq!(data("a ##[add-path]/x"), "a ##\\u{5b}add-path]/x");
        assert_eq!(property("file", "a,line=1:b::c\r"), "file=a%2Cline=1%3Ab%3A%3Ac\\u{d}");
    }
}
