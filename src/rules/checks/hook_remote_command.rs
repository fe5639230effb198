//! hook-remote-command: a hook fetches and runs a program, or sends data out.

use std::sync::LazyLock;

use regex::Regex;

use crate::FactSink;
use capdex_evidence::subject::Subject;
use capdex_model::fact::{Confidence, Place, Severity};

use super::hook_auto_approve::script_of;
use super::hook_commands::{HookRun, hook_commands};

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    for hook in hook_commands(subject) {
        // Asked last, because the script that a command names must be looked for in the whole bundle.
        let forwards = || {
            let script = script_of(&hook, subject.evidence);
            let script = script.filter(|(_, text)| forwards_all(text) || forwards_events(text));
            script.map(|_| (Severity::High, Confidence::Medium))
        };
        if let Some((severity, confidence)) = judgement(&hook).or_else(forwards) {
            let place = Place { file: hook.path.to_owned(), pointer: hook.pointer.clone(), ..Place::default() };
            let what = if hook.command.is_empty() { &hook.url } else { &hook.command };
            facts.found_as(severity, confidence, place, &format!("{}: {what}", hook.event));
        }
    }
}

static PIPED: LazyLock<Regex> = LazyLock::new(|| {
    // The gap is bounded and ends at a line or a pipe, so that two commands of a file are not joined.
    capdex_evidence::expression::of(
        r"(?i-u)\b(?:curl|wget|iwr|irm|invoke-webrequest)\b(?u:[^|\n]){0,400}\|\s*(?:sudo\s+)?(?:(?:ba|z|da|fi)?sh|python3?|node|perl|ruby|iex|pwsh|powershell)\b|\b(?:ba|z)?sh\s+(?:-c\s+)?[<']*\(?\$?\(?\s*curl\b|\biex\b(?u:[^\n]){0,60}(?:downloadstring|irm|iwr)",
    )
});

static SENT: LazyLock<Regex> = LazyLock::new(|| {
    capdex_evidence::expression::of(
        r"(?i-u)\bcurl\b(?u:[^\n]){0,400}(?:\s-d\b|\s--data|\s-F\b|\s-T\b|\s--upload-file|-X\s*(?:POST|PUT))|\bwget\b(?u:[^\n]){0,400}--post-|/dev/tcp/|\b(?:nc|ncat|netcat)\s+(?:-\w+\s+)*[\w.-]+\s+\d{2,5}\b|\bbash\s+-i\b",
    )
});

static LOCAL: LazyLock<Regex> =
    LazyLock::new(|| capdex_evidence::expression::of(r"(?i-u)https?://(?:localhost|127\.0\.0\.1|\[::1\]|0\.0\.0\.0)"));

/// True where a script sends all that the client tells a hook: its whole input, as it comes.
fn forwards_all(text: &str) -> bool {
    static WHOLE: LazyLock<Regex> = LazyLock::new(|| {
        capdex_evidence::expression::of(
            r#"(?i-u)\bcurl\b(?u:[^\n]){0,200}(?:-d|--data|--data-binary|--data-raw|-T|--upload-file)[ =]["']?(?:@-|-(?:\s|$)|\$\(cat\))|\bdata\s*=\s*sys\.stdin(?:\.buffer)?\.read\(\)"#,
        )
    });
    // A script that picks fields with `jq` sends a part; larger files are bundles, whose calls are looked at elsewhere.
    text.len() <= 200_000
        && text.contains("://")
        && !LOCAL.is_match(text)
        && !text.contains("jq ")
        && WHOLE.is_match(text)
}

/// True where code inside a client sends an event as it comes: the whole parameter of its handler.
fn forwards_events(text: &str) -> bool {
    static HANDLER: LazyLock<Regex> = LazyLock::new(|| {
        // `on("tool.call", async (event) => …)`, or a function under the name of the event.
        capdex_evidence::expression::of(
            r#"(?-u)\bon\(\s*["'][\w.]+["']\s*,\s*(?:async\s*)?\(?\s*(\w+)|["'][a-z]+(?:\.[a-z]+)+["']\s*:\s*(?:async\s*)?\(\s*(\w+)"#,
        )
    });
    static SENDS: LazyLock<Regex> =
        LazyLock::new(|| capdex_evidence::expression::of(r"(?-u)\bfetch\(|\$\.http\b|\baxios\b|\bhttps?\.request\("));
    // The address may stand in another file; one of this machine tells nobody else.
    if text.len() > 200_000 || LOCAL.is_match(text) || !SENDS.is_match(text) {
        return false;
    }
    let names = HANDLER.captures_iter(text).filter_map(|handler| handler.get(1).or_else(|| handler.get(2)));
    // Only the parameter as a whole: a field of it may be all that a service needs.
    names.map(|name| name.as_str()).any(|name| {
        ["JSON.stringify(", "body: ", "json: "].iter().any(|before| {
            let whole = format!("{before}{name}");
            let sent = text.match_indices(&whole).map(|(at, found)| text.get(at + found.len()..));
            let mut sent = sent.flatten();
            sent.any(|after| after.trim_start().starts_with([')', ',', '}']))
        })
    })
}

fn judgement(hook: &HookRun<'_>) -> Option<(Severity, Confidence)> {
    if PIPED.is_match(&hook.command) {
        return Some((Severity::High, Confidence::High));
    }
    let local = LOCAL.is_match(&hook.command) || LOCAL.is_match(&hook.url);
    // A hook that talks to a program of the user's own machine tells nobody else.
    if SENT.is_match(&hook.command) && !local {
        return Some((Severity::High, Confidence::Medium));
    }
    (hook.url.starts_with("http") && !local).then_some((Severity::Medium, Confidence::Medium))
}
