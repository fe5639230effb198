//! Servers whose container is none: privileged, or with the host's own sockets and folders inside.

use crate::FactSink;
use capdex_evidence::document::Document;
use capdex_evidence::file_role::FileRole;
use capdex_evidence::manifest::{is_foreign, name_of};
use capdex_evidence::subject::Subject;
use capdex_model::fact::{Confidence, Place, Severity};

use super::server_launches::{ServerLaunch, server_launches};

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    for launch in server_launches(subject) {
        if let Some((severity, words)) = launched(&launch) {
            let pointer = format!("{}/args", launch.pointer);
            let place = Place { file: launch.path.to_owned(), pointer, ..Place::default() };
            facts.found_as(severity, Confidence::High, place, &words);
        }
    }
    for document in subject.documents().filter(|document| is_compose(document)) {
        composed(document, facts);
    }
}

/// The thing that an argument gives away: the control of the host, or a part of its walls.
fn weakness(argument: &str) -> Option<Severity> {
    let argument = argument.trim_matches(['"', '\'']);
    // `-v /:/host` and `--volume=/:/host` both end in the mount, the host's side first.
    let mounted = argument.split(['=', ',']).next_back().unwrap_or(argument).split(':').next().unwrap_or_default();
    let whole = argument == "--privileged"
        || argument.eq_ignore_ascii_case("--cap-add=all")
        || argument.eq_ignore_ascii_case("--cap-add=sys_admin")
        || matches!(argument, "--pid=host" | "--security-opt=seccomp=unconfined");
    if whole || (mounted == "/" && argument.contains(':')) {
        Some(Severity::Medium)
    } else if argument.contains("/docker.sock") || argument.contains("/containerd.sock") {
        // Whoever controls the engine controls the host, but tools for containers need exactly that.
        Some(Severity::Low)
    } else {
        None
    }
}

fn launched(launch: &ServerLaunch<'_>) -> Option<(Severity, String)> {
    let program = launch.command.rsplit(['/', '\\']).next().unwrap_or_default();
    if !matches!(program, "docker" | "podman" | "nerdctl") {
        return None;
    }
    let found = launch.arguments.iter().filter_map(|argument| Some((weakness(argument)?, (*argument).to_owned())));
    // One finding for each launch, the worst.
    found.max_by_key(|(severity, _)| *severity)
}

fn is_compose(document: &Document) -> bool {
    let name = name_of(&document.path);
    let named = name.contains("compose") && (name.ends_with(".yml") || name.ends_with(".yaml"));
    named && !matches!(document.role, FileRole::Test | FileRole::Binary) && !is_foreign(&document.path)
}

/// A compose file line by line: it may hold variables that no YAML parser takes.
fn composed(document: &Document, facts: &mut FactSink<'_>) {
    let mut offset = 0;
    for line in document.text.split_inclusive('\n') {
        let text = line.trim().trim_start_matches("- ").trim();
        let found = if text == "privileged: true" || text == "pid: host" || text == "pid: \"host\"" {
            Some(Severity::Medium)
        } else if line.trim_start().starts_with("- ") {
            weakness(text)
        } else {
            None
        };
        if let Some(severity) = found {
            facts.found_as(severity, Confidence::High, document.place(offset), text);
        }
        offset += line.len();
    }
}
