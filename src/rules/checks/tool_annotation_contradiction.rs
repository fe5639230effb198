//! tool-annotation-contradiction: a tool says that it only reads, and its name or description says that it changes something.

use crate::FactSink;
use capdex_evidence::subject::Subject;
use capdex_evidence::surfaces::Surface;
use capdex_model::fact::{Confidence, Severity};

use super::tool_pure::is_pure;
use super::tool_texts::{below, name_words, prose, tool_surfaces};

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    for surface in tool_surfaces(subject) {
        let Some(tool) = surface.tool.and_then(|at| subject.evidence.tools.get(at)) else { continue };
        let hints = tool.annotations.as_ref();
        let read_only = hints.and_then(|hints| hints.get("readOnlyHint")).and_then(serde_json::Value::as_bool);
        // Clients may skip the question to the user for a tool that says so: only that claim is worth doubting.
        if read_only != Some(true) {
            continue;
        }
        // Two witnesses that agree are plain; one alone may be a noun that looks like a verb, or speak of what is computed.
        let (by_name, by_text) = (verb_of_name(&tool.name), verb_of_description(surface));
        if is_pure(&tool.name, surface, by_name, by_text) {
            continue;
        }
        let place = below(surface, "/annotations/readOnlyHint");
        match (by_name, by_text) {
            (Some(verb), Some(_)) => {
                // What a session switches on or puts together is gone with it.
                let severity = if PASSING.contains(&verb) { Severity::Medium } else { Severity::High };
                facts.found_as(severity, Confidence::High, place, &format!("{}: read-only, but {verb}s", tool.name));
            }
            (Some(verb), None) => facts.found_as(
                Severity::Low,
                Confidence::Medium,
                place,
                &format!("{}: read-only, but named {verb}", tool.name),
            ),
            (None, Some(verb)) => facts.found_as(
                Severity::Low,
                Confidence::Low,
                place,
                &format!("{}: read-only, but described as {verb}", tool.name),
            ),
            (None, None) => {}
        }
    }
}

/// Verbs whose change may be one of the session alone.
const PASSING: [&str; 8] = ["enable", "disable", "format", "merge", "copy", "pause", "resume", "restore"];

/// Verbs that change something.
const MUTATING: [&str; 63] = [
    "add",
    "append",
    "approve",
    "archive",
    "assign",
    "cancel",
    "clear",
    "close",
    "copy",
    "create",
    "deactivate",
    "delete",
    "deploy",
    "destroy",
    "disable",
    "drop",
    "edit",
    "enable",
    "erase",
    "grant",
    "insert",
    "install",
    "invite",
    "kill",
    "modify",
    "move",
    "patch",
    "pause",
    "pay",
    "publish",
    "purge",
    "push",
    "put",
    "reboot",
    "refund",
    "remove",
    "rename",
    "replace",
    "restart",
    "restore",
    "resume",
    "revoke",
    "rotate",
    "save",
    "schedule",
    "send",
    "stop",
    "terminate",
    "transfer",
    "truncate",
    "uninstall",
    "unlink",
    "update",
    "upload",
    "upsert",
    "wipe",
    "write",
    "merge",
    "purchase",
    "overwrite",
    "drain",
    "withdraw",
    "format",
];

/// The verb with which a name begins, where it changes something.
fn verb_of_name(name: &str) -> Option<&'static str> {
    let words = name_words(name);
    let first = words.first()?;
    MUTATING.into_iter().find(|verb| verb == first)
}

/// The verb with which the description begins, where it changes something that is no query, report or copy for reading.
fn verb_of_description(surface: &Surface) -> Option<&'static str> {
    const HARMLESS: [&str; 14] = [
        "query",
        "queries",
        "search",
        "report",
        "summary",
        "preview",
        "plan",
        "draft",
        "request",
        "list",
        "snapshot",
        "diff",
        "visualization",
        "chart",
    ];
    // The first word of the description only: further down a text speaks of other tools and of what it does not do.
    let text = prose(surface).find(|text| text.is("/description"))?;
    let first = text.text.sentences().next()?;
    let word = first.word(0);
    let verb = MUTATING.into_iter().find(|verb| word == *verb || is_third_person(word, verb))?;
    (!(0..6).any(|index| HARMLESS.contains(&first.word(index)))).then_some(verb)
}

fn is_third_person(word: &str, verb: &str) -> bool {
    word.strip_prefix(verb).is_some_and(|end| matches!(end, "s" | "es"))
}
