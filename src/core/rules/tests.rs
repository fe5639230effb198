//! The walk over every rule: its file, its citations, its codes and its examples.

use std::collections::{BTreeMap, BTreeSet};

use regex::Regex;

use super::*;
use crate::bundle::{Bundle, BundleFile};
use crate::decompose::decompose;

/// The forms of published entries that a rule may rest on.
const CITATIONS: &str = r"^(?:SAFE-T\d{4}(?:\.\d{3})?|mcp-scan:(?:[EWX]|TF)\d{3}@[ABC]|owasp-mcp:MCP\d{2}|owasp-ast:AST\d{2}|owasp-llm:LLM\d{2}|AML\.T\d{4}(?:\.\d{3})?|CWE-\d+|mcp-spec:[a-z-]+|agentskills:specification|(?:agentscore|mcpbundles|saferskills|spiderrating):[A-Za-z0-9_.-]+)$";

/// The facts of a rule about an example: every capability of it is scanned in full, and for a data rule that is not
/// for packages the package's rest is scanned as each kind that it is for, because small examples need no anchor file.
fn fires(meta: &RuleMeta, example: &Example) -> bool {
    let files = example.files.iter().map(|(path, text)| (path.clone(), BundleFile::new(text.clone().into_bytes())));
    let mut bundle = Bundle::local("folder:example", files.collect());
    bundle.claims = example.claims.clone();
    let evidence = Evidence::gather(&bundle);
    let found = |capability: &Capability| {
        let subject = Subject { capability, evidence: &evidence, claims: &bundle.claims, gaps: &bundle.gaps };
        evaluate(&subject).is_true(meta.id.as_str())
    };
    decompose(&bundle, &evidence).iter().any(found)
}

#[test]
fn every_rule_fires_and_stays_silent_where_it_says() {
    let mut wrong = Vec::new();
    for meta in all().iter().filter(|meta| meta.lifecycle != Lifecycle::Retired) {
        assert!(!meta.examples.fires.is_empty(), "{} has no firing example", meta.id);
        assert!(!meta.examples.silent.is_empty(), "{} has no silent example", meta.id);
        let firing = meta.examples.fires.iter().map(|example| (example, true));
        for (example, expected) in firing.chain(meta.examples.silent.iter().map(|example| (example, false))) {
            if fires(meta, example) != expected {
                wrong.push(format!("{} on {:?} should be {expected}", meta.id, example.note));
            }
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn every_rule_is_described_cited_and_coded() {
    let citation = Regex::new(CITATIONS).expect("the forms compile");
    for meta in all() {
        let id = meta.id.as_str();
        assert!(id.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-'), "{id}");
        for text in [&meta.title, &meta.why, &meta.fix, &meta.cannot_see] {
            assert!(text.len() >= 9, "{id} leaves something unsaid: {text:?}");
        }
        assert!(!meta.cites.is_empty() && meta.version > 0 && !meta.kinds.is_empty(), "{id}");
        for cite in &meta.cites {
            assert!(citation.is_match(cite), "{id} cites {cite:?}");
        }
        for (family, codes) in &meta.codes {
            assert!(FAMILIES.contains(&family.as_str()), "{id} has codes of {family:?}");
            assert!(!codes.is_empty() && codes.iter().all(|code| !code.is_empty()), "{id} {family}");
        }
    }
}

#[test]
fn no_two_rules_share_an_id() {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for meta in all() {
        *counts.entry(meta.id.as_str()).or_default() += 1;
    }
    assert_eq!(counts.into_iter().filter(|(_, count)| *count > 1).collect::<Vec<_>>(), []);
}

#[test]
fn data_rules_cover_every_severity() {
    let severities: BTreeSet<Severity> = pattern::metas().map(|meta| meta.severity).collect();
    assert_eq!(severities.into_iter().collect::<Vec<_>>(), Severity::ALL);
}

#[test]
fn a_rule_is_found_with_its_codes() {
    let meta = find("pipe-to-shell").expect("the rule exists");
    assert_eq!(codes("pipe-to-shell", "spiderrating"), ["TS-E002"]);
    assert!(codes("pipe-to-shell", "mcpbundles").is_empty() && codes("no-such-rule", "spiderrating").is_empty());
    assert_eq!(meta.id.as_str(), "pipe-to-shell");
    assert!(find("no-such-rule").is_none());
    assert_eq!(digest(), digest());
}
