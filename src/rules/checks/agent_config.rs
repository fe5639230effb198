//! Rules over the configuration of an OpenClaw agent that is shipped along (`openclaw.json`, JSON5).
//!
//! A shipped file is a sample that users copy, or a plugin's own settings: a choice, and so never above medium. A key
//! that a sample leaves out is not taken for its default. Source: SpiderRating's configuration codes.

use serde_json::Value;

use crate::FactSink;
use capdex_evidence::document::Document;
use capdex_evidence::file_role::FileRole;
use capdex_evidence::manifest::{escape, is_foreign, name_of, place_of, read_json5};
use capdex_evidence::subject::Subject;
use capdex_model::fact::{Confidence, Place, Severity};

/// The names of the file, that of today and those of before.
const NAMES: [&str; 3] = ["openclaw.json", "clawdbot.json", "moltbot.json"];

/// The gateway listens beyond the machine or asks nobody who they are.
pub(super) fn open_gateway(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    each(subject, facts, judge_open_gateway);
}

/// The gateway's token or password is short.
pub(super) fn weak_secret(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    each(subject, facts, judge_weak_secret);
}

/// The agent's commands run without a sandbox, or the sandbox may write to the workspace.
pub(super) fn no_sandbox(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    each(subject, facts, judge_no_sandbox);
}

/// Anybody may write to the agent.
pub(super) fn open_channel(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    each(subject, facts, judge_open_channel);
}

/// The agent has every tool, and none is denied.
pub(super) fn all_tools(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    each(subject, facts, judge_all_tools);
}

/// The agent has every tool but those that it denies.
pub(super) fn most_tools(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    each(subject, facts, judge_most_tools);
}

/// The agent has tools that run as an administrator.
pub(super) fn elevated_tools(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    each(subject, facts, judge_elevated_tools);
}

/// The agent's browser may open addresses of the private network.
pub(super) fn private_network(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    each(subject, facts, judge_private_network);
}

/// Secrets are written to the log as they are.
pub(super) fn open_log(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    each(subject, facts, judge_open_log);
}

/// The configurations among a capability's own files.
fn documents<'a>(subject: &Subject<'a>) -> impl Iterator<Item = &'a Document> {
    subject.documents().filter(|document| {
        NAMES.contains(&name_of(&document.path))
            && !matches!(document.role, FileRole::Binary | FileRole::Test)
            && !is_foreign(&document.path)
    })
}

/// A configuration while a rule looks at it.
struct Config<'d, 'f, 's> {
    document: &'d Document,
    value: Value,
    facts: &'f mut FactSink<'s>,
}

impl Config<'_, '_, '_> {
    fn at(&self, pointer: &str) -> Option<&Value> {
        self.value.pointer(pointer)
    }

    fn text(&self, pointer: &str) -> Option<&str> {
        self.at(pointer).and_then(Value::as_str)
    }

    fn is_true(&self, pointer: &str) -> bool {
        self.at(pointer) == Some(&Value::Bool(true))
    }

    fn found(&mut self, severity: Severity, pointer: &str, words: &str) {
        let place = place_of(self.document, pointer);
        self.facts.found_as(severity, Confidence::High, place, words);
    }
}

