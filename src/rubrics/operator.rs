//! `OperatorVerdict`: what a verdict comes to by the operator's own word, his rulings and the votes that he gave to methods.
//!
//! The verdict itself and every score stay as they are. This stands beside them, with who said it, when, why and until when.

use std::collections::BTreeMap;

use capdex_model::capability::Capability;
use capdex_model::fact::Fact;
use capdex_model::facts::SparseFacts;
use capdex_model::ruling::{OperatorPolicy, Ruling, RulingScope, RulingStatus};
use capdex_model::score::{Band, Score, Verdict};
use capdex_model::snapshot::Completeness;
use capdex_model::time::AsOf;
use serde::Serialize;

use super::rank::place;
use super::{bands, find, verdict};

/// The methods that may be given a vote.
pub const VOTERS: [&str; 4] = ["spiderrating", "saferskills", "mcpbundles", "agentscore"];

/// A verdict by the operator's word.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct OperatorVerdict {
    /// The band that the operator acts on.
    pub band: Band,
    /// Why, in one sentence; it quotes strangers.
    pub reason: String,
    /// What the methods with a vote say, in their order.
    pub votes: Vec<Vote>,
    /// The rulings that hold for it.
    pub rulings: Vec<Ruling>,
    /// The findings that are set aside: their places among the findings, each with the place of its ruling.
    #[serde(skip)]
    pub set_aside: BTreeMap<usize, usize>,
}

impl OperatorVerdict {
    /// The verdict itself, of a part that the operator has no word on, beside others that he has one on.
    pub fn of_nobody(verdict: &Verdict) -> Self {
        let (band, reason) = (verdict.band, verdict.reason.clone());
        Self { band, reason, votes: Vec::new(), rulings: Vec::new(), set_aside: BTreeMap::new() }
    }
}

/// What a method with a vote says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Vote {
    /// The method.
    pub method: String,
    /// Its band.
    pub band: Band,
    /// Its grade.
    pub grade: String,
}

/// A judged capability, before the operator is heard.
#[derive(Clone, Copy, Debug)]
pub struct BeforeOperator<'a> {
    /// The capability.
    pub capability: &'a Capability,
    /// Its facts.
    pub facts: &'a SparseFacts,
    /// Its scores.
    pub scores: &'a [Score],
    /// The extent to which it was looked at.
    pub completeness: &'a Completeness,
    /// Its verdict.
    pub verdict: &'a Verdict,
}

/// The verdict by the operator's word; none where he has nothing to say of it. `is_named` says whether the finding at a place
/// among the findings has a fingerprint.
pub fn heard(
    policy: &OperatorPolicy,
    of: BeforeOperator<'_>,
    is_named: impl Fn(usize, &str) -> bool,
    now: AsOf,
) -> Option<OperatorVerdict> {
    let rulings: Vec<Ruling> = policy.holding(of.capability, now).cloned().collect();
    let votes = votes(policy, of.scores);
    if rulings.is_empty() && votes.is_empty() {
        return None;
    }
    let named: Vec<Vec<usize>> = rulings.iter().map(|ruling| named(ruling, of.facts, &is_named)).collect();
    let mut set_aside = BTreeMap::new();
    for (number, (ruling, places)) in rulings.iter().zip(&named).enumerate() {
        if ruling.status.sets_aside() {
            set_aside.extend(places.iter().map(|at| (*at, number)));
        }
    }
    let own = match set_aside.is_empty() {
        true => (of.verdict.band, of.verdict.reason.clone()),
        false => verdict::of_some(of.facts, of.completeness, |at| !set_aside.contains_key(&at)),
    };
    let loudest = votes.iter().rev().max_by_key(|vote| place(vote.band));
    let (band, reason) = match loudest.filter(|vote| place(vote.band) > place(own.0)) {
        Some(Vote { method, band, grade }) => (*band, format!("{method} says {grade}, and has a vote")),
        None => own,
    };
    // His word on the whole comes last, and a block before all that lifts one.
    let is_whole = |ruling: &Ruling| ruling.scope == RulingScope::Whole;
    let mut with_places = rulings.iter().zip(&named);
    let blocked = with_places
        .find(|(ruling, places)| ruling.status == RulingStatus::Blocked && (is_whole(ruling) || !places.is_empty()));
    let lifted = rulings.iter().find(|ruling| ruling.status.sets_aside() && is_whole(ruling));
    let (band, reason) = match (blocked, lifted) {
        (Some((ruling, _)), _) => (Band::Block, ruling.words()),
        (None, Some(ruling)) => (Band::Ok, ruling.words()),
        (None, None) => (band, reason),
    };
    Some(OperatorVerdict { band, reason, votes, rulings, set_aside })
}

/// The places of the findings that a ruling names; none for one about the whole.
fn named(ruling: &Ruling, facts: &SparseFacts, is_named: &impl Fn(usize, &str) -> bool) -> Vec<usize> {
    let findings = facts.findings().enumerate();
    let fits = |(at, fact): (usize, &Fact)| match &ruling.scope {
        RulingScope::Whole => false,
        RulingScope::Rule(id) => fact.rule.as_str() == id,
        RulingScope::Finding(fingerprint) => is_named(at, fingerprint),
    };
    findings.filter(|found| fits(*found)).map(|(at, _)| at).collect()
}

/// What the methods with a vote say; one that has no value says nothing.
fn votes(policy: &OperatorPolicy, scores: &[Score]) -> Vec<Vote> {
    let said = policy.votes.iter().filter_map(|method| {
        let score = scores.iter().find(|score| score.rubric.is_seed() && bands::family(score) == method)?;
        let band = find(&score.rubric.id)?.band(score);
        (band != Band::Unknown).then(|| Vote { method: method.clone(), band, grade: score.grade.to_string() })
    });
    said.collect()
}

