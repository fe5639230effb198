//! Tool directives: sentences that decide what other calls do, by whose call it is, which argument and which value.
//!
//! The object decides, not the emphasis: an order about a tool's own argument or flow is documentation, the same words
//! about another tool's recipient are not. The rules that read them decide how bad a directive is. Sources: SAFE-MCP
//! T1001, T1008, T1701.

use capdex_evidence::lexicon::{
    ARGUMENT, CALL, CHANGE, CONSEQUENCE, DESTROY, GROUNDS, INSTEAD, OPERATION, ORDER, OTHER, SEND, SET, TOOL, TRIGGER,
    UNIVERSAL, USER, WISH,
};
use capdex_evidence::sentences::{Marks, Sentence, Words, is_one_of};
use capdex_evidence::words;

use super::tool_texts::SurfaceSpeaker;

/// Whose call a sentence speaks of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Whose {
    /// A kind of operation that is not this tool's, but one of another tool of its server.
    SiblingOperation,
    /// Another tool of its server, by name.
    SiblingTool,
    /// A kind of operation that no tool of the server has in its name.
    Operation,
    /// Other tools, whatever they are called.
    Others,
    /// A tool of another server, by name.
    Tool,
}

impl Whose {
    /// True where the call is another server's.
    pub(super) fn is_foreign(self) -> bool {
        self >= Self::Operation
    }
}

/// Whose call a sentence speaks of, the most foreign where there are several, and the place of the word.
pub(super) fn whose(sentence: &Sentence<'_>, speaker: &SurfaceSpeaker<'_>) -> Option<(Whose, usize)> {
    let tool = (0..sentence.words.len()).filter_map(|index| {
        let sibling = speaker.other_tool(sentence, index)?;
        Some((if sibling { Whose::SiblingTool } else { Whose::Tool }, index))
    });
    // The most foreign one counts: an order about its own tool and another server's is an order about the other's.
    tool.chain(others(sentence)).chain(operation(sentence, speaker)).max_by_key(|(whose, _)| *whose)
}

/// "Any other tool", "every tool", "tools of other servers".
pub(super) fn others(sentence: &Sentence<'_>) -> Option<(Whose, usize)> {
    let named = sentence.then(OTHER.with(UNIVERSAL), TOOL, 2)?;
    // "All tools of this server" are its own.
    let own =
        sentence.fits(named.1, words!["server", "servers", "plugin", "integration"]) && !sentence.is(named.0, OTHER);
    (!own).then_some((Whose::Others, named.1))
}

/// "When sending an email", "before any file operation", "all outgoing payments", "git operations".
fn operation(sentence: &Sentence<'_>, speaker: &SurfaceSpeaker<'_>) -> Option<(Whose, usize)> {
    const KINDS_OF: Words = Words::of(&[
        "operation",
        "operations",
        "access",
        "calls",
        "requests",
        "actions",
        "commands",
        "transactions",
        "execution",
        "writes",
        "reads",
        "tools",
        "tool",
        "deletions",
        "uploads",
        "queries",
        "activity",
    ]);
    let tied = sentence.all(TRIGGER).flat_map(|at| {
        // After such a word a whole clause follows; after others only a noun or two belong to them.
        let reach =
            if sentence.fits(at, words!["when", "whenever", "if", "while", "once", "before", "after"]) { 9 } else { 4 };
        (at + 1..=at + reach).filter(|index| {
            let verb = sentence
                .fits(*index, words!["sending", "transferring", "uploading", "deleting", "paying", "forwarding"]);
            verb || (sentence.is(*index, OPERATION) && !is_vague(sentence.word(*index)))
        })
    });
    let kinds =
        sentence.all(OPERATION).filter(|index| sentence.fits(index + 1, &KINDS_OF) && !is_vague(sentence.word(*index)));
    let found = tied.chain(kinds).filter(|index| !speaker.is_about(sentence.word(*index))).map(|index| {
        let sibling = speaker.has_sibling_for(sentence.word(index));
        (if sibling { Whose::SiblingOperation } else { Whose::Operation }, index)
    });
    found.max_by_key(|(whose, _)| *whose)
}

/// Words for doing anything at all: they name no kind of operation.
fn is_vague(word: &str) -> bool {
    is_one_of(
        word,
        &[
            "operation",
            "operations",
            "action",
            "actions",
            "call",
            "calls",
            "task",
            "tasks",
            "step",
            "steps",
            "process",
            "processes",
            "invocation",
            "workflow",
            "session",
            "script",
            "apis",
            "api",
            "request",
            "requests",
            "record",
            "records",
            "query",
            "queries",
            "search",
            "searches",
            "event",
            "events",
            "read",
            "write",
            "order",
            "document",
            "documents",
            "command",
            "commands",
        ],
    )
}

