//! Packages whose listed version carries no provenance attestation.
//!
//! Quality, not danger. Only a registry knows; a mirror that strips the field leaves it unknown.

use std::sync::LazyLock;

use crate::{FactSink, Rule, RuleMeta};
use capdex_evidence::subject::Subject;
use capdex_model::fact::Place;
use capdex_model::listing::Claim;

use super::package_subject::describes_no_package;

/// The rule.
pub(super) struct PackageNoProvenance;

static META: LazyLock<RuleMeta> =
    LazyLock::new(|| toml::from_str(TEXT).expect("the rule's own text, which tests read"));

impl Rule for PackageNoProvenance {
    fn meta(&self) -> &RuleMeta {
        &META
    }

    fn check(&self, subject: &Subject<'_>, facts: &mut FactSink<'_>) {
        if describes_no_package(subject) {
            return facts.not_applicable();
        }
        match subject.claims.provenance {
            Claim::Known(true) => {}
            Claim::Known(false) | Claim::Absent => facts.found(Place::default(), "no provenance attestation"),
            Claim::Unknown => facts.unavailable("the listing does not speak of provenance"),
        }
    }
}

const TEXT: &str = r#"
id = "package-no-provenance"
version = 1
title = "Published without a provenance attestation"
why = "An attestation ties the published bytes to a build of a public commit. Without one nobody can tell who built them from what."
fix = "Publish from the repository's own build with provenance switched on."
cannot_see = "Whether an attestation is genuine: only its presence is looked at."
severity = "low"
confidence = "high"
kinds = ["mcp_server", "package"]
lifecycle = "stable"
cites = ["owasp-mcp:MCP04", "agentscore:code"]
codes = { agentscore = ["no_provenance"] }

[[examples.fires]]
note = "the registry lists none"
files = { "README.md" = "A package." }
claims = { provenance = { known = false } }

[[examples.silent]]
note = "it has one"
files = { "README.md" = "A package." }
claims = { provenance = { known = true } }

[[examples.silent]]
note = "nobody says"
files = { "package.json" = '{"name": "a"}' }
"#;
