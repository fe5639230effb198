//! Packages whose publishers were all replaced.

use crate::FactSink;
use capdex_evidence::subject::Subject;
use capdex_model::fact::Place;
use capdex_model::history::OwnerChange;
use capdex_model::listing::Claim;

use super::card_rule::card_rule;
use super::package_subject::describes_no_package;

card_rule!(
    /// Packages whose publishers were all replaced.
    HistoryOwnerReplaced,
    TEXT,
    check
);

fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    if describes_no_package(subject) {
        return facts.not_applicable();
    }
    let owners = subject.claims.history.known().map(|history| &history.owners);
    match owners {
        Some(Claim::Known(OwnerChange::Replaced)) => {
            facts.found(Place::default(), "nobody who could publish before can publish now");
        }
        Some(Claim::Known(OwnerChange::Same | OwnerChange::Joined)) => {}
        Some(Claim::Absent | Claim::Unknown) | None => {
            facts.unavailable("the publishers of before and now are not both known");
        }
    }
}

const TEXT: &str = r#"
id = "history-owner-replaced"
version = 1
title = "Everybody who may publish it was replaced"
why = "A package that changes hands keeps its name and its users' trust. New owners have used that to ship what the old ones never would have."
fix = "Tell users of the change, and keep an account of before while they get used to it."
cannot_see = "Accounts that changed hands under their old name; changes before the first look; registries that do not name publishers."
severity = "medium"
confidence = "medium"
kinds = ["skill", "mcp_server", "hook", "plugin", "rules", "package"]
lifecycle = "stable"
cites = ["SAFE-T1207", "SAFE-T1002", "owasp-mcp:MCP04", "owasp-ast:AST07"]
codes = { saferskills = ["SS-HOOKS-SUPPLY-CHAIN-OWNER-XFER-01"] }

[[examples.fires]]
note = "all new"
files = { "README.md" = "A package." }
claims = { history = { known = { owners = { known = "replaced" } } } }

[[examples.fires]]
note = "all new, for the skill in it"
files = { "SKILL.md" = "---\nname: a\ndescription: Greets.\n---\nSay hello." }
claims = { history = { known = { republished = false, owners = { known = "replaced" } } } }

[[examples.silent]]
note = "one came"
files = { "README.md" = "A package." }
claims = { history = { known = { owners = { known = "joined" } } } }

[[examples.silent]]
note = "nobody knows"
files = { "README.md" = "A package." }
claims = { history = { known = { republished = false } } }
"#;
