//! Client formats: the files that clients of AI agents read, as rows of `formats.toml`.
//!
//! A new format is a row there and a fixture in `capdex-rules` (`formats_tests.rs`). Readers are few; what each makes of
//! a file is told in [`FormatReader`].

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use crate::file_role::FileRole;
use crate::manifest::ManifestKind;
use capdex_model::capability::Kind;

/// One form of path that a client reads.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Format {
    /// The client, or the convention that several follow.
    pub client: String,
    /// The last components of the path, with `*` and `**`.
    pub path: String,
    /// The capability that such a file makes or belongs to.
    pub kind: Kind,
    /// The part that it plays there.
    pub role: FormatRole,
    /// The reader of its content.
    pub reader: FormatReader,
    /// False where other programs use the name as well, so that the content must show the format.
    #[serde(default = "certain")]
    pub certain: bool,
    /// The release or month from which the client reads it, where it is known.
    pub since: Option<String>,
    /// Where the form is written down.
    pub source: String,
    /// The components of `path`.
    #[serde(skip)]
    components: Vec<String>,
}

const fn certain() -> bool {
    true
}

/// The part that a file plays in its capability.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FormatRole {
    /// Describes what it belongs to.
    Manifest,
    /// Lists plugins.
    Marketplace,
    /// A project's own settings: what it uses, and no offer to others.
    Config,
    /// Declares commands on events, or is one.
    Hooks,
    /// Code that runs inside the client.
    Module,
    /// Standing instructions.
    Instructions,
    /// Commands that may run without a question.
    Permissions,
    /// An agent with its own prompt and tools.
    Agent,
    /// A command that the user calls by its name.
    Command,
    /// A prompt that the user picks.
    Prompt,
    /// A task with its prompt and servers.
    Recipe,
}

/// The reader of a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FormatReader {
    /// Markdown with YAML at its head.
    Frontmatter,
    /// Text that a model reads as it stands.
    Text,
    /// A script or program that the client runs; only names that scripts have fit.
    Executable,
    /// JavaScript or TypeScript that the client loads into its own process.
    Module,
    /// JSON with events and their handlers.
    JsonHooks,
    /// JSON settings with hooks, servers or both.
    JsonSettings,
    /// The same in TOML.
    TomlSettings,
    /// JSON with a list of servers.
    JsonServers,
    /// The same in YAML.
    YamlServers,
    /// A recipe in YAML, with its servers as extensions.
    Recipe,
    /// The manifest of a plugin, in JSON.
    Plugin,
    /// The manifest of a marketplace, in JSON.
    Marketplace,
    /// What an agent or a host says of itself to other agents, in JSON: an agent's card, a catalogue, an index of skills.
    Card,
    /// What a server says of itself to clients that have not connected yet, in JSON.
    ServerCard,
    /// The skills that were installed, with their sources, in JSON.
    SkillsLock,
}

impl FormatReader {
    /// The kind of manifest that it makes of JSON, TOML or YAML; none for readers of text and programs.
    pub const fn manifest_kind(self) -> Option<ManifestKind> {
        match self {
            Self::JsonHooks => Some(ManifestKind::HooksJson),
            Self::JsonSettings | Self::TomlSettings => Some(ManifestKind::SettingsJson),
            Self::JsonServers | Self::YamlServers | Self::Recipe => Some(ManifestKind::McpJson),
            Self::Plugin => Some(ManifestKind::PluginJson),
            Self::Marketplace => Some(ManifestKind::MarketplaceJson),
            Self::Card => Some(ManifestKind::Card),
            Self::ServerCard => Some(ManifestKind::ServerJson),
            Self::SkillsLock => Some(ManifestKind::SkillsLock),
            Self::Frontmatter | Self::Text | Self::Executable | Self::Module => None,
        }
    }

    /// True where it reads JSON, whatever the file's ending.
    pub const fn is_json(self) -> bool {
        self.manifest_kind().is_some() && !matches!(self, Self::TomlSettings | Self::YamlServers | Self::Recipe)
    }
}

