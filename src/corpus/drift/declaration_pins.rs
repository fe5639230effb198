//! `ManifestDeclarations`: the declarations of a capability in its manifests, and their pins. They are hosts, packages,
//! repository, sign-in, instructions, permissions, hooks, scripts.
//!
//! The pins and the comparison share one reading, which judges nothing.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use serde_json::Value;

use capdex_evidence::Evidence;
use capdex_evidence::decompose::hook::{self, HookCommand};
use capdex_evidence::file_role::FileRole;
use capdex_evidence::manifest::{Manifest, ManifestKind, launches};
use capdex_evidence::tools::server_text;
use capdex_model::capability::Capability;
use capdex_model::digest::Digest;

/// The declarations in the manifests of some files, each set sorted. All of it untrusted text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ManifestDeclarations {
    /// Addresses at which a server is reached.
    pub remotes: BTreeSet<String>,
    /// Packages that are installed or launched, `npm:name`, `oci:image`.
    pub packages: BTreeSet<String>,
    /// Repositories, as written.
    pub repositories: BTreeSet<String>,
    /// The numbers or ids by which a forge knows those repositories.
    pub repository_ids: BTreeSet<String>,
    /// Names of the variables and headers by which a user proves who he is, and what else says how.
    pub auth: BTreeSet<String>,
    /// Texts that a server says of itself to the model.
    pub instructions: BTreeSet<String>,
    /// Tools and permissions that front matter, settings and plugin manifests ask for.
    pub permissions: BTreeSet<String>,
    /// Commands on an agent's events: `event: command`.
    pub hooks: BTreeSet<String>,
    /// Scripts at installation: name and command.
    pub install_scripts: BTreeMap<String, String>,
}

/// The life-cycle names whose scripts run where a package is installed.
const INSTALL: [&str; 3] = ["preinstall", "install", "postinstall"];

impl ManifestDeclarations {
    /// Reads the manifests among a capability's files.
    pub(super) fn of(capability: &Capability, evidence: &Evidence) -> Self {
        let mut declarations = Self::default();
        for path in &capability.files {
            if let Some(manifest) = evidence.manifests.get(path) {
                declarations.read(manifest);
            }
            let commands = hook::commands(evidence, path).into_iter();
            // A condition that is widened lets the same command run more often.
            let pin = |command: HookCommand| match command.condition {
                Some(condition) => format!("{} if {condition}: {}", command.event, command.command),
                None => format!("{}: {}", command.event, command.command),
            };
            declarations.hooks.extend(commands.map(pin));
        }
        declarations
    }

    /// Adds what another capability declares.
    pub(super) fn join(&mut self, other: Self) {
        let Self {
            remotes,
            packages,
            repositories,
            repository_ids,
            auth,
            instructions,
            permissions,
            hooks,
            install_scripts,
        } = other;
        self.remotes.extend(remotes);
        self.packages.extend(packages);
        self.repositories.extend(repositories);
        self.repository_ids.extend(repository_ids);
        self.auth.extend(auth);
        self.instructions.extend(instructions);
        self.permissions.extend(permissions);
        self.hooks.extend(hooks);
        self.install_scripts.extend(install_scripts);
    }

    fn read(&mut self, manifest: &Manifest) {
        let value = &manifest.value;
        match manifest.kind {
            ManifestKind::ServerJson => self.read_server(value),
            ManifestKind::PackageJson => self.read_package(value),
            ManifestKind::Frontmatter => {
                for key in ["allowed-tools", "allowed_tools", "allowedTools", "tools"] {
                    self.permissions.extend(words(value.get(key)));
                }
            }
            ManifestKind::SettingsJson => {
                self.permissions.extend(words(value.pointer("/permissions/allow")));
                let mode = value.pointer("/permissions/defaultMode").and_then(Value::as_str);
                self.permissions.extend(mode.map(|mode| format!("mode {mode}")));
            }
            ManifestKind::PluginJson => self.permissions.extend(words(value.get("permissions"))),
            ManifestKind::ToolsList => self.instructions.extend(instructions(manifest)),
            _ => {}
        }
        for launch in launches(manifest) {
            self.remotes.extend(launch.url.map(str::to_owned));
            for key in ["env", "headers"] {
                let names = launch.entry.get(key).and_then(Value::as_object).into_iter().flatten();
                self.auth.extend(names.map(|(name, _)| name.clone()));
            }
            if let Some(command) = launch.command {
                let first = launch.arguments.iter().find(|argument| !argument.starts_with('-'));
                self.packages.extend(first.map(|package| format!("{command}:{package}")));
            }
        }
    }

