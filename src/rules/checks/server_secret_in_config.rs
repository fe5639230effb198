//! server-secret-in-config: a configuration holds a secret in plain text.

use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;

use crate::FactSink;
use capdex_evidence::subject::Subject;
use capdex_model::fact::{Confidence, Place, Severity};

use super::server_launches::{ServerLaunch, server_launches};

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    for launch in server_launches(subject) {
        for (pointer, name, value) in settings(&launch) {
            if let Some((severity, confidence)) = judgement(name, value) {
                let place = Place { file: launch.path.to_owned(), pointer, ..Place::default() };
                // Masked here, because a secret of no known shape is not masked by other rules.
                facts.found_as(severity, confidence, place, &format!("{name}={}", masked(value)));
            }
        }
    }
}

static SHAPES: LazyLock<Regex> = LazyLock::new(|| {
    capdex_evidence::expression::of(concat!(
        r"(?-u)\b(?:AKIA[0-9A-Z]{16}|sk-ant-[\w-]{20,}|sk-(?:proj-)?[A-Za-z0-9_-]{20,}|gh[pousr]_[A-Za-z0-9]{30,}|github_pat_\w{40,}|glpat-[\w-]{20}",
        r"|xox[abposr]-[\w-]{10,}|AIza[\w-]{35}|npm_[A-Za-z0-9]{36}|[rs]k_live_[A-Za-z0-9]{20,}|eyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]{10,})"
    ))
});

/// The environment, the headers and the arguments of a server: pointer, name, value.
fn settings<'a>(launch: &ServerLaunch<'a>) -> Vec<(String, &'a str, &'a str)> {
    let mut found = Vec::new();
    for key in ["env", "headers"] {
        let pairs = launch.value.get(key).and_then(Value::as_object);
        for (name, value) in pairs.into_iter().flatten() {
            if let Some(value) = value.as_str() {
                found.push((format!("{}/{key}/{name}", launch.pointer), name.as_str(), value));
            }
        }
    }
    for (index, argument) in launch.arguments.iter().enumerate() {
        // `--api-key=…` names its value; a value in an argument of its own has no name and must have a known shape.
        let (name, value) = argument.split_once('=').unwrap_or(("argument", argument));
        found.push((format!("{}/args/{index}", launch.pointer), name, value));
    }
    found
}

fn judgement(name: &str, value: &str) -> Option<(Severity, Confidence)> {
    let bare = value.trim_start_matches("Bearer ").trim_start_matches("Basic ");
    // Asked before the shapes: documentation writes `sk-ant-your-key-here`.
    if is_placeholder(bare) {
        return None;
    }
    if SHAPES.is_match(bare) {
        return Some((Severity::High, Confidence::High));
    }
    let name = name.to_ascii_lowercase();
    let secret_name =
        ["token", "secret", "password", "passwd", "api_key", "apikey", "api-key", "private_key", "authorization"]
            .iter()
            .any(|part| name.contains(part));
    // Without a known shape only a dense value under a telling name is a secret: paths and sentences are none.
    let dense = bare.len() >= 20
        && !bare.contains([' ', '/', ':'])
        && bare.bytes().any(|byte| byte.is_ascii_digit())
        && distinct(bare) >= 10;
    (secret_name && dense).then_some((Severity::Medium, Confidence::Medium))
}

fn distinct(text: &str) -> usize {
    text.bytes().collect::<std::collections::BTreeSet<u8>>().len()
}

fn is_placeholder(value: &str) -> bool {
    let folded = value.to_ascii_lowercase();
    let words = [
        "your",
        "xxx",
        "example",
        "placeholder",
        "changeme",
        "change_me",
        "replace",
        "insert",
        "todo",
        "<",
        "${",
        "$(",
        "{{",
        "...",
        "***",
        "dummy",
        "sample",
        "_here",
        "-here",
        "1234567890",
        "abcdef",
    ];
    value.is_empty() || value.starts_with(['$', '%', '{']) || words.iter().any(|word| folded.contains(word))
}

/// The first four characters and the length.
fn masked(value: &str) -> String {
    let start: String = value.chars().take(4).collect();
    format!("{start}*** ({} characters)", value.chars().count())
}
