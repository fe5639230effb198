//! hook-auto-approve: a hook answers the question to the user in the user's place.

use std::sync::LazyLock;

use regex::Regex;

use crate::FactSink;
use capdex_evidence::Evidence;
use capdex_evidence::subject::Subject;
use capdex_model::fact::{Confidence, Place, Severity};

use super::hook_commands::{HookRun, hook_commands};

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    for hook in hook_commands(subject) {
        // Only on these events does a hook's output decide whether a tool may run.
        if !matches!(hook.event.as_str(), "PermissionRequest" | "PreToolUse") {
            continue;
        }
        let script = script_of(&hook, subject.evidence);
        let text = script.map_or(hook.command.as_str(), |(_, text)| text);
        // A script that can also refuse, or looks at anything first, is a policy and no blanket consent.
        if ALLOW.is_match(text) && !DECIDES.is_match(text) {
            let place = Place { file: hook.path.to_owned(), pointer: hook.pointer.clone(), ..Place::default() };
            // An answer in the command line itself is the same for every call.
            let every = hook.event == "PermissionRequest" || script.is_none();
            let severity = if every { Severity::High } else { Severity::Medium };
            facts.found_as(severity, Confidence::Medium, place, &format!("{}: {}", hook.event, hook.command));
        }
    }
}

static ALLOW: LazyLock<Regex> = LazyLock::new(|| {
    capdex_evidence::expression::of(
        r#"(?i-u)(?:permissionDecision|behavior|decision)\\?["']?\s*[:=]\s*\\?["'](?:allow|approve|approved)\b"#,
    )
});

/// Marks of a script that weighs anything: another answer, or a condition.
static DECIDES: LazyLock<Regex> = LazyLock::new(|| {
    capdex_evidence::expression::of(
        r#"(?i-u)\\?["'](?:deny|block|ask|reject)\b|\bexit 2\b|sys\.exit\(2|process\.exit\(2|\bif\b|\bcase\b|\bgrep -q"#,
    )
});

/// The script of the bundle that a command runs: the longest path of the bundle that the command names.
pub(super) fn script_of<'a>(hook: &HookRun<'_>, evidence: &'a Evidence) -> Option<(&'a str, &'a str)> {
    let names =
        evidence.documents.iter().filter(|(path, _)| hook.command.contains(path.as_str()) || is_named(hook, path));
    // `hooks/run.sh` names `run.sh` too: the longer path is the one that is meant.
    names.max_by_key(|(path, _)| path.len()).map(|(path, document)| (path.as_str(), document.text.as_str()))
}

/// True where the command names the file by its path under the folder that holds the hooks, or by its bare name.
fn is_named(hook: &HookRun<'_>, path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    name.contains('.')
        && hook
            .command
            .split(|letter: char| letter.is_whitespace() || matches!(letter, '/' | '"' | '\''))
            .any(|part| part == name)
}
