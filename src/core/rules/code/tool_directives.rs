//! Tool directives: sentences that decide what other calls do, by whose call it is, which argument and which value.
//!
//! The object decides, not the emphasis: an order about a tool's own argument or flow is documentation, the same words about
//! another tool's recipient are not. Must not decide how bad a directive is. Sources: SAFE-MCP T1001, T1008, T1701.

use std::sync::LazyLock;

use regex::Regex;

use crate::evidence::lexicon::{
    ARGUMENT, CALL, CHANGE, CONSEQUENCE, DESTROY, GROUNDS, INSTEAD, OPERATION, ORDER, OTHER, SEND, SET, TOOL, TRIGGER,
    UNIVERSAL, USER, WISH,
};
use crate::evidence::sentences::{Phrase, Sentence, is_one_of};

use super::tool_texts::Speaker;

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
    /// Whether the call is another server's.
    pub(super) fn is_foreign(self) -> bool {
        self >= Self::Operation
    }
}

/// Whose call a sentence speaks of, the most foreign where there are several, and the place of the word.
pub(super) fn whose(sentence: &Sentence<'_>, speaker: &Speaker<'_>) -> Option<(Whose, usize)> {
    let tool = (0..sentence.words.len()).filter_map(|index| {
        let sibling = speaker.other_tool(sentence, index)?;
        Some((if sibling { Whose::SiblingTool } else { Whose::Tool }, index))
    });
    tool.chain(others(sentence)).chain(operation(sentence, speaker)).max_by_key(|(whose, _)| *whose)
}

/// "Any other tool", "every tool", "tools of other servers".
pub(super) fn others(sentence: &Sentence<'_>) -> Option<(Whose, usize)> {
    let named = sentence.then(OTHER.with(UNIVERSAL), TOOL, 2)?;
    let own = sentence.fits(named.1, &["server", "servers", "plugin", "integration"]) && !sentence.is(named.0, OTHER);
    (!own).then_some((Whose::Others, named.1))
}

