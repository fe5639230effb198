//! Commands that install or start what strangers publish.
//!
//! Runners are read by `check`; commands that install for an agent are rows of `installs.txt`. The client that is installed for
//! is any word, since new ones come each month.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;
use std::sync::LazyLock;

use capdex_model::source_role::Ecosystem;
use serde_json::{Value, json};

use crate::check::target::{self, CheckSubject, CheckTarget};
use crate::check::{launch, named_file};

/// Something that a command would bring.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Install {
    /// The command in our words: its first words, and nothing of its arguments.
    pub what: String,
    /// The things that it names.
    pub targets: Vec<CheckTarget>,
}

/// The form of the words behind those of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Behind {
    Server,
    ServerJson,
    Extension,
    Node,
    Python,
}

struct Row {
    words: Vec<&'static str>,
    behind: Behind,
}

static ROWS: LazyLock<Vec<Row>> = LazyLock::new(|| {
    let lines = include_str!("installs.txt").lines().filter(|line| !line.starts_with('#'));
    let row = |line: &'static str| {
        let (words, behind) = line.split_once('|')?;
        let behind = match behind.trim() {
            "server" => Behind::Server,
            "server-json" => Behind::ServerJson,
            "extension" => Behind::Extension,
            "node" => Behind::Node,
            "python" => Behind::Python,
            _ => return None,
        };
        Some(Row { words: words.split_whitespace().collect(), behind })
    };
    lines.filter_map(row).collect()
});

/// Options of clients' commands with a value of their own.
const VALUED: [&str; 19] = [
    "-s",
    "--scope",
    "-t",
    "--transport",
    "-e",
    "--env",
    "-H",
    "--header",
    "--timeout",
    "--description",
    "--url",
    "--ref",
    "-a",
    "--agent",
    "--skill",
    "--registry",
    "--bearer-token-env-var",
    "--include-tools",
    "--exclude-tools",
];

/// Programs that start containers: what runs there is no part of the agent, and their images are never judged.
const CONTAINERS: [&str; 3] = ["docker", "podman", "nerdctl"];

/// Options with which a program tells of itself.
const ABOUT_ITSELF: [&str; 5] = ["--version", "-v", "-V", "--help", "-h"];

/// The install that one command is; none for a command that brings nothing. `variables` are the names of those that are set for it.
pub fn of_command(words: &[String], variables: &[String]) -> Option<Install> {
    let texts: Vec<&str> = words.iter().map(String::as_str).collect();
    // `command -v npx` asks where it is.
    if texts.iter().skip(1).all(|word| ABOUT_ITSELF.contains(word)) {
        return None;
    }
    let is_container = texts.first().is_some_and(|program| CONTAINERS.contains(program));
    let launched = launch::of_command(words, variables).filter(|_| !is_container);
    let Some(launched) = launched else { return of_rows(&texts) };
    let what = launched.started_as.split(' ').next().unwrap_or_default().to_owned();
    let mut targets = launched.targets;
    // A package that is started may itself be an installer: `npx skills add owner/name`.
    let started = launched.started_as.rsplit(' ').next().unwrap_or_default();
    let bare = started.rsplit('/').next().unwrap_or(started).split('@').next().unwrap_or_default();
    let at = texts.iter().position(|word| *word == started);
    let inner: Vec<&str> = at.map(|at| [&[bare], texts.get(at + 1..).unwrap_or_default()].concat()).unwrap_or_default();
    if let Some(install) = of_rows(&inner) {
        targets.extend(install.targets);
        return Some(Install { what: format!("{what} {}", install.what), targets });
    }
    Some(Install { what, targets })
}

/// True where a command only starts a program that is installed in its folder already, or above: nothing is fetched then.
pub fn is_installed(words: &[String], folder: &Path) -> bool {
    let [runner, name, ..] = words else { return false };
    // With options, a version or a scope another package may be meant.
    let is_bare = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
        && !name.starts_with(['-', '.']);
    ["npx", "bunx", "pnpx"].contains(&runner.as_str())
        && is_bare
        && folder.ancestors().any(|folder| folder.join("node_modules/.bin").join(name).exists())
}

/// Files of a project in which an installer of npm packages finds its registry, with the word that names one.
const REGISTRY_FILES: [(&str, &str); 4] = [
    (".npmrc", "registry"),
    (".yarnrc", "registry"),
    (".yarnrc.yml", "npmRegistryServer"),
    ("bunfig.toml", "registry"),
];
/// The most bytes of such a file that are looked at.
const MAX_BYTES: u64 = 64 << 10;

/// True where a file of the project sends installers to a registry of its own: the store speaks of the user's. Those of the home
/// folder are the user's, and the store was filled by them.
pub fn has_own_registry(folder: &Path, home: Option<&Path>) -> bool {
    let names_one = |path: &Path, word: &str| {
        let mut bytes = Vec::new();
        let read = File::open(path).and_then(|file| file.take(MAX_BYTES).read_to_end(&mut bytes));
        read.is_ok() && String::from_utf8_lossy(&bytes).contains(word)
    };
    let mut folders = folder.ancestors().take_while(|folder| Some(*folder) != home);
    folders.any(|folder| REGISTRY_FILES.iter().any(|(name, word)| names_one(&folder.join(name), word)))
}

