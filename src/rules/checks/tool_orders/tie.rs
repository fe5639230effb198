//! Ties: the clause that says before, after or with which call an order holds.

use capdex_evidence::lexicon::{ARGUMENT, CALL, CHANGE, DESTROY, OPERATION, READ, SEND, SET, WISH};
use capdex_evidence::sentences::{Sentence, Words};
use capdex_evidence::words;

use super::super::tool_directives::{Whose, others, whose};
use super::super::tool_texts::SurfaceSpeaker;
use super::{Tie, ToolName, clause};

/// Words that begin such a clause.
const BEGINS: Words =
    Words::of(&["before", "prior", "when", "whenever", "after", "once", "while", "upon", "until", "during", "if"]);
/// Words that make one of the name behind them: "any `send_mail` call", "for `send_mail`".
const OF_ALL: Words = Words::of(&["any", "all", "every", "each", "for", "with"]);
/// Nouns behind a name that is called: "any `send_mail` request".
const NOUNS: Words = Words::of(&[
    "tool",
    "tools",
    "command",
    "commands",
    "action",
    "actions",
    "request",
    "requests",
    "operation",
    "operations",
    "user",
]);

/// What is done with a tool in a clause that ties an order to its call.
const ACTS: Words = Words::of(&[
    "call",
    "calls",
    "calling",
    "called",
    "use",
    "uses",
    "using",
    "used",
    "run",
    "running",
    "runs",
    "invoke",
    "invoking",
    "invoked",
    "invokes",
    "execute",
    "executing",
    "executed",
    "operating",
    "via",
    "through",
    "with",
    "fetching",
    "querying",
    "requesting",
    "loaded",
    "triggered",
    "sending",
    "list",
    "listing",
    "checking",
    "retrieving",
]);

/// The call that a sentence ties its order to.
pub(super) fn of(sentence: &Sentence<'_>, names: &[ToolName], speaker: &SurfaceSpeaker<'_>) -> Option<Tie> {
    // "Use when the X tool is wrong" compares; "when using X" ties.
    let is_used = |range: &std::ops::Range<usize>| range.clone().any(|index| sentence.fits(index, &ACTS));
    let named = |range: &std::ops::Range<usize>| {
        let inside = names.iter().filter(|name| range.contains(&name.index) && is_used(range));
        inside.map(|name| if name.is_sibling { Tie::Sibling } else { Tie::Foreign }).max()
    };
    // "Use after and limit for pages" names arguments.
    let begins = |index: &usize| {
        sentence.fits(*index, &BEGINS)
            && !sentence.fits(index.wrapping_sub(1), words!["use", "using", "with", "and", "or"])
    };
    let begun = (0..sentence.words.len()).filter(begins).filter_map(|index| {
        let range = clause(sentence, index + 1);
        // "If" opens conditions of every kind: only one on another's call ties an order to it.
        let conditional = sentence.fits(index, words!["if"]);
        named(&range).or_else(|| unnamed(sentence, &range, speaker).filter(|tie| !conditional || *tie == Tie::Others))
    });
    let of_all = names.iter().filter_map(|name| {
        let at = name.index;
        let led = (at.saturating_sub(3)..at).any(|index| sentence.fits(index, &OF_ALL));
        let used = (at + 1..=at + 2).any(|index| sentence.fits(index, &NOUNS) || sentence.fits(index, &ACTS));
        let general =
            (at.saturating_sub(6)..at).any(|index| sentence.fits(index, words!["any", "all", "every", "each"]));
        let through = sentence.fits(at.wrapping_sub(1), words!["via", "through", "by", "using", "to"])
            || sentence.fits(at.wrapping_sub(2), words!["via", "through", "using", "to"]);
        let part = sentence.fits(at.wrapping_sub(1), words!["of"]) && sentence.is(at.wrapping_sub(2), ARGUMENT);
        let given = sentence.fits(at.wrapping_sub(1), words!["to"])
            && sentence.fits(at.wrapping_sub(2), words!["sent", "passed", "submitted", "given"]);
        ((led && used) || (general && through) || part || given).then_some(if name.is_sibling {
            Tie::Sibling
        } else {
            Tie::Foreign
        })
    });
    // "For any transfer", "files that other tools write": the noun alone says whose call it is.
    let kind = sentence.fits(0, words!["for", "with", "on"]) && sentence.fits(1, words!["any", "all", "every", "each"]);
    let nouns = kind.then(|| unnamed(sentence, &(1..sentence.words.len().min(6)), speaker)).flatten();
    let others = others(sentence)
        .filter(|(_, at)| (at.saturating_sub(3)..*at).any(|index| sentence.fits(index, words!["by"])))
        .map(|_| Tie::Others);
    begun.chain(of_all).chain(nouns).chain(others).max()
}

/// The tie of a clause that names no tool: this one, any other, or a kind of operation.
fn unnamed(sentence: &Sentence<'_>, range: &std::ops::Range<usize>, speaker: &SurfaceSpeaker<'_>) -> Option<Tie> {
    let itself = range.clone().any(|index| sentence.fits(index, words!["this", "it"]));
    if itself || range.clone().any(|index| speaker.is_about(sentence.word(index))) {
        return Some(Tie::Own);
    }
    let (whose, at) = whose(sentence, speaker)?;
    let tie = match whose {
        Whose::SiblingOperation => Some(Tie::Sibling),
        Whose::Operation => Some(Tie::Operation),
        Whose::Others => Some(Tie::Others),
        // A name would stand among those of the clause.
        Whose::SiblingTool | Whose::Tool => None,
    };
    tie.filter(|_| range.contains(&at))
}

/// True where a bare verb begins behind the clause of a tie: "before using A, search for …".
pub(super) fn commands_behind(sentence: &Sentence<'_>) -> bool {
    let verbs = READ.with(SEND).with(SET).with(CALL).with(CHANGE).with(DESTROY).with(OPERATION).with(WISH);
    (0..sentence.words.len()).filter(|index| sentence.fits(*index, &BEGINS)).any(|index| {
        let next = clause(sentence, index + 1).end;
        let next = if sentence.fits(next, words!["first", "always", "also", "silently"]) { next + 1 } else { next };
        let word = sentence.word(next);
        sentence.ends_clause(next.wrapping_sub(1).min(clause(sentence, index + 1).end.wrapping_sub(1)))
            && sentence.is(next, verbs)
            && !word.ends_with('s')
            && !word.ends_with("ing")
            && !word.ends_with("ed")
    })
}
