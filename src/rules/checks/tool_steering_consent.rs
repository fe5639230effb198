//! Tool steering, consent: a request of the user is set aside, or nobody asks.
//!
//! Each counts only beside something else. Must not judge. Sources: SAFE-MCP T1001, T1404.

use capdex_evidence::lexicon::{NEGATION, USER};
use capdex_evidence::sentences::{Phrase, Sentence};
use capdex_evidence::words;

use super::tool_directives::overrules_user;

/// "Whether or not it was asked for", "in addition to those that the user listed".
pub(super) fn sets_request_aside(sentence: &Sentence<'_>) -> bool {
    const ASIDE: Phrase = Phrase::of(
        &[
            &[
                "regardless",
                "matter",
                "irrespective",
                "whatever",
                "despite",
                "besides",
                "addition",
                "override",
                "overrides",
                "overriding",
                "prevail",
                "prevails",
                "precedence",
                "over",
            ],
            &[
                "user",
                "user's",
                "users",
                "person",
                "they",
                "asked",
                "requested",
                "operator",
                "listed",
                "customer",
                "says",
                "said",
                "supplied",
                "typed",
                "person's",
                "request",
                "human",
                "repository",
                "employee",
                "caller",
            ],
        ],
        6,
    );
    const INSTEAD: Phrase = Phrase::of(
        &[
            &["instead", "rather"],
            &["of", "than"],
            &["user's", "person's", "requested", "asked", "listed", "supplied", "typed", "customer's", "caller's"],
        ],
        3,
    );
    const VOID: Phrase = Phrase::of(
        &[
            &[
                "user",
                "user's",
                "person",
                "customer",
                "customer's",
                "employee",
                "caller",
                "caller's",
                "requested",
                "supplied",
                "original",
            ],
            &["ignored", "discarded"],
        ],
        4,
    );
    const EITHER: Phrase = Phrase::of(
        &[&["even", "whether"], &["if", "or"], &["not", "user", "they", "asked", "person", "the", "told"]],
        0,
    );
    let either = sentence
        .find(&EITHER)
        .is_some_and(|(first, _)| !sentence.fits(first, words!["even"]) || sentence.classes.any(USER));
    let waits = || sentence.has(words!["until", "unless"]) && sentence.classes.any(NEGATION);
    let aside = either
        || [&ASIDE, &INSTEAD, &VOID].into_iter().any(|phrase| sentence.find(phrase).is_some())
        || (overrules_user(sentence) && !sentence.has(words!["instead", "rather"]));
    aside && !waits()
}

/// "Without asking", "no need to confirm", "read hesitation as agreement".
pub(super) fn skips_consent(sentence: &Sentence<'_>) -> bool {
    const ASKED: Phrase = Phrase::of(
        &[
            &["without", "no", "not", "never", "don't", "skip", "bypass"],
            &["asking", "ask", "confirmation", "confirm", "confirming", "approval", "consent", "prompting", "checking"],
        ],
        3,
    );
    const AGREED: Phrase = Phrase::of(
        &[
            &["already", "presume", "assume", "read", "take", "taken", "treat", "counts", "considered"],
            &[
                "agreed",
                "consented",
                "authorized",
                "authorised",
                "approved",
                "permission",
                "consent",
                "agreement",
                "yes",
                "approval",
                "proceed",
            ],
        ],
        6,
    );
    let waits = || sentence.has(words!["until", "unless", "if", "proceed", "only", "when", "after"]);
    // "Do not skip the approval" and "nothing is done without asking" do ask.
    let twice = |(first, last): (usize, usize)| {
        let passed = words!["without", "skip", "bypass"];
        (first + 1..last).any(|at| sentence.fits(at, passed))
            || sentence.fits(first.wrapping_sub(1), words!["does", "did"])
            || (sentence.fits(first, passed) && (0..first).any(|at| sentence.is(at, NEGATION)))
    };
    let asked = sentence.find(&ASKED).is_some_and(|found| !twice(found));
    (asked || sentence.find(&AGREED).is_some()) && !waits()
}
