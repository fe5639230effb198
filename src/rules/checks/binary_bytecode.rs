//! bytecode-without-source: compiled Python whose source is missing or was another one.

use std::sync::LazyLock;

use crate::{FactSink, Rule, RuleMeta};
use capdex_evidence::Evidence;
use capdex_evidence::document::Document;
use capdex_evidence::shape::{Shape, source_of_bytecode};
use capdex_evidence::subject::Subject;
use capdex_model::fact::{Confidence, Severity};

/// See the file's first line.
pub(super) struct BinaryBytecode;

static META: LazyLock<RuleMeta> = LazyLock::new(|| toml::from_str(CARD).expect("the card is valid"));

const CARD: &str = r##"
id = "bytecode-without-source"
version = 1
title = "Compiled Python stands where its source should"
why = "What runs is not what can be read: the source is missing, or the compiled file was made from another one."
fix = "Remove compiled files; Python makes them from the source."
cannot_see = "Changes of the compiled file that keep its header; for compiled files that are checked by hash, any change."
severity = "medium"
confidence = "medium"
kinds = ["skill", "mcp_server", "hook", "plugin", "rules", "package"]
lifecycle = "stable"
cites = ["owasp-ast:AST04", "CWE-506"]
[[examples.fires]]
note = "A module without source."
[examples.fires.files]
"kit/run.pyc" = "\u0055\u000D\r\n\u0000\u0000\u0000\u0000\u0001\u0002\u0003\u0004\u002A\u0000\u0000\u0000\u0063\u0000"
[[examples.fires]]
note = "A cached module that was made from a longer source."
[examples.fires.files]
"kit/run.py" = "print(1)\n"
"kit/__pycache__/run.cpython-38.pyc" = "\u0055\u000D\r\n\u0000\u0000\u0000\u0000\u0001\u0002\u0003\u0004\u002A\u0000\u0000\u0000\u0063\u0000"
[[examples.silent]]
note = "A cached module of a source with the length that it states."
[examples.silent.files]
"kit/run.py" = "print(1)\n"
"kit/__pycache__/run.cpython-38.pyc" = "\u0055\u000D\r\n\u0000\u0000\u0000\u0000\u0001\u0002\u0003\u0004\u0009\u0000\u0000\u0000\u0063\u0000"
"##;

impl Rule for BinaryBytecode {
    fn meta(&self) -> &RuleMeta {
        &META
    }

    fn check(&self, subject: &Subject<'_>, facts: &mut FactSink<'_>) {
        for document in subject.documents() {
            if let Some((severity, evidence)) = judgement(subject.evidence, document) {
                facts.found_as(severity, Confidence::Medium, document.place(0), evidence);
            }
        }
    }
}

fn judgement(evidence: &Evidence, document: &Document) -> Option<(Severity, &'static str)> {
    let Shape::Bytecode(bytecode) = document.shape else { return None };
    let source = source_of_bytecode(&document.path).and_then(|path| evidence.documents.get(&path));
    let Some(source) = source else {
        // Python loads what lies in a cache folder only beside its source.
        let is_cached = document.path.contains("__pycache__/") && document.run_by.is_none();
        let severity = if is_cached { Severity::Low } else { Severity::Medium };
        return Some((severity, "there is no source beside it"));
    };
    let length = usize::try_from(bytecode.source_length?).ok()?;
    // A byte-order mark belongs to the file and not to the text.
    let differs = length != source.text.len() && length != source.text.len() + 3;
    differs.then_some((Severity::Low, "it was made from a source of another length"))
}
