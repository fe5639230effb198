//! `Reach`: the hosts that a capability names or speaks to, and the permissions that it declares or takes.
//!
//! From the reading that pins and the comparison share: addresses in texts and calls, manifests, and the calls that parsers know.
//! It tells what stands there and judges nothing. What is put together at run time is not in it.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::bases::FileBases;
use super::declaration_pins::ManifestDeclarations;
use super::hosts;
use super::requests::{asks, requests};
use capdex_evidence::Evidence;
use capdex_evidence::code::{Call, sinks};
use capdex_evidence::document::Document;
use capdex_model::capability::Capability;

/// The most hosts and the most permissions of one capability that are kept: more cost a stranger a few bytes each.
const MOST: usize = 500;
/// Letters of a value that is kept.
const LETTERS: usize = 200;

/// The hosts and permissions of a capability, each sorted and once.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reach {
    /// The hosts, 500 at most.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hosts: Vec<HostUse>,
    /// The permissions, 500 at most.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub permissions: Vec<PermissionUse>,
}

/// What is done with a host, the most first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HostDeed {
    /// A call gives it something beyond the address.
    Sends,
    /// A call asks it.
    Fetches,
    /// A manifest says that the server is reached there.
    Connects,
    /// Program, instruction or manifest names it.
    Named,
}

impl HostDeed {
    /// The word that is stored and printed.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Sends => "sends",
            Self::Fetches => "fetches",
            Self::Connects => "connects",
            Self::Named => "named",
        }
    }
}

/// A host at a place.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct HostUse {
    /// The host, in small letters. Untrusted text.
    pub host: String,
    /// What is done with it.
    pub does: HostDeed,
    /// The file; empty where manifests say it. Untrusted text.
    pub file: String,
    /// The line there, from 1; 0 where no line is known.
    pub line: u32,
}

/// What a permission allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PermissionKind {
    /// A tool that an agent may use without a question, or the mode in which it asks.
    Tool,
    /// A variable of the environment, or a header, by which a secret or a setting is given.
    Variable,
    /// A command on an event of the agent.
    Hook,
    /// A script that runs where the package is installed.
    InstallScript,
    /// A program or a shell is started, or text is run.
    Run,
    /// A file is written.
    Write,
    /// A file is deleted.
    Delete,
}

impl PermissionKind {
    /// The word that is stored and printed.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Tool => "tool",
            Self::Variable => "variable",
            Self::Hook => "hook",
            Self::InstallScript => "install_script",
            Self::Run => "run",
            Self::Write => "write",
            Self::Delete => "delete",
        }
    }
}

/// A permission, and where it stands.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct PermissionUse {
    /// What it allows.
    pub kind: PermissionKind,
    /// Its name or command; for what code does the name of the call. Untrusted text.
    pub value: String,
    /// The file in which code takes it; empty where it is declared. Untrusted text.
    pub file: String,
    /// The line there, from 1; 0 where it is declared.
    pub line: u32,
}

impl Reach {
    /// Reads the files of a capability, beside what its manifests declare.
    pub(super) fn of(declarations: &ManifestDeclarations, capability: &Capability, evidence: &Evidence) -> Self {
        let (mut hosts, mut permissions) = (BTreeSet::new(), BTreeSet::new());
        declared(declarations, &mut hosts, &mut permissions);
        let documents = || capability.files.iter().filter_map(|path| evidence.documents.get(path));
        let mut bases = FileBases::default();
        // Most capabilities are texts, and have no name of a place that somebody asks.
        if documents().any(asks) {
            documents().for_each(|document| bases.add(document));
        }
        documents().for_each(|document| named_and_asked(document, &bases, &mut hosts));
        for path in &capability.files {
            let calls = evidence.sources.get(path).into_iter().flat_map(|view| &view.calls);
            permissions.extend(calls.filter_map(|call| taken(path, call)));
        }
        Self {
            hosts: hosts.into_iter().take(MOST).collect(),
            permissions: permissions.into_iter().take(MOST).collect(),
        }
    }

    /// True where a call gives a host something beyond its address.
    pub fn is_sending(&self) -> bool {
        self.hosts.iter().any(|host| host.does == HostDeed::Sends)
    }

    /// True where there is nothing to keep.
    pub fn is_empty(&self) -> bool {
        self.hosts.is_empty() && self.permissions.is_empty()
    }
}

fn declared(of: &ManifestDeclarations, hosts: &mut BTreeSet<HostUse>, permissions: &mut BTreeSet<PermissionUse>) {
    let remotes = of.remotes.iter().filter_map(|address| hosts::host_of(address));
    hosts.extend(remotes.map(|host| HostUse { host, does: HostDeed::Connects, file: String::new(), line: 0 }));
    let mut put = |kind, value: &str| {
        permissions.insert(PermissionUse { kind, value: cut(value), file: String::new(), line: 0 });
    };
    of.permissions.iter().for_each(|value| put(PermissionKind::Tool, value));
    of.auth.iter().for_each(|value| put(PermissionKind::Variable, value));
    of.hooks.iter().for_each(|value| put(PermissionKind::Hook, value));
    of.install_scripts
        .iter()
        .for_each(|(name, command)| put(PermissionKind::InstallScript, &format!("{name}: {command}")));
}

