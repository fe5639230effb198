//! What the agents of this machine load beside their servers: skills, plugins, hooks, commands, agents and rules files, in
//! the folders of their clients below home and in the working folder.
//!
//! Paths are those of `evidence/formats.toml`. A link is followed within the folder that is searched; one that leads out of it
//! is told as something that was not looked at. Nothing is judged here.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use capdex_evidence::decompose::hook;
use capdex_evidence::document::Document;
use capdex_evidence::formats::{self, Format, FormatReader, FormatRole};
use capdex_evidence::manifest;
use capdex_evidence::recorded::ReadingReason;
use capdex_model::bundle::BundleFile;
use capdex_model::capability::Kind;

/// Client folders whose files have other paths there than in a project: the place on the disk, and what it stands for.
const ELSEWHERE: [(&str, &str); 3] =
    [(".config/opencode", ".opencode"), (".copilot", ".github"), (".codeium/windsurf", ".windsurf")];
/// Levels below a client's folder that are looked through: an installed plugin lies five down.
const DEPTH: usize = 7;
/// Entries that are looked at below one client's folder.
const MAX_ENTRIES: usize = 50_000;
/// The most bytes of one file that stands alone. Instructions and settings have a thousandth of it.
const MAX_BYTES: u64 = 8 << 20;
/// What Claude Code remembers, what its user said among it. Its servers are read for themselves, and it has no hooks.
const MEMORY: &str = ".claude.json";
/// Folders in those of clients that hold what agents said and did, copies and caches: nothing there is loaded.
const NOT_LOADED: [&str; 20] = [
    ".git",
    "node_modules",
    "projects",
    "todos",
    "tasks",
    "plans",
    "sessions",
    "archived_sessions",
    "session-env",
    "shell-snapshots",
    "file-history",
    "paste-cache",
    "image-cache",
    "statsig",
    "debug",
    "log",
    "logs",
    "history",
    "tmp",
    "workspaceStorage",
];
/// Folders that hold editors' own extensions but under these clients, which keep theirs there.
const EXTENSIONS: (&str, [&str; 2]) = ("extensions", [".gemini", ".qwen"]);
/// Clones of whole marketplaces, of which only what is installed is loaded.
const MARKETPLACES: &str = "plugins/marketplaces";
/// The list of what is installed of them.
const INSTALLED: &str = "plugins/installed_plugins.json";

/// Files that stand alone in one client's folder, with their bytes.
#[derive(Debug)]
pub struct LooseFiles {
    /// Home or the working folder, below which the files lie.
    pub root: PathBuf,
    /// The folder as it is shown: `~/.claude`, `.cursor`, `~` for home itself.
    pub shown: String,
    /// The files by the path by which formats know them.
    pub files: BTreeMap<String, BundleFile>,
    /// The paths of the files as they are shown, by the same.
    pub places: BTreeMap<String, String>,
}

/// Everything that is there.
#[derive(Debug, Default)]
pub struct LoadedHere {
    /// Folders that are a skill or a plugin as a whole: the path, and as it is shown.
    pub folders: Vec<(PathBuf, String)>,
    /// Files that stand alone, by client.
    pub loose: Vec<LooseFiles>,
    /// What could not be looked at, as it is shown, and why.
    pub refused: Vec<(String, String)>,
}

/// Finds what agents load below a home folder and in a working folder.
pub fn find(home: Option<&Path>, working: &Path) -> LoadedHere {
    let mut search = Search::default();
    if let Some(home) = home {
        search.root(home, "~/", &ELSEWHERE);
    }
    search.root(working, "", &[]);
    search.found
}

#[derive(Default)]
struct Search {
    found: LoadedHere,
    /// Places that were met, so that two ways to one are judged once.
    met: BTreeSet<PathBuf>,
}

/// One client's folder while it is walked.
struct ClientFolder<'a> {
    root: &'a Path,
    /// Its path below the root, and the one that formats know.
    path: &'a str,
    known_as: &'a str,
    /// What stands before paths below the root.
    prefix: &'a str,
}

impl ClientFolder<'_> {
    fn on_disk(&self, below: &str) -> PathBuf {
        self.root.join(self.path).join(below)
    }

    fn shown(&self, below: &str) -> String {
        format!("{}{}", self.prefix, joined(self.path, below))
    }

    fn known(&self, below: &str) -> String {
        joined(self.known_as, below)
    }
}

impl Search {
    fn root(&mut self, root: &Path, prefix: &str, elsewhere: &[(&str, &str)]) {
        let Ok(root) = root.canonicalize() else { return };
        let folder = |path, known_as| ClientFolder { root: &root, path, known_as, prefix };
        self.client(&folder("", ""), 0);
        for name in client_folders() {
            self.client(&folder(name, name), DEPTH);
        }
        for (path, known_as) in elsewhere {
            self.client(&folder(path, known_as), DEPTH);
        }
    }

