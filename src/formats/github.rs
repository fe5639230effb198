//! `scan --format github`: workflow commands, which GitHub shows as annotations of a pull request.
//!
//! The runner acts on every line that begins with `::`: the gate lets none of a stranger's through. It shows ten annotations
//! of a level for each step, so the worst come first.

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

/// The commands as they are gathered, with what sorts them.
#[derive(Default)]
struct GithubPrinter {
    found: Vec<(Severity, String)>,
    /// Each once: a gap is told of every capability that it concerns, and of the package once more.
    gaps: BTreeSet<String>,
    known: u64,
}

impl Printer for GithubPrinter {
    fn add(&mut self, judged: &JudgedCapability, _: &mut Out) -> anyhow::Result<()> {
        for finding in &judged.findings() {
            // What is known is counted and not annotated: it would take one of the ten places.
            if finding.baseline == Some(BaselineStatus::Known) {
                self.known += 1;
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
            let command = match level(finding.severity) {
                Level::Error => "error",
                Level::Warning => "warning",
                Level::Note => "notice",
            };
            self.found.push((finding.severity, format!("::{command} {place},{title}::{text}")));
        }
        for gap in judged.gaps() {
            let place = property("file", &judged.place.join(""));
            let text = data(&format!("Not looked at, so not known to be clean: {gap}"));
            self.gaps.insert(format!("::warning {place},title=capdex gap::{text}"));
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>, out: &mut Out) -> anyhow::Result<()> {
        // Worst first, since only ten of a level are shown.
        self.found.sort_by_key(|(severity, _)| std::cmp::Reverse(*severity));
        let findings = u64::try_from(self.found.len())?;
        for (_, line) in &self.found {
            out.line(line)?;
        }
        for line in &self.gaps {
            out.line(line)?;
        }
        let known = if self.known == 0 { String::new() } else { format!(", {} in the baseline", self.known) };
        let gaps = escape::count(u64::try_from(self.gaps.len())?, "gap");
        out.line(format_args!("capdex: {}{known}, {gaps}", escape::count(findings, "finding")))?;
        Ok(())
    }
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
    fn no_text_of_a_strangers_ends_or_begins_a_command() {
        assert_eq!(data("50%\n::error::x"), "50%25\\u{a}::error::x");
        assert_eq!(data("a ##[add-path]/x"), "a ##\\u{5b}add-path]/x");
        assert_eq!(property("file", "a,line=1:b::c\r"), "file=a%2Cline=1%3Ab%3A%3Ac\\u{d}");
    }
}
