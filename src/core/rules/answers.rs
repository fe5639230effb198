//! What rules answer most: that they found nothing, that the question makes no sense, or that their data is missing.
//!
//! Each such answer is made once for all capabilities. Must not know what any rule looks for.

use std::sync::{LazyLock, OnceLock};

use crate::capability::Kind;
use crate::fact::{Confidence, Fact, Outcome, Place, Severity};
use crate::facts::{Answer, Nothing, Silence};
use crate::told::{self, Silent};

use super::{Lifecycle, RuleMeta, all};

/// The usual answers of one rule.
struct Usual {
    absent: Silence,
    not_applicable: Silence,
    /// That data is missing, in the words that it used first: mostly there are no others.
    unavailable: OnceLock<Silence>,
    /// What was found of the whole, in the words of ours that it used first.
    found: OnceLock<Silence>,
}

/// By the rules' numbers.
static USUAL: LazyLock<Vec<Usual>> = LazyLock::new(|| {
    let usual = |meta: &&'static RuleMeta| Usual {
        absent: Silence::new(silent(meta, Outcome::False)),
        not_applicable: Silence::new(silent(meta, Outcome::NotApplicable)),
        unavailable: OnceLock::new(),
        found: OnceLock::new(),
    };
    all().iter().map(usual).collect()
});

/// For each kind what the rules answer that run and find nothing, in their order.
static NOTHING_FOUND: LazyLock<Vec<(Kind, Nothing)>> = LazyLock::new(|| {
    let answer = |number: usize, meta: &RuleMeta, kind| {
        let applies = meta.kinds.contains(&kind);
        if applies { absent(meta, Some(number)) } else { not_applicable(meta, Some(number)) }
    };
    let running = || all().iter().enumerate().filter(|(_, meta)| meta.lifecycle != Lifecycle::Retired);
    let answers = |kind| Nothing::new(running().map(|(number, meta)| answer(number, meta, kind)).collect());
    Kind::ALL.into_iter().map(|kind| (kind, answers(kind))).collect()
});

/// What every rule that runs answers about a kind where it finds nothing.
pub(super) fn nothing_found(kind: Kind) -> &'static Nothing {
    static NO_KIND: LazyLock<Nothing> = LazyLock::new(|| Nothing::new(Vec::new()));
    NOTHING_FOUND.iter().find(|(other, _)| *other == kind).map_or(&NO_KIND, |(_, nothing)| nothing)
}

/// It was looked for and is not there. `number` is the rule's place among all, where this version knows it.
pub(super) fn absent(meta: &RuleMeta, number: Option<usize>) -> Answer {
    usual(number, |usual| &usual.absent).unwrap_or_else(|| Answer::own(number, silent(meta, Outcome::False)))
}

/// The question makes no sense.
pub(super) fn not_applicable(meta: &RuleMeta, number: Option<usize>) -> Answer {
    usual(number, |usual| &usual.not_applicable)
        .unwrap_or_else(|| Answer::own(number, silent(meta, Outcome::NotApplicable)))
}

/// Data is missing, and which.
pub(super) fn unavailable(meta: &RuleMeta, number: Option<usize>, missing: &str) -> Answer {
    let new = || Fact { evidence: super::quote(missing), ..silent(meta, Outcome::Unavailable) };
    let first = usual(number, |usual| usual.unavailable.get_or_init(|| Silence::new(new())));
    first.filter(|first| first.fact().evidence == missing).unwrap_or_else(|| Answer::own(number, new()))
}

/// It is there, at no place, in words of ours: `new` makes the fact of them, which depends on nothing else.
pub(super) fn found(number: Option<usize>, words: &'static str, new: impl Fn() -> Fact) -> Answer {
    let first = usual(number, |usual| usual.found.get_or_init(|| Silence::new(new())));
    first.filter(|first| first.fact().evidence == words).unwrap_or_else(|| Answer::own(number, new()))
}

/// An answer that says a word, as it was told: shared where the rule of this number says just so.
pub(super) fn word(number: usize, word: &Silent<'_>) -> Answer {
    let (_, version, outcome, missing) = word;
    let own = || told::fact_of(word);
    let silence = USUAL.get(number).and_then(|usual| match outcome {
        Outcome::False => Some(&usual.absent),
        Outcome::NotApplicable => Some(&usual.not_applicable),
        Outcome::Unavailable if *version == usual.absent.fact().version => {
            Some(usual.unavailable.get_or_init(|| Silence::new(own())))
        }
        _ => None,
    });
    let same = |silence: &&Silence| silence.fact().version == *version && silence.fact().evidence == **missing;
    match silence.filter(same) {
        Some(silence) => Answer::shared(number, silence),
        None => Answer::own(Some(number), own()),
    }
}

fn usual(number: Option<usize>, of: impl Fn(&'static Usual) -> &'static Silence) -> Option<Answer> {
    let number = number?;
    USUAL.get(number).map(|usual| Answer::shared(number, of(usual)))
}

fn silent(meta: &RuleMeta, outcome: Outcome) -> Fact {
    Fact {
        rule: meta.id.clone(),
        version: meta.version,
        outcome,
        severity: Severity::Info,
        confidence: Confidence::High,
        place: Place::default(),
        evidence: String::new(),
        value: serde_json::Value::Null,
    }
}
