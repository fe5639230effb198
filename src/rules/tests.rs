//! The walk over every rule: its file, its citations, its codes and its examples.

use std::collections::{BTreeMap, BTreeSet};

use super::*;
use capdex_evidence::decompose::decompose;
use capdex_model::bundle::{Bundle, BundleFile};
use capdex_model::listing::Claim;
use capdex_model::rule::{Example, FAMILIES};

/// The forms of published entries that a rule may rest on.
const CITATIONS: &str = r"^(?:SAFE-T\d{4}(?:\.\d{3})?|mcp-scan:(?:[EWX]|TF)\d{3}@[ABC]|owasp-mcp:MCP\d{2}|owasp-ast:AST\d{2}|owasp-llm:LLM\d{2}|AML\.T\d{4}(?:\.\d{3})?|CWE-\d+|mcp-spec:[a-z-]+|agentskills:specification|(?:agentscore|mcpbundles|saferskills|spiderrating):[A-Za-z0-9_.-]+)$";

/// The findings that examples may give under other rules, each read and found right: one line for each rule with the
/// rules that its firing examples, or those on which it is silent, also set off at high severity or worse.
const CROSS_FIRES: &str = include_str!("cross_fires.txt");

/// Every rule that finds something in an example, with its worst severity: every capability of it is scanned in full.
fn findings(example: &Example) -> BTreeMap<String, Severity> {
    let files = example.files.iter().map(|(path, text)| (path.clone(), BundleFile::new(text.clone().into_bytes())));
    let mut bundle = Bundle::local("folder:example", files.collect());
    bundle.claims = example.claims.clone();
    let evidence = capdex_evidence::Evidence::gather(&bundle);
    let mut worst = BTreeMap::new();
    for capability in &decompose(&bundle, &evidence) {
        let subject = Subject { capability, evidence: &evidence, claims: &bundle.claims, gaps: &bundle.gaps };
        let facts = facts_of_one(subject);
        for meta in INDEX.all().iter().filter(|meta| facts.is_true(meta.id.as_str())) {
            let found = facts.findings().filter(|fact| fact.rule == meta.id).map(|fact| fact.severity).max();
            let severity = worst.entry(meta.id.to_string()).or_insert(Severity::Info);
            *severity = (*severity).max(found.unwrap_or(Severity::Info));
        }
    }
    worst
}

