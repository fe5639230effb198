//! file-name-disguised: a name in which letters are not shown, change places, or are drawn like those of another script.

use std::collections::BTreeMap;

use unicode_security::confusable_detection::skeleton;

use super::document_look_alike_letters::mixed;
use crate::FactSink;
use capdex_evidence::document::Document;
use capdex_evidence::file_role::FileRole;
use capdex_evidence::subject::Subject;
use capdex_evidence::unicode::{HiddenKind, hidden};
use capdex_model::fact::{Confidence, Severity};

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    // Names in ASCII are nearly all there are: they hide nothing, and are only asked for as what others imitate.
    let odd: Vec<&Document> = subject.documents().filter(|document| !document.path.is_ascii()).collect();
    if odd.is_empty() {
        return;
    }
    let mut by_look: BTreeMap<String, &str> = BTreeMap::new();
    for document in subject.documents().filter(|document| document.path.is_ascii()) {
        by_look.insert(look(&document.path), &document.path);
    }
    for document in odd {
        let Some((severity, confidence, evidence)) = disguise(&document.path, &by_look) else { continue };
        // Libraries for text keep samples of such names.
        let severity = if document.role == FileRole::Test { Severity::Low } else { severity };
        facts.found_as(severity, confidence, document.place(0), &evidence);
    }
}

/// What is odd about a path beyond ASCII, the gravest first.
fn disguise(path: &str, by_look: &BTreeMap<String, &str>) -> Option<(Severity, Confidence, String)> {
    let found = hidden(path);
    let names = |kind: fn(HiddenKind) -> bool| {
        let run = found.iter().find(|run| kind(run.kind))?;
        let letter = path.get(run.offset..)?.chars().next()?;
        Some(format!("U+{:04X}", u32::from(letter)))
    };
    if let Some(letter) = names(|kind| kind == HiddenKind::Bidi) {
        let evidence = format!("{letter} changes the order in which the name is shown: {path}");
        return Some((Severity::High, Confidence::High, evidence));
    }
    if let Some(other) = by_look.get(&look(path)) {
        return Some((Severity::High, Confidence::High, format!("{path} looks like {other}, which lies beside it")));
    }
    if let Some(letter) = names(|_| true) {
        let evidence = format!("{letter} in the name is not shown: {path}");
        return Some((Severity::Medium, Confidence::High, evidence));
    }
    let (_, word) = mixed(path).next()?;
    let evidence = format!("{word} mixes letters of two scripts that are drawn alike: {path}");
    Some((Severity::Medium, Confidence::Medium, evidence))
}

/// What a reader takes a path for: by the prototypes of UTS #39, without what is not shown.
fn look(path: &str) -> String {
    let mut shown = String::with_capacity(path.len());
    let mut from = 0;
    for run in hidden(path) {
        shown.push_str(path.get(from..run.offset).unwrap_or_default());
        let after = path.get(run.offset..).unwrap_or_default();
        from = after.char_indices().nth(run.count).map_or(path.len(), |(length, _)| run.offset + length);
    }
    shown.push_str(path.get(from..).unwrap_or_default());
    skeleton(&shown).collect()
}
