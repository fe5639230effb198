//! Packages that a local list of abuse names.
//!
//! A report and never a verdict: the list, its version and its date stand in the evidence.

use crate::FactSink;
use capdex_evidence::subject::Subject;
use capdex_model::fact::Place;
use capdex_model::listing::Claim;

use super::card_rule::card_rule;
use super::package_subject::describes_no_package;

card_rule!(
    /// Packages that a local list of abuse names.
    NameReported,
    TEXT,
    check
);

fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    if describes_no_package(subject) {
        return facts.not_applicable();
    }
    match &subject.claims.standing.reports {
        Claim::Known(reports) => {
            for report in reports {
                facts.found(Place::default(), &report.to_string());
            }
        }
        Claim::Absent | Claim::Unknown => facts.unavailable("no list of abuse was imported"),
    }
}

const TEXT: &str = r#"
id = "name-reported"
version = 1
title = "Reported by a local list of abuse"
why = "Somebody whose list was imported here reports the package. It may be wrong or about another version, and has to be looked at before use."
fix = "Read the report. If it does not hold, have the list's keeper take the entry out and import the list again."
cannot_see = "Whether the report is true; which versions it means; packages that no list names, or names under another registry."
severity = "high"
confidence = "low"
kinds = ["skill", "mcp_server", "hook", "plugin", "rules", "package"]
lifecycle = "stable"
cites = ["agentscore:abuse", "owasp-ast:AST01", "owasp-mcp:MCP04"]
codes = { agentscore = ["abuse_report"] }

[[examples.fires]]
note = "a list names it"
files = { "README.md" = "A package." }
claims = { standing = { reports = { known = [{ list = "team", version = 1, date = "2026-11-20", reason = "sends tokens away" }] } } }

[[examples.fires]]
note = "two lists name it, for a skill"
files = { "SKILL.md" = "---\nname: a\ndescription: Greets.\n---\nSay hello." }
claims = { standing = { reports = { known = [{ list = "team", version = 1, date = "2026-11-20", reason = "sends tokens away" }, { list = "other", version = 7, date = "2026-11-19", reason = "taken down", first_seen = "2026-10-01", reference = "https://list.example/7" }] } } }

[[examples.silent]]
note = "looked for, and in no list"
files = { "README.md" = "A package." }
claims = { standing = { reports = { known = [] } } }

[[examples.silent]]
note = "no list was imported"
files = { "README.md" = "A package." }
"#;