    fn read_server(&mut self, value: &Value) {
        for remote in list(value, "remotes") {
            self.remotes.extend(remote.get("url").and_then(Value::as_str).map(str::to_owned));
            self.auth.extend(names(remote.get("headers")));
        }
        for package in list(value, "packages") {
            let text = |key: &str| package.get(key).and_then(Value::as_str);
            if let Some(identifier) = text("identifier") {
                let name = without_version(identifier, text("version"));
                self.packages.insert(format!("{}:{name}", text("registryType").unwrap_or("package")));
            }
            self.auth.extend(names(package.get("environmentVariables")));
        }
        let repository = |key: &str| value.pointer(&format!("/repository/{key}")).and_then(Value::as_str);
        self.repositories.extend(repository("url").map(str::to_owned));
        self.repository_ids.extend(repository("id").filter(|id| !id.is_empty()).map(str::to_owned));
    }

    fn read_package(&mut self, value: &Value) {
        for name in INSTALL {
            if let Some(command) = value.pointer(&format!("/scripts/{name}")).and_then(Value::as_str) {
                self.install_scripts.insert(name.to_owned(), command.to_owned());
            }
        }
        let repository = value.get("repository");
        let url = repository.and_then(Value::as_str).or(repository.and_then(|of| of.get("url")?.as_str()));
        self.repositories.extend(url.map(str::to_owned));
    }
}

/// The texts that a server tells the model before any call; its name and title are not among them.
fn instructions(manifest: &Manifest) -> impl Iterator<Item = String> {
    server_text(manifest).into_iter().filter(|said| said.pointer.ends_with("instructions")).map(|said| said.text)
}

/// A package's name where its identifier ends with the version or the digest, as images' do.
fn without_version<'a>(identifier: &'a str, version: Option<&str>) -> &'a str {
    let plain = identifier.split_once('@').filter(|(name, _)| !name.is_empty()).map_or(identifier, |(name, _)| name);
    let tagged = version.and_then(|version| plain.strip_suffix(version)).and_then(|name| name.strip_suffix([':', '@']));
    tagged
        .or_else(|| plain.rsplit_once(':').filter(|(_, tag)| !tag.contains('/')).map(|(name, _)| name))
        .unwrap_or(plain)
}

fn list<'a>(value: &'a Value, key: &str) -> impl Iterator<Item = &'a Value> + use<'a> {
    value.get(key).and_then(Value::as_array).into_iter().flatten()
}

fn names(value: Option<&Value>) -> Vec<String> {
    let entries = value.and_then(Value::as_array).into_iter().flatten();
    entries.filter_map(|entry| entry.get("name").and_then(Value::as_str)).map(str::to_owned).collect()
}

/// A list of words: an array of texts, or one text with spaces or commas between them.
fn words(value: Option<&Value>) -> Vec<String> {
    match value {
        Some(Value::Array(items)) => {
            items.iter().filter_map(Value::as_str).map(|item| item.trim().to_owned()).collect()
        }
        Some(Value::String(text)) => split_outside_brackets(text),
        _ => Vec::new(),
    }
}

