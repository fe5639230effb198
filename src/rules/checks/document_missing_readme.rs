//! Capabilities without a README beside them or at the root of their package.
//!
//! Quality, not danger. Source: SaferSkills' transparency rules.

use std::sync::LazyLock;

use crate::{FactSink, Rule, RuleMeta};
use capdex_evidence::subject::Subject;

use super::package_subject::report_missing;

/// The rule.
pub(super) struct DocumentMissingReadme;

static META: LazyLock<RuleMeta> =
    LazyLock::new(|| toml::from_str(TEXT).expect("the rule's own text, which tests read"));

impl Rule for DocumentMissingReadme {
    fn meta(&self) -> &RuleMeta {
        &META
    }

    fn check(&self, subject: &Subject<'_>, facts: &mut FactSink<'_>) {
        report_missing(subject, facts, "no README", |signals| signals.has_readme);
    }
}

const TEXT: &str = r#"
id = "document-missing-readme"
version = 1
title = "No README"
why = "A README is where people learn what a thing does before they let an agent use it."
fix = "Add a README.md that says what it does, needs and touches."
cannot_see = "What the README says."
severity = "info"
confidence = "high"
kinds = ["skill", "mcp_server", "hook", "plugin", "rules", "package"]
lifecycle = "stable"
cites = ["saferskills:SS-SKILL-TRANSPARENCY-DESCRIPTION-01", "saferskills:SS-RULES-TRANSPARENCY-MANIFEST-01", "owasp-ast:AST09"]
codes = { saferskills = ["SS-SKILL-TRANSPARENCY-DESCRIPTION-01", "SS-RULES-TRANSPARENCY-MANIFEST-01"] }

[[examples.fires]]
note = "a skill alone"
files = { "SKILL.md" = "Text." }

[[examples.fires]]
note = "another file that only looks like it"
files = { "readme.js" = "x" }

[[examples.silent]]
note = "at the root, for a skill below"
files = { "README.md" = "Text.", "skills/a/SKILL.md" = "Text." }
"#;
