//! Packages that state no licence.
//!
//! Quality, not danger: what nobody states is unavailable, never absent.

use std::sync::LazyLock;

use crate::{FactSink, Rule, RuleMeta};
use capdex_evidence::signals;
use capdex_evidence::subject::Subject;
use capdex_model::listing::Claim;

use super::package_subject::{describes_no_package, manifest_place};

/// The rule.
pub(super) struct PackageNoLicence;

static META: LazyLock<RuleMeta> =
    LazyLock::new(|| toml::from_str(TEXT).expect("the rule's own text, which tests read"));

impl Rule for PackageNoLicence {
    fn meta(&self) -> &RuleMeta {
        &META
    }

    fn check(&self, subject: &Subject<'_>, facts: &mut FactSink<'_>) {
        if describes_no_package(subject) {
            return facts.not_applicable();
        }
        let signals = signals::of(subject);
        match signals.license {
            Claim::Known(_) => {}
            Claim::Absent => facts.found(manifest_place(&signals), "no licence in the manifest"),
            Claim::Unknown => facts.unavailable("neither manifest nor listing speaks of a licence"),
        }
    }
}

const TEXT: &str = r#"
id = "package-no-licence"
version = 1
title = "States no licence"
why = "Without a licence nobody else has the right to use or inspect the code, and its owner has not said what they stand for."
fix = "State a licence in the manifest by its SPDX identifier."
cannot_see = "Whether the licence fits the code."
severity = "low"
confidence = "high"
kinds = ["mcp_server", "package"]
lifecycle = "stable"
cites = ["agentscore:no_license"]
codes = { agentscore = ["no_license"] }

[[examples.fires]]
note = "a package without one"
files = { "package.json" = '{"name": "a"}' }

[[examples.fires]]
note = "npm's word for none"
files = { "package.json" = '{"name": "a", "license": "UNLICENSED"}' }

[[examples.silent]]
note = "it states one"
files = { "package.json" = '{"name": "a", "license": "MIT"}' }

[[examples.silent]]
note = "nothing is known of it"
files = { "README.md" = 'A folder.' }

[[examples.silent]]
note = "a Python classifier states it"
files = { "pyproject.toml" = '''[project]
name = "a"
classifiers = ["License :: OSI Approved :: MIT License"]''' }
"#;
