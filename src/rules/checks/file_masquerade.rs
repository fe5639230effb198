//! file-masquerade: a script or program under a name that promises a picture, a font or a document.

use std::sync::LazyLock;

use regex::bytes::Regex;

use crate::FactSink;
use capdex_evidence::document::Document;
use capdex_evidence::shape::Shape;
use capdex_evidence::shell::{self, ShellAction};
use capdex_evidence::subject::Subject;
use capdex_model::fact::{Confidence, Severity};

const ENDINGS: [&str; 24] = [
    "png", "jpg", "jpeg", "gif", "webp", "bmp", "ico", "tif", "tiff", "pdf", "mp3", "mp4", "wav", "ogg", "mov", "woff",
    "woff2", "ttf", "otf", "eot", "docx", "xlsx", "pptx", "avif",
];

static PYTHON: LazyLock<Regex> = LazyLock::new(|| {
    // Only at the head, behind comments: a text about Python may hold an import further down.
    Regex::new(r"(?m-u)\A(?:[ \t]*(?:#[^\n]*)?\r?\n){0,40}(?:import|from)[ \t]+(?:os|sys|subprocess|socket|base64|urllib|requests|ctypes|shutil|json|re)\b")
        .expect("the pattern is fixed and valid")
});

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    for document in subject.documents().filter(|document| promises_media(&document.path)) {
        // The shape is read from the bytes: a picture's name is all that an attacker needs to be passed over.
        let what = match &document.shape {
            Shape::Program(format) => format!("a program ({format})"),
            Shape::Text if document.text.starts_with("#!") => "a script".to_owned(),
            Shape::Text if PYTHON.is_match(document.text.as_bytes()) => "a Python program".to_owned(),
            Shape::Text if runs_something(document) => "shell commands".to_owned(),
            _ => continue,
        };
        let evidence = format!("{what} under the name {}: {}", document.path, document.text);
        facts.found_as(Severity::High, Confidence::Medium, document.place(0), &evidence);
    }
}

fn promises_media(path: &str) -> bool {
    let ending = path.rsplit('/').next().and_then(|name| name.rsplit_once('.')).map_or("", |(_, ending)| ending);
    ENDINGS.iter().any(|known| known.eq_ignore_ascii_case(ending))
}

fn runs_something(document: &Document) -> bool {
    shell::of(document)
        .events
        .iter()
        .any(|event| matches!(event.action, ShellAction::RunsDownload | ShellAction::RunsDecoded))
}
