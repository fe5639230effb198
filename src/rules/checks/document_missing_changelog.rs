//! Capabilities without a changelog beside them or at the root of their package.
//!
//! Quality, not danger. Source: SaferSkills' transparency rules.

use std::sync::LazyLock;

use crate::{FactSink, Rule, RuleMeta};
use capdex_evidence::subject::Subject;

use super::package_subject::report_missing;

/// The rule.
pub(super) struct DocumentMissingChangelog;

static META: LazyLock<RuleMeta> =
    LazyLock::new(|| toml::from_str(TEXT).expect("the rule's own text, which tests read"));

impl Rule for DocumentMissingChangelog {
    fn meta(&self) -> &RuleMeta {
        &META
    }

    fn check(&self, subject: &Subject<'_>, facts: &mut FactSink<'_>) {
        report_missing(subject, facts, "no changelog", |signals| signals.has_changelog);
    }
}

const TEXT: &str = r#"
id = "document-missing-changelog"
version = 1
title = "No changelog"
why = "Without a record of changes an update cannot be judged before it is taken."
fix = "Keep a CHANGELOG.md."
cannot_see = "Release notes kept elsewhere."
severity = "info"
confidence = "high"
kinds = ["skill", "mcp_server", "hook", "plugin", "rules", "package"]
lifecycle = "stable"
cites = ["saferskills:SS-SKILL-TRANSPARENCY-CHANGELOG-01", "owasp-ast:AST09"]
codes = { saferskills = ["SS-SKILL-TRANSPARENCY-CHANGELOG-01"] }

[[examples.fires]]
note = "a skill alone"
files = { "SKILL.md" = "Text." }

[[examples.fires]]
note = "another file that only looks like it"
files = { "change.md" = "x" }

[[examples.silent]]
note = "at the root, for a skill below"
files = { "CHANGELOG.md" = "Text.", "skills/a/SKILL.md" = "Text." }
"#;
