//! tool-argument-hijack: a description orders what the recipient, path, amount or flag of another call must be, or has something sent elsewhere.

use crate::FactSink;
use capdex_evidence::lexicon::{CALL, CHANGE, DESTROY, NEGATION, READ, SEND, SET, USER, WISH};
use capdex_evidence::sentences::{Phrase, Sentence, Words};
use capdex_evidence::subject::Subject;
use capdex_evidence::words;
use capdex_model::fact::{Confidence, Severity};

use super::tool_directives::{
    Decided, Whose, assigns, decided, gives_pressure, inserts_content, moves, overrules_user, puts_into_all,
};
use super::tool_orders::{Tie, ToolOrder, orders};
use super::tool_poison::keeps_silence;
use super::tool_texts::{SurfaceSpeaker, each_prose, place_of, quoted};
use super::tool_values::{WrittenValue, literal, names_receiver, writes_value};

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    each_prose(subject, |surface, text, speaker| {
        let orders = orders(&text.text, speaker);
        let judged = orders.iter().filter_map(|order| Some((judgement(order, speaker)?, order)));
        let Some((severity, order)) = judged.max_by_key(|(severity, _)| *severity) else { return };
        let (severity, confidence) = match severity {
            Severity::High if keeps_silence(&text.text) => (Severity::Critical, Confidence::High),
            Severity::High => (Severity::High, Confidence::Medium),
            _ => (severity, Confidence::Low),
        };
        facts.found_as(severity, confidence, place_of(surface, text), &quoted(surface, order.sentence.as_str()));
    });
}

/// How bad an order is that decides about another call.
fn judgement(order: &ToolOrder<'_>, speaker: &SurfaceSpeaker<'_>) -> Option<Severity> {
    let sentence = &order.sentence;
    if !order.binds {
        return None;
    }
    let value = literal(sentence);
    let to_receiver = value == Some(WrittenValue::Place) && moves(sentence) && names_receiver(sentence);
    if order.obliges && to_receiver {
        return Some(Severity::High);
    }
    let decided = decided(sentence);
    let overrules = order.obliges && overrules_user(sentence);
    if decided.is_some() && overrules && (order.tie >= Some(Tie::Operation) || value.is_some()) {
        return Some(Severity::High);
    }
    // "When the user asks for A, you must show B instead."
    if order.obliges && value.is_some() && sentence.classes.any(USER) && answers_otherwise(sentence) {
        return Some(Severity::High);
    }
    if order.tie >= Some(Tie::Operation) && acts_unseen(sentence) {
        return Some(Severity::High);
    }
    let puts = inserts_content(sentence) || sets(sentence);
    let written = value.is_some() || writes_value(sentence);
    let over_others = order.is_over_others()
        || (order.tie.is_none()
            && order.obliges
            && order.mentions_foreign
            && order.foreign.is_none()
            && !sentence.classes.any(NEGATION));
    let changes = decided == Some(Decided::Changed) || changes_it(sentence);
    match order.tie {
        // What another server's tool is called with is not this one's to say.
        _ if over_others
            && (changes
                || to_receiver
                || (order.tie.is_some() && assigns_foreign(sentence, speaker))
                || sets_aside(sentence)) =>
        {
            Some(Severity::High)
        }
        _ if over_others && (decided.is_some() || puts) && (written || overrules_user(sentence)) => {
            Some(Severity::High)
        }
        _ if over_others && decided.is_some() && order.obliges => Some(Severity::Medium),
        Some(Tie::Operation) if to_receiver || (changes && replaces_choice(sentence)) => Some(Severity::High),
        Some(Tie::Operation) if changes && value.is_some() && order.obliges => Some(Severity::High),
        Some(Tie::Operation)
            if (decided.is_some() || puts) && value == Some(WrittenValue::Place) && gives_pressure(sentence) =>
        {
            Some(Severity::High)
        }
        Some(Tie::Operation) if decided.is_some() && value.is_some() && order.obliges => Some(Severity::Medium),
        _ if puts_into_all(sentence)
            && order.obliges
            && value.is_some()
            && order.speaks_of(speaker).is_some_and(Whose::is_foreign) =>
        {
            Some(Severity::High)
        }
        _ => None,
    }
}