/// True where a sentence obliges: a word of duty, or "has to", "is to".
pub(super) fn obliges(sentence: &Sentence<'_>) -> bool {
    let bound = words!["has", "have", "is", "are"];
    let is_bound = |index: usize| sentence.fits(index, bound) && sentence.fits(index + 1, words!["to"]);
    sentence.classes.any(ORDER) || (sentence.may_have(bound) && (0..sentence.words.len()).any(is_bound))
}

/// True where a sentence is an order without a word of duty: after its condition, or at its start, stands a verb.
pub(super) fn commands(sentence: &Sentence<'_>) -> bool {
    let verbs = SET.with(CHANGE).with(SEND).with(CALL).with(DESTROY);
    let begins = |index: usize| {
        // Third persons, participles and gerunds describe; only the bare form orders.
        sentence.is(index, verbs)
            && !sentence.word(index).ends_with('s')
            && !sentence.word(index).ends_with("ing")
            && !sentence.word(index).ends_with("ed")
    };
    begins(0)
        || (1..sentence.words.len()).any(|index| {
            begins(index)
                && (sentence.ends_clause(index - 1)
                    || sentence.fits(index - 1, words!["then", "please", "also", "always", "instead", "and", "first"]))
        })
}

/// True where a word of changing is a thing or a quality here: "the last modified date", "any change".
fn is_stated(sentence: &Sentence<'_>, verb: usize) -> bool {
    let before = verb.wrapping_sub(1);
    let quality = sentence.fits(verb, words!["modified"])
        && (sentence.fits(before, words!["last"]) || sentence.fits(verb + 1, words!["date", "time", "files"]));
    let thing = sentence.fits(verb, words!["change", "changes"]) && (verb == 0 || sentence.fits(before, &NOUN_AFTER));
    let made = sentence.fits(verb, words!["converted", "modified"])
        && !sentence.fits(before, words!["be", "been", "is", "are", "gets"]);
    quality || thing || made
}

/// The plainness with which an argument's value is decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Decided {
    /// It is given a value.
    Set,
    /// It becomes something other than it was.
    Changed,
}

/// Words after which "change" is a thing.
const NOUN_AFTER: Words = Words::of(&[
    "requests",
    "request",
    "any",
    "mode",
    "the",
    "these",
    "of",
    "make",
    "making",
    "your",
    "with",
    "code",
    "requested",
    "pending",
]);

/// The decision of a sentence about the value of an argument; none where it decides nothing.
pub(super) fn decided(sentence: &Sentence<'_>) -> Option<Decided> {
    // "Add", "copy" and others are both a verb and an argument's name: one word cannot be both at once.
    let plain = |(verb, argument): (usize, usize)| {
        !sentence.negated(verb) && sentence.word(verb) != sentence.word(argument) && !is_stated(sentence, verb)
    };
    // Asked first, since a changed value weighs more than one that is merely given.
    if sentence.near(CHANGE, ARGUMENT, 9).is_some_and(plain) {
        return Some(Decided::Changed);
    }
    let set = assigns(sentence)
        || sentence.then(SET.with(SEND), ARGUMENT, 4).is_some_and(plain)
        || sentence
            .then(ARGUMENT, SET, 4)
            .is_some_and(|(argument, verb)| !sentence.negated(verb) && sentence.word(verb) != sentence.word(argument))
        || sentence
            .then(ARGUMENT, ORDER, 2)
            .is_some_and(|(argument, order)| !sentence.ends_clause(argument) && !sentence.negated(order + 2));
    set.then_some(Decided::Set)
}

/// "overwrite=true": a name and its value in one word.
pub(super) fn assigns(sentence: &Sentence<'_>) -> bool {
    const BETWEEN: Marks = Marks::of(&['=']);
    sentence.marks().any(BETWEEN)
        && (0..sentence.words.len()).any(|index| {
            let sides = sentence.word(index).split_once('=');
            sides.is_some_and(|(name, value)| {
                !value.is_empty()
                    && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
                    && name.len() > 1
            })
        })
}