/// The hosts of a file: those that a call asks, and the first place of each that is only named.
fn named_and_asked(document: &Document, bases: &FileBases<'_>, found: &mut BTreeSet<HostUse>) {
    let use_at = |host: String, does, offset| HostUse {
        host,
        does,
        file: document.path.clone(),
        line: document.place(offset).line,
    };
    let mut asked = BTreeSet::new();
    for request in requests(document, bases) {
        asked.insert(request.host.clone());
        let does = if request.gives { HostDeed::Sends } else { HostDeed::Fetches };
        found.insert(use_at(request.host, does, request.offset));
    }
    let mut named = BTreeSet::new();
    for (host, offset) in hosts::named(document) {
        if !asked.contains(&host) && named.insert(host.clone()) {
            found.insert(use_at(host, HostDeed::Named, offset));
        }
    }
}

/// The permission that a call takes; none for one that takes none.
fn taken(path: &str, call: &Call) -> Option<PermissionUse> {
    let callee = call.callee.as_str();
    let of =
        |kind, value: &str| PermissionUse { kind, value: cut(value), file: path.to_owned(), line: call.place.line };
    if matches!(callee, "process.env" | "os.environ") {
        // Without a name all of the environment is taken, which is no one variable.
        return call.arguments.first().and_then(sinks::text_of).map(|name| of(PermissionKind::Variable, name));
    }
    if sinks::starts_program(call) || sinks::evaluates(call) {
        return Some(of(PermissionKind::Run, callee));
    }
    let last = callee.rsplit('.').next().unwrap_or(callee);
    match last {
        "writeFile" | "writeFileSync" | "appendFile" | "appendFileSync" | "createWriteStream" | "write_text"
        | "write_bytes" => Some(of(PermissionKind::Write, callee)),
        "unlink" | "unlinkSync" | "rm" | "rmSync" | "rmdir" | "rmdirSync" | "rmtree" => {
            Some(of(PermissionKind::Delete, callee))
        }
        _ => None,
    }
}

fn cut(text: &str) -> String {
    text.chars().take(LETTERS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    use capdex_evidence::decompose::decompose;
    use capdex_model::bundle::{Bundle, BundleFile};

    /// The reach of all capabilities of a package, in lines.
    fn reach(files: &[(&str, &str)]) -> (Vec<String>, Vec<String>) {
        let files: BTreeMap<String, BundleFile> =
            files.iter().map(|(path, text)| ((*path).to_owned(), BundleFile::new(text.as_bytes()))).collect();
        let bundle = Bundle::local("npm:a", files);
        let evidence = Evidence::gather(&bundle);
        let (mut hosts, mut permissions) = (Vec::new(), Vec::new());
        for capability in decompose(&bundle, &evidence) {
            let found = Reach::of(&ManifestDeclarations::of(&capability, &evidence), &capability, &evidence);
            hosts.extend(
                found.hosts.iter().map(|of| format!("{} {} {}:{}", of.host, of.does.as_str(), of.file, of.line)),
            );
            let line = |of: &PermissionUse| format!("{} {} {}:{}", of.kind.as_str(), of.value, of.file, of.line);
            permissions.extend(found.permissions.iter().map(line));
        }
        (hosts, permissions)
    }

    #[test]
    fn a_host_is_told_by_what_is_done_with_it() {
        let (hosts, _) = reach(&[
            (
                "SKILL.md",
                "---\nname: a\ndescription: Reads the weather. Use when asked.\n---\nSee https://docs.acme.test/guide and https://docs.acme.test/more.\n",
            ),
            (
                "scripts/a.js",
                "fetch('https://api.acme.test/v1');\nfetch('https://in.acme.test/x', { method: 'POST', body: text });\n// https://comment.test/\n",
            ),
        ]);
        assert_eq!(
            hosts,
            [
                "api.acme.test fetches scripts/a.js:1",
                "docs.acme.test named SKILL.md:5",
                "in.acme.test sends scripts/a.js:2"
            ]
        );
    }

    #[test]
    fn permissions_are_those_that_manifests_declare_and_those_that_calls_take() {
        let (_, permissions) = reach(&[
            (
                "SKILL.md",
                "---\nname: a\ndescription: Cleans up. Use when asked.\nallowed-tools: Read, Bash(git add *)\n---\nRun it.\n",
            ),
            (
                "scripts/a.py",
                "import os, shutil, subprocess\nsubprocess.run(['ls'])\nkey = os.environ['ACME_KEY']\nshutil.rmtree('build')\n",
            ),
        ]);
        let expected = [
            "tool Bash(git add *) :0",
            "tool Read :0",
            "variable ACME_KEY scripts/a.py:3",
            "run subprocess.run scripts/a.py:2",
            "delete shutil.rmtree scripts/a.py:4",
        ];
        assert_eq!(permissions, expected);
    }

    #[test]
    fn what_is_kept_is_bounded() {
        let many: String = (0..MOST + 9).map(|at| format!("fetch('https://h{at}.acme.test/');\n")).collect();
        let (hosts, _) = reach(&[("SKILL.md", "---\nname: a\ndescription: x\n---\n"), ("scripts/a.js", &many)]);
        assert_eq!(hosts.len(), MOST);
        assert_eq!(cut(&"x".repeat(LETTERS + 1)).len(), LETTERS);
    }
}