/// "When sending an email", "before any file operation", "all outgoing payments", "git operations".
fn operation(sentence: &Sentence<'_>, speaker: &Speaker<'_>) -> Option<(Whose, usize)> {
    const KINDS_OF: [&str; 17] = [
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
    ];
    let tied = sentence.all(TRIGGER).flat_map(|at| {
        let reach =
            if sentence.fits(at, &["when", "whenever", "if", "while", "once", "before", "after"]) { 9 } else { 4 };
        (at + 1..=at + reach).filter(|index| {
            let verb = sentence.word(*index).ends_with("ing") && sentence.is(*index, SEND.with(DESTROY).with(CHANGE));
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

/// Whether a sentence obliges: a word of duty, or "has to", "is to".
pub(super) fn obliges(sentence: &Sentence<'_>) -> bool {
    sentence.classes.any(ORDER)
        || (0..sentence.words.len())
            .any(|index| sentence.fits(index, &["has", "have", "is", "are"]) && sentence.fits(index + 1, &["to"]))
}

/// Whether a sentence is an order without a word of duty: after its condition, or at its start, stands a verb.
pub(super) fn commands(sentence: &Sentence<'_>) -> bool {
    let verbs = SET.with(CHANGE).with(SEND).with(CALL).with(DESTROY);
    let begins = |index: usize| {
        sentence.is(index, verbs)
            && !sentence.word(index).ends_with('s')
            && !sentence.word(index).ends_with("ing")
            && !sentence.word(index).ends_with("ed")
    };
    begins(0)
        || (1..sentence.words.len()).any(|index| {
            begins(index)
                && (sentence.ends_clause(index - 1)
                    || sentence.fits(index - 1, &["then", "please", "also", "always", "instead", "and", "first"]))
        })
}

/// How plainly an argument's value is decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Decided {
    /// It is given a value.
    Set,
    /// It becomes something other than it was.
    Changed,
}

/// Whether a sentence decides the value of an argument.
pub(super) fn decided(sentence: &Sentence<'_>) -> Option<Decided> {
    let plain =
        |(verb, argument): (usize, usize)| !sentence.negated(verb) && sentence.word(verb) != sentence.word(argument);
    if sentence.near(CHANGE, ARGUMENT, 9).is_some_and(plain) {
        return Some(Decided::Changed);
    }
    let set = assigns(sentence)
        || sentence.then(SET.with(SEND), ARGUMENT, 4).is_some_and(plain)
        || sentence
            .then(ARGUMENT, SET, 4)
            .is_some_and(|(argument, verb)| !sentence.negated(verb) && sentence.word(verb) != sentence.word(argument))
        || sentence.then(ARGUMENT, ORDER, 2).is_some_and(|(_, order)| !sentence.negated(order + 2));
    set.then_some(Decided::Set)
}

/// "overwrite=true": a name and its value in one word.
fn assigns(sentence: &Sentence<'_>) -> bool {
    (0..sentence.words.len()).any(|index| {
        let sides = sentence.word(index).split_once('=');
        sides.is_some_and(|(name, value)| {
            !value.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') && name.len() > 1
        })
    })
}

/// Whether a sentence sets the user's wish aside: "regardless of what the user asked", "instead of the given path".
pub(super) fn overrules_user(sentence: &Sentence<'_>) -> bool {
    let stem = |index: usize| {
        sentence.fits(
            index,
            &[
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
                "even",
            ],
        )
    };
    sentence.all(INSTEAD.with(CHANGE).with(crate::evidence::lexicon::OVERRIDE)).filter(|index| stem(*index)).any(|at| {
        let wish = (at + 1..=at + 7).find(|index| sentence.is(*index, WISH.with(USER)));
        let weak = sentence.fits(at, &["even", "replace"]);
        wish.is_some_and(|wish| {
            !sentence.negated(at)
                && (!weak
                    || (sentence.is(wish, WISH) && sentence.is(wish + 1, WISH))
                    || (at + 1..=at + 7).any(|index| sentence.is(index, USER)))
        })
    })
}

/// A value that is written out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Literal {
    /// A word in quotation marks or a number.
    Plain,
    /// Where something goes, or what it may: an address, an account, a path, a right.
    Place,
}

static PLACE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?-u)\b[a-z0-9._%+-]{1,64}@[a-z0-9.-]{1,100}\.[a-z]{2,12}\b|https?://[a-z0-9.-]{3,}|\b0x[a-f0-9]{6,64}\b|\bbc1[a-z0-9]{20,}\b|\+\d{9,15}\b|\b[a-z]{2}\d{2}[a-z0-9]{10,30}\b|\b\d{6,20}\b",
        r#"|\b(?:\d{1,3}\.){3}\d{1,3}\b|(?:^|[\s`'"(=])(?:~|/[a-z][\w.-]*)/[\w./~-]+|\b[a-z]:\\\\?[\w\\]+|\b0?[67][67][67]\b|(?:^|[\s`'"])-{1,2}(?:force|rf|no-verify|insecure|delete|hard|privileged|dangerously[\w-]*|skip[\w-]*|allow[\w-]*|yes)\b|#[a-z][\w-]{3,}"#,
    ))
    .expect("the pattern is fixed and valid")
});

/// The most telling value that a sentence writes out; examples of values are none.
pub(super) fn literal(sentence: &Sentence<'_>) -> Option<Literal> {
    let lower = sentence.lower();
    if let Some(found) = PLACE.find(lower)
        && !is_example(lower.get(..found.start()).unwrap_or_default(), found.as_str())
    {
        return Some(Literal::Place);
    }
    let quoted = sentence.words.iter().enumerate().any(|(index, word)| {
        word.quoted && !sentence.is(index, TOOL) && !super::tool_texts::is_identifier(sentence.raw(index))
    });
    let number = (0..sentence.words.len()).any(|index| {
        sentence.word(index).bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'%' | b'x'))
    });
    let given = sentence.find(&Phrase {
        parts: &[&["set", "forced", "fixed", "defaulted", "assigned", "equal", "limited", "reset"], &["to"]],
        gap: 0,
    });
    (quoted
        || number
        || assigns(sentence)
        || given.is_some()
        || sentence.has(&["true", "false", "null", "twice", "double"]))
    .then_some(Literal::Plain)
}