/// `Bash(git add *), Read` are two.
fn split_outside_brackets(text: &str) -> Vec<String> {
    let (mut words, mut word, mut depth) = (Vec::new(), String::new(), 0_usize);
    for letter in text.chars() {
        match letter {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 && (letter == ',' || letter.is_whitespace()) {
            words.extend((!word.is_empty()).then(|| std::mem::take(&mut word)));
        } else {
            word.push(letter);
        }
    }
    words.extend((!word.is_empty()).then_some(word));
    words
}

/// The digests of all declarations that are there, by their names.
pub(super) fn digests(
    declarations: &ManifestDeclarations,
    capability: &Capability,
    evidence: &Evidence,
    files: &BTreeMap<String, Digest>,
) -> BTreeMap<String, Digest> {
    let mut digests = BTreeMap::new();
    let mut pin = |name: &str, digest: Option<Digest>| digests.extend(digest.map(|digest| (name.to_owned(), digest)));
    pin("server.hosts", digest_of(declarations.remotes.is_empty(), &declarations.remotes));
    pin("server.packages", digest_of(declarations.packages.is_empty(), &declarations.packages));
    let repository = [&declarations.repositories, &declarations.repository_ids];
    pin("server.repository", digest_of(declarations.repositories.is_empty(), &repository));
    pin("server.auth", digest_of(declarations.auth.is_empty(), &declarations.auth));
    pin("server.instructions", digest_of(declarations.instructions.is_empty(), &declarations.instructions));
    pin("permissions", digest_of(declarations.permissions.is_empty(), &declarations.permissions));
    pin("hooks", digest_of(declarations.hooks.is_empty(), &declarations.hooks));
    pin("install_scripts", digest_of(declarations.install_scripts.is_empty(), &declarations.install_scripts));
    let of_kind = |path: &&String| evidence.manifests.get(*path).filter(|of| of.kind == ManifestKind::Frontmatter);
    let front: BTreeMap<&String, &Value> =
        capability.files.iter().filter_map(|path| of_kind(&path).map(|of| (path, &*of.value))).collect();
    pin("frontmatter", digest_of(front.is_empty(), &front));
    let is_script = |path: &str| evidence.documents.get(path).is_some_and(|document| document.role == FileRole::Script);
    let scripts: BTreeMap<&String, &Digest> = files.iter().filter(|(path, _)| is_script(path)).collect();
    pin("scripts", digest_of(scripts.is_empty(), &scripts));
    digests
}

/// The digest of a declaration that is there; sets, maps and JSON values are in their order as they are.
fn digest_of<T: Serialize>(is_empty: bool, declarations: &T) -> Option<Digest> {
    (!is_empty).then(|| Digest::of_sorted_json(declarations))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_identifier_is_a_name_without_its_version() {
        let name = without_version;
        assert_eq!(name("@acme/server", Some("1.0.0")), "@acme/server");
        assert_eq!(name("docker.io/acme/server:1.0.0", Some("1.0.0")), "docker.io/acme/server");
        assert_eq!(name("ghcr.example/acme/server@sha256:00", None), "ghcr.example/acme/server");
        assert_eq!(name("host.example:5000/acme/server", None), "host.example:5000/acme/server");
    }

    #[test]
    fn instructions_are_read_wherever_a_recording_puts_them() {
        let of = |value: Value| {
            let manifest = Manifest::new("tools.json", ManifestKind::ToolsList, value);
            instructions(&manifest).collect::<Vec<String>>()
        };
        for outer in ["server", "initialize", "result"] {
            assert_eq!(of(json!({outer: {"instructions": "Ask first.", "serverInfo": {"name": "a"}}})), ["Ask first."]);
        }
        assert_eq!(of(json!({"instructions": "Ask first.", "server": "a"})), ["Ask first."]);
        assert!(of(json!({"server": {"name": "a"}, "description": "b"})).is_empty());
    }

    #[test]
    fn permissions_are_words_outside_brackets() {
        assert_eq!(words(Some(&json!("Bash(git add *), Read Write"))), ["Bash(git add *)", "Read", "Write"]);
        assert_eq!(words(Some(&json!(["Read ", 1]))), ["Read"]);
    }
}
