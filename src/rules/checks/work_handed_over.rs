//! work-handed-over: a command line uploads files or the output of programs to a host that no word of the capability names.

use std::sync::LazyLock;

use regex::Regex;

use super::destinations::{Destination, Destinations};
use super::shell_events::weighed_at;
use crate::FactSink;
use crate::pattern::Question;
use capdex_evidence::document::Document;
use capdex_evidence::language::Language;
use capdex_evidence::subject::Subject;
use capdex_evidence::voice::Voice;
use capdex_model::fact::{Confidence, Severity};

/// A request that carries a file, or what a pipe or another program brings.
pub(super) static UPLOAD: Question = Question::new(concat!(
    // Of a file, or of what a pipe brings.
    r#"\bcurl\b(?:\\\r?\n|[^\n|;]){0,300}?\s(?:(?:-d|--data(?:-binary|-raw|-urlencode)?)[ =]?["']?@|(?:-T|-sT|--upload-file)[ =]?["']?(?:-\s|[~./$\w])|(?:-F|--form)[ =]?["']?[\w\[\]-]{1,40}=@)"#,
    r"|\bwget\b(?:\\\r?\n|[^\n|;]){0,300}?--(?:post|body)-file\b",
    // Of what another program prints.
    r"|\b(?:curl|wget)\b(?:\\\r?\n|[^\n;]){0,300}?\$\((?:cat|base64|tar|env|printenv|git|find|ls|whoami|hostname|id|uname|head|tail|<)",
    r"|\b(?:[Ii]nvoke-(?:[Rr]est[Mm]ethod|[Ww]eb[Rr]equest)|irm|iwr)\b[^\n]{0,300}-(?:InFile\b|Body\s+\((?:Get-Content|gc)\b)",
));

static ADDRESS: LazyLock<Regex> = LazyLock::new(|| capdex_evidence::expression::of(r#"(?i)https?://[^\s"'`)\\|;<>]+"#));

/// The most uploads of one text that are looked at.
const MOST: usize = 200;

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    let mut own = None;
    for document in subject.documents().filter(|document| document.voice != Voice::Data) {
        for place in uploads(document) {
            let command = command_at(document, place);
            let Some(address) = ADDRESS.find(command).map(|found| found.as_str()) else { continue };
            let own = own.get_or_insert_with(|| Destinations::of(subject));
            if !own.judge(address).is_some_and(Destination::is_foreign) || own.are_told_of(subject, address) {
                continue;
            }
            let severity = weighed_at(document, place..place + command.len(), Severity::High);
            facts.found_as(severity, Confidence::Medium, document.place(place), command);
            break;
        }
    }
}

/// Where uploads begin in a text for agents, in a program for a shell, or in settings that have one run.
fn uploads(document: &Document) -> Vec<usize> {
    let is_read =
        matches!(document.language, Language::Markdown | Language::Shell | Language::PowerShell | Language::Json);
    let found = if is_read { UPLOAD.all_in(document, MOST) } else { Vec::new() };
    found.into_iter().map(|found| found.start).collect()
}

/// The command that begins at a place, with the lines that continue it.
fn command_at(document: &Document, start: usize) -> &str {
    let rest = document.text.get(start..).unwrap_or_default();
    let mut end = 0;
    for line in rest.split_inclusive('\n') {
        end += line.len();
        if !line.trim_end().ends_with('\\') {
            break;
        }
    }
    rest.get(..end).unwrap_or_default().trim_end()
}
