//! Tool steering, scope: a text reaches beyond its own tool, to other tools, guards and places elsewhere.
//!
//! Each counts only beside something else. Must not judge. Sources: SAFE-MCP T1001, T1008, T1501, T1502.

use std::sync::LazyLock;

use regex::Regex;

use capdex_evidence::lexicon::{NEGATION, ORDER, READ, SEND};
use capdex_evidence::sentences::{Phrase, Sentence, Words};
use capdex_evidence::words;

use super::tool_steering_secrecy::says_in_other_language;
use super::tool_texts::SurfaceSpeaker;

/// "Any other connector", "the bank's server", "mail clients".
pub(super) fn names_foreign_tools(sentence: &Sentence<'_>, speaker: &SurfaceSpeaker<'_>) -> bool {
    const ANY: Phrase = Phrase::of(
        &[
            &[
                "other",
                "another",
                "connected",
                "remaining",
                "upstream",
                "whichever",
                "different",
                "outside",
                "whatever",
                "third-party",
                "external",
                "every",
                "any",
                "all",
                "each",
                "no",
            ],
            &[
                "tool",
                "tools",
                "server",
                "servers",
                "server's",
                "connector",
                "connectors",
                "integration",
                "integrations",
                "plugin",
                "plugins",
                "mcp",
                "agents",
            ],
        ],
        2,
    );
    let any = sentence.find(&ANY).is_some_and(|(first, last)| {
        let counted = sentence.fits(last + 1, words!["in", "call", "calls"])
            && sentence.fits(first, words!["all", "any", "every"]);
        let own = sentence.fits(last + 1, words!["of", "in", "from"]) && sentence.fits(last + 2, words!["this", "our"]);
        let failing = sentence.fits(last + 1, words!["cannot", "can't", "don't", "fail", "failed", "didn't"]);
        !counted && !own && !failing
    });
    any || says_in_other_language(sentence, &ELSEWHERE) || names_foreign_server(sentence, speaker)
}

/// Another server in other languages.
static ELSEWHERE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"andere[nrs]? (?:servers?|werkzeug|tool)|otr[oa]s? (?:servidor|herramienta)|autres? (?:serveur|outil)",
        r"|outr[oa]s? (?:servidor|ferramenta)|altr[oi] (?:server|strument)|(?:他の|別の)(?:サーバー|ツール)",
        r"|其他(?:服务器|工具|服务)|друг(?:ого|их|ой) (?:сервер|инструмент)|다른 (?:서버|도구)|l'outil `|das werkzeug `",
    ))
    .expect("the pattern is fixed and valid")
});

/// "The Payments server", "calendar clients": of something that this server is not about.
fn names_foreign_server(sentence: &Sentence<'_>, speaker: &SurfaceSpeaker<'_>) -> bool {
    const SERVER: Words = Words::of(&["server", "server's", "servers", "connector", "connectors", "mcp"]);
    const TOOL: Words =
        Words::of(&["tool", "tools", "client", "clients", "connector", "connectors", "server", "servers"]);
    const OWN: Words = Words::of(&["mcp", "the", "this", "api", "http", "sse", "our", "language"]);
    const DOING: Words = Words::of(&[
        "payment",
        "payments",
        "mail",
        "email",
        "e-mail",
        "shopping",
        "carrier",
        "banking",
        "bank",
        "calendar",
        "messaging",
        "browser",
        "terminal",
        "shell",
        "wallet",
        "git",
        "editor",
        "edit",
        "file",
        "filesystem",
        "database",
        "slack",
        "github",
        "gmail",
        "kubernetes",
        "kubectl",
        "docker",
        "stripe",
        "jira",
        "drive",
        "notion",
        "change",
        "deploy",
        "deployment",
        "transfer",
        "crm",
        "erp",
        "hr",
        "scanner",
        "search",
    ]);
    if !(sentence.may_have(&SERVER) || sentence.may_have(&TOOL)) {
        return false;
    }
    (1..sentence.words.len()).any(|index| {
        let before = index - 1;
        let capital = sentence.raw(before).bytes().next().is_some_and(|first| first.is_ascii_uppercase());
        let named = sentence.fits(index, &SERVER) && before > 0 && capital && !sentence.fits(before, &OWN);
        let does = sentence.fits(index, &TOOL) && sentence.fits(before, &DOING);
        (named || does) && !speaker.is_about(sentence.word(before)) && !speaker.has_sibling_for(sentence.word(before))
    })
}

