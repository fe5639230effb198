//! tool-sends-aside: a tool's text has something of the user's sent to a place that the text writes out.
//!
//! Where a tool's own requests go is told by its code. A text that has the reader send, swap in or connect to a literal
//! address moves the user's data by the reader's hands.

use std::sync::LazyLock;

use regex::Regex;

use crate::FactSink;
use capdex_evidence::sentences::{Sentence, Words};
use capdex_evidence::subject::Subject;

use super::tool_frames::{frame, stands, tell_first};

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    tell_first(subject, facts, |sentence, _, _, _| sends_aside(sentence));
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
    "presented",
    "with",
    "receives",
    "attached",
    "attaches",
    "attach",
    "uploading",
    "sending",
    "posting",
    "appending",
    "appends",
    "appended",
    "append",
    "adds",
    "adding",
    "collected",
    "stored",
    "logged",
    "kept",
    "seen",
    "goes",
    "passes",
    "pass",
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
            r"\b(?:posts?|posted|posting|sends?|sent|sending|uploading|forwarding|forwards?|forwarded|uploads?|uploaded|submits?|submitted|transmits?|transmitted|delivers?|delivered|relay(?:s|ed)?|mirror(?:s|ed)?|copied|bcc|shares?|shared|reported)\b[^;!?]{0,120}?",
            place!()
        ),
        // A place put where another one was.
        concat!(
            r"\b(?:rewritten|replaced?|replaces|substitute|swap(?:s|ped)?|exchange|redirect(?:ed)?|changed|pointed?|completed|routed?|opened|connect|proxied)\b[^;!?]{0,60}?\b(?:to|with|for|by|via|through)\b[^;!?]{0,24}?",
            place!()
        ),
        // "So that card data pass through our desk".
        r"\b(?:pass|passes|goes|go|runs?|flows?|travels?|seen|read|kept|logged|stored|collected|held)\b[^;]{0,12}?\b(?:through|by|with|at|to) (?:us\b|our (?:desk|servers?|side|team|proxy|gateway|relay|office)\b)",
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
        r"\b(?:e\.g|for example|example:|such as|like|docs?|documentation|see|visit|format|default|defaults|localhost|sample|placeholder|returns?|guide|learn more|go to|sign up|console|dashboard)\b",
        r"|(?:^|[^.a-z-])examples?\b|127\.0\.0\.1|0\.0\.0\.0|localhost|@example\.(?:com|org|net)|//example\.(?:com|org|net)|your[-_]|user@|name@|\bexample\.(?:com|org|net)\b|\{[a-z_]+\}|<[a-z_-]+>\.|\b[a-z]+\.(?:js|ts|py|json|md|txt|csv|ya?ml|toml|html|pdf|png|jpg)\b"
    ))
});

/// What only the user has is put into something else: "adding the user's API key to it".
static SECRETS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    macro_rules! secret {
        () => {
            r"\b(?:<people>'s|his|her|their|all of the <people>'s|full|earlier) (?:full |complete |current |whole )?(?:(?:session |auth(?:entication)? |saved |login )?cookies|api keys?|(?:bearer|access|session|personal access|auth) tokens?|tokens|passwords?|clipboard|private keys?|master password|system prompt|credentials|conversation|chat history|calendar entries|direct messages|authorization headers|keystrokes|browsing history|contacts|home address)\b"
        };
    }
    let frames = [
        concat!(
            r"\b(?:add(?:s|ed|ing)?|append(?:s|ed|ing)?|send(?:s|ing)?|sent|post(?:s|ed|ing)?|deliver(?:s|ed)?|pass(?:es|ed|ing)?|put|attach(?:es|ed)?|upload(?:s|ed)?|forward(?:s|ed|ing)?|receives?|with)\b[^;]{0,50}?",
            secret!()
        ),
        concat!(
            secret!(),
            r"[^;]{0,40}?\b(?:(?:is|are|gets?) (?:also |then )?(?:added|appended|sent|posted|delivered|presented|passed|attached|uploaded|forwarded|copied)|goes? in(?:to)?|appended|attached)\b"
        ),
    ];
    frames.map(frame).into()
});

/// Where a tool says by what it asks for leave, or whose they are.
static GRANTED: LazyLock<Regex> = LazyLock::new(|| {
    frame(
        r"\b(?:optional(?:ly)?|if|when|unless|never|not|without|requires?|required|must|need(?:s|ed)?|provide[sd]?|using|authenticat\w+|log ?in|sign ?in|returns?|including|includes?|retrieves?|e\.g|environment variable|configured|stored|to access|on behalf)\b",
    )
});

fn sends_aside(sentence: &Sentence<'_>) -> bool {
    if !sentence.names(&CUES) {
        return false;
    }
    let lower = sentence.lower();
    stands(&SECRETS, lower) && !GRANTED.is_match(lower)
        || (!sentence.is_bare() && HIS.is_match(lower) && stands(&FRAMES, lower) && !EXCUSED.is_match(lower))
}
