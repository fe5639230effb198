//! tool-false-prerequisite: a description demands to be called before every other tool or operation.

use crate::FactSink;
use capdex_evidence::lexicon::{CALL, CONSEQUENCE, TRIGGER};
use capdex_evidence::sentences::{Phrase, SegmentedText, Sentence, Words, is_one_of};
use capdex_evidence::subject::Subject;
use capdex_evidence::words;
use capdex_model::fact::{Confidence, Severity};

use super::tool_directives::{Whose, commands, gives_pressure, obliges, whose};
use super::tool_poison::keeps_silence;
use super::tool_secrets::taking;
use super::tool_texts::{SurfaceSpeaker, each_prose, place_of, quoted};

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    each_prose(subject, |surface, text, speaker| {
        let said = &text.text;
        if !(said.classes().any(TRIGGER) && said.classes().any(CALL)) {
            return;
        }
        let found = said.sentences().find_map(|sentence| Some((sentence, judgement(&sentence, said, speaker)?)));
        let Some((sentence, (severity, confidence))) = found else { return };
        facts.found_as(severity, confidence, place_of(surface, text), &quoted(surface, sentence.as_str()));
    });
}

/// What puts one call in front of another.
const ORDERING: Words = Words::of(&[
    "before",
    "prior",
    "ahead",
    "first",
    "precede",
    "preceded",
    "precedes",
    "preceding",
    "until",
    "without",
    "beforehand",
    "whenever",
    "every",
    "requires",
    "require",
    "unless",
    "needed",
    "required",
]);

/// Kinds of operation that belong to the client or to other servers; of others a tool may well be the first step.
const CLIENTS: [&str; 22] = [
    "file",
    "files",
    "filesystem",
    "shell",
    "terminal",
    "git",
    "email",
    "emails",
    "mail",
    "message",
    "messages",
    "database",
    "network",
    "payment",
    "payments",
    "transaction",
    "transactions",
    "transfer",
    "transfers",
    "purchase",
    "purchases",
    "money",
];

/// Everything else is held up.
const BLOCKED: Phrase = Phrase::of(
    &[
        &["no", "not", "never", "cannot", "don't"],
        &["tool", "tools", "operation", "operations", "action", "actions", "files", "commands", "queries", "requests"],
    ],
    5,
);

/// That this very tool is to be called: "this tool must be invoked", "call it", "via this tool".
fn calls_itself(sentence: &Sentence<'_>) -> bool {
    const CALLED: [&str; 12] = [
        "called",
        "invoked",
        "executed",
        "run",
        "consulted",
        "triggered",
        "used",
        "completed",
        "performed",
        "call",
        "ran",
        "running",
    ];
    const PASSIVE: Phrase = Phrase::of(&[&["this", "it", "tool", "function", "check", "step"], &CALLED], 5);
    const ACTIVE: Phrase = Phrase::of(
        &[
            &[
                "call",
                "calling",
                "run",
                "running",
                "invoke",
                "invoking",
                "execute",
                "executing",
                "use",
                "using",
                "via",
                "through",
                "from",
                "by",
                "with",
                "consult",
            ],
            &["this", "it"],
        ],
        1,
    );
    const REQUIRED: Phrase =
        Phrase::of(&[&["this", "tool"], &["is", "as"], &["required", "mandatory", "necessary", "prerequisite"]], 2);
    const PRECEDED: Phrase = Phrase::of(&[&["preceded"], &["call", "this", "invocation"]], 3);
    const SUBJECTLESS: Phrase = Phrase::of(&[&["must", "shall", "should", "has", "needs"], &["be"], &CALLED], 2);
    let begins = sentence.find(&SUBJECTLESS).is_some_and(|(first, _)| first < 2)
        || (sentence.fits(0, words!["required", "mandatory", "prerequisite"])
            && sentence.fits(1, words!["before", "prior"]));
    begins || [&PASSIVE, &ACTIVE, &REQUIRED, &PRECEDED].into_iter().any(|phrase| sentence.find(phrase).is_some())
}

