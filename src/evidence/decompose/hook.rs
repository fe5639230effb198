//! Hooks: commands that an agent runs on its events, with the scripts that they call.
//!
//! No command is run. The files are rows of `formats.toml`. Sources of their content: the hook references of Claude Code,
//! Cursor, Copilot, Codex and Windsurf, Claude Code's page on mods, and the issues of Kiro that the table names.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;

use crate::Evidence;
use crate::formats::{self, FormatReader};
use crate::manifest::{Manifest, ManifestKind, around, escape, folder_of, is_foreign, join, locate, name_of, words_of};
use capdex_model::capability::Kind;
use capdex_model::fact::Place;
use capdex_model::snapshot::{Gap, GapReason};

use super::{AnchorFinderInput, CapabilityAnchor};

/// A command that an agent runs by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HookCommand {
    /// The event as the file names it: `PreToolUse`, `beforeShellExecution`; `statusLine` and `monitor` for commands
    /// that run without one.
    pub event: String,
    /// The command line; for an `http` hook the address, for a `prompt` or `agent` hook the prompt. It is `server/tool`
    /// for an `mcp_tool` hook, and the file for a `module`, which runs inside the client.
    pub command: String,
    /// `command`, `http`, `prompt` and so on, as the file says; `command` where it does not.
    pub form: String,
    /// The condition under which it runs, as the file says; none where it always does.
    pub condition: Option<String>,
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
pub fn commands_in(manifest: &Manifest) -> Vec<HookCommand> {
    let mut reader = HookReader { path: &manifest.path, found: Vec::new() };
    let value = &manifest.value;
    match manifest.kind {
        ManifestKind::HooksJson if value.get("hooks").is_none() => {
            reader.read_modules(value);
            // Kiro's older files hold one hook each.
            let trigger = value.pointer("/when/type").and_then(Value::as_str);
            match trigger {
                Some(trigger) => reader.read_action(trigger, value.get("then"), "/then"),
                // Some agents write the events at the top, without `hooks` around them.
                None => reader.read_events(value, ""),
            }
        }
        ManifestKind::HooksJson => {
            reader.read_modules(value);
            reader.read_hooks(value.get("hooks"), "/hooks");
        }
        ManifestKind::Frontmatter => reader.read_hooks(value.get("hooks"), "/hooks"),
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
        // Kiro's hooks stand in a list, each with its trigger.
        if let Some(action) = hooks.get("action").filter(|action| action.is_object()) {
            let trigger = hooks.get("trigger");
            let event = trigger.and_then(|trigger| trigger.as_str().or_else(|| trigger.get("type")?.as_str()));
            return self.read_action(event.unwrap_or("hook"), Some(action), &format!("{pointer}/action"));
        }
        // A plugin's manifest may hold the content of a whole `hooks.json`, with its own `hooks`.
        match hooks.get("hooks").filter(|inner| inner.is_object()) {
            Some(inner) => self.read_events(inner, &format!("{pointer}/hooks")),
            None => self.read_events(hooks, pointer),
        }
    }

    fn read_events(&mut self, events: &Value, pointer: &str) {
        for (event, entries) in events.as_object().into_iter().flatten() {
            let pointer = format!("{pointer}/{}", escape(event));
            // A single handler may stand without a list around it.
            if entries.is_object() {
                self.read_entry(event, entries, &pointer);
            }
            for (at, entry) in entries.as_array().into_iter().flatten().enumerate() {
                self.read_entry(event, entry, &format!("{pointer}/{at}"));
            }
        }
    }

    fn read_entry(&mut self, event: &str, entry: &Value, pointer: &str) {
        // Claude Code nests the actions in each entry; Cursor and Copilot write the command into it.
        let Some(actions) = entry.get("hooks").and_then(Value::as_array) else {
            return self.read_action(event, Some(entry), pointer);
        };
        for (at, action) in actions.iter().enumerate() {
            self.read_action(event, Some(action), &format!("{pointer}/hooks/{at}"));
        }
    }

    fn read_action(&mut self, event: &str, action: Option<&Value>, pointer: &str) {
        let Some(action) = action else { return };
        let text = |key: &str| action.get(key).and_then(Value::as_str);
        let form = text("type").unwrap_or("command");
        let condition = text("if");
        // All of them count: one action may have a command for each system.
        for key in ["command", "bash", "powershell", "url", "prompt"] {
            let Some(written) = text(key) else { continue };
            let mut command = written.to_owned();
            // With arguments beside it, it is run without a shell; the words are the same.
            let arguments = action.get("args").filter(|_| key == "command").and_then(Value::as_array);
            for argument in arguments.into_iter().flatten().filter_map(Value::as_str) {
                command.push(' ');
                command.push_str(argument);
            }
            self.keep(event, form, condition, command, format!("{pointer}/{key}"));
        }
        if let (Some(server), Some(tool)) = (text("server"), text("tool")) {
            self.keep(event, form, condition, format!("{server}/{tool}"), format!("{pointer}/tool"));
        }
    }

    /// Reads the files that the client loads into its own process.
    fn read_modules(&mut self, value: &Value) {
        for (at, module) in modules_of(value).enumerate() {
            self.keep("module", MODULE, None, module.to_owned(), format!("/modules/{at}"));
        }
    }

    fn keep(&mut self, event: &str, form: &str, condition: Option<&str>, command: String, pointer: String) {
        let place = Place { file: self.path.to_owned(), line: 1, column: 1, pointer };
        let (event, form, condition) = (event.to_owned(), form.to_owned(), condition.map(str::to_owned));
        self.found.push(HookCommand { event, command, form, condition, place });
    }
}

