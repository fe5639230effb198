//! Hooks: commands that an agent runs on its events, with the scripts that they call.
//!
//! No command is run. Sources: the hook references of Claude Code, Cursor, Copilot and Codex as of 2026-07.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::Evidence;
use crate::manifest::{Manifest, ManifestKind, around, escape, folder_of, join, locate, name_of, words_of};
use capdex_model::capability::Kind;
use capdex_model::fact::Place;

use super::{AnchorFinderInput, CapabilityAnchor};

/// A command that an agent runs by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HookCommand {
    /// The event as the file names it: `PreToolUse`, `beforeShellExecution`; `statusLine` and `monitor` for commands
    /// that run without one.
    pub event: String,
    /// The command line; for an `http` hook the address, for a `prompt` hook the prompt.
    pub command: String,
    /// `command`, `http`, `prompt` and so on, as the file says; `command` where it does not.
    pub form: String,
    /// Its place; `pointer` leads to it.
    pub place: Place,
}

/// The commands of one file in the order of the text. The file is a `hooks.json`, an agent's settings, a plugin's
/// manifest with hooks or monitors, or front matter with hooks. Empty for files that are none of these.
pub fn commands(evidence: &Evidence, path: &str) -> Vec<HookCommand> {
    let (Some(manifest), Some(document)) = (evidence.manifests.get(path), evidence.documents.get(path)) else {
        return Vec::new();
    };
    let mut found = commands_in(manifest);
    locate(manifest, document, found.iter_mut().map(|command| &mut command.place));
    found.sort_by(|a, b| (&a.place, &a.event).cmp(&(&b.place, &b.event)));
    found
}

/// The commands of a manifest, with pointers and without lines.
fn commands_in(manifest: &Manifest) -> Vec<HookCommand> {
    let mut reader = HookReader { path: &manifest.path, found: Vec::new() };
    let value = &manifest.value;
    match manifest.kind {
        // Some agents write the events at the top, without `hooks` around them.
        ManifestKind::HooksJson if value.get("hooks").is_none() => reader.read_events(value, ""),
        ManifestKind::HooksJson | ManifestKind::Frontmatter => reader.read_hooks(value.get("hooks"), "/hooks"),
        ManifestKind::SettingsJson => {
            reader.read_hooks(value.get("hooks"), "/hooks");
            // The status line is a command too, run without any event.
            reader.read_action("statusLine", value.get("statusLine"), "/statusLine");
        }
        ManifestKind::PluginJson => {
            reader.read_hooks(value.get("hooks"), "/hooks");
            for (at, monitor) in value.get("monitors").and_then(Value::as_array).into_iter().flatten().enumerate() {
                reader.read_action("monitor", Some(monitor), &format!("/monitors/{at}"));
            }
        }
        _ => {}
    }
    reader.found
}

struct HookReader<'a> {
    path: &'a str,
    found: Vec<HookCommand>,
}

impl HookReader<'_> {
    /// Reads an object of events, an object that wraps one once more, or an array of these.
    fn read_hooks(&mut self, hooks: Option<&Value>, pointer: &str) {
        match hooks {
            Some(Value::Array(parts)) => {
                for (at, part) in parts.iter().enumerate() {
                    self.read_wrapped(part, &format!("{pointer}/{at}"));
                }
            }
            Some(hooks) => self.read_wrapped(hooks, pointer),
            None => {}
        }
    }

    fn read_wrapped(&mut self, hooks: &Value, pointer: &str) {
        // A plugin's manifest may hold the content of a whole `hooks.json`, with its own `hooks`.
        match hooks.get("hooks").filter(|inner| inner.is_object()) {
            Some(inner) => self.read_events(inner, &format!("{pointer}/hooks")),
            None => self.read_events(hooks, pointer),
        }
    }

    fn read_events(&mut self, events: &Value, pointer: &str) {
        for (event, entries) in events.as_object().into_iter().flatten() {
            for (at, entry) in entries.as_array().into_iter().flatten().enumerate() {
                let pointer = format!("{pointer}/{}/{at}", escape(event));
                // Claude Code nests the actions in each entry; Cursor and Copilot write the command into it.
                match entry.get("hooks").and_then(Value::as_array) {
                    Some(actions) => {
                        for (at, action) in actions.iter().enumerate() {
                            self.read_action(event, Some(action), &format!("{pointer}/hooks/{at}"));
                        }
                    }
                    None => self.read_action(event, Some(entry), &pointer),
                }
            }
        }
    }

    fn read_action(&mut self, event: &str, action: Option<&Value>, pointer: &str) {
        let Some(action) = action else { return };
        let form = action.get("type").and_then(Value::as_str).unwrap_or("command");
        // All of them count: one action may have a command for each system.
        for key in ["command", "bash", "powershell", "url", "prompt"] {
            let Some(command) = action.get(key).and_then(Value::as_str) else { continue };
            let place = Place { file: self.path.to_owned(), line: 1, column: 1, pointer: format!("{pointer}/{key}") };
            let (event, command, form) = (event.to_owned(), command.to_owned(), form.to_owned());
            self.found.push(HookCommand { event, command, form, place });
        }
    }
}

