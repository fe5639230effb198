//! Capabilities without a licence file beside them or at the root of their package.
//!
//! Quality, not danger. Source: SaferSkills' transparency rules.

use std::sync::LazyLock;

use crate::{FactSink, Rule, RuleMeta};
use capdex_evidence::subject::Subject;

use super::package_subject::report_missing;

/// The rule.
pub(super) struct DocumentMissingLicenceFile;

static META: LazyLock<RuleMeta> =
    LazyLock::new(|| toml::from_str(TEXT).expect("the rule's own text, which tests read"));

impl Rule for DocumentMissingLicenceFile {
    fn meta(&self) -> &RuleMeta {
        &META
    }

    fn check(&self, subject: &Subject<'_>, facts: &mut FactSink<'_>) {
        report_missing(subject, facts, "no licence file", |signals| signals.has_license_file);
    }
}

const TEXT: &str = r#"
id = "document-missing-licence-file"
version = 1
title = "No licence file"
why = "Without its text nobody can tell under which terms the code may be used."
fix = "Add the text of the licence as LICENSE."
cannot_see = "Which licence it is, and whether it fits."
severity = "info"
confidence = "high"
kinds = ["skill", "mcp_server", "hook", "plugin", "rules", "package"]
lifecycle = "stable"
cites = ["saferskills:SS-SKILL-TRANSPARENCY-LICENSE-01", "owasp-ast:AST09"]
codes = { saferskills = ["SS-SKILL-TRANSPARENCY-LICENSE-01"] }

[[examples.fires]]
note = "a skill alone"
files = { "SKILL.md" = "Text." }

[[examples.fires]]
note = "another file that only looks like it"
files = { "license.js" = "x" }

[[examples.silent]]
note = "at the root, for a skill below"
files = { "LICENSE" = "Text.", "skills/a/SKILL.md" = "Text." }
"#;
