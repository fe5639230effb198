//! Packages that their own publishers have given up.

use std::sync::LazyLock;

use crate::{FactSink, Rule, RuleMeta};
use capdex_evidence::signals;
use capdex_evidence::subject::Subject;
use capdex_model::listing::Claim;

use super::package_subject::{describes_no_package, manifest_place};

/// The rule.
pub(super) struct PackageDeprecated;

static META: LazyLock<RuleMeta> =
    LazyLock::new(|| toml::from_str(TEXT).expect("the rule's own text, which tests read"));

impl Rule for PackageDeprecated {
    fn meta(&self) -> &RuleMeta {
        &META
    }

    fn check(&self, subject: &Subject<'_>, facts: &mut FactSink<'_>) {
        if describes_no_package(subject) {
            return facts.not_applicable();
        }
        let signals = signals::of(subject);
        match &signals.deprecated {
            Claim::Known(reason) => facts.found(manifest_place(&signals), reason),
            Claim::Absent => {}
            Claim::Unknown => facts.unavailable("the listing does not speak of deprecation"),
        }
    }
}

const TEXT: &str = r#"
id = "package-deprecated"
version = 1
title = "Deprecated or yanked by its publisher"
why = "Nobody mends what is given up, and names that are given up are taken over."
fix = "Move to what the message names, or take the package off the list."
cannot_see = "Packages that are abandoned without a word."
severity = "info"
confidence = "high"
kinds = ["mcp_server", "package"]
lifecycle = "stable"
cites = ["CWE-1104"]

[[examples.fires]]
note = "the registry says so"
files = { "README.md" = "A package." }
claims = { deprecated = { known = "use b instead" } }

[[examples.fires]]
note = "a Python classifier says so"
files = { "pyproject.toml" = '''
[project]
name = "a"
classifiers = ["Development Status :: 7 - Inactive"]
''' }

[[examples.silent]]
note = "the registry says that it is not"
files = { "README.md" = "A package." }
claims = { deprecated = "absent" }
"#;