/// The form of a hook that is code inside the client.
const MODULE: &str = "module";

fn modules_of(value: &Value) -> impl Iterator<Item = &str> {
    value.get("modules").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
}

/// The folders to which the modules of a file are relative: its own, and the one around a folder `hooks`.
fn module_folders(path: &str) -> impl Iterator<Item = &str> {
    let folder = folder_of(path);
    [Some(folder), (name_of(folder) == "hooks").then(|| folder_of(folder))].into_iter().flatten()
}

/// Notes a gap for each module that a client would load and that is not there: its code was not looked at.
pub(crate) fn note_missing_modules(evidence: &mut Evidence) {
    let manifests = evidence.manifests.values();
    let mut gaps = Vec::new();
    for manifest in manifests.filter(|manifest| manifest.kind == ManifestKind::HooksJson && !is_foreign(&manifest.path))
    {
        for module in modules_of(&manifest.value) {
            let mut places = module_folders(&manifest.path).filter_map(|folder| join(folder, module));
            if !places.any(|path| evidence.documents.contains_key(&path)) {
                let detail = format!("the module {module:?}, which the client loads, is not there");
                gaps.push(Gap::new(&manifest.path, GapReason::NotFound, detail));
            }
        }
    }
    evidence.gaps.append(&mut gaps);
}

/// True where a file declares hooks.
pub(super) fn declares(manifest: &Manifest) -> bool {
    match manifest.kind {
        ManifestKind::HooksJson => true,
        ManifestKind::SettingsJson => {
            manifest.value.get("hooks").and_then(Value::as_object).is_some_and(|hooks| !hooks.is_empty())
        }
        _ => false,
    }
}

/// One anchor for each file with hooks, and for each script or module that a client runs for its place alone and that
/// no file accounts for.
pub(super) fn anchors(input: &AnchorFinderInput<'_>, plugins: &[CapabilityAnchor]) -> Vec<CapabilityAnchor> {
    let roots: BTreeSet<&str> = plugins.iter().map(|plugin| plugin.path.as_str()).collect();
    let files = input.own_manifests().filter(|manifest| declares(manifest));
    let mut anchors: Vec<CapabilityAnchor> = files.map(|manifest| of_file(input, &roots, manifest)).collect();
    let folders: BTreeSet<String> = anchors.iter().filter_map(|anchor| anchor.folder.clone()).collect();
    let named: BTreeSet<String> = anchors.iter().flat_map(|anchor| anchor.named.iter().cloned()).collect();
    // A script that a command names, or that lies in a claimed folder, is no hook of its own.
    let accounted = |path: &str| named.contains(path) || around(folder_of(path)).any(|folder| folders.contains(folder));
    let loose = input.own_paths().filter(|path| is_program(path) && !accounted(path));
    anchors.extend(loose.map(|path| CapabilityAnchor {
        named: imported_by(input, vec![path.to_owned()]),
        ..CapabilityAnchor::file(Kind::Hook, path, stem_of(path).to_owned())
    }));
    anchors
}

