//! The page of frameworks: which rules and tests speak to which item of public lists. Never a claim that somebody complies.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use capdex_agent_scan::pack::{Pack, baseline};
use capdex_model::rule::RuleMeta;
use serde::Deserialize;

use super::pages::{cell, page};

const INTRODUCTION: &str = "\
Which rules, which tests of agents and what else here speak to which item of public lists. **It is a map of this program and no claim of
compliance**: that a rule speaks to an item means that its findings are evidence about it, not that the item is met where it finds
nothing. capdex is affiliated with none of the publishers. Items are named in a few words of ours, and may be called otherwise by now; the
lists themselves are the text that counts.
";

/// Rules that a cell names; more are counted.
const SHOWN: usize = 12;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Frameworks {
    framework: Vec<Framework>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Framework {
    title: String,
    version: String,
    items: Vec<Item>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Item {
    id: String,
    name: String,
    #[serde(default)]
    cites: Vec<String>,
    #[serde(default)]
    tests: Vec<String>,
    #[serde(default)]
    does: String,
    #[serde(default)]
    beyond: String,
}

fn frameworks() -> Vec<Framework> {
    let read: Frameworks = toml::from_str(include_str!("frameworks.toml")).expect("a test reads it");
    read.framework
}

/// True where an entry is meant by one of these.
fn names(wanted: &[String], entry: &str) -> bool {
    wanted.iter().any(|one| one.strip_suffix('*').map_or(one == entry, |start| entry.starts_with(start)))
}

fn rules(item: &Item) -> Vec<&'static RuleMeta> {
    let all = capdex_rules::INDEX.all().iter().copied();
    all.filter(|meta| meta.cites.iter().any(|cited| names(&item.cites, cited))).collect()
}

fn tests(item: &Item, pack: &Pack) -> BTreeSet<u8> {
    let named = pack.tests.iter().filter(|test| test.owasp.iter().any(|entry| names(&item.tests, entry)));
    named.map(|test| test.number).collect()
}

/// The page.
pub(super) fn frameworks_page() -> String {
    let pack = baseline().expect("a test reads it");
    let mut text = page("Frameworks");
    text.push_str(INTRODUCTION);
    for framework in frameworks() {
        let _ = writeln!(text, "\n## {} ({})\n", framework.title, framework.version);
        let _ = writeln!(
            text,
            "| item | name | rules | tests of agents | what else | not looked at |\n|---|---|---|---|---|---|"
        );
        for item in &framework.items {
            let found = rules(item);
            let mut shown: Vec<String> =
                found.iter().take(SHOWN).map(|meta| format!("[{id}](rules.md#{id})", id = meta.id)).collect();
            if found.len() > SHOWN {
                shown.push(format!("and {} more", found.len() - SHOWN));
            }
            let tests: Vec<String> = tests(item, &pack).into_iter().map(|number| number.to_string()).collect();
            let dash = |text: String| if text.is_empty() { "–".to_owned() } else { text };
            let _ = writeln!(
                text,
                "| {} | {} | {} | {} | {} | {} |",
                item.id,
                cell(&item.name),
                dash(shown.join(", ")),
                dash(tests.join(", ")),
                dash(cell(&item.does)),
                dash(cell(&item.beyond))
            );
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_entry_is_one_that_a_rule_or_a_test_names_and_no_item_is_empty() {
        let pack = baseline().expect("a test reads it");
        for framework in frameworks() {
            for item in &framework.items {
                let of = format!("{} {}", framework.title, item.id);
                for cited in &item.cites {
                    let alone = Item { cites: vec![cited.clone()], ..empty() };
                    assert!(!rules(&alone).is_empty(), "{of}: no rule cites {cited}");
                }
                for named in &item.tests {
                    let alone = Item { tests: vec![named.clone()], ..empty() };
                    assert!(!super::tests(&alone, &pack).is_empty(), "{of}: no test names {named}");
                }
                let says = !rules(item).is_empty() || !super::tests(item, &pack).is_empty() || !item.does.is_empty();
                assert!(says || !item.beyond.is_empty(), "{of} says nothing");
            }
        }
    }

    fn empty() -> Item {
        Item {
            id: String::new(),
            name: String::new(),
            cites: Vec::new(),
            tests: Vec::new(),
            does: String::new(),
            beyond: String::new(),
        }
    }

    #[test]
    fn the_page_claims_no_compliance() {
        let page = frameworks_page();
        assert!(page.contains("no claim of\ncompliance"));
        for word in ["compliant", "certified", "conforms"] {
            assert!(!page.contains(word), "{word}");
        }
    }
}
