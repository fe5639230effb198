//! shell-history-wipe: the record of what was run is deleted or switched off.

use std::sync::LazyLock;

use crate::{FactSink, Rule, RuleMeta};
use capdex_evidence::shell::Deed;
use capdex_evidence::subject::Subject;
use capdex_model::fact::{Confidence, Severity};

use super::shell_events::{events, weighed, written};

/// See the file's first line.
pub(super) struct ShellHistoryWipe;

static META: LazyLock<RuleMeta> = LazyLock::new(|| toml::from_str(CARD).expect("the card is valid"));

const CARD: &str = r##"
id = "shell-history-wipe"
version = 1
title = "The shell's record of commands is deleted or switched off"
why = "Nobody can see afterwards what was run. Few honest tasks need that."
fix = "Leave the record as it is."
cannot_see = "Records that other programs keep, and deletion by programs."
severity = "medium"
confidence = "medium"
kinds = ["skill", "mcp_server", "hook", "plugin", "rules", "package"]
lifecycle = "stable"
cites = ["owasp-ast:AST01", "CWE-778"]
[[examples.fires]]
note = "The record is cleared."
[examples.fires.files]
"run.sh" = "./work.sh\nhistory -c && rm -f ~/.bash_history\n"
[[examples.fires]]
note = "The record is switched off."
[examples.fires.files]
"SKILL.md" = "```bash\nexport HISTFILE=/dev/null\n./work.sh\n```\n"
[[examples.silent]]
note = "A longer record."
[examples.silent.files]
"run.sh" = "export HISTSIZE=10000\nhistory | tail -n 5\n"
[[examples.silent]]
note = "Another program's history."
[examples.silent.files]
"run.sh" = "git log --oneline\nrm -f build/history.txt\n"
"##;

impl Rule for ShellHistoryWipe {
    fn meta(&self) -> &RuleMeta {
        &META
    }

    fn check(&self, subject: &Subject<'_>, facts: &mut FactSink<'_>) {
        for (document, event) in events(subject).filter(|(_, event)| event.deed == Deed::WipesHistory) {
            let severity = weighed(subject, document, event, Severity::Medium);
            facts.found_as(severity, Confidence::Medium, document.place(event.start), written(document, event));
        }
    }
}
