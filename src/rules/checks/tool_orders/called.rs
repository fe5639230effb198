//! Called tools: which tool a sentence has called.

use capdex_evidence::lexicon::NEGATION;
use capdex_evidence::sentences::{Phrase, Sentence, Words};
use capdex_evidence::words;

use super::{ToolName, follows};

/// Verbs in the form of an order, with a tool as their object.
const CALL: Words = Words::of(&[
    "call",
    "use",
    "run",
    "invoke",
    "execute",
    "trigger",
    "calling",
    "using",
    "invoking",
    "running",
    "executing",
    "via",
    "through",
]);

/// Verbs that have something else as their object more often, so that the name must stand in quotation marks.
const ASK: Words = Words::of(&["perform", "request", "fetch", "scan", "query", "consult"]);

/// The word that names a tool of another server that is to be called: not one in the clause that only ties the order.
pub(super) fn foreign(sentence: &Sentence<'_>, names: &[ToolName]) -> Option<usize> {
    let ties = words!["before", "prior", "when", "whenever", "after", "once", "while", "upon", "until", "of"];
    let forbidden = |index: usize| {
        let mut negations = sentence.all(NEGATION).take_while(|at| *at < index);
        negations.any(|at| {
            !sentence.fits(at, words!["unless", "without"])
                && !sentence.fits(at + 1, words!["skip", "omit", "proceed", "return", "work"])
        })
    };
    names.iter().filter(|name| !name.is_sibling && !forbidden(name.index)).map(|name| name.index).find(|index| {
        let tied = (index.saturating_sub(4)..*index)
            .rev()
            .take_while(|at| !sentence.ends_clause(*at))
            .any(|at| sentence.fits(at, ties));
        let first = sentence.fits(index + 1, words!["first"]) || sentence.fits(index + 2, words!["first"]);
        let has = sentence.fits(index + 1, words!["has", "must", "is", "be"])
            && sentence.has(words!["called", "run", "invoked", "executed"]);
        let quoted = sentence.words.get(*index).is_some_and(|word| word.quoted);
        let example = (index.saturating_sub(4)..*index)
            .any(|at| sentence.fits(at, words!["e.g", "e.g.", "i.e", "like", "such", "example"]));
        !tied
            && !example
            && ((quoted && follows(sentence, *index, &ASK, 2)) || follows(sentence, *index, &CALL, 4) || first || has)
    })
}

/// True where this very tool is to be called: "this tool must be invoked", "call it", "via this tool".
pub(in super::super) fn calls_itself(sentence: &Sentence<'_>) -> bool {
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