/// True for a program that a client runs because it lies where it does.
pub fn is_program(path: &str) -> bool {
    let programs = [FormatReader::Executable, FormatReader::Module];
    formats::of_kind(path, Kind::Hook).is_some_and(|format| programs.contains(&format.reader))
}

/// The most modules that one hook brings.
const MAX_MODULES: usize = 200;

/// The files that some modules import by relative paths, and what these import in turn.
fn imported_by(input: &AnchorFinderInput<'_>, modules: Vec<String>) -> Vec<String> {
    static IMPORTS: LazyLock<Regex> = LazyLock::new(|| {
        crate::expression::of(r#"(?:\bfrom|\bimport|\brequire)\s*\(?\s*["'](\.{1,2}/[^"'\s]{1,200})["']"#)
    });
    let known: BTreeSet<String> = modules.iter().cloned().collect();
    let mut found: BTreeSet<String> = BTreeSet::new();
    let mut open = modules;
    while let Some(module) = open.pop() {
        let Some(document) = input.evidence.documents.get(&module).filter(|_| found.len() < MAX_MODULES) else {
            continue;
        };
        for import in IMPORTS.captures_iter(&document.text).filter_map(|import| import.get(1)) {
            let imported = module_at(input, folder_of(&module), import.as_str());
            let imported = imported.filter(|path| !known.contains(path) && is_script(input, path));
            if let Some(path) = imported.filter(|path| found.insert(path.clone())) {
                open.push(path);
            }
        }
    }
    found.into_iter().collect()
}

/// The file that a relative import names, with the ending that a bundler or a type checker would add.
fn module_at(input: &AnchorFinderInput<'_>, folder: &str, written: &str) -> Option<String> {
    const ENDINGS: [&str; 9] = ["", ".ts", ".mts", ".js", ".mjs", ".cjs", ".json", "/index.ts", "/index.js"];
    let path = join(folder, written)?;
    // TypeScript names the file that the compiler would write.
    let plain = [".js", ".mjs"].iter().find_map(|end| path.strip_suffix(end));
    let bases = [Some(path.as_str()), plain];
    let named = bases.into_iter().flatten().flat_map(|base| ENDINGS.iter().map(move |end| format!("{base}{end}")));
    named.into_iter().find(|path| input.paths.contains(path.as_str()))
}

fn of_file(input: &AnchorFinderInput<'_>, plugin_roots: &BTreeSet<&str>, manifest: &Manifest) -> CapabilityAnchor {
    let path = manifest.path.as_str();
    let base = base_of(path, plugin_roots);
    let commands = commands_in(manifest);
    let mut named: Vec<String> = commands
        .iter()
        .filter(|command| !matches!(command.form.as_str(), "http" | "prompt" | "agent" | "mcp_tool" | MODULE))
        .flat_map(|command| scripts_of(input, base, folder_of(path), &command.command))
        .collect();
    let at = |module: &str| module_folders(path).find_map(|folder| module_at(input, folder, module));
    let modules: Vec<String> =
        modules_of(&manifest.value).filter_map(at).filter(|path| is_script(input, path)).collect();
    named.extend(imported_by(input, modules.clone()));
    named.extend(modules);
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

fn stem_of(path: &str) -> &str {
    let name = name_of(path);
    name.rsplit_once('.').map_or(name, |(stem, _)| if stem.is_empty() { name } else { stem })
}
