//! Hook commands: what a client runs on its events, read from hook files and settings.
//!
//! The rules about hooks judge the commands.

use serde_json::Value;

use capdex_evidence::manifest::{Manifest, ManifestKind};
use capdex_evidence::subject::Subject;

/// The most hooks that are read from one file.
const MAX_HOOKS: usize = 1_000;

/// One handler of an event.
pub(super) struct HookRun<'a> {
    /// The file that declares it.
    pub(super) path: &'a str,
    /// The event, such as `PreToolUse`.
    pub(super) event: &'a str,
    /// The JSON Pointer to the handler.
    pub(super) pointer: String,
    /// The command line; empty for other types.
    pub(super) command: &'a str,
    /// The address of an `http` handler; empty for other types.
    pub(super) url: &'a str,
}

/// The handlers that the manifests among a capability's files declare.
pub(super) fn hook_commands<'a>(subject: &Subject<'a>) -> Vec<HookRun<'a>> {
    let mut commands = Vec::new();
    let evidence = subject.evidence;
    for path in &subject.capability.files {
        let Some(manifest) = evidence.manifests.get(path) else { continue };
        if matches!(
            manifest.kind,
            ManifestKind::HooksJson | ManifestKind::SettingsJson | ManifestKind::PluginJson | ManifestKind::Frontmatter
        ) {
            collect(path, manifest, &mut commands);
        }
    }
    commands
}

fn collect<'a>(path: &'a str, manifest: &'a Manifest, commands: &mut Vec<HookRun<'a>>) {
    let Some(events) = manifest.value.get("hooks").and_then(Value::as_object) else { return };
    for (event, matchers) in events {
        for (index, matcher) in matchers.as_array().into_iter().flatten().enumerate() {
            let listed = matcher.get("hooks").and_then(Value::as_array);
            // Some clients list the handlers without a matcher around them.
            let handlers = listed.map_or(std::slice::from_ref(matcher), Vec::as_slice);
            for (inner, handler) in handlers.iter().enumerate() {
                // A prepared file could make every rule about hooks read a million handlers.
                if commands.len() >= MAX_HOOKS {
                    return;
                }
                let pointer = if listed.is_some() {
                    format!("/hooks/{event}/{index}/hooks/{inner}")
                } else {
                    format!("/hooks/{event}/{index}")
                };
                let text = |key: &str| handler.get(key).and_then(Value::as_str).unwrap_or_default();
                commands.push(HookRun { path, event, pointer, command: text("command"), url: text("url") });
            }
        }
    }
}
