//! tool-consent-bypass: a description tells the model to act without asking the user.

use crate::FactSink;
use capdex_evidence::lexicon::CONSENT;
use capdex_evidence::sentences::{Phrase, Sentence, Words};
use capdex_evidence::subject::Subject;
use capdex_evidence::words;
use capdex_model::fact::{Confidence, Severity};

use super::tool_texts::{all_prose, place_of, quoted, surfaces};

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    for surface in surfaces(subject) {
        // Skipping a question is worst where the tool does something that the user would have refused.
        let acts = surface.name_words().next().is_some_and(|verb| ACTS.contains(&verb));
        for text in all_prose(surface).filter(|text| text.text.classes().any(CONSENT)) {
            for sentence in text.text.sentences() {
                if let Some(strong) = bypasses(&sentence) {
                    let plain = strong && (acts || forbids_asking(&sentence));
                    let severity = if plain { Severity::High } else { Severity::Medium };
                    facts.found_as(
                        severity,
                        Confidence::Medium,
                        place_of(surface, text),
                        &quoted(surface, sentence.as_str()),
                    );
                    break;
                }
            }
        }
    }
}

/// The plainest form: the model must not ask, or is told that the user agreed to everything.
fn forbids_asking(sentence: &Sentence<'_>) -> bool {
    const FORBIDS: Phrase = Phrase::of(
        &[
            &["not", "never", "don't", "without"],
            &["ask", "asking", "prompt", "prompting", "request", "requesting", "seek", "seeking", "wait", "waiting"],
            &["user", "users", "human"],
            &["permission", "confirmation", "approval", "consent", "approve", "confirm"],
        ],
        3,
    );
    const AGREED: Phrase = Phrase::of(
        &[
            &["user", "users"],
            &["already", "has", "have", "pre-approved", "preapproved", "always"],
            &[
                "approved",
                "consented",
                "authorized",
                "authorised",
                "confirmed",
                "granted",
                "agreed",
                "pre-approved",
                "pre-authorized",
            ],
            &["all", "any", "every", "this", "these", "everything", "permission"],
        ],
        3,
    );
    const ASSUMED: Phrase = Phrase::of(
        &[
            &["assume", "presume", "consider", "treat"],
            &["consent", "approval", "permission", "approved", "confirmed", "authorized", "pre-approved"],
        ],
        4,
    );
    // "Do not assume consent" holds the same words.
    let assumed = sentence.find(&ASSUMED).is_some_and(|(first, _)| !sentence.negated(first));
    // "Until the user has approved" asks for consent instead of claiming it.
    let waits = sentence.has(words!["until", "unless", "after", "once", "only", "before"]);
    let agreed = !waits && sentence.find(&AGREED).is_some_and(|(first, _)| !sentence.negated(first));
    assumed || agreed || sentence.find(&FORBIDS).is_some()
}

/// Verbs of names of tools that act.
const ACTS: [&str; 16] = [
    "append", "create", "delete", "execute", "move", "pay", "publish", "remove", "run", "send", "submit", "transfer",
    "update", "upload", "write", "buy",
];

const SKIP: Phrase = Phrase::of(
    &[
        &["skip", "skips", "bypass", "suppress", "disable"],
        &["confirmation", "confirmations", "approval", "approvals", "permission", "consent"],
    ],
    2,
);
const NO_ASKING: Phrase = Phrase::of(
    &[
        &["not", "never", "don't", "without"],
        &["ask", "asking", "prompt", "prompting", "request", "requesting", "require", "requiring", "seek", "seeking"],
        &["permission", "confirmation", "approval", "consent"],
    ],
    4,
);
const NONE_NEEDED: Phrase = Phrase::of(
    &[&["no"], &["confirmation", "approval", "permission", "consent"], &["needed", "required", "necessary"]],
    4,
);
const NO_NEED: Phrase = Phrase::of(&[&["no"], &["need"], &["confirm", "confirmation", "approval", "permission"]], 3);
const WITHOUT: Phrase =
    Phrase::of(&[&["without"], &["confirmation", "approval", "permission", "consent", "prompting", "asking"]], 3);
const APPROVED: Words =
    Words::of(&["auto-approve", "auto-approved", "autoapprove", "pre-approved", "preapproved", "auto-accept"]);

/// A sentence that switches the question off, with true where it is an order to the model.
fn bypasses(sentence: &Sentence<'_>) -> Option<bool> {
    // A flag that skips a question is the user's own choice.
    let option = sentence.has(words![
        "if",
        "whether",
        "option",
        "flag",
        "when",
        "default",
        "true",
        "false",
        "only",
        "parameter",
        "refuse",
        "refuses",
        "fails"
    ]);
    let found = [&NO_ASKING, &SKIP, &NO_NEED, &NONE_NEEDED].into_iter().find_map(|phrase| sentence.find(phrase));
    if let Some((first, _)) = found
        && !option
    {
        // "Never skip confirmation": two negations demand the question.
        let doubled = (first.saturating_sub(3)..first)
            .any(|at| matches!(sentence.word(at), "not" | "never" | "don't" | "cannot"));
        let order = sentence.has(words![
            "must",
            "never",
            "always",
            "automatically",
            "do",
            "skip",
            "don't",
            "pre-approved",
            "preapproved",
            "auto-approved"
        ]);
        return (!doubled).then_some(order);
    }
    let agreed = forbids_asking(sentence) && !option;
    let Some((first, _)) = sentence.find(&WITHOUT) else { return agreed.then_some(true) };
    let positive =
        sentence.has(words!["must", "always", "automatically", "immediately"]) && !sentence.negated(first) && !option;
    // "Cannot be deleted without confirmation" says that the question is asked.
    let refuses = (0..first).any(|at| matches!(sentence.word(at), "not" | "never" | "don't" | "cannot" | "no"));
    let approved = sentence.has(&APPROVED);
    ((positive && !refuses) || approved || agreed).then_some(true)
}
