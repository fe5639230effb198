//! file-masquerade: a script or program under a name that promises a picture, a font or a document.

use std::sync::LazyLock;

use regex::bytes::Regex;

use crate::{FactSink, Rule, RuleMeta};
use capdex_evidence::document::Document;
use capdex_evidence::shape::Shape;
use capdex_evidence::shell::Deed;
use capdex_evidence::subject::Subject;
use capdex_model::fact::{Confidence, Severity};

/// See the file's first line.
pub(super) struct FileMasquerade;

static META: LazyLock<RuleMeta> = LazyLock::new(|| toml::from_str(CARD).expect("the card is valid"));

const CARD: &str = r##"
id = "file-masquerade"
version = 1
title = "A script or program bears the name of a picture, font or document"
why = "Reviewers and tools pass over files of these names. One line elsewhere is enough to run it."
fix = "Give programs the endings that they have."
cannot_see = "Programs under names that promise nothing."
severity = "high"
confidence = "medium"
kinds = ["skill", "mcp_server", "hook", "plugin", "rules", "package"]
lifecycle = "stable"
cites = ["owasp-ast:AST01", "mcp-scan:E006@C", "CWE-506"]
[[examples.fires]]
note = "A shell script as a picture."
[examples.fires.files]
"assets/icon.png" = "#!/bin/bash\nid\n"
[[examples.fires]]
note = "Python as a font."
[examples.fires.files]
"assets/a.woff2" = "import os, subprocess\nsubprocess.run(['id'])\n"
[[examples.silent]]
note = "A pointer to a stored file, and a missing one."
[examples.silent.files]
"a.png" = "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n"
"b.png" = "<!DOCTYPE html><title>404</title>\n"
[[examples.silent]]
note = "A drawing as text."
[examples.silent.files]
"a.svg" = "<svg xmlns=\"http://www.w3.org/2000/svg\"></svg>\n"
"##;

const ENDINGS: [&str; 24] = [
    "png", "jpg", "jpeg", "gif", "webp", "bmp", "ico", "tif", "tiff", "pdf", "mp3", "mp4", "wav", "ogg", "mov", "woff",
    "woff2", "ttf", "otf", "eot", "docx", "xlsx", "pptx", "avif",
];

static PYTHON: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?m-u)\A(?:[ \t]*(?:#[^\n]*)?\r?\n){0,40}(?:import|from)[ \t]+(?:os|sys|subprocess|socket|base64|urllib|requests|ctypes|shutil|json|re)\b")
        .expect("the pattern is fixed and valid")
});

impl Rule for FileMasquerade {
    fn meta(&self) -> &RuleMeta {
        &META
    }

    fn check(&self, subject: &Subject<'_>, facts: &mut FactSink<'_>) {
        for document in subject.documents().filter(|document| promises_media(&document.path)) {
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
}

fn promises_media(path: &str) -> bool {
    let ending = path.rsplit('/').next().and_then(|name| name.rsplit_once('.')).map_or("", |(_, ending)| ending);
    ENDINGS.iter().any(|known| known.eq_ignore_ascii_case(ending))
}

fn runs_something(document: &Document) -> bool {
    document.shell().events.iter().any(|event| matches!(event.deed, Deed::RunsDownload | Deed::RunsDecoded))
}
