//! Packages that name no source repository.
//!
//! Quality, not danger: what nobody states is unavailable, never absent.

use std::sync::LazyLock;

use crate::{FactSink, Rule, RuleMeta};
use capdex_evidence::signals;
use capdex_evidence::subject::Subject;
use capdex_model::listing::Claim;

use super::package_subject::{describes_no_package, manifest_place};

/// The rule.
pub(super) struct PackageNoRepository;

static META: LazyLock<RuleMeta> =
    LazyLock::new(|| toml::from_str(TEXT).expect("the rule's own text, which tests read"));

impl Rule for PackageNoRepository {
    fn meta(&self) -> &RuleMeta {
        &META
    }

    fn check(&self, subject: &Subject<'_>, facts: &mut FactSink<'_>) {
        if describes_no_package(subject) {
            return facts.not_applicable();
        }
        let signals = signals::of(subject);
        match signals.repository {
            Claim::Known(_) => {}
            Claim::Absent => facts.found(manifest_place(&signals), "no repository in the manifest"),
            Claim::Unknown => facts.unavailable("neither manifest nor listing speaks of a repository"),
        }
    }
}

const TEXT: &str = r#"
id = "package-no-repository"
version = 1
title = "Names no source repository"
why = "Without a repository nobody can compare what is published with what was written, nor report a fault."
fix = "Name the repository in the manifest."
cannot_see = "Whether a named repository exists or holds this source."
severity = "low"
confidence = "high"
kinds = ["mcp_server", "package"]
lifecycle = "stable"
cites = ["owasp-mcp:MCP04"]
codes = { agentscore = ["no_repository"] }

[[examples.fires]]
note = "a package without one"
files = { "package.json" = '{"name": "a"}' }

[[examples.fires]]
note = "the listing says that there is none"
files = { "README.md" = 'A package.' }
claims = { repository = "absent" }

[[examples.silent]]
note = "it names one"
files = { "package.json" = '{"name": "a", "repository": "github:a/a"}' }

[[examples.silent]]
note = "nothing is known of it"
files = { "README.md" = 'A folder.' }

[[examples.silent]]
note = "the listing names one"
files = { "package.json" = '{"name": "a"}' }
claims = { repository = { known = "http://git.test/a" } }
"#;