    /// Looks through one client's folder; through a root itself without the folders in it.
    fn client(&mut self, client: &ClientFolder<'_>, depth: usize) {
        let installed = installed(client);
        let mut waiting = VecDeque::from([(String::new(), depth)]);
        let (mut looked, mut entered, mut loose) = (0, BTreeSet::new(), BTreeMap::new());
        while let Some((folder, depth)) = waiting.pop_front() {
            let Some(place) = within(client.root, &client.on_disk(&folder)) else { continue };
            // A link back is walked once.
            if !entered.insert(place.clone()) {
                continue;
            }
            let entries = match std::fs::read_dir(&place) {
                Ok(entries) => entries,
                Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => {
                    self.refuse(&place, client.shown(&folder), error.to_string());
                    continue;
                }
                Err(_) => continue,
            };
            for entry in entries.flatten() {
                looked += 1;
                if looked > MAX_ENTRIES {
                    let why = format!("it has more than {MAX_ENTRIES} entries, and the rest was not looked at");
                    self.refuse(&place, client.shown(&folder), why);
                    waiting.clear();
                    break;
                }
                let Some(name) = entry.file_name().to_str().map(str::to_owned) else { continue };
                let below = joined(&folder, &name);
                let format = formats::of(&client.known(&below)).filter(|format| is_loaded(format, client));
                if format.is_none() && (depth == 0 || is_skipped(client, &folder, &name)) {
                    continue;
                }
                let Some(target) = within(client.root, &entry.path()) else {
                    self.tell_of_a_way_out(client, &below, format.is_some(), &entry.path());
                    continue;
                };
                if target.is_dir() {
                    if depth == 0 || (below == MARKETPLACES && installed.is_empty()) {
                        continue;
                    }
                    let is_whole = is_skill(&target) || is_plugin(&target);
                    // Of a clone of a marketplace only what is installed from it.
                    let is_clone = below.starts_with(&format!("{MARKETPLACES}/"));
                    if is_whole && (!is_clone || installed.contains(&target)) {
                        if self.met.insert(target.clone()) {
                            self.found.folders.push((target, client.shown(&below)));
                        }
                    } else {
                        waiting.push_back((below, depth - 1));
                    }
                } else if format.is_some() && target.is_file() && self.met.insert(target.clone()) {
                    loose.insert(below, target);
                }
            }
        }
        self.take_loose(client, loose);
        self.found.folders.sort();
    }

    /// A link out of what is searched is not followed: a project's may lead anywhere. What an agent would load there is unknown.
    fn tell_of_a_way_out(&mut self, client: &ClientFolder<'_>, below: &str, is_file: bool, path: &Path) {
        let Ok(target) = path.canonicalize() else { return };
        if is_file || is_skill(&target) || is_plugin(&target) {
            let why = format!("a link to {0}, which is not followed; `capdex scan {0}` judges it", target.display());
            self.refuse(path, client.shown(below), why);
        }
    }

    /// Tells once what could not be looked at: the working folder may be home.
    fn refuse(&mut self, place: &Path, shown: String, why: String) {
        if self.met.insert(place.to_owned()) {
            self.found.refused.push((shown, why));
        }
    }

    /// Reads the files that stand alone, and the programs of this folder that they name.
    fn take_loose(&mut self, client: &ClientFolder<'_>, loose: BTreeMap<String, PathBuf>) {
        let (mut files, mut places) = (BTreeMap::new(), BTreeMap::new());
        let mut named = BTreeSet::new();
        for (below, path) in loose {
            let known = client.known(&below);
            match read(&path) {
                Ok(bytes) => {
                    named.extend(programs(&known, &bytes));
                    places.insert(known.clone(), client.shown(&below));
                    files.insert(known, BundleFile::new(bytes));
                }
                Err(why) => self.found.refused.push((client.shown(&below), why)),
            }
        }
        // What a hook runs may lie anywhere below the root, and is part of what the agent loads.
        for below_root in named {
            let Some(path) = within(client.root, &client.root.join(&below_root)).filter(|path| path.is_file()) else {
                continue;
            };
            if !files.contains_key(&below_root)
                && let Ok(bytes) = read(&path)
            {
                places.insert(below_root.clone(), format!("{}{below_root}", client.prefix));
                files.insert(below_root, BundleFile::new(bytes));
            }
        }
        if !files.is_empty() {
            let shown = client.shown("");
            let shown = match shown.trim_end_matches('/') {
                "" => ".".to_owned(),
                shown => shown.to_owned(),
            };
            self.found.loose.push(LooseFiles { root: client.root.to_owned(), shown, files, places });
        }
    }
}

