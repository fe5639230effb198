//! That the catalogues are whole, that every published code is answered, and that rules name nothing unpublished.

use std::collections::{BTreeMap, BTreeSet};

use super::*;
use capdex_model::rule::FAMILIES;
use capdex_rules::INDEX;

fn catalogue(id: &str) -> &'static Catalogue {
    all().iter().find(|catalogue| catalogue.id == id).expect("a catalogue")
}

#[test]
fn the_catalogues_are_whole() {
    let sizes: Vec<(&str, usize)> =
        all().iter().map(|catalogue| (catalogue.id.as_str(), catalogue.entries.len())).collect();
    let expected = [
        // 46 codes, two patterns without one, 27 categories, three parts of the score.
        ("spiderrating", 78),
        ("saferskills", 55),
        // 18 rules and three of the comparing layer.
        ("mcpbundles", 21),
        // 12 types, a report of abuse, 15 patterns, four classes, six checks.
        ("agentscore", 38),
        ("mcp-scan", 29),
        ("safe-mcp", 86),
        ("owasp-mcp", 10),
        ("owasp-ast", 10),
    ];
    assert_eq!(sizes.get(..8), Some(expected.as_slice()));
    let of =
        |prefix: &str| catalogue("spiderrating").entries.iter().filter(|entry| entry.code.starts_with(prefix)).count();
    assert_eq!(["TS-E", "TS-W", "TS-C", "TS-P"].map(of), [15, 11, 18, 2]);
    let runs = catalogue("saferskills").entries.iter();
    let runs = runs.filter(|entry| !matches!(entry.status, EntryStatus::Dead | EntryStatus::DeadShadow));
    assert_eq!(runs.count(), 22, "rules that the reference engine can fire");
}

#[test]
fn no_entry_stands_twice_and_none_is_empty() {
    for catalogue in all() {
        let mut seen = BTreeSet::new();
        for entry in &catalogue.entries {
            assert!(!entry.code.is_empty(), "{}", catalogue.id);
            assert!(!entry.name.is_empty(), "{}", catalogue.id);
            assert!(seen.insert((&entry.code, &entry.generations)), "{} lists {} twice", catalogue.id, entry.code);
        }
        assert!(!catalogue.title.is_empty());
        assert!(!catalogue.published_at.is_empty());
        assert_eq!(catalogue.read.len(), 10);
    }
    let methods: Vec<&str> =
        all().iter().filter(|of| of.role == CatalogueRole::Method).map(|of| of.id.as_str()).collect();
    assert_eq!(methods, FAMILIES);
}

#[test]
fn every_published_code_is_answered() {
    let mut empty = Vec::new();
    for catalogue in all().iter().filter(|catalogue| catalogue.asks()) {
        for entry in &catalogue.entries {
            let answered = entry.elsewhere.is_some() || !catalogue.rules(entry, &INDEX).is_empty();
            if !answered {
                empty.push(format!("{} {} ({})", catalogue.id, entry.code, entry.name));
            }
        }
    }
    assert_eq!(empty, Vec::<String>::new());
}

#[test]
fn rules_cite_and_carry_what_is_published() {
    let cited: BTreeSet<String> =
        all().iter().flat_map(|of| of.entries.iter().flat_map(|entry| of.citations(entry))).collect();
    let codes: BTreeMap<&str, BTreeSet<&str>> =
        all().iter().map(|of| (of.id.as_str(), of.entries.iter().map(|entry| entry.code.as_str()).collect())).collect();
    let mut unknown = Vec::new();
    for meta in INDEX.all() {
        let cites = meta.cites.iter().filter(|cite| !cited.contains(*cite));
        unknown.extend(cites.map(|cite| format!("{} cites {cite}", meta.id)));
        for (family, carried) in &meta.codes {
            let listed = codes.get(family.as_str());
            let strange = carried.iter().filter(|code| !listed.is_some_and(|listed| listed.contains(code.as_str())));
            unknown.extend(strange.map(|code| format!("{} carries {family} {code}", meta.id)));
        }
    }
    assert_eq!(unknown, Vec::<String>::new());
}

#[test]
fn a_rule_cites_what_fits_where_the_method_cites_something_else() {
    let mut wrong = Vec::new();
    for catalogue in all() {
        for entry in catalogue.entries.iter().filter(|entry| !entry.reviewed.is_empty()) {
            let carries =
                |meta: &&&RuleMeta| meta.codes.get(&catalogue.id).is_some_and(|codes| codes.contains(&entry.code));
            for meta in INDEX.all().iter().filter(carries) {
                if !meta.cites.iter().any(|cite| entry.reviewed.contains(cite)) {
                    wrong.push(format!("{} carries {} and cites none of {:?}", meta.id, entry.code, entry.reviewed));
                }
            }
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn published_severities_agree_with_the_rubrics() {
    let numbers: [(&str, &str); 3] = [
        ("spiderrating", include_str!("../spiderrating/engine.toml")),
        ("saferskills", include_str!("../saferskills/weights.toml")),
        ("mcpbundles", include_str!("../mcpbundles/weights.toml")),
    ];
    for (id, text) in numbers {
        let table: toml::Table = toml::from_str(text).expect("a rubric's numbers parse");
        let codes = table.get("codes").and_then(toml::Value::as_table).expect("codes");
        for entry in &catalogue(id).entries {
            let in_rubric = codes.get(&entry.code).and_then(toml::Value::as_str);
            if let Some(severity) = in_rubric {
                assert_eq!(entry.severity.map(Severity::as_str), Some(severity), "{id} {}", entry.code);
            }
        }
    }
}