impl Format {
    /// The role of a file of this format among others; none where its name and language tell it better.
    pub const fn file_role(&self) -> Option<FileRole> {
        match self.reader {
            FormatReader::Text | FormatReader::Frontmatter => Some(FileRole::Instruction),
            FormatReader::Executable | FormatReader::Module => Some(FileRole::Script),
            _ if self.certain => Some(FileRole::Manifest),
            _ => None,
        }
    }

    /// The folder that a file of this format speaks for: the one around the components of the row.
    pub fn root_of<'a>(&self, path: &'a str) -> &'a str {
        let components: Vec<&str> = path.split('/').collect();
        let above = begins(&self.components, &components).unwrap_or_default();
        let length: usize = components.iter().take(above).map(|component| component.len() + 1).sum();
        path.get(..length.saturating_sub(1)).unwrap_or_default()
    }

    /// The folder of its files below the [root](Self::root_of); none where they lie in the root itself, or where
    /// several folders fit.
    pub fn folder(&self) -> Option<&str> {
        let (folder, _) = self.path.rsplit_once('/')?;
        (!folder.contains('*')).then_some(folder)
    }

    fn fits(&self, path: &str, components: &[&str]) -> bool {
        (self.reader != FormatReader::Executable || is_script_name(path))
            && begins(&self.components, components).is_some()
    }
}

/// Every format, in the order of the file.
pub fn all() -> &'static [Format] {
    &TABLE.formats
}

/// The format of a path: the first row that fits.
pub fn of(path: &str) -> Option<&'static Format> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let by_name = TABLE.by_name.get(name).into_iter().flatten();
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    let by_ending = TABLE.by_ending.get(ending).into_iter().flatten();
    let mut rows: Vec<usize> = by_name.chain(by_ending).chain(&TABLE.others).copied().collect();
    if rows.is_empty() {
        return None;
    }
    rows.sort_unstable();
    let components: Vec<&str> = path.split('/').collect();
    let mut formats = rows.into_iter().filter_map(|row| TABLE.formats.get(row));
    formats.find(|format| format.fits(path, &components))
}

/// The format of a path, where that makes a given kind of capability.
pub fn of_kind(path: &str, kind: Kind) -> Option<&'static Format> {
    of(path).filter(|format| format.kind == kind)
}

/// The root of the plugin whose manifest a path would be.
pub fn plugin_root(path: &str) -> Option<&str> {
    let format = of_kind(path, Kind::Plugin)?;
    matches!(format.role, FormatRole::Manifest | FormatRole::Marketplace).then(|| format.root_of(path))
}

/// The formats with ways to find them, since every path of an input is asked for.
struct FormatTable {
    formats: Vec<Format>,
    /// Rows whose last component has no star, by that.
    by_name: BTreeMap<String, Vec<usize>>,
    /// Rows whose last component has one, by the ending of it.
    by_ending: BTreeMap<String, Vec<usize>>,
    /// Rows that fit names with any ending.
    others: Vec<usize>,
}

static TABLE: LazyLock<FormatTable> = LazyLock::new(|| {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct File {
        format: Vec<Format>,
    }
    let file: File = toml::from_str(include_str!("formats.toml")).expect("the compiled-in table parses, as tested");
    let mut table =
        FormatTable { formats: file.format, by_name: BTreeMap::new(), by_ending: BTreeMap::new(), others: Vec::new() };
    for (row, format) in table.formats.iter_mut().enumerate() {
        format.components = format.path.split('/').map(str::to_owned).collect();
        let name = format.components.last().cloned().unwrap_or_default();
        let ending = name.rsplit_once('.').map(|(_, ending)| ending.to_owned()).filter(|ending| !ending.contains('*'));
        match ending {
            _ if !name.contains('*') => table.by_name.entry(name).or_default().push(row),
            Some(ending) => table.by_ending.entry(ending).or_default().push(row),
            None => table.others.push(row),
        }
    }
    table
});

