//! `saferskills/oss-d420ef4`: SaferSkills as its public rule files state it, with their kinds, globs and life cycle.
//!
//! The arithmetic is that of `seed`. Source: the rule files, and what their documents say of shadow rules.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use serde::Deserialize;

use capdex_model::capability::Kind;
use capdex_model::digest::Digest;
use capdex_model::facts::SparseFacts;
use capdex_model::rule::RuleIndex;
use capdex_model::score::{RubricRef, Score};
use capdex_model::time::AsOf;

use super::super::over_rules::OverRules;
use super::super::reads::Reads;
use super::super::{Rubric, RubricMeta};
use super::{AxisConstants, NEEDS, NUMBERS, Variant, grounds};

const TEXT: &str = include_str!("weights.toml");
const PAGE: &str = include_str!("page.md");

/// SaferSkills by its public rule files.
pub struct Oss;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct OssNumbers {
    shadow: BTreeSet<String>,
    reads: Reads,
}

static TABLE: LazyLock<OssNumbers> =
    LazyLock::new(|| toml::from_str(TEXT).expect("the compiled-in numbers parse, as tested"));

static META: LazyLock<RubricMeta> = LazyLock::new(|| RubricMeta {
    rubric: RubricRef {
        id: "saferskills/oss-d420ef4".into(),
        version: "1".into(),
        text: Digest::of_fields([TEXT, NUMBERS, PAGE].map(str::as_bytes)),
    },
    title: "SaferSkills with the kinds, files and life cycle of its public rule files",
    page: PAGE,
    published_at: "the public rule files of SaferSkills at d420ef4 (2026-06-25), and the page Core Concepts, whose digest this is",
    published_read: "2026-11-21",
    published_sha256: "438de85bec43a8ea165b25467af5ca3c6f65bdaccca402485df85aaa355700eb",
    kinds: &Kind::ALL,
    scale: (0, 100),
    by_day: false,
});

static GROUNDS: LazyLock<[AxisConstants; 5]> = LazyLock::new(grounds);

static OSS: Variant = Variant {
    meta: &META,
    reads: || &TABLE.reads,
    shadow: || &TABLE.shadow,
    codes: OverRules::new(|rules| OSS.codes_of(rules)),
    axes_by_code: OverRules::new(|rules| OSS.axes_of(rules)),
    grounds: &GROUNDS,
};

impl Rubric for Oss {
    fn meta(&self) -> &RubricMeta {
        &META
    }

    fn needs(&self, rules: &'static RuleIndex) -> &[&'static str] {
        NEEDS.of(rules)
    }

    fn score(&self, facts: &SparseFacts, _at: AsOf) -> Score {
        OSS.computed(facts)
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::tests::{day, fact, reported};
    use super::super::{FAMILY, SaferSkills};
    use super::*;
    use crate::catalogue::{self, EntryStatus};
    use capdex_model::fact::{Fact, FactSurface, Outcome, Place};
    use capdex_model::points::Points;

    /// The scores by the page and by the rule files of a capability in which one rule found something in a file.
    fn both(kind: Kind, rule: &str, file: &str, surface: FactSurface) -> [Option<Points>; 2] {
        let severity = capdex_rules::INDEX.find(rule).expect("a rule").severity;
        let mut facts: Vec<Fact> = reported(kind, &[], Outcome::False).all().cloned().collect();
        facts.retain(|fact| fact.rule.as_str() != rule);
        let place = Place { file: file.into(), line: 1, ..Place::default() };
        facts.push(Fact { place, surface, ..fact(rule, Outcome::True, severity, serde_json::Value::Null) });
        let facts = SparseFacts::new(&capdex_rules::INDEX, kind, facts);
        [SaferSkills.score(&facts, day()).value, Oss.score(&facts, day()).value]
    }

    #[test]
    fn shadow_rules_are_those_of_the_public_rule_files() {
        let catalogue = catalogue::all().iter().find(|catalogue| catalogue.id == FAMILY).expect("a catalogue");
        let shadow = catalogue
            .entries
            .iter()
            .filter(|entry| matches!(entry.status, EntryStatus::Shadow | EntryStatus::DeadShadow));
        let shadow: BTreeSet<String> = shadow.map(|entry| entry.code.clone()).collect();
        assert_eq!(&TABLE.shadow, &shadow);
        assert_eq!(shadow.len(), 23);
    }

    #[test]
    fn a_shadow_rule_weighs_on_the_page_alone() {
        let [page, files] = both(Kind::Skill, "instruction-override", "SKILL.md", FactSurface::Instructions);
        assert_eq!(page, Some(Points::whole(45)));
        assert_eq!(files, Some(Points::whole(100)));
    }

    #[test]
    fn the_rule_files_look_at_their_own_kinds_and_globs() {
        let [page, files] = both(Kind::Skill, "pipe-to-shell", "SKILL.md", FactSurface::Instructions);
        assert_eq!([page, files], [Some(Points::whole(15)), Some(Points::whole(100))]);
        let in_hook = both(Kind::Hook, "pipe-to-shell", "hooks/a.sh", FactSurface::Script);
        assert_eq!(in_hook, [Some(Points::whole(15)); 2]);
    }
}