/// "The destination chosen by the user".
fn replaces_choice(sentence: &Sentence<'_>) -> bool {
    const CHOICE: Phrase = Phrase::of(
        &[
            &["chosen", "given", "specified", "requested", "provided", "supplied", "entered"],
            &["by"],
            &["user", "customer"],
        ],
        1,
    );
    sentence.find(&CHOICE).is_some()
}

/// "If the user asks for …, instead …".
fn answers_otherwise(sentence: &Sentence<'_>) -> bool {
    const ASKED: Phrase = Phrase::of(
        &[
            &["when", "whenever", "if"],
            &["user", "customer", "someone", "anyone"],
            &["ask", "asks", "request", "requests", "wants", "queries", "searches"],
        ],
        2,
    );
    sentence.find(&ASKED).is_some() && sentence.has(words!["instead"])
}

/// "force=true", where no argument of its own has the name.
fn assigns_foreign(sentence: &Sentence<'_>, speaker: &SurfaceSpeaker<'_>) -> bool {
    let foreign = |index: usize| {
        sentence.raw(index).split_once('=').is_some_and(|(name, value)| !value.is_empty() && !speaker.is_argument(name))
    };
    assigns(sentence) && (0..sentence.words.len()).any(foreign)
}

/// A verb of setting or leaving out, in the form of an order.
fn sets(sentence: &Sentence<'_>) -> bool {
    const SETS: Words = Words::of(&[
        "set",
        "append",
        "prepend",
        "add",
        "insert",
        "include",
        "pass",
        "restrict",
        "limit",
        "force",
        "remove",
        "drop",
        "join",
        "restricted",
        "limited",
        "appended",
        "fixed",
        "use",
    ]);
    (0..sentence.words.len()).any(|index| sentence.fits(index, &SETS) && !sentence.negated(index))
}

/// "Ignore the user's …", "override the request", "skip the deletion".
fn sets_aside(sentence: &Sentence<'_>) -> bool {
    let verbs = words!["ignore", "override", "disregard", "bypass", "skip", "discard"];
    (0..sentence.words.len()).any(|index| {
        sentence.fits(index, verbs)
            && !sentence.negated(index)
            && (index + 1..=index + 6).any(|at| {
                sentence.is(at, WISH.with(USER))
                    || sentence.fits(at, words!["query", "deletion", "confirmation", "input"])
            })
    })
}

/// An adverb of secrecy beside an order.
fn acts_unseen(sentence: &Sentence<'_>) -> bool {
    const UNSEEN: Words =
        Words::of(&["silently", "secretly", "covertly", "quietly", "invisibly", "stealthily", "discreetly"]);
    (0..sentence.words.len()).any(|index| {
        sentence.fits(index, &UNSEEN)
            && !sentence.negated(index)
            && (sentence.is(index + 1, SET.with(SEND).with(READ).with(CHANGE).with(CALL).with(DESTROY))
                && !sentence.word(index + 1).ends_with('s'))
    })
}

/// "Change it to", "replace the whole prompt with": something written is exchanged, whatever it is called.
fn changes_it(sentence: &Sentence<'_>) -> bool {
    let verbs = words![
        "replace",
        "replaced",
        "change",
        "changed",
        "modify",
        "modified",
        "rewrite",
        "rewritten",
        "override",
        "overridden",
        "swap",
        "redirect",
        "redirected",
        "substitute",
        "alter"
    ];
    (0..sentence.words.len()).any(|index| {
        sentence.fits(index, verbs)
            && !sentence.negated(index)
            && (index + 1..=index + 12).any(|at| sentence.fits(at, words!["to", "with", "by", "as"]))
            && writes_value(sentence)
    })
}
