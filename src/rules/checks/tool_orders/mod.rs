//! Tool orders: for each sentence of a surface, what it has done, by which tool, and to whose call that is tied.
//!
//! Roles decide, not nearness: "before calling A, call B" ties an order to A and has B called. Names count by whose they
//! are: the surface's own, one of the same server, or one of a stranger's. The rules that read orders judge them.

use capdex_evidence::lexicon::{CONSENT, ORDER, USER};
use capdex_evidence::sentences::{Phrase, SegmentedText, Sentence, Words};
use capdex_evidence::words;

use super::tool_directives::{Whose, commands, obliges, whose};
use super::tool_texts::{SurfaceSpeaker, is_beside_call};

mod called;
mod tie;

pub(super) use called::calls_itself;

/// What a sentence orders.
#[derive(Clone, Copy)]
pub(super) struct ToolOrder<'a> {
    /// The sentence.
    pub(super) sentence: Sentence<'a>,
    /// True where it obliges or commands, instead of telling what is so.
    pub(super) binds: bool,
    /// True where it does so with a word of duty.
    pub(super) obliges: bool,
    /// The call that it is tied to: its own words, or those of the sentence before it.
    pub(super) tie: Option<Tie>,
    /// True where it calls something of another server a tool, in whatever part.
    pub(super) mentions_foreign: bool,
    /// The word that names a tool of another server that it has called.
    pub(super) foreign: Option<usize>,
    /// True where the surface itself is to be called.
    pub(super) itself: bool,
}

/// Whose call an order is tied to, the most foreign last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Tie {
    /// The surface's own.
    Own,
    /// That of a tool of the same server, or of a kind of operation that such a tool has in its name.
    Sibling,
    /// A kind of operation that no tool of the server has in its name.
    Operation,
    /// That of any other tool.
    Others,
    /// That of a tool of another server, by name.
    Foreign,
}

/// A word that names another tool.
#[derive(Clone, Copy)]
struct ToolName {
    index: usize,
    is_sibling: bool,
}

/// The orders of a text, one for each sentence that may hold one.
pub(super) fn orders<'a>(text: &'a SegmentedText, speaker: &SurfaceSpeaker<'_>) -> Vec<ToolOrder<'a>> {
    let mut before = None;
    let mut orders = Vec::new();
    for sentence in text.sentences() {
        let names = names(&sentence, speaker);
        let own = tie::of(&sentence, &names, speaker);
        let obliges = is_duty(&sentence);
        // Where a person is to approve, nothing is taken from anybody.
        if asks_people(&sentence) || binds_people(&sentence) || lists_values(&sentence) {
            before = own;
            continue;
        }
        let order = ToolOrder {
            sentence,
            binds: obliges || commands(&sentence) || tie::commands_behind(&sentence),
            obliges,
            // "When a customer calls A. You must set …": the condition and the order are two sentences.
            tie: own.or_else(|| before.filter(|tie| *tie >= Tie::Others)),
            mentions_foreign: names.iter().any(|name| !name.is_sibling && is_beside_call(&sentence, name.index)),
            foreign: called::foreign(&sentence, &names),
            itself: calls_itself(&sentence),
        };
        if order.binds || order.foreign.is_some() || order.tie.is_some() {
            orders.push(order);
        }
        before = own;
    }
    orders
}

/// True where a sentence obliges: what somebody needs or pleases is no duty.
fn is_duty(sentence: &Sentence<'_>) -> bool {
    const WEAK: Words = Words::of(&["need", "needs", "needed", "please", "expected", "supposed", "remember"]);
    let bound = |index: usize| sentence.fits(index + 1, words!["to"]) && sentence.fits(index + 2, words!["be"]);
    let strong = sentence.all(ORDER).any(|index| !sentence.fits(index, &WEAK) || bound(index));
    strong || (obliges(sentence) && !sentence.classes.any(ORDER))
}