/// Takes targets back that come from a registry which the store does not speak of.
pub fn from_elsewhere(targets: &mut [CheckTarget]) {
    for target in targets {
        if matches!(&target.subject, CheckSubject::Package { key, .. } if key.source == Ecosystem::Npm.as_str()) {
            let why = "a file of the project sends its installer to another registry";
            target.subject = CheckSubject::Unjudgeable(why.to_owned());
        }
    }
}

fn of_rows(words: &[&str]) -> Option<Install> {
    let program = words.first().map(|word| word.rsplit(['/', '\\']).next().unwrap_or(word))?;
    let fits = |row: &&Row| {
        let mut wanted = row.words.iter();
        wanted.next().is_some_and(|first| *first == "*" || *first == program)
            && wanted.enumerate().all(|(at, wanted)| words.get(at + 1) == Some(wanted))
    };
    let row = ROWS.iter().find(fits)?;
    let behind = words.get(row.words.len()..).unwrap_or_default();
    // Help installs nothing.
    if behind.iter().any(|word| ["--help", "-h"].contains(word)) && row.behind != Behind::Server {
        return None;
    }
    let what = row.words.iter().map(|word| if *word == "*" { program } else { word }).collect::<Vec<_>>().join(" ");
    let targets = match row.behind {
        Behind::Server => server(behind, &what),
        Behind::ServerJson => entry(behind, &what),
        Behind::Extension => operands(behind).into_iter().map(extension).collect(),
        Behind::Node => operands(behind).into_iter().map(|text| registry(target::npm, text)).collect(),
        Behind::Python => operands(behind).into_iter().map(|text| registry(target::pypi, text)).collect(),
    };
    let none = || vec![target::unjudgeable(&what, "the command does not say what it installs")];
    Some(Install { targets: if targets.is_empty() { none() } else { targets }, what })
}

/// The words that are no options and no values of options.
fn operands<'a>(words: &[&'a str]) -> Vec<&'a str> {
    let mut found = Vec::new();
    let mut words = words.iter().copied();
    while let Some(word) = words.next() {
        if VALUED.contains(&word) {
            words.next();
        } else if !word.starts_with('-') {
            found.push(word);
        }
    }
    found
}

/// The server of `mcp add`: what it is started by, or where it is reached.
fn server(words: &[&str], what: &str) -> Vec<CheckTarget> {
    let url = words.iter().position(|word| *word == "--url").and_then(|at| words.get(at + 1));
    let command = match words.iter().position(|word| *word == "--") {
        Some(at) => words.get(at + 1..).unwrap_or_default().to_vec(),
        // The first operand is the name; options of the server itself stand behind its command.
        None => {
            let from = operands(words).get(1).and_then(|second| words.iter().position(|word| word == second));
            from.and_then(|from| words.get(from..)).unwrap_or_default().to_vec()
        }
    };
    let entry = match (url, command.as_slice()) {
        (Some(url), _) => json!({"url": url}),
        (None, [first, ..]) if first.contains("://") => json!({"url": first}),
        (None, [first, rest @ ..]) => json!({"command": first, "args": rest}),
        (None, []) => return Vec::new(),
    };
    of_entry(&entry, what)
}

/// The server of `mcp add-json`.
fn entry(words: &[&str], what: &str) -> Vec<CheckTarget> {
    let entry = words.iter().find_map(|word| serde_json::from_str::<Value>(word).ok().filter(Value::is_object));
    entry.map(|entry| of_entry(&entry, what)).unwrap_or_default()
}

fn of_entry(entry: &Value, what: &str) -> Vec<CheckTarget> {
    let configuration = json!({"mcpServers": {"server": entry}}).to_string();
    let found = named_file::of_bytes(Path::new(".mcp.json"), configuration.as_bytes(), what);
    found.ok().flatten().unwrap_or_default()
}

/// A plugin, an extension or a skill by the place that it comes from.
fn extension(text: &str) -> CheckTarget {
    if text.contains("://") {
        let why = "it is fetched from an address, and from no registry that can be asked";
        return target::address(text, false).unwrap_or_else(|| target::unjudgeable("an address", why));
    }
    if Path::new(text).is_absolute() || text.starts_with(['.', '~']) {
        return target::unjudgeable(text, "it lies on this machine; `capdex scan` reads its folder");
    }
    let is_repository = text.split('/').count() >= 2 && !text.starts_with('@');
    let repository = target::github(&text.split('/').take(2).collect::<Vec<_>>().join("/")).filter(|_| is_repository);
    repository.unwrap_or_else(|| target::unjudgeable(text, "it is a name of a marketplace, which is not asked"))
}