#[test]
fn every_rule_fires_and_stays_silent_where_it_says_and_sets_off_no_other() {
    let expected: BTreeSet<(String, String)> = CROSS_FIRES
        .lines()
        .filter_map(|line| line.split_once(':'))
        .flat_map(|(rule, others)| others.split_whitespace().map(|other| (rule.to_owned(), other.to_owned())))
        .collect();
    let (mut wrong, mut crossed) = (Vec::new(), BTreeSet::new());
    for meta in INDEX.all().iter().filter(|meta| meta.lifecycle != Lifecycle::Retired) {
        assert!(!meta.examples.fires.is_empty(), "{} has no firing example", meta.id);
        assert!(!meta.examples.silent.is_empty(), "{} has no silent example", meta.id);
        let firing = meta.examples.fires.iter().map(|example| (example, true));
        for (example, expected) in firing.chain(meta.examples.silent.iter().map(|example| (example, false))) {
            let found = findings(example);
            if found.contains_key(meta.id.as_str()) != expected {
                wrong.push(format!("{} on {:?} should be {expected}", meta.id, example.note));
            }
            let others =
                found.into_iter().filter(|(rule, severity)| rule != meta.id.as_str() && *severity >= Severity::High);
            let on = if expected { meta.id.to_string() } else { format!("{} (silent)", meta.id) };
            crossed.extend(others.map(|(rule, _)| (on.clone(), rule)));
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
    let unexpected: Vec<_> = crossed.difference(&expected).map(|(rule, other)| format!("{rule}: {other}")).collect();
    assert_eq!(unexpected, Vec::<String>::new(), "read each, then fix it or list it in cross_fires.txt");
    let gone: Vec<_> = expected.difference(&crossed).map(|(rule, other)| format!("{rule}: {other}")).collect();
    assert_eq!(gone, Vec::<String>::new(), "listed in cross_fires.txt and no longer seen");
}

#[test]
fn every_rule_is_described_cited_and_coded() {
    let citation = capdex_evidence::expression::of(CITATIONS);
    for meta in INDEX.all() {
        let id = meta.id.as_str();
        assert!(id.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-'), "{id}");
        for text in [&meta.title, &meta.why, &meta.fix, &meta.cannot_see] {
            assert!(text.len() >= 9, "{id} leaves something unsaid: {text:?}");
        }
        assert!(!meta.cites.is_empty(), "{id}");
        assert!(meta.version > 0, "{id}");
        assert!(!meta.kinds.is_empty(), "{id}");
        for cite in &meta.cites {
            assert!(citation.is_match(cite), "{id} cites {cite:?}");
        }
        for (family, codes) in &meta.codes {
            assert!(FAMILIES.contains(&family.as_str()), "{id} has codes of {family:?}");
            assert!(!codes.is_empty(), "{id} {family}");
            assert!(codes.iter().all(|code| !code.is_empty()), "{id} {family}");
        }
    }
}

/// The modules of `checks/` that hold rules: they stand before the line that begins those that checks share.
fn check_modules() -> BTreeSet<String> {
    let (rules, _) = include_str!("checks/mod.rs").split_once("// Shared by checks").expect("the line is there");
    let module = |line: &str| Some(line.rsplit_once("mod ")?.1.strip_suffix(';')?.to_owned());
    rules.lines().filter_map(module).collect()
}

#[test]
fn every_check_is_named_by_a_card_with_the_name_of_its_rule() {
    let mut named = BTreeMap::<String, Vec<&str>>::new();
    for (file, text, _) in checks::CARDS {
        let meta: RuleMeta = toml::from_str(text).unwrap_or_else(|error| panic!("{file}: {error}"));
        let check = meta.check.unwrap_or_else(|| panic!("{file} names no check"));
        let module = check.split_once("::").map_or(check.as_str(), |(module, _)| module);
        assert_eq!(meta.id.as_str(), *file, "the file has the name of its rule");
        assert!(check.contains("::") || module == file.replace('-', "_"), "{file}: {check}");
        named.entry(module.to_owned()).or_default().push(file);
    }
    assert_eq!(named.keys().cloned().collect::<BTreeSet<_>>(), check_modules());
    let alone = named.values().filter(|rules| rules.len() == 1);
    assert!(
        alone.flatten().all(|rule| INDEX.find(rule).is_some_and(|meta| meta.check == Some(rule.replace('-', "_"))))
    );
}

#[test]
fn an_unknown_key_makes_a_card_unreadable() {
    let (_, text, _) = checks::CARDS.first().expect("there are cards");
    assert!(toml::from_str::<RuleMeta>(text).is_ok());
    assert!(toml::from_str::<RuleMeta>(&format!("patterns = []\n{text}")).is_err());
}

#[test]
fn no_two_rules_share_an_id() {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for meta in INDEX.all() {
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
    let meta = INDEX.find("pipe-to-shell").expect("the rule exists");
    assert_eq!(INDEX.codes("pipe-to-shell", "spiderrating"), ["TS-E002"]);
    assert!(INDEX.codes("pipe-to-shell", "mcpbundles").is_empty());
    assert!(INDEX.codes("no-such-rule", "spiderrating").is_empty());
    assert_eq!(meta.id.as_str(), "pipe-to-shell");
    assert!(INDEX.find("no-such-rule").is_none());
    assert_eq!(INDEX.digest(), INDEX.digest());
}

#[test]
fn a_registry_that_took_a_thing_down_is_heard_though_nothing_of_it_could_be_read() {
    for (words, is_found) in [("This version contains malware.", true), ("use another", false)] {
        let mut bundle = Bundle::local("npm:a", BTreeMap::new());
        bundle.claims.deprecated = Claim::Known(words.to_owned());
        let evidence = capdex_evidence::Evidence::gather(&bundle);
        let capability = &decompose(&bundle, &evidence)[0];
        let found = facts_of_one(Subject { capability, evidence: &evidence, claims: &bundle.claims, gaps: &[] });
        let facts = unavailable(Kind::Package, &found);
        assert!(found.is_true("package-deprecated"));
        assert!(!facts.is_true("package-deprecated"), "nothing else is believed of what nobody could read");
        assert_eq!(facts.is_true("sighted-takedown"), is_found, "{words}");
        assert_eq!(facts.findings().count(), usize::from(is_found));
    }
}