/// The number of components before those that a pattern fits, which must end where the path ends.
fn begins(pattern: &[String], path: &[&str]) -> Option<usize> {
    let Some((last, before)) = pattern.split_last() else { return Some(path.len()) };
    if last == "**" {
        // The fewest folders first, so that the root is the nearest.
        return (0..=path.len()).rev().find_map(|end| begins(before, path.get(..end)?));
    }
    let (name, above) = path.split_last()?;
    is_like(last, name).then(|| begins(before, above))?
}

/// True where a component fits one with a star at most.
fn is_like(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == name,
        Some((start, end)) => name.len() >= start.len() + end.len() && name.starts_with(start) && name.ends_with(end),
    }
}

/// True for the name of a script: with the ending of one, or with none, since the first line may name the interpreter.
fn is_script_name(path: &str) -> bool {
    const ENDINGS: [&str; 12] =
        [".sh", ".bash", ".zsh", ".py", ".js", ".mjs", ".cjs", ".ts", ".ps1", ".bat", ".cmd", ".rb"];
    let name = path.rsplit('/').next().unwrap_or(path);
    ENDINGS.iter().any(|end| name.ends_with(end)) || !name.contains('.')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(path: &str) -> Option<&'static str> {
        of(path).map(|format| format.path.as_str())
    }

    #[test]
    fn the_table_parses_and_every_row_says_where_it_comes_from() {
        let mut paths: Vec<&str> = all().iter().map(|format| format.path.as_str()).collect();
        let count = paths.len();
        paths.sort_unstable();
        paths.dedup();
        assert_eq!(paths.len(), count, "no path stands twice");
        for format in all() {
            assert!(!format.source.is_empty() && !format.client.is_empty(), "{}", format.path);
            let stars = format.components.iter().filter(|part| *part != "**").map(|part| part.matches('*').count());
            assert!(stars.max() <= Some(1), "{}", format.path);
        }
    }

    #[test]
    fn a_path_fits_by_its_last_components() {
        assert_eq!(row("a/.cursor/rules/b/c.mdc"), Some(".cursor/rules/**/*.mdc"));
        assert_eq!(row(".cursor/rules/c.mdc"), Some(".cursor/rules/**/*.mdc"));
        assert_eq!(row("my.cursor/rules/c.mdc"), None, "another folder");
        assert_eq!(row(".roo/rules-code/a.md"), Some(".roo/rules*/**/*.md"));
        assert_eq!(row(".claude/settings.local.json"), Some(".claude/settings*.json"));
        assert_eq!(row("assets/settings.json"), Some("settings*.json"), "where its content shows hooks");
        assert_eq!(row("my-settings.json"), None);
        assert_eq!(row("docs/AGENTS.md"), Some("AGENTS.md"));
        assert_eq!(row("hooks/hooks.a.json"), Some("hooks/*.json"));
    }

    #[test]
    fn only_what_may_be_a_script_is_an_executable() {
        assert_eq!(row(".clinerules/hooks/PreToolUse"), Some(".clinerules/hooks/*"));
        assert_eq!(row(".claude/hooks/lib/run.sh"), Some(".claude/hooks/**/*"));
        assert_eq!(row(".claude/hooks/NOTES.txt"), None);
        assert_eq!(row(".clinerules/hooks/notes.md"), Some(".clinerules/**/*.md"));
    }

    #[test]
    fn the_root_is_what_lies_around_the_row() {
        let root = |path: &'static str| of(path).map(|format| format.root_of(path));
        assert_eq!(root("p/q/.claude-plugin/plugin.json"), Some("p/q"));
        assert_eq!(root(".github/plugin/plugin.json"), Some(""));
        assert_eq!(root("p/gemini-extension.json"), Some("p"));
        assert_eq!(root("p/.kiro/agents/a/b.json"), Some("p"));
        assert_eq!(plugin_root("p/.agents/plugins/marketplace.json"), Some("p"));
        assert_eq!(plugin_root("p/AGENTS.md"), None);
    }
}
