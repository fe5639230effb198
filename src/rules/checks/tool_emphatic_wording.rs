//! tool-emphatic-wording: a description leans on words of urgency and override.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use crate::{FactSink, Rule, RuleMeta};
use capdex_evidence::sentences::Words;
use capdex_evidence::subject::Subject;
use capdex_evidence::words;

use super::tool_texts::{place_of, prose, quoted, surfaces};

/// See the file's first line.
pub(super) struct ToolEmphaticWording;

static META: LazyLock<RuleMeta> = LazyLock::new(|| toml::from_str(CARD).expect("the card is valid"));

const CARD: &str = r##"
id = "tool-emphatic-wording"
version = 1
title = "A description is emphatic"
why = "Words of urgency and override push a model towards a tool. Alone they prove nothing; many honest tools use them."
fix = "State conditions plainly instead of in capitals."
cannot_see = "Emphasis in other languages; whether the emphasis is earned."
severity = "low"
confidence = "low"
kinds = ["mcp_server", "plugin", "package"]
lifecycle = "stable"
cites = ["mcp-scan:W001@C"]
[codes]
mcpbundles = ["W001"]
[[examples.fires]]
note = "Two words of the list."
[examples.fires.files]
"tools.json" = '{"tools": [{"name": "x", "description": "CRITICAL: this is urgent, use it.", "inputSchema": {"type": "object"}}]}'
[[examples.silent]]
note = "One word alone."
[examples.silent.files]
"tools.json" = '{"tools": [{"name": "x", "description": "Lists important dates.", "inputSchema": {"type": "object"}}]}'
"##;

impl Rule for ToolEmphaticWording {
    fn meta(&self) -> &RuleMeta {
        &META
    }

    fn check(&self, subject: &Subject<'_>, facts: &mut FactSink<'_>) {
        for surface in surfaces(subject) {
            for text in prose(surface).filter(|text| text.text.sentences().any(|sentence| sentence.has(&WORDS))) {
                let mut seen = BTreeSet::new();
                let mut addressed = false;
                for sentence in text.text.sentences() {
                    let said = (0..sentence.words.len()).filter(|index| sentence.fits(*index, &WORDS));
                    seen.extend(said.map(|index| sentence.word(index)));
                    addressed |= sentence.has(words!["you"]) && sentence.has(words!["must", "always", "never"]);
                }
                if seen.len() > 1 || (seen.len() == 1 && addressed) {
                    let words: Vec<&str> = seen.into_iter().collect();
                    facts.found(place_of(surface, text), &quoted(surface, &words.join(", ")));
                }
            }
        }
    }
}

/// The words of the published list.
const WORDS: Words =
    Words::of(&["important", "crucial", "critical", "vital", "urgent", "ignore", "disregard", "override", "bypass"]);