fn joined(folder: &str, name: &str) -> String {
    match (folder, name) {
        ("", name) => name.to_owned(),
        (folder, "") => folder.to_owned(),
        (folder, name) => format!("{folder}/{name}"),
    }
}

/// Where a path leads, if that lies in `root`.
fn within(root: &Path, path: &Path) -> Option<PathBuf> {
    path.canonicalize().ok().filter(|target| target.starts_with(root))
}

/// The folders in which clients keep what they load, by the first components of the formats.
fn client_folders() -> BTreeSet<&'static str> {
    let first = |format: &'static Format| format.path.split_once('/').map(|(first, _)| first);
    let folders = formats::all().iter().filter(|format| is_used(format)).filter_map(first);
    folders.filter(|first| first.starts_with('.') && *first != ".config").collect()
}

/// True for what a client takes for its own use, and false for what describes something that is offered.
fn is_used(format: &Format) -> bool {
    let is_offer = matches!(format.role, FormatRole::Manifest | FormatRole::Marketplace | FormatRole::Recipe);
    !is_offer && format.reader != FormatReader::SkillsLock
}

/// The same for a file in one folder. In a root only what has its place there: `hooks.json` belongs to a plugin.
fn is_loaded(format: &Format, client: &ClientFolder<'_>) -> bool {
    let is_at_home_in_a_root = matches!(format.role, FormatRole::Instructions | FormatRole::Config);
    is_used(format) && format.path != MEMORY && (!client.path.is_empty() || is_at_home_in_a_root)
}

fn is_skipped(client: &ClientFolder<'_>, folder: &str, name: &str) -> bool {
    let (extensions, clients) = EXTENSIONS;
    // A skill may have any name.
    let is_kept = folder.ends_with("skills") || folder.ends_with("skill");
    !is_kept && (NOT_LOADED.contains(&name) || (name == extensions && !clients.contains(&client.path)))
}

fn is_skill(folder: &Path) -> bool {
    folder.join("SKILL.md").is_file()
}

/// True where a plugin's manifest lies in a folder.
fn is_plugin(folder: &Path) -> bool {
    let manifests = formats::all().iter().filter(|format| format.kind == Kind::Plugin && format.certain);
    let mut manifests = manifests.filter(|format| format.role == FormatRole::Manifest);
    manifests.any(|format| folder.join(&format.path).is_file())
}

/// Where the plugins lie that a client's own list calls installed.
fn installed(client: &ClientFolder<'_>) -> BTreeSet<PathBuf> {
    let bytes = within(client.root, &client.on_disk(INSTALLED)).and_then(|path| read(&path).ok()).unwrap_or_default();
    let mut waiting: Vec<serde_json::Value> = serde_json::from_slice(&bytes).into_iter().collect();
    let mut places = BTreeSet::new();
    while let Some(value) = waiting.pop() {
        match value {
            serde_json::Value::Array(values) => waiting.extend(values),
            serde_json::Value::Object(values) => {
                let place = values.get("installPath").and_then(serde_json::Value::as_str).map(PathBuf::from);
                places.extend(place.and_then(|place| within(client.root, &place)));
                waiting.extend(values.into_iter().map(|(_, value)| value));
            }
            _ => {}
        }
    }
    places
}

/// The bytes of a file of bounded size.
fn read(path: &Path) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    let opened = File::open(path).map_err(|error| error.to_string())?;
    opened.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    if bytes.len() as u64 > MAX_BYTES { Err(format!("it has more than {MAX_BYTES} bytes")) } else { Ok(bytes) }
}

