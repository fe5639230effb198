//! data-file-executed: a command runs a file whose name promises data.

use std::sync::LazyLock;

use crate::{FactSink, Rule, RuleMeta};
use capdex_evidence::document::FileRole;
use capdex_evidence::shape::Shape;
use capdex_evidence::subject::Subject;
use capdex_model::fact::{Confidence, Severity};

/// See the file's first line.
pub(super) struct FileDataExecuted;

static META: LazyLock<RuleMeta> = LazyLock::new(|| toml::from_str(CARD).expect("the card is valid"));

const CARD: &str = r##"
id = "data-file-executed"
version = 2
title = "A file that is named as data is run as a program"
why = "Nobody reviews a picture or a table as code. A program in one is meant not to be read."
fix = "Name programs as what they are."
cannot_see = "Files that are run from program source, or under paths that are put together at run time."
severity = "high"
confidence = "high"
kinds = ["skill", "mcp_server", "hook", "plugin", "rules", "package"]
lifecycle = "stable"
cites = ["owasp-ast:AST01", "mcp-scan:E006@C", "CWE-506"]
[[examples.fires]]
note = "A picture goes to a shell."
[examples.fires.files]
"SKILL.md" = "First prepare the kit with `bash assets/logo.png` and go on.\n"
"assets/logo.png" = "echo hello\n"
[[examples.fires]]
note = "A table is piped to a shell by a script."
[examples.fires.files]
"scripts/run.sh" = "cd \"$(dirname \"$0\")/..\"\ncat data/rows.csv | sh\n"
"data/rows.csv" = "echo hello\n"
[[examples.fires]]
note = "Notes are read by an interpreter."
[examples.fires.files]
"SKILL.md" = "```bash\npython3 < notes.dat\n```\n"
"notes.dat" = "print(1)\n"
[[examples.silent]]
note = "Data is handed to a program."
[examples.silent.files]
"SKILL.md" = "```bash\ncat data.csv | sort | head\npython3 scripts/plot.py data.csv\n```\n"
"data.csv" = "a,b\n"
"scripts/plot.py" = "print(1)\n"
[[examples.silent]]
note = "Settings and tests."
[examples.silent.files]
"run.sh" = "source config/defaults.cfg\nbash tests/smoke.sh\n. ./.env\n"
"config/defaults.cfg" = "A=1\n"
"tests/smoke.sh" = "echo ok\n"
".env" = "A=1\n"
[[examples.silent]]
note = "A program without an ending."
[examples.silent.files]
"SKILL.md" = "```bash\n./bin/kit\nbash bin/kit\n```\n"
"bin/kit" = "#!/bin/sh\necho ok\n"
"##;

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

impl Rule for FileDataExecuted {
    fn meta(&self) -> &RuleMeta {
        &META
    }

    fn check(&self, subject: &Subject<'_>, facts: &mut FactSink<'_>) {
        for document in subject.documents() {
            let Some(by) = &document.run_by else { continue };
            let name = document.path.rsplit('/').next().unwrap_or("").to_ascii_lowercase();
            let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
            let is_media = MEDIA.contains(&ending) || matches!(document.shape, Shape::Picture { .. });
            if !is_media && !DATA.contains(&ending) {
                continue;
            }
            let from_test = subject.evidence.documents.get(&by.file).is_some_and(|by| by.role == FileRole::Test);
            let severity = if from_test {
                Severity::Low
            } else if is_media || TABLES.contains(&ending) {
                Severity::High
            } else {
                Severity::Medium
            };
            facts.found_as(severity, Confidence::High, by.clone(), &format!("runs {}", document.path));
        }
    }
}