#[cfg(test)]
mod tests {
    use capdex_model::capability::{CapabilityRole, Kind};
    use capdex_model::digest::Digest;
    use capdex_model::fact::{Confidence, Outcome, Place, Severity};
    use capdex_model::ids::CapabilityId;
    use capdex_model::snapshot::{Gap, GapReason};
    use serde_json::Value;

    use super::*;
    use crate::tests::{day, fact, reported};
    use crate::{score_all, verdict as over};

    const HIGH: &str = "pipe-to-shell";

    fn capability() -> Capability {
        Capability {
            id: CapabilityId::of("npm:a", Kind::Skill, ""),
            kind: Kind::Skill,
            role: CapabilityRole::Offer,
            path: String::new(),
            name: "a".into(),
            slug: "npm-a".into(),
            files: Vec::new(),
            content: Digest::of(b"one"),
        }
    }

    /// Two findings of one rule at high.
    fn facts() -> SparseFacts {
        let mut all: Vec<Fact> = reported(Kind::Skill, &[], Outcome::False).all().cloned().collect();
        all.retain(|fact| fact.rule.as_str() != HIGH);
        for line in [3, 9] {
            let place = Place { file: "SKILL.md".into(), line, ..Place::default() };
            let found = fact(HIGH, Outcome::True, Severity::High, Value::Null);
            all.push(Fact { place, evidence: format!("line {line}"), confidence: Confidence::High, ..found });
        }
        SparseFacts::new(&capdex_rules::INDEX, Kind::Skill, all)
    }

    fn ruling(scope: &str, status: RulingStatus) -> Ruling {
        Ruling {
            subject: "npm:a".parse().expect("a subject"),
            scope: scope.parse().expect("a scope"),
            content: Some(Digest::of(b"one")),
            status,
            author: "Ann".into(),
            reason: "our test page".into(),
            at: day(),
            expires: None,
        }
    }

    fn said(votes: &[&str], rulings: &[Ruling], completeness: &Completeness) -> Option<OperatorVerdict> {
        let (facts, capability) = (facts(), capability());
        let scores = score_all(&facts, day());
        let verdict = over(&scores, completeness);
        assert_eq!(verdict.band, Band::Caution, "what the rules find stays");
        let of =
            BeforeOperator { capability: &capability, facts: &facts, scores: &scores, completeness, verdict: &verdict };
        let policy = OperatorPolicy {
            votes: votes.iter().map(|method| (*method).to_owned()).collect(),
            rulings: rulings.to_vec(),
        };
        heard(&policy, of, |at, fingerprint| fingerprint == format!("f{at}"), day())
    }

    fn band(rulings: &[Ruling]) -> Option<Band> {
        said(&[], rulings, &Completeness::Analysed).map(|said| said.band)
    }

    #[test]
    fn a_finding_that_is_set_aside_leaves_the_others() {
        use RulingStatus::{Accepted, Blocked, FalsePositive, NotAffected};
        assert_eq!(band(&[]), None);
        assert_eq!(band(&[ruling("finding:f0", FalsePositive)]), Some(Band::Caution));
        assert_eq!(band(&[ruling("finding:f0", FalsePositive), ruling("finding:f1", Accepted)]), Some(Band::Ok));
        assert_eq!(band(&[ruling("rule:pipe-to-shell", NotAffected)]), Some(Band::Ok));
        assert_eq!(band(&[ruling("rule:reverse-shell", NotAffected)]), Some(Band::Caution), "another rule");
        assert_eq!(band(&[ruling("verdict", Accepted)]), Some(Band::Ok));
        assert_eq!(band(&[ruling("verdict", Accepted), ruling("rule:pipe-to-shell", Blocked)]), Some(Band::Block));
        assert_eq!(band(&[ruling("finding:f7", Blocked)]), Some(Band::Caution), "what is not found blocks nothing");
        let all = said(&[], &[ruling("rule:pipe-to-shell", FalsePositive)], &Completeness::Analysed).expect("heard");
        assert_eq!(all.set_aside.into_iter().collect::<Vec<_>>(), [(0, 0), (1, 0)]);
    }

    #[test]
    fn what_nobody_has_seen_stays_unknown() {
        let gap = Completeness::Partial(vec![Gap::new("a.bin", GapReason::Truncated, "too long")]);
        let aside = said(&[], &[ruling("rule:pipe-to-shell", RulingStatus::FalsePositive)], &gap).expect("heard");
        assert_eq!(aside.band, Band::Unknown);
        assert!(aside.reason.contains("a.bin"), "{}", aside.reason);
        let whole = said(&[], &[ruling("verdict", RulingStatus::Accepted)], &gap).expect("heard");
        assert_eq!(whole.band, Band::Ok, "his word on the whole is on its gaps too");
        assert!(whole.reason.starts_with("accepted, says Ann") && whole.reason.ends_with("our test page"));
    }

    #[test]
    fn a_method_with_a_vote_can_only_be_stricter() {
        let scores = score_all(&facts(), day());
        let strictest = VOTERS.map(|method| {
            let score = scores.iter().find(|score| score.rubric.id == format!("{method}/seed")).expect("a score");
            (method, find(&score.rubric.id).expect("a rubric").band(score))
        });
        for (method, own) in strictest {
            let heard = said(&[method], &[], &Completeness::Analysed);
            assert_eq!(heard.is_some(), own != Band::Unknown, "{method}");
            let Some(heard) = heard else { continue };
            assert_eq!(heard.votes.first().map(|vote| vote.band), Some(own));
            assert_eq!(place(heard.band), place(own).max(place(Band::Caution)), "{method}");
        }
        assert!(strictest.iter().any(|(_, band)| *band == Band::Block), "one of them is stricter than the verdict");
    }
}