/// Whether an address in a sentence is where something goes, not where something is read.
pub(super) fn names_receiver(sentence: &Sentence<'_>) -> bool {
    const BEFORE: [&str; 18] = [
        " to ",
        "bcc",
        "cc ",
        "recipient",
        "channel",
        "address",
        "destination",
        " as ",
        "with ",
        "marker",
        "wallet",
        "copy",
        "account",
        "receiver",
        "add ",
        "append",
        "=",
        "via ",
    ];
    const BEHIND: [&str; 9] = [
        "as bcc",
        "in copy",
        "in cc",
        "in bcc",
        "as a recipient",
        "must receive",
        "should receive",
        "as an attendee",
        "as cc",
    ];
    let lower = sentence.lower();
    let Some(found) = PLACE.find(lower) else { return false };
    let near = last_of(lower.get(..found.start()).unwrap_or_default(), 48);
    let behind = lower.get(found.end()..).unwrap_or_default();
    let sends = sentence.has(&[
        "send",
        "sent",
        "forward",
        "forwarded",
        "upload",
        "uploaded",
        "post",
        "posted",
        "submit",
        "submitted",
        "transmit",
        "report",
        "redirect",
        "redirected",
        "copied",
    ]);
    let is_link = found.as_str().starts_with("http");
    (BEFORE.iter().any(|word| near.contains(word)) || BEHIND.iter().any(|word| behind.contains(word)))
        && (!is_link || sends)
}

/// The last so many bytes of a text, or a few less.
fn last_of(text: &str, length: usize) -> &str {
    let from = text.len().saturating_sub(length);
    (from..=text.len()).find_map(|at| text.get(at..)).unwrap_or_default()
}

/// Whether what stands before a value, or the value itself, says that it is an example or a place to read more.
fn is_example(before: &str, value: &str) -> bool {
    const SAID: [&str; 17] = [
        "example",
        "e.g",
        "i.e",
        "format",
        "your",
        "such as",
        "like ",
        "docs",
        "see ",
        "documentation",
        "localhost",
        "for instance",
        "sample",
        "looks like",
        "similar to",
        "relative",
        "refer to",
    ];
    let near = last_of(before, 60);
    let assigned = before.ends_with(['=', '"', '\'']) && value.contains("@example.");
    assigned
        || SAID.iter().any(|word| near.contains(word))
        || ["user@", "name@", "localhost", "127.0.0.1", "0.0.0.0", "docs.", "github.com"]
            .iter()
            .any(|word| value.contains(word))
        || (value.contains("example.") && value.contains("http"))
}

/// "…must also be sent to": a verb of moving, and something that is moved or received.
pub(super) fn moves(sentence: &Sentence<'_>) -> bool {
    const MOVED: [&str; 55] = [
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
    ];
    const MOVES: [&str; 41] = [
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
    ];
    let verb = (0..sentence.words.len()).find(|index| sentence.fits(*index, &MOVES) && !sentence.negated(*index));
    verb.is_some_and(|verb| (0..sentence.words.len()).any(|index| index != verb && sentence.fits(index, &MOVED)))
}

/// What goes wrong without obedience, and what the order is grounded on.
pub(super) fn presses(sentence: &Sentence<'_>) -> bool {
    sentence.classes.any(CONSEQUENCE)
        || sentence.all(GROUNDS).next().is_some_and(|_| {
            sentence.has(&[
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
                "integrity",
            ])
        })
}

/// Whether something is put into something: "must include", "is appended".
pub(super) fn puts(sentence: &Sentence<'_>) -> bool {
    const PUTS: [&str; 22] = [
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
    ];
    (0..sentence.words.len()).any(|index| sentence.fits(index, &PUTS) && !sentence.negated(index))
}

/// Whether something is put into everything of a kind: "append the line to every message".
pub(super) fn puts_into_all(sentence: &Sentence<'_>) -> bool {
    let all = sentence.then(UNIVERSAL, OPERATION, 2);
    puts(sentence) && all.is_some_and(|(all, _)| sentence.fits(all, &["every", "all", "each", "any"]))
}
