//! Versions that were published again with other bytes.

use crate::FactSink;
use capdex_evidence::subject::Subject;
use capdex_model::fact::Place;
use capdex_model::listing::Claim;

use super::card_rule::card_rule;
use super::package_subject::describes_no_package;

card_rule!(
    /// Versions that were published again with other bytes.
    HistoryRepublished,
    TEXT,
    check
);

fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    if describes_no_package(subject) {
        return facts.not_applicable();
    }
    match &subject.claims.history {
        Claim::Known(history) if history.republished => {
            facts.found(Place::default(), "the listed version was seen with other published digests");
        }
        Claim::Known(_) => {}
        Claim::Absent | Claim::Unknown => facts.unavailable("nothing of before is known to compare with"),
    }
}

const TEXT: &str = r#"
id = "history-republished"
version = 1
title = "The listed version was published again with other bytes"
why = "Registries keep a version as it is. Other bytes under a version that people have looked at and pinned are how a trusted package is swapped."
fix = "Publish changes as a new version."
cannot_see = "What was swapped before the first look; sources that publish no digests."
severity = "high"
confidence = "medium"
kinds = ["skill", "mcp_server", "hook", "plugin", "rules", "package"]
lifecycle = "stable"
cites = ["SAFE-T1201", "mcp-scan:W003@A", "owasp-mcp:MCP04", "owasp-ast:AST07", "AML.T0109", "CWE-345"]
[codes]
spiderrating = ["TS-P002"]
saferskills = ["SS-MCP-SUPPLY-CHAIN-HASH-DRIFT-01"]

[[examples.fires]]
note = "other digests"
files = { "README.md" = "A package." }
claims = { history = { known = { republished = true } } }

[[examples.fires]]
note = "other digests, and a new owner"
files = { "README.md" = "A package." }
claims = { history = { known = { republished = true, owners = { known = "replaced" } } } }

[[examples.silent]]
note = "compared, and the same"
files = { "README.md" = "A package." }
claims = { history = { known = { republished = false } } }

[[examples.silent]]
note = "seen for the first time"
files = { "README.md" = "A package." }
"#;