fn registry(read: fn(&str) -> Option<CheckTarget>, text: &str) -> CheckTarget {
    read(text).unwrap_or_else(|| target::unjudgeable(text, "this is no name of a package"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn install(line: &str) -> Option<String> {
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        let install = of_command(&words, &[])?;
        let names: Vec<&str> = install.targets.iter().map(|target| target.name.as_str()).collect();
        Some(format!("{}: {}", install.what, names.join(" ")))
    }

    #[test]
    fn every_row_is_read() {
        let rows = include_str!("installs.txt").lines().filter(|line| !line.starts_with('#')).count();
        assert_eq!(ROWS.len(), rows);
    }

    #[test]
    fn what_a_command_brings_is_named() {
        for (line, expected) in [
            ("npx -y kit@1.0.0 --flag", "npx: npm:kit@1.0.0"),
            ("bunx kit", "bunx: npm:kit"),
            ("pnpm dlx kit", "pnpm: npm:kit"),
            ("uvx kit", "uvx: pypi:kit"),
            ("pipx run kit", "pipx: pypi:kit"),
            ("claude mcp add -s user kit -- npx -y kit", "claude mcp add: npm:kit"),
            ("claude mcp add kit -e A=b -- uvx kit", "claude mcp add: pypi:kit"),
            ("claude mcp add --transport http kit https://kit.test/mcp", "claude mcp add: https://kit.test/mcp"),
            ("codex mcp add kit -- npx kit", "codex mcp add: npm:kit"),
            ("codex mcp add kit --url https://kit.test/mcp", "codex mcp add: https://kit.test/mcp"),
            ("gemini mcp add kit npx -y kit", "gemini mcp add: npm:kit"),
            (
                "/usr/bin/claude mcp add-json kit {\"command\":\"npx\",\"args\":[\"kit\"]}",
                "claude mcp add-json: npm:kit",
            ),
            ("npx skills add acme/kit", "npx skills add: npm:skills github:acme/kit"),
            (
                "npx -y skills@latest add https://github.com/acme/kit -g",
                "npx skills add: npm:skills@latest github:acme/kit",
            ),
            ("claude plugin install kit@market", "claude plugin install: kit@market"),
            ("claude plugin marketplace add acme/kit", "claude plugin marketplace add: github:acme/kit"),
            ("gemini extensions install https://github.com/acme/kit", "gemini extensions install: github:acme/kit"),
            ("npm install -g kit", "npm install -g: npm:kit"),
            ("pipx install kit", "pipx install: pypi:kit"),
            ("uv tool install kit==1.0", "uv tool install: pypi:kit@1.0"),
            ("claude mcp add", "claude mcp add: claude mcp add"),
        ] {
            assert_eq!(install(line).as_deref(), Some(expected), "{line}");
        }
    }

    #[test]
    fn ordinary_work_brings_nothing() {
        for line in [
            "npm install",
            "npm install left-pad",
            "git clone https://a.test/b",
            "claude mcp list",
            "skills list",
            "cargo add serde",
            "docker run alpine",
            "npx",
            "npx --version",
            "ls",
        ] {
            assert_eq!(install(line), None, "{line}");
        }
    }

    #[test]
    fn a_registry_that_a_project_names_is_not_the_user_s() {
        let folder = tempfile::tempdir().expect("a folder");
        let project = folder.path().join("project/src");
        std::fs::create_dir_all(&project).expect("writes");
        std::fs::write(folder.path().join(".npmrc"), "registry=https://corp.test/").expect("writes");
        assert!(!has_own_registry(&project, Some(folder.path())), "the home folder's is the user's");
        assert!(has_own_registry(&project, None));
        std::fs::write(folder.path().join("project/.npmrc"), "@acme:registry=https://other.test/").expect("writes");
        assert!(has_own_registry(&project, Some(folder.path())));
        let mut targets = ["npm:kit", "pypi:kit"].map(|name| target::read(name).expect("reads").expect("a target"));
        from_elsewhere(&mut targets);
        let taken: Vec<bool> =
            targets.iter().map(|target| matches!(target.subject, CheckSubject::Unjudgeable(_))).collect();
        assert_eq!(taken, [true, false]);
    }

    #[test]
    fn a_program_that_is_installed_is_not_fetched() {
        let folder = tempfile::tempdir().expect("a folder");
        let bin = folder.path().join("node_modules/.bin");
        std::fs::create_dir_all(&bin).expect("writes");
        std::fs::write(bin.join("tsc"), "").expect("writes");
        let is = |line: &str| {
            is_installed(&line.split(' ').map(str::to_owned).collect::<Vec<_>>(), &folder.path().join("src"))
        };
        assert!(is("npx tsc --noEmit"));
        for line in ["npx tsc@5", "npx -y tsc", "npx kit", "npx ../tsc", "uvx tsc", "npx"] {
            assert!(!is(line), "{line}");
        }
    }
}