/// "The user must approve", "ask the user first", "wait for their confirmation".
fn asks_people(sentence: &Sentence<'_>) -> bool {
    const UNTIL: Phrase = Phrase::of(&[&["until", "unless"], &["the", "a"], &["user", "customer", "human"]], 0);
    const INFORMS: Phrase = Phrase::of(&[&["inform", "tell", "remind", "warn"], &["the"], &["user", "customer"]], 0);
    let informs = sentence.find(&INFORMS).is_some_and(|(verb, _)| !sentence.negated(verb));
    if sentence.find(&UNTIL).is_some() || (informs && sentence.has(words!["first", "before", "beforehand"])) {
        return true;
    }
    sentence.classes.any(USER)
        && sentence.all(CONSENT).any(|index| {
            !sentence.negated(index)
                && sentence.fits(
                    index,
                    words![
                        "approve",
                        "approves",
                        "approved",
                        "approval",
                        "confirm",
                        "confirms",
                        "confirmation",
                        "consent",
                        "ask",
                        "permission"
                    ],
                )
        })
}

/// "'repairs' (…); 'network' (…); 'logs' (…)": the values of an argument, explained.
fn lists_values(sentence: &Sentence<'_>) -> bool {
    let explained =
        |index: &usize| sentence.words.get(*index).is_some_and(|word| word.quoted) && sentence.explains(*index);
    (0..sentence.words.len()).filter(explained).count() > 2
}

/// "A human must set", "the administrator has to": the duty is a person's.
fn binds_people(sentence: &Sentence<'_>) -> bool {
    const PEOPLE: Words =
        Words::of(&["human", "user", "users", "operator", "admin", "admins", "administrator", "owner"]);
    sentence.all(ORDER).any(|index| {
        sentence.fits(index, words!["must", "should", "needs", "need", "shall"])
            && (index.saturating_sub(2)..index).any(|at| sentence.fits(at, &PEOPLE))
    })
}

/// The words of a sentence that name other tools.
fn names(sentence: &Sentence<'_>, speaker: &SurfaceSpeaker<'_>) -> Vec<ToolName> {
    (0..sentence.words.len())
        .filter_map(|index| Some(ToolName { index, is_sibling: speaker.other_tool(sentence, index)? }))
        .collect()
}

/// Words with which the subject of a sentence begins again: what stands before them is another clause.
const SUBJECTS: Words =
    Words::of(&["you", "must", "should", "always", "please", "first", "shall", "it", "make", "ensure"]);

/// The words of a clause that begins at one, up to its end.
fn clause(sentence: &Sentence<'_>, start: usize) -> std::ops::Range<usize> {
    const LONGEST: usize = 14;
    let last = sentence.words.len().min(start + LONGEST);
    let end = (start..last)
        .find(|index| sentence.ends_clause(*index) || (*index > start + 1 && sentence.fits(*index + 1, &SUBJECTS)));
    start..end.map_or(last, |end| end + 1)
}

/// True where a verb before a word, at most so many words away, has it as its object.
fn follows(sentence: &Sentence<'_>, index: usize, verbs: &Words, reach: usize) -> bool {
    (index.saturating_sub(reach)..index).any(|at| {
        sentence.fits(at, verbs) && !sentence.negated(at) && !(at..index).any(|between| sentence.ends_clause(between))
    })
}

impl ToolOrder<'_> {
    /// Whose call the sentence speaks of at all, where it is tied to none.
    pub(super) fn speaks_of(&self, speaker: &SurfaceSpeaker<'_>) -> Option<Whose> {
        whose(&self.sentence, speaker).map(|(whose, _)| whose)
    }

    /// True where the order stands over a call of another server.
    pub(super) fn is_over_others(&self) -> bool {
        self.tie >= Some(Tie::Others)
    }

    /// True where it holds for all of a kind.
    pub(super) fn is_general(&self) -> bool {
        self.sentence.has(words!["any", "all", "every", "each", "whenever", "always"])
    }
}