/// One anchor for each file with hooks, and for each loose script in a `.claude/hooks/` that no file accounts for.
pub(super) fn anchors(input: &AnchorFinderInput<'_>, plugins: &[CapabilityAnchor]) -> Vec<CapabilityAnchor> {
    let declares = |manifest: &&Manifest| match manifest.kind {
        ManifestKind::HooksJson => true,
        ManifestKind::SettingsJson => {
            manifest.value.get("hooks").and_then(Value::as_object).is_some_and(|hooks| !hooks.is_empty())
        }
        _ => false,
    };
    let roots: BTreeSet<&str> = plugins.iter().map(|plugin| plugin.path.as_str()).collect();
    let files = input.own_manifests().filter(declares);
    let mut anchors: Vec<CapabilityAnchor> = files.map(|manifest| of_file(input, &roots, manifest)).collect();
    let folders: BTreeSet<String> = anchors.iter().filter_map(|anchor| anchor.folder.clone()).collect();
    let named: BTreeSet<String> = anchors.iter().flat_map(|anchor| anchor.named.iter().cloned()).collect();
    // A script that a command names, or that lies in a claimed folder, is no hook of its own.
    let accounted = |path: &str| named.contains(path) || around(folder_of(path)).any(|folder| folders.contains(folder));
    let loose = input.own_paths().filter(|path| is_loose_script(path) && !accounted(path));
    anchors.extend(loose.map(|path| CapabilityAnchor::file(Kind::Hook, path, stem_of(path).to_owned())));
    anchors
}

fn of_file(input: &AnchorFinderInput<'_>, plugin_roots: &BTreeSet<&str>, manifest: &Manifest) -> CapabilityAnchor {
    let path = manifest.path.as_str();
    let base = base_of(path, plugin_roots);
    let mut named: Vec<String> = commands_in(manifest)
        .iter()
        .filter(|command| !matches!(command.form.as_str(), "http" | "prompt"))
        .flat_map(|command| scripts_of(input, base, folder_of(path), &command.command))
        .collect();
    named.sort();
    named.dedup();
    CapabilityAnchor {
        named,
        folder: folder_for(input, path),
        ..CapabilityAnchor::file(Kind::Hook, path, stem_of(path).to_owned())
    }
}

/// The folder whose scripts belong to a file with hooks: the folder `hooks` around a `hooks.json`, and `.claude/hooks`
/// beside an agent's settings. Scripts there call each other, which the commands do not show.
fn folder_for(input: &AnchorFinderInput<'_>, path: &str) -> Option<String> {
    let folder = folder_of(path);
    if name_of(folder) == "hooks" {
        return Some(folder.to_owned());
    }
    // Only beside a dot folder's settings: any other `hooks` folder may be React's.
    let beside = join(folder, "hooks").filter(|_| name_of(folder).starts_with('.'))?;
    input.folders.contains(beside.as_str()).then_some(beside)
}

/// The folder that `${CLAUDE_PLUGIN_ROOT}` or the project's variable means to a file with hooks. It is the nearest
/// plugin's root, else the folder around its dot folder or its `hooks` folder.
fn base_of<'a>(path: &'a str, plugin_roots: &BTreeSet<&str>) -> &'a str {
    let folder = folder_of(path);
    // The variable is set per plugin, so that the nearest root is what it means.
    let plugin = around(folder).find(|folder| plugin_roots.contains(folder));
    let plain = |folder: &&str| name_of(folder) != "hooks" && !name_of(folder).starts_with('.');
    plugin.or_else(|| around(folder).find(plain)).unwrap_or_default()
}

/// The files of the input that a command line names.
fn scripts_of(input: &AnchorFinderInput<'_>, base: &str, folder: &str, command: &str) -> Vec<String> {
    words_of(command)
        .into_iter()
        .filter_map(|word| {
            let (rooted, relative) = without_variable(&word)?;
            // An unrooted path is relative to the project, and some files mean their own folder.
            let bases = if rooted { [base, ""] } else { [base, folder] };
            bases.into_iter().filter_map(|base| join(base, relative)).find(|path| is_script(input, path))
        })
        .collect()
}

/// A word's path without the variable in front of it, and whether there was one. None for absolute paths and other
/// variables.
fn without_variable(word: &str) -> Option<(bool, &str)> {
    if !word.starts_with('$') {
        return (!word.starts_with(['/', '~', '-'])).then_some((false, word));
    }
    let (variable, rest) = word.split_once('/')?;
    let name = variable.trim_start_matches(['$', '{']).trim_end_matches('}');
    // `${VARIABLE:-default}` names the variable before the colon.
    let name = name.split(':').next().unwrap_or_default();
    let known = ["PLUGIN_ROOT", "PROJECT_DIR", "PROJECT_ROOT", "WORKSPACE", "EXTENSION_PATH", "PWD", "SKILL_DIR"];
    known.iter().any(|end| name.ends_with(end)).then_some((true, rest))
}

/// True where a file may go to the hook that names it. One that registers MCP tools stays with its server, and what
/// anchors a capability is not given away in any case.
fn is_script(input: &AnchorFinderInput<'_>, path: &str) -> bool {
    // A hook may start a server, whose source must not leave it for that.
    let registers = input.evidence.sources.get(path).is_some_and(|view| !view.tools.is_empty());
    input.paths.contains(path) && !registers && !input.evidence.manifests.contains_key(path)
}

/// A script directly in a `.claude/hooks` folder or below.
fn is_loose_script(path: &str) -> bool {
    const SCRIPTS: [&str; 12] =
        [".sh", ".bash", ".zsh", ".py", ".js", ".mjs", ".cjs", ".ts", ".ps1", ".bat", ".cmd", ".rb"];
    let name = name_of(path);
    // A file without an ending may carry its interpreter in the first line.
    let named = SCRIPTS.iter().any(|end| name.ends_with(end)) || !name.contains('.');
    named && format!("/{}/", folder_of(path)).contains("/.claude/hooks/")
}

fn stem_of(path: &str) -> &str {
    let name = name_of(path);
    name.rsplit_once('.').map_or(name, |(stem, _)| if stem.is_empty() { name } else { stem })
}
