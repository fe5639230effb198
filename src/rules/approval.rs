//! The answer about the operator's own list, for facts that were found under another list or none.

use capdex_model::fact::Outcome;
use capdex_model::facts::SparseFacts;
use capdex_model::listing::Claim;

use crate::{FactSink, INDEX, checks};

/// The rule that tells what the list does not name.
pub const NOT_APPROVED: &str = "name-not-approved";

/// The same facts where a list says this of what they are about; as they are where there is no list, and where they are about no
/// package. Whatever list they were found under, this one counts.
pub fn under_list(facts: SparseFacts, approved: &Claim<bool>) -> SparseFacts {
    let is_applicable = facts.of(NOT_APPROVED).any(|fact| fact.outcome != Outcome::NotApplicable);
    let Some(meta) = INDEX.find(NOT_APPROVED).filter(|_| approved.known().is_some() && is_applicable) else {
        return facts;
    };
    let mut sink = FactSink::new(meta);
    checks::tell_approved(approved, &mut sink);
    if sink.facts.is_empty() {
        sink.absent();
    }
    facts.with_answer(NOT_APPROVED, sink.facts)
}

#[cfg(test)]
mod tests {
    use capdex_model::bundle::{Bundle, BundleFile};
    use capdex_model::capability::Kind;

    use super::*;

    /// The facts of a skill, found under a list that says this of it.
    fn found_under(approved: Claim<bool>) -> SparseFacts {
        let text = "---\nname: a\ndescription: Greets. Use when somebody comes.\n---\nSay hello.\n";
        let files = [("SKILL.md".to_owned(), BundleFile::new(text.as_bytes()))].into();
        let mut bundle = Bundle::local("folder:a", files);
        bundle.claims.repository_signals.approved = approved;
        crate::facts_of(&bundle).into_iter().find(|facts| facts.kind == Kind::Skill).expect("a skill")
    }

    #[test]
    fn the_list_of_now_counts_and_leaves_facts_as_if_it_had_been_there() {
        let lists = [Claim::Unknown, Claim::Known(true), Claim::Known(false)];
        for before in &lists {
            for now in &lists[1..] {
                let facts = under_list(found_under(before.clone()), now);
                assert_eq!(facts, found_under(now.clone()), "{before:?} {now:?}");
                assert_eq!(facts.digest(), found_under(now.clone()).digest());
                assert_eq!(facts.is_true(NOT_APPROVED), *now == Claim::Known(false));
            }
            assert_eq!(under_list(found_under(before.clone()), &Claim::Unknown), found_under(before.clone()));
        }
    }

    #[test]
    fn what_is_no_package_is_on_no_list() {
        let facts = found_under(Claim::Unknown);
        let mut sink = FactSink::new(INDEX.find(NOT_APPROVED).expect("the rule"));
        sink.not_applicable();
        let none = facts.with_answer(NOT_APPROVED, sink.facts);
        assert_eq!(under_list(none.clone(), &Claim::Known(false)), none);
    }
}
