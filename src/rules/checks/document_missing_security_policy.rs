//! Capabilities without a security policy beside them or at the root of their package.
//!
//! Quality, not danger. Source: SaferSkills' transparency rules.

use std::sync::LazyLock;

use crate::{FactSink, Rule, RuleMeta};
use capdex_evidence::subject::Subject;

use super::package_subject::report_missing;

/// The rule.
pub(super) struct DocumentMissingSecurityPolicy;

static META: LazyLock<RuleMeta> =
    LazyLock::new(|| toml::from_str(TEXT).expect("the rule's own text, which tests read"));

impl Rule for DocumentMissingSecurityPolicy {
    fn meta(&self) -> &RuleMeta {
        &META
    }

    fn check(&self, subject: &Subject<'_>, facts: &mut FactSink<'_>) {
        report_missing(subject, facts, "no security policy", |signals| signals.has_security_policy);
    }
}

const TEXT: &str = r#"
id = "document-missing-security-policy"
version = 1
title = "No security policy"
why = "Whoever finds a hole needs to know where to report it in private."
fix = "Add a SECURITY.md with an address for reports."
cannot_see = "Policies kept elsewhere, such as in an organisation's own repository."
severity = "info"
confidence = "high"
kinds = ["skill", "mcp_server", "hook", "plugin", "rules", "package"]
lifecycle = "stable"
cites = ["saferskills:SS-SKILL-TRANSPARENCY-SECURITY-01", "owasp-ast:AST09"]
codes = { saferskills = ["SS-SKILL-TRANSPARENCY-SECURITY-01"] }

[[examples.fires]]
note = "a skill alone"
files = { "SKILL.md" = "Text." }

[[examples.fires]]
note = "another file that only looks like it"
files = { "src/security.md" = "x" }

[[examples.silent]]
note = "at the root, for a skill below"
files = { ".github/SECURITY.md" = "Text.", "skills/a/SKILL.md" = "Text." }
"#;