/// Whether a tool is named that is none of the server's.
pub(super) fn outside_tool(sentence: &Sentence<'_>, speaker: &SurfaceSpeaker<'_>) -> bool {
    (0..sentence.words.len()).any(|index| speaker.other_tool(sentence, index) == Some(false))
}

static ADDRESS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?-u)\b[a-z0-9._%+-]{1,64}@[a-z0-9-]{2,60}(?:\.[a-z0-9-]{2,60})*\.[a-z]{2,12}\b|https?://[a-z0-9.-]{3,}",
        r"|\b(?:[a-z0-9-]{2,40}\.){1,4}(?:com|net|org|io|dev|app|xyz|site|cc|co|info|biz|online|cloud|support|space|top|ru|cn|me|link|page|tech|live|club|run|sh|ai|eu|de|jp|uk|br|in|fr|nl|pl|es|it|ch|test)\b",
        r"|\b0x[a-f0-9]{16,64}\b|\bbc1[a-z0-9]{20,}\b|\b[a-z]{2}\d{2}(?: ?[a-z0-9]{4}){3,8}\b|\b(?:\d{1,3}\.){3}\d{1,3}\b|\b\d{8,20}\b",
    ))
    .expect("the pattern is fixed and valid")
});

/// Whether an address is written out to which something may go; examples and pages to read are none.
pub(super) fn destination(sentence: &Sentence<'_>) -> bool {
    const READ_AT: [&str; 24] = [
        "e.g",
        "example",
        "for instance",
        "such as",
        "docs",
        "documentation",
        "see ",
        "refer to",
        "localhost",
        "127.0.0.1",
        "sample",
        "format",
        "i.e.",
        "like ",
        "default",
        "visit",
        "github.com",
        "your",
        "returns",
        "('",
        "(\"",
        "learn",
        "=\"",
        "='",
    ];
    let lower = sentence.lower();
    let may = !sentence.is_bare() || lower.bytes().any(|byte| byte.is_ascii_digit());
    may && ADDRESS.is_match(lower) && !READ_AT.iter().any(|sign| lower.contains(sign))
}

/// Whether a client's own guard is taken down.
pub(super) fn disables_guard(sentence: &Sentence<'_>) -> bool {
    const GUARDS: [&str; 10] = [
        "autoapprove",
        "auto-approve",
        "auto_approve",
        "permissions.allow",
        "permissions.deny",
        "trust.enabled",
        "bash(*)",
        "privileged: true",
        "skip-permissions",
        "nopasswd",
    ];
    let lower = sentence.lower();
    !sentence.is_bare() && !sentence.classes.any(NEGATION) && GUARDS.iter().any(|sign| lower.contains(sign))
}

/// "Note for assistants:", "message from your developers", "system:".
pub(super) fn claims_authority(sentence: &Sentence<'_>) -> bool {
    const TO: Phrase = Phrase::of(
        &[
            &["note", "notice", "attention", "remark", "reminder", "directive", "instruction", "instructions", "hint"],
            &["to", "for"],
            &["assistant", "assistants", "ai", "agents", "models", "agent", "llm", "llms"],
        ],
        1,
    );
    const FROM: Phrase = Phrase::of(
        &[
            &["message", "notice", "directive", "order", "orders", "instruction"],
            &["from"],
            &[
                "developers",
                "developer",
                "anthropic",
                "openai",
                "administrator",
                "admin",
                "security",
                "operator",
                "vendor",
            ],
        ],
        2,
    );
    const SPEAKERS: Words = Words::of(&["system", "assistant", "assistants", "human", "attack", "agent"]);
    let speaks =
        |index: usize| sentence.fits(index, &SPEAKERS) && sentence.ends_clause(index) && sentence.explains(index);
    [&TO, &FROM].into_iter().any(|phrase| sentence.find(phrase).is_some())
        || (sentence.may_have(&SPEAKERS) && (0..sentence.words.len()).any(speaks))
}

/// Whether people are watched.
pub(super) fn monitors_people(sentence: &Sentence<'_>) -> bool {
    const WATCHED: Words = Words::of(&[
        "keystrokes",
        "keylog",
        "keylogger",
        "keylogging",
        "wiretap",
        "eavesdrop",
        "eavesdrops",
        "hooking",
    ]);
    sentence.has(&WATCHED) && sentence.classes.any(SEND.with(ORDER).with(READ))
}