/// The files below home or the project that the hooks of a file start, as paths from there.
fn programs(path: &str, bytes: &[u8]) -> BTreeSet<String> {
    const ROOTS: [&str; 6] =
        ["~/", "$HOME/", "${HOME}/", "$CLAUDE_PROJECT_DIR/", "${CLAUDE_PROJECT_DIR}/", "$GEMINI_PROJECT_DIR/"];
    let mut gaps = Vec::new();
    let document = Document::read(path, bytes, &mut gaps);
    let manifest = manifest::read(&document, ReadingReason::Named, &mut gaps);
    let commands = manifest.as_ref().map(hook::commands_in).unwrap_or_default();
    let words = commands.iter().flat_map(|command| command.command.split_whitespace());
    let plain = words.map(|word| word.replace(['"', '\''], ""));
    let below = plain.filter_map(|word| {
        let path = ROOTS.iter().find_map(|root| word.strip_prefix(root)).map(str::to_owned);
        // A path of its own is one from the project.
        path.or_else(|| (word.contains('/') && !word.starts_with(['/', '-']) && !word.contains("..")).then_some(word))
    });
    below.map(|path| path.trim_start_matches("./").to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(root: &Path, path: &str, text: &str) {
        let path = root.join(path);
        std::fs::create_dir_all(path.parent().expect("below")).expect("writes");
        std::fs::write(path, text).expect("writes");
    }

    #[test]
    fn skills_plugins_and_loose_files_of_clients_are_found_and_nothing_else() {
        let home = tempfile::TempDir::new().expect("a folder");
        let hook = r#"{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"sh \"$HOME/bin/said.sh\""}]}]}}"#;
        for (path, text) in [
            (".claude/skills/a/SKILL.md", "a"),
            (".claude/skills/a/scripts/x.sh", "x"),
            (".claude/skills/group/b/SKILL.md", "b"),
            (".claude/settings.json", hook),
            ("bin/said.sh", "echo"),
            ("bin/other.sh", "echo"),
            (".claude/commands/deep/c.md", "c"),
            (".claude/notes.txt", "n"),
            (".claude/projects/p/CLAUDE.md", "p"),
            (".claude/plugins/cache/m/p/1.0/.claude-plugin/plugin.json", "{}"),
            (".claude/plugins/marketplaces/m/q/.claude-plugin/plugin.json", "{}"),
            (".gemini/extensions/e/gemini-extension.json", "{}"),
            (".cursor/extensions/e/AGENTS.md", "e"),
            (".config/opencode/command/o.md", "o"),
            (".config/other/AGENTS.md", "o"),
            (".codex/AGENTS.md", "g"),
            ("CLAUDE.md", "h"),
            (".claude.json", "{}"),
            ("hooks.json", hook),
            ("src/AGENTS.md", "not of the root"),
        ] {
            write(home.path(), path, text);
        }
        let found = find(Some(home.path()), home.path());
        let folders: Vec<&str> = found.folders.iter().map(|(_, shown)| shown.as_str()).collect();
        let expected = [
            "~/.claude/plugins/cache/m/p/1.0",
            "~/.claude/skills/a",
            "~/.claude/skills/group/b",
            "~/.gemini/extensions/e",
        ];
        assert_eq!(folders, expected);
        let loose: Vec<&str> = found.loose.iter().flat_map(|one| one.places.values()).map(String::as_str).collect();
        let expected = [
            "~/CLAUDE.md",
            "~/.claude/commands/deep/c.md",
            "~/.claude/settings.json",
            "~/bin/said.sh",
            "~/.codex/AGENTS.md",
            "~/.config/opencode/command/o.md",
        ];
        assert_eq!(loose, expected);
        assert!(found.refused.is_empty(), "{:?}", found.refused);
    }

    #[test]
    fn of_a_clone_of_a_marketplace_only_what_is_installed_is_found() {
        let home = tempfile::TempDir::new().expect("a folder");
        let root = home.path().canonicalize().expect("a path");
        for plugin in ["p", "q"] {
            write(&root, &format!(".claude/plugins/marketplaces/m/{plugin}/.claude-plugin/plugin.json"), "{}");
        }
        let path = root.join(".claude/plugins/marketplaces/m/q");
        let list = serde_json::json!({"version": 2, "plugins": {"q@m": [{"scope": "user", "installPath": path}]}});
        write(&root, ".claude/plugins/installed_plugins.json", &list.to_string());
        let found = find(Some(&root), &root);
        let shown: Vec<&str> = found.folders.iter().map(|(_, shown)| shown.as_str()).collect();
        assert_eq!(shown, ["~/.claude/plugins/marketplaces/m/q"]);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_out_of_the_folder_is_told_and_one_within_is_followed_once() {
        let (home, elsewhere) =
            (tempfile::TempDir::new().expect("a folder"), tempfile::TempDir::new().expect("a folder"));
        write(home.path(), ".agents/skills/a/SKILL.md", "a");
        write(elsewhere.path(), "b/SKILL.md", "b");
        std::fs::create_dir_all(home.path().join(".claude/skills")).expect("writes");
        let link = |to: PathBuf, at: &str| std::os::unix::fs::symlink(to, home.path().join(at)).expect("links");
        link(home.path().join(".agents/skills/a"), ".claude/skills/a");
        link(elsewhere.path().join("b"), ".claude/skills/b");
        let found = find(Some(home.path()), home.path());
        assert_eq!(found.folders.len(), 1, "{:?}", found.folders);
        let [(shown, why)] = found.refused.as_slice() else { panic!("{:?}", found.refused) };
        assert_eq!(shown, "~/.claude/skills/b");
        assert!(why.contains("is not followed; `capdex scan "), "{why}");
    }
}
