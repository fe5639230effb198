//! Maintainers' annotations for OpenSSF Scorecard as claims: what a `scorecard.yml` says of its checks, held against our rules.
//!
//! The file lies in what was judged, so that nobody has to prove anything to write it. It is a claim like that of an appeal: a person
//! compares, and it changes no finding, score or verdict. Source: OpenSSF Scorecard, `config/README.md` at 1b13f70.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use capdex_model::appeal::ClaimKind;
use capdex_model::bundle::Bundle;
use serde::Deserialize;
use serde_json::Value;

/// Where Scorecard looks, in its order.
pub const FILES: [&str; 3] = ["scorecard.yml", ".scorecard.yml", ".github/scorecard.yml"];
/// A larger file holds no annotations that a person wrote.
const MAX_BYTES: usize = 64 << 10;
/// The most claims of one file.
const MAX_CLAIMS: usize = 200;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Tables {
    checks: BTreeMap<String, Vec<String>>,
    reasons: BTreeMap<String, Reason>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Reason {
    claim: ClaimKind,
    words: String,
}

static TABLES: LazyLock<Tables> =
    LazyLock::new(|| toml::from_str(include_str!("scorecard.toml")).expect("the compiled-in table parses, as tested"));

/// One annotation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ScorecardClaim {
    /// The file that says it.
    pub file: &'static str,
    /// The check of Scorecard.
    pub check: &'static str,
    /// The reason, one of five words.
    pub reason: &'static str,
    /// The claim that it comes to.
    pub claim: ClaimKind,
}

impl ScorecardClaim {
    /// True where it speaks of what a rule finds.
    pub fn is_about(&self, rule: &str) -> bool {
        TABLES.checks.get(self.check).is_some_and(|rules| rules.iter().any(|one| one == rule))
    }

    /// What it says, in one sentence without a full stop.
    pub fn words(&self) -> String {
        let meaning = TABLES.reasons.get(self.reason).map_or("", |reason| &reason.words);
        format!("its {} says {} of Scorecard's check {}: {meaning}", self.file, self.reason, self.check)
    }
}

/// The annotations of a package, sorted, each once. A file that is none of Scorecard's, and words that it does not know, say nothing.
pub fn claims(bundle: &Bundle) -> Vec<ScorecardClaim> {
    // As Scorecard does: the first file that is there, and no other.
    let found = FILES.into_iter().find_map(|path| Some((path, bundle.files.get(path)?)));
    let Some((file, text)) = found else { return Vec::new() };
    let text = Some(&*text.bytes).filter(|bytes| bytes.len() <= MAX_BYTES);
    let value = text.and_then(|bytes| std::str::from_utf8(bytes).ok()).and_then(yaml).unwrap_or_default();
    let words = |of: &Value, key: &str| of.get(key).and_then(Value::as_array).cloned().unwrap_or_default();
    let mut claims = Vec::new();
    for annotation in words(&value, "annotations") {
        let reasons = words(&annotation, "reasons");
        let reasons = reasons.iter().filter_map(|one| one.get("reason").and_then(Value::as_str));
        let known: Vec<_> = reasons.filter_map(|word| TABLES.reasons.get_key_value(word)).collect();
        for check in words(&annotation, "checks") {
            let named = check.as_str().map(str::to_ascii_lowercase).unwrap_or_default();
            let Some((check, _)) = TABLES.checks.get_key_value(&named) else { continue };
            claims.extend(known.iter().map(|(reason, of)| ScorecardClaim { file, check, reason, claim: of.claim }));
        }
    }
    claims.sort();
    claims.dedup();
    claims.truncate(MAX_CLAIMS);
    claims
}

/// A small document of YAML; none for one that is broken, or made to be large.
fn yaml(text: &str) -> Option<Value> {
    let budget = serde_saphyr::budget! {
        max_depth: 16,
        flow_nesting_limit: 16,
        max_nodes: 10_000,
        max_events: 20_000,
        max_aliases: 0,
        max_anchors: 0,
        max_documents: 1,
        max_inclusion_depth: 0,
        max_total_scalar_bytes: MAX_BYTES,
        max_merge_keys: 0,
    };
    let options = serde_saphyr::options! { budget: budget, with_snippet: false, strict_booleans: true };
    serde_saphyr::from_str_with_options::<Value>(text, options).ok()
}

#[cfg(test)]
mod tests {
    use capdex_model::bundle::BundleFile;
    use capdex_model::digest::Digest;

    use super::*;

    /// What files of a package say: check, reason and claim.
    fn said(files: &[(&str, &str)]) -> Vec<(&'static str, &'static str, &'static str)> {
        let of = |(path, text): &(&str, &str)| {
            let bytes: std::sync::Arc<[u8]> = text.as_bytes().into();
            ((*path).to_owned(), BundleFile { digest: Digest::of(&bytes), bytes })
        };
        let bundle = Bundle::local("a", files.iter().map(of).collect());
        claims(&bundle).into_iter().map(|one| (one.check, one.reason, one.claim.as_str())).collect()
    }

    const TWO: &str = "annotations:\n  - checks:\n      - binary-artifacts\n      - Pinned-Dependencies\n      - no-such-check\n    reasons:\n      - reason: test-data\n      - reason: because\n  - checks: [license]\n    reasons: [{ reason: not-detected }]\n";

    #[test]
    fn every_rule_that_a_check_names_is_there_and_the_five_reasons_are() {
        for rule in TABLES.checks.values().flatten() {
            assert!(capdex_rules::INDEX.find(rule).is_some(), "{rule}");
        }
        let reasons: Vec<&str> = TABLES.reasons.keys().map(String::as_str).collect();
        assert_eq!(reasons, ["not-applicable", "not-detected", "not-supported", "remediated", "test-data"]);
    }

    #[test]
    fn annotations_are_claims_and_words_of_others_are_not() {
        let expected = [
            ("binary-artifacts", "test-data", "context"),
            ("license", "not-detected", "not_there"),
            ("pinned-dependencies", "test-data", "context"),
        ];
        assert_eq!(said(&[(".github/scorecard.yml", TWO)]), expected);
        assert_eq!(
            said(&[("scorecard.yml", "annotations: []"), (".github/scorecard.yml", TWO)]),
            [],
            "the first alone"
        );
        let deep = format!("annotations: {}", "[".repeat(100_000));
        let long = format!("{TWO}# {}", "x".repeat(MAX_BYTES));
        let alias = "annotations: &a\n  - *a\n";
        for other in ["", "annotations: x", "- a", "a: [", "\u{0}", alias, &deep, &long] {
            assert_eq!(said(&[("scorecard.yml", other)]), [], "{other:.40}");
        }
        assert_eq!(said(&[("docs/scorecard.yml", TWO)]), [], "it is looked for where Scorecard looks");
    }

    #[test]
    fn a_claim_is_about_the_rules_of_its_check() {
        let of = |check| ScorecardClaim { file: FILES[0], check, reason: "test-data", claim: ClaimKind::Context };
        assert!(of("binary-artifacts").is_about("binary-program"));
        assert!(!of("binary-artifacts").is_about("origin-unpinned"));
        assert!(!of("fuzzing").is_about("binary-program"));
        let words = of("binary-artifacts").words();
        assert_eq!(
            words,
            "its scorecard.yml says test-data of Scorecard's check binary-artifacts: the danger lies only in files for tests or examples"
        );
    }
}
