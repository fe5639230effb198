//! Tool grave calls: a tool's text has another tool called that spends, sends, opens or loses something.
//!
//! Honest texts name such tools for whoever wants what they do ("to cancel, use cancel_order"). Here nobody wants it: the
//! sentence speaks of nothing that the called tool is for, and leaves nobody the choice, or puts the call where the tool's own
//! purpose was.

use std::sync::LazyLock;

use regex::Regex;

use capdex_evidence::sentences::{Sentence, Words};
use capdex_evidence::surfaces::{Surface, name_words};

use super::tool_frames::frame;
use super::tool_texts::{SurfaceSpeaker, is_identifier};

/// Verbs of such tools.
const GRAVE: &[&str] = &[
    "share",
    "publish",
    "unlock",
    "disarm",
    "disable",
    "transfer",
    "pay",
    "buy",
    "sell",
    "book",
    "purchase",
    "send",
    "forward",
    "export",
    "delete",
    "remove",
    "drop",
    "truncate",
    "grant",
    "invite",
    "chmod",
    "charge",
    "refund",
    "withdraw",
    "revoke",
    "submit",
    "post",
    "upload",
    "cancel",
    "merge",
    "push",
    "deploy",
    "wipe",
    "reset",
    "install",
    "fork",
    "erase",
    "kill",
    "destroy",
    "factory",
    "clear",
    "empty",
    "disconnect",
];
/// What is made or set by a plain verb, and is as grave.
const GRAVE_THINGS: &[&str] = &[
    "order",
    "payment",
    "collaborator",
    "permission",
    "permissions",
    "rule",
    "key",
    "public",
    "publicly",
    "forwarding",
    "token",
    "webhook",
    "shell",
    "member",
    "admin",
    "role",
];
const MAKING: &[&str] = &["create", "add", "place", "set", "make", "issue", "execute"];
/// What is read by one that is as grave.
const SECRETS: &[&str] =
    &["password", "passwords", "secret", "secrets", "credential", "credentials", "vault", "clipboard"];
const READING: &[&str] = &["get", "list", "read", "fetch", "show", "export"];

/// The call is ordered, or told as what happens.
static ORDERED: LazyLock<Regex> = LazyLock::new(|| {
    frame(
        r"\b(?:call|calls|called|calling|invoke[sd]?|invoking|use|uses|using|run|runs|issue[sd]?|issuing|requires?|needs?|through|output of|result of|after|once|followed by|preceded by|unlocked by|woken by|carried out with|turned into|with|have|go(?:es)? (?:straight )?on to|beforehand|first|dependency|routed?|go(?:es)? to)\b",
    )
});

/// The call is left to somebody, or the name is only mentioned.
static LEFT: LazyLock<Regex> = LazyLock::new(|| {
    frame(
        r"\b(?:if|unless|until|nothing|when|whenever|to [a-z]+|see|related|next steps|not for|for use|can|could|may|might|should|needed (?:by|for)|required (?:by|for)|prerequisite for|(?:returned|obtained|comes?|got|taken|received|available) (?:by|from)|id from|created (?:by|with|via)|only|e\.g|example|such as|like|prefer|either|or|optionally|used (?:by|with|in|for)|works with|unlike|alternative|same as|before|combines|convenience|pair|same effect|etc|equivalent|wraps|replaces|deprecated|compared|multiple|large|bulk|for more|details|suggest|consider|typically|usually)\b|\b(?:not|never|don't|cannot|users?)\b.{0,20}?\b(?:call|use|confirm\w*|approv\w*)",
    )
});

/// The tool's own purpose, as what the call is tied to: "to preview a file", "when asked to", "requests to read an issue".
static PURPOSE: LazyLock<Regex> = LazyLock::new(|| {
    frame(
        r"^[^,]{0,80}?\b(?:to [a-z]+|when(?:ever)?(?: the <people>)? ask(?:s|ed)(?: (?:for|to))?|requests? (?:to|for)|questions?|if (?:the )?<people> asks)\b[^,]{0,60}",
    )
});

/// True where a sentence has a grave tool called without need.
pub(super) fn has_called(sentence: &Sentence<'_>, surface: &Surface, speaker: &SurfaceSpeaker<'_>) -> bool {
    (0..sentence.words.len()).any(|at| {
        let name = sentence.raw(at).split('(').next().unwrap_or_default().trim_end_matches(['.', ',', ':']);
        // Most words are no names, which is told without a look at the sentence.
        is_identifier(name)
            && is_grave(name, surface)
            && (speaker.is_sibling(name) || is_called(sentence, at))
            && !speaker.is_argument(name)
            // "issue_key: the key of the issue" tells of an argument, "{type: 'removeImports'}" of a value.
            && !sentence.explains(at)
            && !sentence.raw(at.wrapping_sub(1)).ends_with("type")
            && is_had_called(sentence.lower(), name, surface)
    })
}

/// True where a name of no tool that is known is called: other identifiers look like one.
fn is_called(sentence: &Sentence<'_>, at: usize) -> bool {
    const CALLS: Words = Words::of(&[
        "call", "calls", "calling", "called", "invoke", "invokes", "invoking", "issue", "issues", "issuing",
        "requires", "require", "needs", "after", "once", "through",
    ]);
    sentence.raw(at).contains('(') || (at.saturating_sub(2)..at).any(|before| sentence.fits(before, &CALLS))
}

fn is_grave(name: &str, surface: &Surface) -> bool {
    let words = name_words(name);
    // "memory_delete" beside "memory_cleanup": one family, whose tools name each other.
    if words.first().map(String::as_str) == surface.name_words().next() {
        return false;
    }
    let has = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    // The name of the server may stand before the verb.
    let begins = |list: &[&str]| words.iter().take(2).any(|word| list.contains(&word.as_str()));
    let first = |list: &[&str]| words.first().is_some_and(|word| list.contains(&word.as_str()));
    let grave = begins(GRAVE) || (begins(MAKING) && has(GRAVE_THINGS)) || (first(READING) && has(SECRETS));
    let shared =
        |list: &[&str]| surface.name_words().any(|own| list.contains(&own) && words.iter().any(|word| word == own));
    grave && words.len() > 1 && !shared(GRAVE) && !shared(GRAVE_THINGS) && !shared(SECRETS)
}

fn is_had_called(lower: &str, name: &str, surface: &Surface) -> bool {
    let bare = lower.replace(&name.to_ascii_lowercase(), " ");
    // "To cancel it, use cancel_order": whoever wants that is told how.
    let told = name_words(name).iter().filter(|word| GRAVE.contains(&word.as_str())).any(|word| speaks_of(&bare, word));
    if told || !ORDERED.is_match(&bare) {
        return false;
    }
    if !LEFT.is_match(&bare) {
        return true;
    }
    let purpose = PURPOSE.find(&bare).map_or("", |found| found.as_str());
    let is_own =
        |word: &str| word.len() > 3 && !matches!(word, "tool" | "call" | "server" | "user" | "data" | "name" | "info");
    surface.name_words().any(|word| is_own(word) && speaks_of(purpose, word))
}

/// True where a text has a word that begins as another one does.
fn speaks_of(text: &str, word: &str) -> bool {
    let stem = word.get(..word.len().min(5)).unwrap_or(word).trim_end_matches(['e', 's']);
    text.split(|sign: char| !sign.is_ascii_alphanumeric()).any(|other| other.starts_with(stem))
}
