//! Code in folders of tests, samples and examples that live code loads: it runs for its user, whatever its folder.
//!
//! Live is every program outside of such folders, and what a manifest names. The names of files that live code holds are
//! looked up beside it, as `require`, `import` and `fork` would.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;

use super::Voice;
use crate::Evidence;
use crate::document::Document;
use crate::language::Language;
use crate::manifest::{ManifestKind, around, folder_of, join, name_of};

/// The most names that are looked up for one bundle.
const MOST: usize = 100_000;

/// The most folders around a file at which a name is looked up.
const FOLDERS: usize = 12;

/// A relative path, or a dotted module, in quotation marks.
static QUOTED: LazyLock<Regex> = LazyLock::new(|| crate::expression::of(r#"["'`]([A-Za-z0-9_@./-]{2,160})["'`]"#));

/// An import of Python.
static IMPORTED: LazyLock<Regex> = LazyLock::new(|| {
    crate::expression::of(
        r"(?m)^[ \t]*(?:from[ \t]+([.A-Za-z0-9_]+)[ \t]+import[ \t]+([A-Za-z0-9_, \t]+)|import[ \t]+([.A-Za-z0-9_]+))",
    )
});

/// The keys of `package.json` by which a file is loaded.
const ENTRIES: [&str; 7] = ["main", "module", "bin", "exports", "browser", "directories", "imports"];

/// Gives the samples that live code loads the voice of programs.
pub(super) fn assign(evidence: &mut Evidence) {
    let dormant: BTreeSet<String> = evidence
        .documents
        .values()
        .filter(|document| is_dormant(document))
        .map(|document| document.path.clone())
        .collect();
    if dormant.is_empty() {
        return;
    }
    let search = Search { dormant: &dormant };
    let mut open: Vec<String> = search.named_by_manifests(evidence);
    let is_live = |document: &&Document| document.voice == Voice::Program && !runs_tests(&document.path);
    open.extend(evidence.documents.values().filter(is_live).map(|document| document.path.clone()));
    let mut live: BTreeSet<String> = BTreeSet::new();
    let mut looked_up = 0;
    while let Some(path) = open.pop() {
        let Some(document) = evidence.documents.get(&path) else { continue };
        if dormant.contains(&path) && !live.insert(path.clone()) {
            continue;
        }
        open.extend(search.named_by(document, &mut looked_up).into_iter().filter(|target| !live.contains(target)));
    }
    for path in live {
        if let Some(document) = evidence.documents.get_mut(&path) {
            document.voice = Voice::Program;
        }
    }
}

/// True for code that nothing is known to load.
fn is_dormant(document: &Document) -> bool {
    document.voice == Voice::Data
        && matches!(
            document.language,
            Language::JavaScript | Language::TypeScript | Language::Python | Language::Shell | Language::PowerShell
        )
}

/// True for the settings of a test runner and for tests: what they load runs for developers alone.
fn runs_tests(path: &str) -> bool {
    let name = name_of(path);
    ["jest.", "vitest.", "karma.", "playwright.", "cypress.", ".mocharc", "ava.", "noxfile", "conftest", "gulpfile"]
        .iter()
        .any(|runner| name.starts_with(runner))
}

struct Search<'a> {
    dormant: &'a BTreeSet<String>,
}

impl Search<'_> {
    /// The dormant files that manifests load: entry points, builds and modules that Python is told to start.
    fn named_by_manifests(&self, evidence: &Evidence) -> Vec<String> {
        let mut named = Vec::new();
        for manifest in evidence.manifests.values() {
            let folder = folder_of(&manifest.path);
            let mut texts = Vec::new();
            match manifest.kind {
                ManifestKind::PackageJson => {
                    ENTRIES
                        .iter()
                        .filter_map(|key| manifest.value.get(key))
                        .for_each(|value| leaves(value, &mut texts));
                }
                ManifestKind::Mcpb | ManifestKind::McpJson | ManifestKind::PluginJson | ManifestKind::ServerJson => {
                    leaves(&manifest.value, &mut texts);
                }
                ManifestKind::PythonProject => {
                    named.extend(self.of_python_project(folder, &manifest.value));
                }
                _ => {}
            }
            named.extend(texts.into_iter().filter_map(|text| self.file(folder, text)));
        }
        for document in evidence.documents.values() {
            if matches!(name_of(&document.path), "entry_points.txt" | "setup.cfg") {
                let targets = document.text.lines().filter_map(|line| line.split_once('=')).map(|(_, target)| target);
                named
                    .extend(targets.filter_map(|target| self.module(folder_of(&document.path), script_module(target))));
            }
        }
        named
    }

    /// What `pyproject.toml` starts: scripts, entry points, a build backend beside its folder.
    fn of_python_project(&self, folder: &str, project: &Value) -> Vec<String> {
        let mut texts = Vec::new();
        for key in ["/project/scripts", "/project/gui-scripts", "/project/entry-points", "/tool/poetry/scripts"] {
            project.pointer(key).into_iter().for_each(|value| leaves(value, &mut texts));
        }
        let mut found: Vec<String> =
            texts.into_iter().filter_map(|text| self.module(folder, script_module(text))).collect();
        if let Some(backend) = project.pointer("/build-system/build-backend").and_then(Value::as_str) {
            let mut paths = Vec::new();
            project.pointer("/build-system/backend-path").into_iter().for_each(|value| leaves(value, &mut paths));
            let roots = paths.into_iter().filter_map(|path| join(folder, path));
            found.extend(roots.filter_map(|root| self.module(&root, script_module(backend))));
        }
        found
    }

    /// The dormant files that a program names.
    fn named_by(&self, document: &Document, looked_up: &mut usize) -> Vec<String> {
        let folder = folder_of(&document.path);
        let mut found = Vec::new();
        for quoted in QUOTED.captures_iter(&document.text).filter_map(|found| found.get(1)) {
            *looked_up += 1;
            if *looked_up > MOST {
                return found;
            }
            found.extend(self.file(folder, quoted.as_str()).or_else(|| self.module(folder, quoted.as_str())));
        }
        if document.language == Language::Python {
            for import in IMPORTED.captures_iter(&document.text) {
                let part = |at: usize| import.get(at).map_or("", |part| part.as_str());
                let module = if part(1).is_empty() { part(3) } else { part(1) };
                found.extend(self.module(folder, module));
                // `from tests import helper` names the file by a member.
                let members = part(2).split(',').map(str::trim).filter(|member| !member.is_empty());
                found.extend(members.filter_map(|member| self.module(folder, &format!("{module}.{member}"))));
            }
        }
        found
    }

    /// The dormant file that a relative path names from a folder or from one around it.
    fn file(&self, folder: &str, written: &str) -> Option<String> {
        let endings =
            ["", ".js", ".mjs", ".cjs", ".ts", ".py", ".sh", "/index.js", "/index.mjs", "/index.cjs", "/index.ts"];
        let written = written.trim_start_matches('/');
        let at = |folder: &str| {
            let path = join(folder, written)?;
            endings.iter().map(|ending| format!("{path}{ending}")).find(|path| self.dormant.contains(path))
        };
        // A path with no mark of its own may be joined to any folder above at run time.
        if written.starts_with('.') { at(folder) } else { around(folder).take(FOLDERS).find_map(at) }
    }

    /// The dormant file that a dotted module names.
    fn module(&self, folder: &str, dotted: &str) -> Option<String> {
        let up = dotted.bytes().take_while(|byte| *byte == b'.').count();
        let path = dotted.get(up..)?.replace('.', "/");
        if path.is_empty() || dotted.contains('/') {
            return None;
        }
        let at = |folder: &str| {
            let path = join(folder, &path)?;
            let files = [format!("{path}.py"), format!("{path}/__init__.py")];
            files.into_iter().find(|file| self.dormant.contains(file))
        };
        match up {
            0 => around(folder).take(FOLDERS).find_map(|folder| at(folder).or_else(|| at(&join(folder, "src")?))),
            up => around(folder).nth(up - 1).and_then(at),
        }
    }
}

/// The module of `module:function`.
fn script_module(target: &str) -> &str {
    target.split([':', ' ', '[']).find(|part| !part.is_empty()).unwrap_or_default()
}

/// All texts of a value.
fn leaves<'v>(value: &'v Value, into: &mut Vec<&'v str>) {
    match value {
        Value::String(text) => into.push(text),
        Value::Array(items) => items.iter().for_each(|item| leaves(item, into)),
        Value::Object(items) => items.values().for_each(|item| leaves(item, into)),
        _ => {}
    }
}
