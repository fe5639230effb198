//! Reasons: why a score is what it is, and why two rubrics differ, in a few words from their own breakdowns.
//!
//! Reads caps, terms and parts alone, and so serves every rubric.

use capdex_model::points::Points;
use capdex_model::score::{Band, Coverage, Score, Term};

use super::find;

/// The strictest against the mildest rubric, each with its band, grade and cause.
pub(super) fn why_they_differ(scores: &[Score]) -> Option<String> {
    let said = opposites(scores)?.map(|(at, _)| scores.get(at).and_then(why_it_says));
    let [strictest, mildest] = said;
    Some(format!("{}; {}", strictest?, mildest?))
}

/// A rubric's score in words: its band, grade and cause; none where no rubric is so called.
pub(super) fn why_it_says(score: &Score) -> Option<String> {
    let band = find(&score.rubric.id)?.band(score);
    Some(format!("{} says {} ({}): {}", score.rubric.id, band.as_str(), score.grade, cause(score)))
}

/// (strictest - mildest) / 3 over the bands of the methods that say anything; none with fewer than two.
pub(super) fn disagreement(scores: &[Score]) -> Option<Coverage> {
    let said = said_by_methods(scores);
    let bands = || said.iter().map(|(_, band)| *band as usize);
    // One opinion cannot disagree with itself.
    let apart = bands().max()?.checked_sub(bands().min()?)?;
    (said.len() > 1).then(|| Coverage::of(apart, Band::Block as usize))
}

/// The places of the methods' scores that say anything, with their bands.
fn said_by_methods(scores: &[Score]) -> Vec<(usize, Band)> {
    let seeds = scores.iter().enumerate().filter(|(_, score)| score.rubric.is_seed());
    // A band of `Unknown` is no opinion that could differ.
    let known = seeds.filter_map(|(at, score)| {
        let band = find(&score.rubric.id)?.band(score);
        (band != Band::Unknown).then_some((at, band))
    });
    known.collect()
}

/// The places of the strictest and the mildest rubric among scores, with their bands; none where they do not differ.
pub(super) fn opposites(scores: &[Score]) -> Option<[(usize, Band); 2]> {
    let known = said_by_methods(scores);
    // Of several alike the first, in the order of the rubrics.
    let strictest = known.iter().rev().max_by_key(|(_, band)| *band)?;
    let mildest = known.iter().min_by_key(|(_, band)| *band)?;
    (strictest.1 != mildest.1).then_some([*strictest, *mildest])
}

/// The thing that moved a score most: the constraint that took hold, else the largest deduction with the rules behind
/// it. Without either it is the part that is furthest from the top of the scale.
fn cause(score: &Score) -> String {
    // Deductions without rules are arithmetic, such as rounding or a floor.
    let deduction = score.terms.iter().filter(|term| term.points < Points::ZERO && !term.rules.is_empty());
    let deduction = deduction.min_by_key(|term| term.points);
    let top = find(&score.rubric.id).map_or(0, |rubric| rubric.meta().scale.1);
    if let [first, ..] = score.caps.as_slice() {
        let rules = deduction.map(behind).unwrap_or_default();
        format!("{first}{rules}")
    } else if let Some(term) = deduction {
        format!("{} {}{}", term.label, term.points, behind(term))
    } else if score.value >= Some(Points::whole(top)) {
        "nothing that it counts against it".into()
    } else {
        // Parts without a term moved nothing.
        let scored = score.parts.iter().filter(|part| score.terms.iter().any(|term| term.label == part.name));
        let lowest = scored.filter_map(|part| part.value.map(|value| (value, part))).min_by_key(|(value, _)| *value);
        lowest.map_or_else(|| "its number".into(), |(value, part)| format!("{} is {value} of {top}", part.name))
    }
}

/// The rules behind a term, the first two by name.
fn behind(term: &Term) -> String {
    match &*term.rules {
        [] => String::new(),
        [one] => format!(" by {one}"),
        [one, two] => format!(" by {one} and {two}"),
        [one, two, rest @ ..] => format!(" by {one}, {two} and {} more", rest.len()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::terms::{NO_RULES, term};
    use super::*;
    use capdex_model::score::{Coverage, ScorePart, ScoreText};

    fn score(id: &str, value: i64, grade: &'static str) -> Score {
        let rubric = find(id).expect("a rubric").meta().rubric.clone();
        Score { value: Some(Points::whole(value)), grade: grade.into(), ..Score::none(rubric, Coverage::FULL, "") }
    }

    #[test]
    fn the_strictest_and_the_mildest_speak_with_their_causes() {
        let mut red = score("saferskills/seed", 15, "Red");
        red.caps.push("one critical finding: at most 15".into());
        let rules = ["a", "b", "c", "d"].map(ScoreText::from).to_vec();
        red.terms.push(term("ceiling critical", Points::whole(-64), rules, ""));
        let clean = score("mcpbundles/seed", 100, "clean");
        let middle = score("spiderrating/seed", 6, "C");
        assert_eq!(
            why_they_differ(&[middle, red, clean.clone()]).as_deref(),
            Some(
                "saferskills/seed says block (Red): one critical finding: at most 15 by a, b and 2 more; \
                 mcpbundles/seed says ok (clean): nothing that it counts against it"
            )
        );
        assert_eq!(why_they_differ(&[clean.clone(), score("agentscore/seed", 90, "ALLOW")]), None);
        assert_eq!(why_they_differ(&[clean]), None);
    }

    #[test]
    fn without_a_constraint_the_largest_deduction_or_the_lowest_part_is_the_cause() {
        let mut posture = score("mcpbundles/seed", 65, "high");
        posture.terms.push(term("E002", Points::whole(-25), vec![ScoreText::Borrowed("cross-reference")], "high"));
        posture.terms.push(term("W015", Points::whole(-10), vec![ScoreText::Borrowed("reads-web")], "medium"));
        assert_eq!(cause(&posture), "E002 -25 by cross-reference");
        let mut thin = score("spiderrating/seed", 4, "D");
        for (name, value) in [("description", 2), ("security", 10)] {
            thin.terms.push(term(name, Points::whole(1), NO_RULES, ""));
            let value = Some(Points::whole(value));
            thin.parts.push(ScorePart { name: name.into(), value, coverage: Coverage::FULL, note: "".into() });
        }
        assert_eq!(cause(&thin), "description is 2 of 10");
    }
}
