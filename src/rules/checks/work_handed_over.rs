//! work-handed-over: a command line uploads files or the output of programs to a host that no word of the capability names.

use std::sync::LazyLock;

use regex::Regex;

use super::destinations::{Destination, Destinations};
use super::shell_events::weighed_at;
use crate::FactSink;
use crate::questions;
use capdex_evidence::document::Document;
use capdex_evidence::language::Language;
use capdex_evidence::subject::Subject;
use capdex_evidence::voice::Voice;
use capdex_model::fact::{Confidence, Severity};

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
    let found = if is_read { questions::UPLOADS_UPLOAD.all_in(document, MOST) } else { Vec::new() };
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
