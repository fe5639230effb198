//! data-file-executed: a command runs a file whose name promises data.

use crate::FactSink;
use capdex_evidence::file_role::FileRole;
use capdex_evidence::shape::Shape;
use capdex_evidence::subject::Subject;
use capdex_model::fact::{Confidence, Severity};

/// Endings of files that are looked at, played or printed, and never run.
const MEDIA: [&str; 27] = [
    "png", "jpg", "jpeg", "gif", "webp", "bmp", "ico", "tif", "tiff", "svg", "pdf", "mp3", "mp4", "wav", "ogg", "mov",
    "woff", "woff2", "ttf", "otf", "eot", "psd", "docx", "xlsx", "pptx", "zip", "gz",
];
/// Endings of tables, notes and other data.
const DATA: [&str; 22] = [
    "txt", "csv", "tsv", "dat", "data", "bin", "log", "json", "jsonl", "xml", "html", "htm", "md", "rst", "yaml",
    "yml", "tmp", "bak", "db", "lock", "css", "map",
];

/// Those of them that no program is ever kept under.
const TABLES: [&str; 8] = ["csv", "tsv", "dat", "log", "json", "jsonl", "css", "map"];

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    for document in subject.documents() {
        // A strange name alone is a habit; only a command that runs the file makes it a disguise.
        let Some(by) = &document.run_by else { continue };
        let name = document.path.rsplit('/').next().unwrap_or("").to_ascii_lowercase();
        let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
        let is_media = MEDIA.contains(&ending) || matches!(document.shape, Shape::Picture { .. });
        if !is_media && !DATA.contains(&ending) {
            continue;
        }
        // A path in a drawing of the project reads like a command; what is JSON to its end is no program.
        if ending == "json" && serde_json::from_str::<serde::de::IgnoredAny>(&document.text).is_ok() {
            continue;
        }
        // Tests run fixtures under any name.
        let from_test = subject.evidence.documents.get(&by.file).is_some_and(|by| by.role == FileRole::Test);
        let severity = if from_test {
            Severity::Low
        } else if is_media || TABLES.contains(&ending) {
            // No honest program is kept as a picture or a table; `.txt` and `.bin` have other uses.
            Severity::High
        } else {
            Severity::Medium
        };
        facts.found_as(severity, Confidence::High, by.clone(), &format!("runs {}", document.path));
    }
}
