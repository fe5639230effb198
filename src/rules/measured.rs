//! The measured hit counts of each rule, over benign and malicious cases, as `capdex bench` found them.
//!
//! The figures are data beside the rules, `measured.json`, written by `capdex bench --measure` and never by hand. They
//! are no part of the rule set: they describe it. The program reads and scans the sets.

use std::collections::BTreeMap;

use capdex_model::rule::detection::Detection;
use capdex_model::rule::measured::MeasuredSet;

/// The measured counts, by the name of the set.
pub(crate) fn sets() -> BTreeMap<String, MeasuredSet> {
    serde_json::from_str(include_str!("measured.json")).expect("the compiled-in figures parse, as tested")
}

/// How many cases of labelled sets are flagged, as `capdex bench --detection` measured it.
pub fn detection() -> Detection {
    serde_json::from_str(include_str!("detection.json")).expect("the compiled-in figures parse, as tested")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::INDEX;
    use capdex_model::capability::Kind;
    use capdex_model::rule::measured::{TOLERATED, benign_high, render};
    use std::collections::BTreeSet;

    #[test]
    fn figures_name_rules_that_there_are() {
        for (set, measured) in sets() {
            for id in measured.rules.keys() {
                assert!(INDEX.find(id).is_some(), "{set}: {id}");
            }
        }
        assert!(!sets().is_empty());
        assert_eq!(serde_json::from_str(&render(&sets())).ok(), Some(sets()));
    }

    #[test]
    fn detection_figures_are_as_they_were_written() {
        let text = capdex_model::rule::detection::render(&detection());
        assert_eq!(text, include_str!("detection.json"));
        assert!(!detection().sets.is_empty());
    }

    #[test]
    fn a_rule_earns_its_severity_by_its_rate() {
        let sets = sets();
        let ids: BTreeSet<&String> = sets.values().flat_map(|set| set.rules.keys()).collect();
        for (id, kind) in ids.into_iter().flat_map(|id| [(id, Kind::Skill), (id, Kind::McpServer)]) {
            // Over all sets of a kind: one case of a small set alone is more than is tolerated.
            let Some(rate) = benign_high(&sets, id, kind) else { continue };
            assert!(rate.share() <= TOLERATED, "{id} is high on {rate} % of the benign cases: {kind}");
        }
    }
}
