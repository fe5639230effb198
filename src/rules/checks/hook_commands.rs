//! Hook commands: what a client runs on its events, read from hook files and settings.
//!
//! The rules about hooks judge the commands.

use capdex_evidence::decompose::hook::{HookCommand, commands_in, is_program};
use capdex_evidence::manifest::ManifestKind;
use capdex_evidence::subject::Subject;

/// The most hooks that are read from one file.
const MAX_HOOKS: usize = 1_000;

/// One handler of an event.
pub(super) struct HookRun<'a> {
    /// The file that declares it.
    pub(super) path: &'a str,
    /// The event, such as `PreToolUse`; `module` for code that runs inside the client.
    pub(super) event: String,
    /// The JSON Pointer to the handler.
    pub(super) pointer: String,
    /// The command line, or the file of a module; empty for other types.
    pub(super) command: String,
    /// The address of an `http` handler; empty for other types.
    pub(super) url: String,
}

/// The handlers that the manifests among a capability's files declare, and the program that is a hook by itself.
pub(super) fn hook_commands<'a>(subject: &Subject<'a>) -> Vec<HookRun<'a>> {
    let mut runs = Vec::new();
    let (capability, evidence) = (subject.capability, subject.evidence);
    for path in &capability.files {
        let Some(manifest) = evidence.manifests.get(path) else { continue };
        if matches!(
            manifest.kind,
            ManifestKind::HooksJson | ManifestKind::SettingsJson | ManifestKind::PluginJson | ManifestKind::Frontmatter
        ) {
            // A prepared file could make every rule about hooks read a million handlers.
            runs.extend(commands_in(manifest).into_iter().take(MAX_HOOKS).filter_map(|command| run(path, command)));
        }
    }
    // Other programs in the folder are called by this one or by a command that was read above.
    if is_program(&capability.path) {
        let name = capability.path.rsplit('/').next().unwrap_or_default();
        let event = name.split('.').next().unwrap_or_default().to_owned();
        let (path, command) = (capability.path.as_str(), capability.path.clone());
        runs.push(HookRun { path, event, pointer: String::new(), command, url: String::new() });
    }
    runs
}

/// The handler that a command stands for. Prompts and calls of tools run nothing by themselves.
fn run(path: &str, command: HookCommand) -> Option<HookRun<'_>> {
    let (pointer, key) = command.place.pointer.rsplit_once('/')?;
    let (line, url) = match key {
        "url" => (String::new(), command.command),
        "prompt" | "tool" => return None,
        _ => (command.command, String::new()),
    };
    // A module has no handler around it.
    let pointer = if command.event == "module" { command.place.pointer.clone() } else { pointer.to_owned() };
    Some(HookRun { path, event: command.event, pointer, command: line, url })
}
