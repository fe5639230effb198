//! What is not on the operator's own list.

use crate::FactSink;
use capdex_evidence::subject::Subject;
use capdex_model::fact::Place;
use capdex_model::listing::Claim;

use super::card_rule::card_rule;
use super::package_subject::describes_no_package;

card_rule!(
    /// What is not on the operator's own list.
    NameNotApproved,
    TEXT,
    check
);

fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    if describes_no_package(subject) {
        return facts.not_applicable();
    }
    match subject.claims.standing.approved {
        Claim::Known(true) => {}
        Claim::Known(false) => facts.found(Place::default(), "not on the operator's list"),
        Claim::Absent | Claim::Unknown => facts.unavailable("no operator's list was given"),
    }
}

const TEXT: &str = r#"
id = "name-not-approved"
version = 1
title = "Not on the operator's own list"
why = "Who keeps a list of what may be used wants to hear of everything else."
fix = "Look at it, then put it on the list or take it out of use."
cannot_see = "Whether what is on the list is still what was looked at: pins say that."
severity = "low"
confidence = "high"
kinds = ["skill", "mcp_server", "hook", "plugin", "rules", "package"]
lifecycle = "stable"
cites = ["spiderrating:TS-W011", "owasp-mcp:MCP09", "owasp-ast:AST09"]
codes = { spiderrating = ["TS-W011"] }

[[examples.fires]]
note = "a list that does not name it"
files = { "README.md" = "A package." }
claims = { standing = { approved = { known = false } } }

[[examples.fires]]
note = "for a skill"
files = { "SKILL.md" = "---\nname: a\ndescription: Greets.\n---\nSay hello." }
claims = { standing = { approved = { known = false } } }

[[examples.silent]]
note = "a list that names it"
files = { "README.md" = "A package." }
claims = { standing = { approved = { known = true } } }

[[examples.silent]]
note = "no list"
files = { "README.md" = "A package." }
"#;
