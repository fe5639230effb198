//! Scores that are no answers: a method that says itself that it knows too little. Its number is then one about what little
//! there is, and nobody is shown it as the method's word.

use capdex_model::score::Score;

/// The grade by which a method says so.
pub(crate) const OPEN: &str = "INSUFFICIENT DATA";

/// True where a score is an answer: it has a value, and its method does not say that it knows too little.
pub fn answers(score: &Score) -> bool {
    score.value.is_some() && &*score.grade != OPEN
}

/// Why a method that says that it knows too little cannot answer: what it lacks, and how each is supplied. None for an answer,
/// and for a score without a value, which has a reason of its own.
pub fn cannot_answer(score: &Score) -> Option<String> {
    if &*score.grade != OPEN {
        return None;
    }
    // The gate stands first in its words, what is lacking behind it.
    let lacks: Vec<&str> = score.caps.iter().flat_map(|said| said.split("; ").skip(1)).collect();
    Some(if lacks.is_empty() { "too little is known".to_owned() } else { lacks.join("; ") })
}

#[cfg(test)]
mod tests {
    use super::*;
    use capdex_model::points::Points;
    use capdex_model::score::Coverage;

    #[test]
    fn a_grade_that_says_so_is_no_answer_and_says_what_is_lacking() {
        let rubric = crate::find("agentscore/seed").expect("is there").meta().rubric.clone();
        let none = Score::none(rubric, Coverage::NONE, "no check could be completed");
        assert!(!answers(&none));
        assert_eq!(cannot_answer(&none), None);
        let graded =
            |grade: &'static str| Score { value: Some(Points::whole(100)), grade: grade.into(), ..none.clone() };
        assert!(answers(&graded("ALLOW")));
        assert_eq!(cannot_answer(&graded("ALLOW")), None);
        assert!(!answers(&graded(OPEN)));
        assert_eq!(cannot_answer(&graded(OPEN)).as_deref(), Some("too little is known"));
        let caps = vec!["fewer than 3; deployer lacks an owner; model lacks a name".into()];
        let said = cannot_answer(&Score { caps, ..graded(OPEN) });
        assert_eq!(said.as_deref(), Some("deployer lacks an owner; model lacks a name"));
    }
}
