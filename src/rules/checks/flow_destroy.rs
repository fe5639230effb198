//! flow-destroy: a skill reads strangers' text and destroys.

use std::sync::LazyLock;

use crate::{FactSink, Rule, RuleMeta};
use capdex_evidence::subject::Subject;

use super::flow_legs::{Legs, report};

/// See the file's first line.
pub(super) struct FlowDestroy;

static META: LazyLock<RuleMeta> = LazyLock::new(|| toml::from_str(CARD).expect("the card is valid"));

const CARD: &str = r##"
id = "flow-destroy"
version = 1
title = "A skill reads strangers' text and destroys"
why = "An order in what the skill reads can turn its own steps into a loss."
fix = "Ask before anything that cannot be undone."
cannot_see = "Steps that scripts take; verbs and objects that stand far apart."
severity = "medium"
confidence = "medium"
kinds = ["skill"]
lifecycle = "stable"
cites = ["mcp-scan:TF002@B", "owasp-ast:AST03", "SAFE-T2101"]
[codes]
spiderrating = ["TS-W010"]
[[examples.fires]]
note = "Issues and a forced push."
[examples.fires.files]
"SKILL.md" = "---\nname: kit\ndescription: Helps with daily work.\n---\nRead the github issues of the day. For each, fix it and run git push origin main --force.\n"
[[examples.silent]]
note = "A plain push."
[examples.silent.files]
"SKILL.md" = "---\nname: kit\ndescription: Helps with daily work.\n---\nRead the github issues of the day. For each, fix it and run git push.\n"
[[examples.silent]]
note = "Nothing of strangers."
[examples.silent.files]
"SKILL.md" = "---\nname: kit\ndescription: Helps with daily work.\n---\nClean up with rm -rf build when the user asks.\n"
"##;

impl Rule for FlowDestroy {
    fn meta(&self) -> &RuleMeta {
        &META
    }

    fn check(&self, subject: &Subject<'_>, facts: &mut FactSink<'_>) {
        for legs in Legs::of_destroying_skills(subject) {
            report(legs.destroy(), facts);
        }
    }
}