fn each(subject: &Subject<'_>, facts: &mut FactSink<'_>, look: fn(&mut Config<'_, '_, '_>)) {
    for document in documents(subject) {
        // What does not parse has a rule of its own.
        if let Ok(value) = read_json5(&document.text) {
            look(&mut Config { document, value, facts: &mut *facts });
        }
    }
}

fn judge_open_gateway(config: &mut Config<'_, '_, '_>) {
    let Some(gateway) = config.at("/gateway").and_then(Value::as_object) else { return };
    let bind = gateway.get("bind").and_then(Value::as_str).unwrap_or("loopback").to_owned();
    // A missing `bind` was taken as the loopback above: a sample is not read as more open than it says.
    let is_local = matches!(bind.as_str(), "loopback" | "tailnet" | "auto" | "localhost" | "127.0.0.1" | "::1");
    let mode = gateway.get("auth").and_then(|auth| auth.get("mode")).and_then(Value::as_str);
    let open = !gateway.contains_key("auth") || mode == Some("none");
    if !is_local {
        config.found(Severity::Medium, "/gateway/bind", &format!("the gateway binds to {bind}"));
    }
    if open {
        // On the machine itself only other programs of the user can reach it.
        let severity = if is_local { Severity::Info } else { Severity::Medium };
        config.found(severity, "/gateway", "the gateway asks for no authentication");
    }
}

fn judge_weak_secret(config: &mut Config<'_, '_, '_>) {
    for (mode, least) in [("token", 16), ("password", 12)] {
        let pointer = format!("/gateway/auth/{mode}");
        // A short secret of a mode that is not in use protects nothing and endangers nothing.
        let chosen = config.text("/gateway/auth/mode").is_none_or(|chosen| chosen == mode);
        let Some(secret) = config.text(&pointer) else { continue };
        let length = secret.chars().count();
        if chosen && length < least && !stands_for_another(secret) {
            config.found(Severity::Medium, &pointer, &format!("a {mode} of {length} characters"));
        }
    }
}

/// A reference to a variable, or words that ask to be replaced.
fn stands_for_another(secret: &str) -> bool {
    let folded = secret.to_ascii_lowercase();
    let words = ["your", "change", "replace", "example", "secret", "token", "password", "xxx", "..."];
    secret.is_empty() || secret.starts_with(['$', '<', '{']) || words.iter().any(|word| folded.contains(word))
}

fn judge_no_sandbox(config: &mut Config<'_, '_, '_>) {
    let Some(defaults) = config.at("/agents/defaults").and_then(Value::as_object) else { return };
    match defaults.get("sandbox") {
        None => config.found(Severity::Info, "/agents/defaults", "no sandbox is set"),
        Some(sandbox) => {
            let of = |key: &str| sandbox.get(key).and_then(Value::as_str);
            let (off, writes) = (of("mode") == Some("off"), of("workspaceAccess") == Some("rw"));
            if off {
                config.found(Severity::Medium, "/agents/defaults/sandbox/mode", "the sandbox is off");
            } else if writes {
                // With the sandbox off, its access to the workspace makes no difference.
                let words = "the sandbox may write to the workspace";
                config.found(Severity::Low, "/agents/defaults/sandbox/workspaceAccess", words);
            }
        }
    }
}

fn judge_open_channel(config: &mut Config<'_, '_, '_>) {
    let Some(channels) = config.at("/channels").and_then(Value::as_object) else { return };
    let open = channels.iter().filter(|(_, of)| of.get("dmPolicy").and_then(Value::as_str) == Some("open"));
    let found: Vec<(String, bool)> = open
        .map(|(name, channel)| {
            let allowed = channel.get("allowFrom").and_then(Value::as_array).into_iter().flatten();
            (name.clone(), allowed.into_iter().any(|who| who.as_str() == Some("*")))
        })
        .collect();
    for (name, anybody) in found {
        // Without the star `allowFrom` may still narrow who is heard.
        let severity = if anybody { Severity::Medium } else { Severity::Low };
        let pointer = format!("/channels/{}/dmPolicy", escape(&name));
        config.found(severity, &pointer, &format!("{name} takes messages of anybody"));
    }
}

fn judge_all_tools(config: &mut Config<'_, '_, '_>) {
    if config.text("/tools/profile") == Some("full") && !denies(config) {
        config.found(Severity::Medium, "/tools/profile", "every tool, and none is denied");
    }
}

/// Whoever keeps a list of what is denied has at least chosen.
fn judge_most_tools(config: &mut Config<'_, '_, '_>) {
    if config.text("/tools/profile") == Some("full") && denies(config) {
        config.found(Severity::Low, "/tools/profile", "every tool but those that it denies");
    }
}

fn denies(config: &Config<'_, '_, '_>) -> bool {
    config.at("/tools/deny").and_then(Value::as_array).is_some_and(|denied| !denied.is_empty())
}

fn judge_elevated_tools(config: &mut Config<'_, '_, '_>) {
    if config.is_true("/tools/elevated/enabled") {
        config.found(Severity::Medium, "/tools/elevated/enabled", "tools that run with more rights are on");
    }
}

fn judge_private_network(config: &mut Config<'_, '_, '_>) {
    let pointer = "/browser/ssrfPolicy/dangerouslyAllowPrivateNetwork";
    if config.is_true(pointer) {
        config.found(Severity::Medium, pointer, "the browser may open addresses of the private network");
    }
}

fn judge_open_log(config: &mut Config<'_, '_, '_>) {
    let pointer = "/logging/redactSensitive";
    let off = config.at(pointer) == Some(&Value::Bool(false)) || config.text(pointer) == Some("off");
    if off {
        config.found(Severity::Low, pointer, "secrets are written to the log as they are");
    }
}

/// The file is no JSON5.
pub(super) fn unreadable(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    for document in documents(subject) {
        if let Err(message) = read_json5(&document.text) {
            let place = Place { file: document.path.clone(), line: 1, column: 1, pointer: String::new() };
            facts.found(place, &message);
        }
    }
}