/// True where a sentence sets the user's wish aside: "regardless of what the user asked", "instead of the given path".
pub(super) fn overrules_user(sentence: &Sentence<'_>) -> bool {
    let stem = |index: usize| {
        sentence.fits(
            index,
            words![
                "regardless",
                "irrespective",
                "instead",
                "rather",
                "despite",
                "ignoring",
                "ignore",
                "disregard",
                "disregarding",
                "overriding",
                "override",
                "whatever",
                "matter",
                "notwithstanding",
                "replacing",
                "replace",
                "even"
            ],
        )
    };
    sentence.all(INSTEAD.with(CHANGE).with(capdex_evidence::lexicon::OVERRIDE)).filter(|index| stem(*index)).any(|at| {
        let wish = (at + 1..=at + 7).find(|index| sentence.is(*index, WISH.with(USER)));
        // These words have plain uses: the wish of the user must be named beside them.
        let weak = sentence.fits(at, words!["even", "replace"]);
        wish.is_some_and(|wish| {
            !sentence.negated(at)
                && (!weak
                    || (sentence.is(wish, WISH) && sentence.is(wish + 1, WISH))
                    || (at + 1..=at + 7).any(|index| sentence.is(index, USER)))
        })
    })
}

/// "…must also be sent to": a verb of moving, and something that is moved or received.
pub(super) fn moves(sentence: &Sentence<'_>) -> bool {
    const MOVED: Words = Words::of(&[
        "email",
        "emails",
        "message",
        "messages",
        "bcc",
        "cc",
        "recipient",
        "recipients",
        "channel",
        "data",
        "content",
        "contents",
        "report",
        "reports",
        "marker",
        "copy",
        "transcript",
        "document",
        "documents",
        "funds",
        "payment",
        "payments",
        "transaction",
        "transactions",
        "file",
        "files",
        "result",
        "results",
        "output",
        "information",
        "credentials",
        "conversation",
        "history",
        "request",
        "requests",
        "logs",
        "input",
        "inputs",
        "query",
        "queries",
        "everything",
        "response",
        "it",
        "them",
        "money",
        "tokens",
        "attendee",
        "attendees",
        "guest",
        "member",
        "collaborator",
        "meeting",
        "invite",
        "event",
        "participant",
    ]);
    const MOVES: Words = Words::of(&[
        "send",
        "sends",
        "sent",
        "sending",
        "forward",
        "forwards",
        "forwarded",
        "bcc",
        "cc",
        "append",
        "submit",
        "submitted",
        "post",
        "posted",
        "upload",
        "uploaded",
        "deliver",
        "delivered",
        "redirect",
        "redirected",
        "copy",
        "copied",
        "route",
        "routed",
        "report",
        "reported",
        "transfer",
        "transferred",
        "transmit",
        "transmitted",
        "add",
        "added",
        "include",
        "included",
        "mail",
        "mailed",
        "go",
        "addressed",
        "synced",
        "share",
        "shared",
    ]);
    // Two words of the sentence are needed; most sentences lack the first.
    if !sentence.may_have(&MOVES) {
        return false;
    }
    let verb = (0..sentence.words.len()).find(|index| sentence.fits(*index, &MOVES) && !sentence.negated(*index));
    verb.is_some_and(|verb| (0..sentence.words.len()).any(|index| index != verb && sentence.fits(index, &MOVED)))
}

/// Threats of harm without obedience, and grounds of the order.
pub(super) fn gives_pressure(sentence: &Sentence<'_>) -> bool {
    sentence.classes.any(CONSEQUENCE)
        || sentence.all(GROUNDS).next().is_some_and(|_| {
            sentence.has(words![
                "for",
                "ensure",
                "ensures",
                "due",
                "because",
                "maintain",
                "reasons",
                "guarantee",
                "prevent",
                "to",
                "required",
                "requires",
                "comply",
                "integrity"
            ])
        })
}

/// True where something is put into something: "must include", "is appended".
pub(super) fn inserts_content(sentence: &Sentence<'_>) -> bool {
    const PUTS: Words = Words::of(&[
        "append",
        "appended",
        "appending",
        "prepend",
        "prepended",
        "add",
        "added",
        "insert",
        "inserted",
        "inject",
        "embed",
        "embedded",
        "include",
        "included",
        "prefix",
        "prefixed",
        "suffix",
        "attach",
        "attached",
        "begin",
        "end",
        "contain",
    ]);
    sentence.may_have(&PUTS)
        && (0..sentence.words.len()).any(|index| sentence.fits(index, &PUTS) && !sentence.negated(index))
}

/// True where something is put into everything of a kind: "append the line to every message".
pub(super) fn puts_into_all(sentence: &Sentence<'_>) -> bool {
    let all = || sentence.then(UNIVERSAL, OPERATION, 2);
    inserts_content(sentence) && all().is_some_and(|(all, _)| sentence.fits(all, words!["every", "all", "each", "any"]))
}
