//! binary-program: a compiled program is shipped where text and scripts are expected.

use std::sync::LazyLock;

use crate::{FactSink, Rule, RuleMeta};
use capdex_evidence::shape::Shape;
use capdex_evidence::subject::Subject;
use capdex_model::capability::Kind;
use capdex_model::fact::{Confidence, Severity};

/// See the file's first line.
pub(super) struct BinaryProgram;

static META: LazyLock<RuleMeta> = LazyLock::new(|| toml::from_str(CARD).expect("the card is valid"));

const CARD: &str = r##"
id = "binary-program"
version = 1
title = "A compiled program is part of it"
why = "Nobody can read what it does, and no scanner of text sees it."
fix = "Ship the source, or name a package that builds the program in public."
cannot_see = "What the program does; programs in formats that it does not know."
severity = "medium"
confidence = "high"
kinds = ["skill", "mcp_server", "hook", "plugin", "rules", "package"]
lifecycle = "stable"
cites = ["owasp-ast:AST01", "owasp-mcp:MCP04", "CWE-1104"]
[[examples.fires]]
note = "An ELF file in a skill's folder."
[examples.fires.files]
"SKILL.md" = "---\nname: kit\ndescription: d\n---\nRun it.\n"
"bin/kit" = "\u007FELF\u0002\u0001\u0001\u0000\u0000\u0000"
[[examples.silent]]
note = "Text that begins alike."
[examples.silent.files]
"SKILL.md" = "---\nname: kit\ndescription: d\n---\nELF files begin with their name.\n"
"a.txt" = "ELF\n"
[[examples.silent]]
note = "Bytes of no program."
[examples.silent.files]
"SKILL.md" = "---\nname: kit\ndescription: d\n---\nRun it.\n"
"a.bin" = "MZ\u0000\u0001\u0002"
"##;

impl Rule for BinaryProgram {
    fn meta(&self) -> &RuleMeta {
        &META
    }

    fn check(&self, subject: &Subject<'_>, facts: &mut FactSink<'_>) {
        // Servers and packages ship native parts of their libraries; the others are text and scripts.
        let is_text_kind = matches!(subject.capability.kind, Kind::Skill | Kind::Hook | Kind::Rules | Kind::Plugin);
        for document in subject.documents() {
            let Shape::Program(format) = document.shape else { continue };
            let (severity, told) = match &document.run_by {
                Some(by) => (Severity::Medium, format!(", run by {}", by.file)),
                None if is_text_kind => (Severity::Medium, String::new()),
                None => (Severity::Info, String::new()),
            };
            facts.found_as(severity, Confidence::High, document.place(0), &format!("a program ({format}){told}"));
        }
    }
}
