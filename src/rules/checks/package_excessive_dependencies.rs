//! Packages with many run-time dependencies.
//!
//! Quality, not danger. More than 20 is inferred from AgentScore's posted results: 20 passed, 25 did not.

use std::sync::LazyLock;

use crate::{FactSink, Rule, RuleMeta};
use capdex_evidence::signals;
use capdex_evidence::subject::Subject;
use capdex_model::listing::Claim;

use super::package_subject::{describes_no_package, manifest_place};

/// The rule.
pub(super) struct PackageExcessiveDependencies;

static META: LazyLock<RuleMeta> =
    LazyLock::new(|| toml::from_str(TEXT).expect("the rule's own text, which tests read"));

/// The most direct run-time dependencies that are ordinary.
const ORDINARY: usize = 20;

impl Rule for PackageExcessiveDependencies {
    fn meta(&self) -> &RuleMeta {
        &META
    }

    fn check(&self, subject: &Subject<'_>, facts: &mut FactSink<'_>) {
        if describes_no_package(subject) {
            return facts.not_applicable();
        }
        let signals = signals::of(subject);
        match &signals.dependencies {
            Claim::Known(names) if names.len() > ORDINARY => {
                facts.found(manifest_place(&signals), &format!("{} run-time dependencies", names.len()));
            }
            Claim::Known(_) | Claim::Absent => {}
            Claim::Unknown => facts.unavailable("neither manifest nor listing names the dependencies"),
        }
    }
}

const TEXT: &str = r#"
id = "package-excessive-dependencies"
version = 1
title = "Has more than 20 run-time dependencies"
why = "Each dependency is somebody else who can change what runs on the user's machine."
fix = "Drop what is not needed at run time, or bundle it."
cannot_see = "Dependencies of dependencies, and code that was bundled."
severity = "low"
confidence = "high"
kinds = ["mcp_server", "package"]
lifecycle = "stable"
cites = ["owasp-mcp:MCP04"]
codes = { agentscore = ["excessive_dependencies"] }

[[examples.fires]]
note = "twenty-one"
files = { "package.json" = '{"name": "z", "dependencies": {"a":"1","b":"1","c":"1","d":"1","e":"1","f":"1","g":"1","h":"1","i":"1","j":"1","k":"1","l":"1","m":"1","n":"1","o":"1","p":"1","q":"1","r":"1","s":"1","t":"1","u":"1"}}' }

[[examples.silent]]
note = "twenty, and more for developers"
files = { "package.json" = '{"name": "z", "dependencies": {"a":"1","b":"1","c":"1","d":"1","e":"1","f":"1","g":"1","h":"1","i":"1","j":"1","k":"1","l":"1","m":"1","n":"1","o":"1","p":"1","q":"1","r":"1","s":"1","t":"1"}, "devDependencies": {"v":"1","w":"1"}}' }
"#;