fn judgement(
    sentence: &Sentence<'_>,
    text: &SegmentedText,
    speaker: &SurfaceSpeaker<'_>,
) -> Option<(Severity, Confidence)> {
    let blocks = sentence.has(words!["until", "without", "unless", "before"]) && sentence.find(&BLOCKED).is_some();
    let failing = sentence.classes.any(CONSEQUENCE) || blocks;
    if !calls_itself(sentence) || !sentence.has(&ORDERING) || !(obliges(sentence) || commands(sentence) || failing) {
        return None;
    }
    if about_itself(sentence) || forbids_itself(sentence) {
        return None;
    }
    let before = sentence.has(words![
        "before",
        "prior",
        "ahead",
        "first",
        "precede",
        "preceded",
        "preceding",
        "until",
        "without",
        "beforehand",
        "unless"
    ]) || prior(sentence);
    let found = whose(sentence, speaker);
    let object = found.map(|(whose, _)| whose);
    let operation =
        found.is_some_and(|(whose, at)| whose == Whose::Operation && is_one_of(sentence.word(at), &CLIENTS));
    let sibling = matches!(object, Some(Whose::SiblingOperation | Whose::SiblingTool));
    let anything = matches!(object, Some(Whose::Others)) || general(sentence);
    if (object.is_none() && !anything) || !before {
        return None;
    }
    let strict = failing
        || sentence.has(words![
            "must",
            "always",
            "mandatory",
            "required",
            "never",
            "shall",
            "has",
            "have",
            "needs",
            "necessary",
            "essential",
            "require",
            "requires",
            "guarantee",
            "obligatory",
            "imperative"
        ]);
    let must = obliges(sentence) || failing;
    let hidden = keeps_silence(text) || text.sentences().any(|sentence| taking(&sentence).is_some());
    let pressed = blocks || text.sentences().any(|sentence| gives_pressure(&sentence));
    Some(if hidden {
        (Severity::High, Confidence::High)
    } else if strict && (operation || (pressed && anything && !sibling)) {
        (Severity::High, Confidence::Medium)
    } else if must || (pressed && (operation || anything)) {
        (Severity::Medium, Confidence::Low)
    } else {
        (Severity::Low, Confidence::Low)
    })
}

/// "Require prior authorization".
fn prior(sentence: &Sentence<'_>) -> bool {
    sentence.has(words!["require", "requires", "required"])
}

/// Any action at all comes after.
fn general(sentence: &Sentence<'_>) -> bool {
    const BEFORE: Phrase = Phrase::of(
        &[
            &["before", "prior", "ahead", "preceding"],
            &[
                "operation",
                "operations",
                "action",
                "actions",
                "command",
                "commands",
                "request",
                "requests",
                "task",
                "tasks",
                "interaction",
                "transaction",
                "transactions",
                "response",
                "tool",
                "tools",
                "function",
                "functions",
                "responding",
                "answering",
                "steps",
                "query",
                "queries",
                "anything",
                "proceeding",
            ],
        ],
        4,
    );
    sentence.find(&BEFORE).is_some_and(|(_, last)| {
        !sentence.fits(last.wrapping_sub(1), words!["this", "these", "the", "that", "its", "a", "an"])
    })
}

/// "Before using this tool": its own use, not another's.
fn about_itself(sentence: &Sentence<'_>) -> bool {
    sentence
        .find(
            &const {
                Phrase::of(
                    &[
                        &["before", "prior", "until", "unless"],
                        &["using", "calling", "invoking", "running", "use"],
                        &["this", "these", "it"],
                    ],
                    2,
                )
            },
        )
        .is_some()
}

/// "Do not call this tool until": the demand is the other way round.
fn forbids_itself(sentence: &Sentence<'_>) -> bool {
    sentence
        .find(
            &const {
                Phrase::of(
                    &[
                        &["not", "never", "don't", "avoid", "only"],
                        &["call", "use", "run", "invoke", "calling", "using", "execute"],
                        &["this", "it"],
                    ],
                    1,
                )
            },
        )
        .is_some()
}
