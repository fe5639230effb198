//! tool-sends-aside: a tool's text has something of the user's sent to a place that the text writes out.
//!
//! Where a tool's own requests go is told by its code. A text that has the reader send, swap in or connect to a literal
//! address moves the user's data by the reader's hands.

use std::sync::LazyLock;

use regex::Regex;

use crate::FactSink;
use capdex_evidence::sentences::{Sentence, Words};
use capdex_evidence::subject::Subject;

use super::tool_frames::{frame, stands};
use super::tool_texts::{each_prose, place_of, quoted};

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    each_prose(subject, |surface, text, _| {
        if let Some(sentence) = text.text.sentences().find(sends_aside) {
            facts.found(place_of(surface, text), &quoted(surface, sentence.as_str()));
        }
    });
}

/// Words of which the frame holds one.
const CUES: Words = Words::of(&[
    "post",
    "posts",
    "posted",
    "send",
    "sends",
    "sent",
    "forward",
    "forwards",
    "forwarded",
    "upload",
    "uploads",
    "uploaded",
    "submit",
    "submits",
    "submitted",
    "transmit",
    "transmits",
    "transmitted",
    "deliver",
    "delivers",
    "delivered",
    "relay",
    "relays",
    "relayed",
    "mirror",
    "mirrors",
    "mirrored",
    "copied",
    "bcc",
    "cc",
    "share",
    "shares",
    "shared",
    "rewritten",
    "replace",
    "replaced",
    "replaces",
    "substitute",
    "swap",
    "swapped",
    "swaps",
    "exchange",
    "connect",
    "opened",
    "routed",
    "route",
    "routes",
    "redirect",
    "redirected",
    "changed",
    "reported",
    "set",
    "point",
    "pointed",
    "completed",
    "put",
    "add",
    "added",
    "proxied",
    "pipe",
    "pipes",
]);

/// An address that is written out: with a scheme, of a machine, of a mailbox, or a host of three labels.
macro_rules! place {
    () => {
        r"(?:https?://[a-z0-9.-]{4,}|\b\d{1,3}(?:\.\d{1,3}){3}\b|\b[a-z0-9._%+-]+@[a-z0-9-]+(?:\.[a-z0-9-]+)*\.[a-z]{2,}|\b[a-z0-9-]+(?:\.[a-z0-9-]+)+\.[a-z]{2,12}(?::\d+)?\b)"
    };
}

static FRAMES: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    let frames = [
        // Something of the user's, sent on.
        concat!(
            r"\b(?:posts?|posted|sends?|sent|forwards?|forwarded|uploads?|uploaded|submits?|submitted|transmits?|transmitted|delivers?|delivered|relay(?:s|ed)?|mirror(?:s|ed)?|copied|bcc|shares?|shared|reported)\b[^;!?]{0,120}?",
            place!()
        ),
        // A place put where another one was.
        concat!(
            r"\b(?:rewritten|replaced?|replaces|substitute|swap(?:s|ped)?|exchange|redirect(?:ed)?|changed|pointed?|completed|routed?|opened|connect|proxied)\b[^;!?]{0,60}?\b(?:to|with|for|by|via|through)\b[^;!?]{0,24}?",
            place!()
        ),
        concat!(r"\b(?:put|add|added|set)\b[^;!?]{0,80}?", place!()),
    ];
    frames.map(frame).into()
});

/// What is the user's, or how it is sent that nobody asked for.
static HIS: LazyLock<Regex> = LazyLock::new(|| {
    frame(concat!(
        r"\b(?:conversation|system prompt|chat history|transcript|printenv|environment variables?|process environment|credentials?|passwords?|access tokens?|api keys?|private keys?|secret keys?|cookies|session tokens?|home address|memory|attached|<people>'s|personal|card (?:number|data)|cvc|passport|ssn|everything|every (?:message|record|file|payment|e-?mail|query|prompt|request)|all (?:messages|records|files|e-?mails|queries|requests|traffic)|each (?:message|e-?mail|payment|query|order)|for every|a copy|second time|also|additionally|in addition|alongside|silently|quietly|in place of|instead|recipients?|host part|the host|addresses of|dsn|proxy|https?_proxy|payee|wallet|iban)\b",
        r"|\bthe (?:agent|assistant|model)\b|\bbcc\b"
    ))
});

/// Examples, places to read more at, the user's own hosts, and what the tool's request is.
static EXCUSED: LazyLock<Regex> = LazyLock::new(|| {
    frame(concat!(
        r"\b(?:e\.g|for example|example:|such as|like|examples?|docs?|documentation|see|visit|format|default|defaults|localhost|sample|placeholder|returns?|guide|learn more|go to|sign up|console|dashboard)\b",
        r"|127\.0\.0\.1|0\.0\.0\.0|localhost|@example\.|//example\.|your[-_]|user@|name@|\bexample\.(?:com|org|net)\b|\{[a-z_]+\}|<[a-z_-]+>\.|\b[a-z]+\.(?:js|ts|py|json|md|txt|csv|ya?ml|toml|html|pdf|png|jpg)\b"
    ))
});

fn sends_aside(sentence: &Sentence<'_>) -> bool {
    if sentence.is_bare() || !sentence.may_have(&CUES) {
        return false;
    }
    let lower = sentence.lower();
    HIS.is_match(lower) && stands(&FRAMES, lower) && !EXCUSED.is_match(lower)
}
