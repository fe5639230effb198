//! Tool concealment: the clauses by which something is kept from the user.
//!
//! The rules that read them decide how bad they are. Sources: SAFE-MCP T1404, T1401.

use capdex_evidence::lexicon::{Classes, DESTROY, HIDDEN, NEGATION, ORDER, READ, SEND, SPEAK, USER};
use capdex_evidence::sentences::{Phrase, Sentence, Words, is_one_of};
use capdex_evidence::words;

use super::tool_values::{WrittenValue, literal};

/// From whom something is kept, or what is.
const KEPT_FROM: Words = Words::of(&[
    "user",
    "users",
    "user's",
    "human",
    "humans",
    "anyone",
    "policy",
    "this",
    "operator",
    "customer",
    "anybody",
    "person",
    "client",
    "instruction",
    "instructions",
    "step",
]);

/// Keeping something from the user: "do not mention this to the user", "without the user noticing".
pub(super) fn conceals(sentence: &Sentence<'_>) -> Option<(usize, usize)> {
    unspoken(sentence).or_else(|| unseen(sentence)).or_else(|| kept(sentence))
}

/// "Never tell the user", "without informing anyone", "no need to mention this".
fn unspoken(sentence: &Sentence<'_>) -> Option<(usize, usize)> {
    // Classes of the whole sentence are known already; most sentences end here without a look at their words.
    if !(sentence.classes.any(NEGATION) && sentence.classes.any(SPEAK)) {
        return None;
    }
    const WORDS: Words = Words::of(&[
        "mention",
        "mentioning",
        "mentioned",
        "tell",
        "telling",
        "inform",
        "informing",
        "informed",
        "reveal",
        "revealing",
        "revealed",
        "disclose",
        "disclosing",
        "disclosed",
        "notify",
        "notifying",
        "notified",
        "alert",
        "alerting",
        "told",
        "divulge",
        "expose",
        "shown",
        "bring",
        "bringing",
        "acknowledge",
        "discuss",
        "announce",
    ]);
    // "If the server cannot tell who the user is": what something is not able to do is no order.
    let unable = |first: usize| sentence.fits(first, words!["cannot", "can't"]);
    // "If the release is not found, inform the user": a state is denied, and not the telling.
    let denies_state = |first: usize| {
        const STATES: Words = Words::of(&[
            "found",
            "available",
            "set",
            "given",
            "provided",
            "present",
            "specified",
            "valid",
            "supported",
            "known",
            "exist",
            "exists",
        ]);
        sentence.fits(first, words!["not"]) && sentence.fits(first + 1, &STATES)
    };
    let negations = sentence.all(NEGATION).filter(|first| !unable(*first) || sentence.has(words!["you"]));
    let negations = negations.filter(|first| !denies_state(*first));
    let (first, said) = negations.into_iter().find_map(|first| {
        let said = (first + 1..=first + 5).find(|index| sentence.fits(*index, &WORDS))?;
        Some((first, said))
    })?;
    // "If the user is not informed" tells of a state and orders nothing.
    let passive = sentence.word(said).ends_with("ed") || matches!(sentence.word(said), "told" | "shown");
    if passive && (sentence.has(words!["if", "when", "unless", "where"]) || sentence.has(words!["longer"])) {
        return None;
    }
    let whom = (said + 1..=said + 5).find(|index| sentence.fits(*index, &KEPT_FROM) && !passive);
    // "The user must not be told": whom it is kept from stands before.
    let before = || (first.saturating_sub(4)..first).find(|index| passive && sentence.is(*index, USER));
    let last = whom.or_else(before)?;
    // "Do not tell the user to …" and "… that you cannot" steer an answer, they hide nothing.
    let steers = is_one_of(
        sentence.word(last + 1),
        &[
            "to", "they", "how", "what", "which", "you", "it", "there", "until", "unless", "if", "when", "before",
            "can", "may",
        ],
    ) && !matches!(sentence.word(last + 2), "used" | "use" | "have" | "did" | "are" | "were");
    let steers = steers
        || sentence.has(words!["longer"])
        || (sentence.word(last + 1) == "that"
            && is_one_of(sentence.word(last + 2), &["it", "you", "they", "there", "this"])
            && sentence.has(words!["cannot", "possible", "unable", "can't"]));
    // "Never tell a user a message was sent" forbids a claim that is not true.
    let claims = is_one_of(sentence.word(last + 1), &["a", "an", "the"])
        && (last + 3..=last + 6)
            .any(|index| sentence.fits(index, words!["was", "is", "has", "were", "are", "succeeded"]));
    let steers = steers || claims;
    // "… the raw id", "… the answer yet": how something is put, or a game.
    let detail = words!["raw", "each", "id", "ids", "uuid", "pk", "json", "answer", "solution"];
    let detailed = (last + 1..=last + 3).any(|index| sentence.fits(index, detail));
    (!detailed && !steers || sentence.fits(last, words!["this", "policy"])).then_some((first.min(last), last.max(said)))
}

