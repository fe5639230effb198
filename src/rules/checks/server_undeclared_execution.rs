//! Servers that run programs though nothing that they say of themselves mentions it.

use serde_json::Value;

use crate::FactSink;
use capdex_evidence::code::{Argument, Call};
use capdex_evidence::file_role::FileRole;
use capdex_evidence::manifest::{ManifestKind, is_foreign};
use capdex_evidence::subject::Subject;
use capdex_model::fact::{Confidence, Severity};

/// Parts of words by which a server declares that programs are run.
const DECLARES: [&str; 44] = [
    "shell",
    "terminal",
    "command",
    "execut",
    "exec",
    "run",
    "process",
    "script",
    "launch",
    "spawn",
    "start",
    "build",
    "compile",
    "test",
    "lint",
    "deploy",
    "install",
    "git",
    "docker",
    "kube",
    "container",
    "cli",
    "bash",
    "powershell",
    "python",
    "node",
    "code",
    "browser",
    "playwright",
    "puppeteer",
    "chrome",
    "ffmpeg",
    "convert",
    "render",
    "ssh",
    "adb",
    "xcode",
    "simulator",
    "applescript",
    "automation",
    "system",
    "local",
    "desktop",
    "package",
];

/// Calls that start a program.
const RUNS: [&str; 21] = [
    "child_process.exec",
    "child_process.execSync",
    "child_process.spawn",
    "child_process.spawnSync",
    "child_process.execFile",
    "child_process.execFileSync",
    "execa",
    "execa.execa",
    "Bun.spawn",
    "Bun.spawnSync",
    "subprocess.run",
    "subprocess.Popen",
    "subprocess.call",
    "subprocess.check_call",
    "subprocess.check_output",
    "subprocess.getoutput",
    "os.system",
    "os.popen",
    "os.execv",
    "asyncio.create_subprocess_exec",
    "asyncio.create_subprocess_shell",
];

/// Those of them that hand the text to a shell.
const SHELLS: [&str; 6] = [
    "child_process.exec",
    "child_process.execSync",
    "subprocess.getoutput",
    "os.system",
    "os.popen",
    "asyncio.create_subprocess_shell",
];

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    let Some((severity, call)) = worst_call(subject) else { return };
    // A list of tools that may change while the server runs says less of what is run; the published rule asks for both.
    let severity = if changes_its_tools(subject) { severity.max(Severity::Medium) } else { severity };
    // Asked last: reading all that a server says costs more than finding no call.
    if !declares(subject) {
        facts.found_as(severity, Confidence::Low, call.place.clone(), &call.text);
    }
}

/// The call that weighs most among a server's own sources, the first among equals.
fn worst_call<'a>(subject: &Subject<'a>) -> Option<(Severity, &'a Call)> {
    let mut worst: Option<(Severity, &Call)> = None;
    for document in subject.documents().filter(|document| document.role == FileRole::Source) {
        // Build scripts and libraries run programs as a matter of course; the server itself need not.
        if is_foreign(&document.path) || is_tooling(&document.path) {
            continue;
        }
        let Some(source) = subject.evidence.sources.get(&document.path) else { continue };
        for call in source.calls.iter().filter(|call| RUNS.contains(&call.callee.as_str())) {
            let severity = weigh(call);
            if worst.is_none_or(|(so_far, _)| severity > so_far) {
                worst = Some((severity, call));
            }
        }
    }
    worst
}

/// Folders and files that build or release a server and are no part of it.
fn is_tooling(path: &str) -> bool {
    path.split('/').any(|part| matches!(part, "scripts" | "script" | "tools" | "build" | "ci" | "bench" | "examples"))
        || path.contains(".config.")
        || path.ends_with("setup.py")
}

fn weigh(call: &Call) -> Severity {
    match call.arguments.first() {
        // A fixed command does the same whoever asks.
        Some(Argument::Literal(_)) => Severity::Info,
        _ if SHELLS.contains(&call.callee.as_str()) => Severity::Medium,
        _ => Severity::Low,
    }
}

/// True where a manifest declares that the list of tools may change (`capabilities.tools.listChanged`).
fn changes_its_tools(subject: &Subject<'_>) -> bool {
    let mut manifests = subject.evidence.manifests.values();
    manifests.any(|manifest| manifest.value.pointer("/capabilities/tools/listChanged") == Some(&Value::Bool(true)))
}

/// True where the server's name, description, keywords or tools mention that programs are run.
fn declares(subject: &Subject<'_>) -> bool {
    let says = |text: &str| {
        let folded = text.to_lowercase();
        DECLARES.iter().any(|word| folded.contains(word))
    };
    let claims = subject.claims;
    let listed = claims.description.known().into_iter().chain(claims.keywords.known().into_iter().flatten());
    let manifests = subject.evidence.manifests.values().filter(|manifest| {
        matches!(
            manifest.kind,
            ManifestKind::PackageJson | ManifestKind::PythonProject | ManifestKind::ServerJson | ManifestKind::Mcpb
        )
    });
    let described = manifests.flat_map(|manifest| {
        let project = manifest.value.get("project").unwrap_or(&manifest.value);
        ["name", "title", "description"].into_iter().filter_map(|key| project.get(key)?.as_str())
    });
    let tools = subject.tools().flat_map(|tool| [Some(tool.name.as_str()), tool.description.as_deref()]).flatten();
    // The name first: it is the shortest text, and often enough.
    says(&subject.capability.name)
        || listed.map(String::as_str).any(says)
        || described.into_iter().any(says)
        || tools.into_iter().any(says)
}
