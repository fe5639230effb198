//! `measure-skill-name`: how far a skill's name is from names that others imitate, and whether it is one that was taken
//! down, by the letter of the published method.
//!
//! The judgement is left to `name-look-alike` and `name-taken-down`, which take care for honest names. Source: the
//! public engine of SpiderRating, version 0.3.4; its page gives the distance.

use std::sync::LazyLock;

use serde_json::{Value, json};

use crate::FactSink;
use capdex_evidence::subject::Subject;

use super::name_known::{SKILL_TARGETS, TAKEN_DOWN, TAKEN_DOWN_IN_USE};

/// The targets, each with its letters.
static TARGETS: LazyLock<Vec<(&str, Vec<char>)>> =
    LazyLock::new(|| SKILL_TARGETS.iter().map(|target| (*target, fold(target))).collect());

/// Names that far away are like their target, by the published method.
const NEAR: usize = 2;
/// Shorter names are like nothing.
const SHORTEST: usize = 4;

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    let capability = subject.capability;
    let folder = capability.path.trim_end_matches("/SKILL.md").rsplit('/').next().unwrap_or_default();
    // The folder names the skill where there is one: front matter may say anything.
    let name = if folder.is_empty() { &capability.name } else { folder };
    facts.measured(measured(&name.to_lowercase()));
}

/// `target` and `distance` of the first target that is near and not the name itself, or null.
fn measured(name: &str) -> Value {
    let letters = fold(name);
    let near = TARGETS.iter().find_map(|(target, folded)| {
        // Names whose lengths differ by more are further away than that.
        let is_comparable = letters.len() >= SHORTEST && letters.len().abs_diff(folded.len()) <= NEAR;
        let distance = is_comparable.then(|| strsim::generic_levenshtein(&letters, folded))?;
        (1..=NEAR).contains(&distance).then_some((*target, distance))
    });
    json!({
        "target": near.map(|(target, _)| target),
        "distance": near.map(|(_, distance)| distance),
        "taken_down": TAKEN_DOWN.iter().chain(&TAKEN_DOWN_IN_USE).any(|known| *known == name),
    })
}

fn fold(name: &str) -> Vec<char> {
    name.chars().filter(|letter| !matches!(letter, '-' | '_')).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::measure_fixtures::Scene;
    use super::*;
    use capdex_model::capability::Kind;

    /// The textbook recurrence of Levenshtein's distance: how many letters must be added, left out or changed.
    fn textbook(one: &[char], other: &[char]) -> usize {
        match (one, other) {
            ([], rest) | (rest, []) => rest.len(),
            ([a, one @ ..], [b, other @ ..]) if a == b => textbook(one, other),
            ([_, shorter @ ..], [_, less @ ..]) => {
                1 + textbook(shorter, other).min(textbook(one, less)).min(textbook(shorter, less))
            }
        }
    }

    proptest! {
        #[test]
        fn the_distance_is_the_textbook_s(one in "[abcé]{0,6}", other in "[abcé]{0,6}") {
            let (one, other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
            prop_assert_eq!(strsim::generic_levenshtein(&one, &other), textbook(&one, &other));
        }
    }

    fn near(name: &str) -> Option<(String, u64)> {
        let value = measured(name);
        Some((value["target"].as_str()?.to_owned(), value["distance"].as_u64()?))
    }

    #[test]
    fn names_within_two_letters_are_near_as_in_the_reference() {
        let expected = [
            ("slacks", "slack", 1),
            ("slock", "slack", 1),
            ("stack", "slack", 1),
            ("black", "slack", 1),
            ("solar", "solana", 2),
            ("calender", "calendar", 1),
            ("youtbe", "youtube", 1),
        ];
        for (name, target, distance) in expected {
            assert_eq!(near(name), Some((target.to_owned(), distance)), "{name}");
        }
        for name in ["discord-bot", "salon", "open-claw", "slack", "sla", "", "lack-of-everything-that-is-near"] {
            assert_eq!(near(name), None, "{name}");
        }
    }

    #[test]
    fn a_name_taken_down_is_the_folder_s_and_never_one_with_a_slash() {
        assert!(measured("security-check")["taken_down"] == true);
        assert!(measured("net_ninja")["taken_down"] == true);
        assert!(measured("wake-up")["taken_down"] == false);
        let mut scene = Scene::of(Kind::Skill, &[]);
        scene.name = "NanoPDF".into();
        assert_eq!(scene.value("measure-skill-name")["taken_down"], true);
    }
}