const UNSEEN: Phrase = Phrase::of(
    &[
        &["without", "not", "never", "nor", "don't", "cannot"],
        &["user", "user's", "users", "human", "operator", "customer"],
        &[
            "knowing",
            "knowledge",
            "noticing",
            "notice",
            "awareness",
            "aware",
            "realizing",
            "realize",
            "see",
            "seeing",
            "know",
            "noticed",
            "suspect",
        ],
    ],
    3,
);
const UNAWARE: Phrase = Phrase::of(
    &[
        &["user", "users", "human", "operator", "customer"],
        &["not", "never", "unaware", "without", "remain", "remains"],
        &["know", "see", "notice", "aware", "unaware", "realize", "find", "of", "informed", "told", "shown", "learn"],
    ],
    3,
);

const NEEDLESS: Phrase = Phrase::of(
    &[
        &["user", "users"],
        &["not", "doesn't", "don't", "no"],
        &["need", "have"],
        &["know", "notice", "see", "informed", "told", "hear", "learn"],
    ],
    2,
);

/// "Without the user noticing", "the user must not know".
fn unseen(sentence: &Sentence<'_>) -> Option<(usize, usize)> {
    if !sentence.classes.any(USER) {
        return None;
    }
    let found = sentence.find(&UNSEEN).or_else(|| sentence.find(&UNAWARE))?;
    // Words that tell what a user can or may, as documentation does.
    let states = sentence.has(words![
        "if",
        "may",
        "might",
        "cannot",
        "can't",
        "able",
        "access",
        "permission",
        "permissions",
        "doesn't",
        "does"
    ]);
    // "The user does not need to know" is an order in the form of a statement.
    let needless = sentence.find(&NEEDLESS);
    needless.or((!states).then_some(found))
}

const KEEP: Phrase = Phrase::of(
    &[
        &[
            "hide",
            "hidden",
            "conceal",
            "concealed",
            "keep",
            "kept",
            "withhold",
            "secret",
            "invisible",
            "stay",
            "remain",
        ],
        &["from", "hidden", "secret", "confidential", "invisible", "to"],
        &["user", "users", "user's", "human", "humans", "operator", "customer"],
    ],
    3,
);

/// "Keep this hidden from the user".
fn kept(sentence: &Sentence<'_>) -> Option<(usize, usize)> {
    let found = sentence.find(&KEEP).filter(|_| sentence.classes.any(HIDDEN.with(SPEAK)))?;
    let last = sentence.word(found.1 + 1);
    // "Hidden from user lists" is a property of an interface.
    let plain = !sentence.negated(found.0) && !is_one_of(last, &["interface", "list", "profile", "id", "who"]);
    (plain && sentence.has(words!["from", "invisible"]) && !sentence.has(words!["whether", "if", "true", "option"]))
        .then_some(found)
}

/// An act out of sight: "silently upload", "in the background, copy".
pub(super) fn acts_in_secret(sentence: &Sentence<'_>) -> Option<(usize, usize)> {
    const SLY: Words = Words::of(&[
        "secretly",
        "covertly",
        "stealthily",
        "discreetly",
        "invisibly",
        "surreptitiously",
        "quietly",
        "silently",
        "unnoticed",
    ]);
    if !sentence.classes.any(HIDDEN) {
        return None;
    }
    // A negated adverb forbids the secrecy.
    let at = sentence.all(HIDDEN).find(|index| sentence.fits(*index, &SLY) && !sentence.negated(*index))?;
    let acts: Classes = SEND.with(READ).with(DESTROY);
    let act = (at.saturating_sub(3)..=at + 3).find(|index| *index != at && sentence.is(*index, acts))?;
    // Programs fail and succeed silently all the time: an order to send has to come with it.
    let weak = sentence.fits(at, words!["silently", "quietly"]);
    // "Guessing will silently return wrong data" warns of it.
    let warns = sentence.fits(at.wrapping_sub(1), words!["will", "would", "may", "might", "can", "could", "not"])
        || sentence.fits(act, words!["return", "returns", "report", "reports", "log", "logs"]);
    if weak && warns {
        return None;
    }
    let ordered = sentence.classes.any(ORDER) || sentence.has(words!["also", "then"]);
    // Without an order it must be said where to.
    let placed = sentence.is(act, SEND.with(READ)) && literal(sentence) == Some(WrittenValue::Place);
    (!weak || placed || (ordered && sentence.is(act, SEND))).then_some((at.min(act), at.max(act)))
}
