//! Reach: the modules that a package's entry points load.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value as Json;

use crate::Evidence;
use crate::manifest::{ASIDE, ManifestKind, folder_of, join, name_of};
use crate::program::Program;
use crate::program::outline::{Origin, Outline};

impl Program<'_> {
    /// The modules that the entry points of the bundle's packages load, directly and through others. Empty where no
    /// entry point is found.
    pub(super) fn reached(&self, evidence: &Evidence) -> BTreeSet<usize> {
        let mut reached: BTreeSet<usize> = self.entries(evidence);
        let mut work: Vec<usize> = reached.iter().copied().collect();
        while let Some(module) = work.pop() {
            let Some(outline) = self.outlines.get(module) else { continue };
            for other in self.imports_of(module) {
                if reached.insert(other) {
                    work.push(other);
                }
            }
            if outline.loads_unknown {
                // What is loaded by a name made at run time lies beside or below.
                let folder = folder_of(&outline.path);
                for (path, other) in &self.by_path {
                    if crate::manifest::is_within(folder, path) && !is_aside(path) && reached.insert(*other) {
                        work.push(*other);
                    }
                }
            }
        }
        reached
    }

    /// The modules that a module imports, directly.
    fn imports_of(&self, module: usize) -> Vec<usize> {
        let Some(outline) = self.outlines.get(module) else { return Vec::new() };
        let named = imported_names(outline);
        let mut found = Vec::new();
        for import in &outline.imports {
            found.extend(self.imported(module, import).module());
            // `from package import module` names the module by a member.
            let members = named.get(import.as_str()).into_iter().flatten();
            found.extend(members.filter_map(|name| self.imported_submodule(module, import, name)));
        }
        found
    }

    /// Of the modules that the package carries along from another project those that a module of its own does not import:
    /// what these register is for programs of that project's users.
    pub(super) fn carried_along(&self) -> BTreeSet<usize> {
        let is_carried = |module: &usize| self.outlines.get(*module).is_some_and(|outline| is_carried(&outline.path));
        let mut carried: BTreeSet<usize> = (0..self.outlines.len()).filter(is_carried).collect();
        if carried.is_empty() {
            return carried;
        }
        let own = (0..self.outlines.len()).filter(|module| !is_carried(module));
        for other in own.flat_map(|module| self.imports_of(module)) {
            carried.remove(&other);
        }
        carried
    }

    fn entries(&self, evidence: &Evidence) -> BTreeSet<usize> {
        let mut paths = Vec::new();
        for manifest in evidence.manifests.values() {
            let folder = folder_of(&manifest.path);
            match manifest.kind {
                ManifestKind::PackageJson => {
                    let mut texts = Vec::new();
                    for key in ["main", "module", "bin", "exports"] {
                        manifest.value.get(key).into_iter().for_each(|value| leaves(value, &mut texts));
                    }
                    texts.push("index");
                    paths.extend(texts.into_iter().filter_map(|text| join(folder, text.trim_start_matches('/'))));
                }
                ManifestKind::Mcpb => {
                    let entry = manifest.value.pointer("/server/entry_point").and_then(Json::as_str);
                    paths.extend(entry.and_then(|entry| join(folder, entry)));
                }
                _ => {}
            }
        }
        let mut entries: BTreeSet<usize> = paths.iter().filter_map(|path| self.entry(path)).collect();
        for (path, module) in &self.by_path {
            if matches!(name_of(path), "__main__.py") && !is_aside(path) {
                entries.insert(*module);
            }
        }
        for document in evidence.documents.values() {
            if matches!(name_of(&document.path), "entry_points.txt" | "pyproject.toml" | "setup.cfg" | "setup.py") {
                entries.extend(self.scripts(&document.path, &document.text));
            }
        }
        entries
    }

    fn entry(&self, path: &str) -> Option<usize> {
        let endings = ["", ".js", ".mjs", ".cjs", ".ts", ".mts", "/index.js", "/index.mjs", "/index.cjs", "/index.ts"];
        endings.iter().find_map(|ending| self.by_path.get(&format!("{path}{ending}"))).copied()
    }

    /// The modules that `name = "package.module:function"` names.
    fn scripts(&self, path: &str, text: &str) -> Vec<usize> {
        let mut found = Vec::new();
        for line in text.lines().filter(|line| line.contains(':') && line.contains('=')) {
            let Some((_, target)) = line.split_once('=') else { continue };
            let target = target.trim().trim_matches(['"', '\'', ',', ']', ' ']);
            let module = target.split(':').next().unwrap_or_default().trim().replace('.', "/");
            if module.is_empty() || !module.chars().all(|letter| letter.is_alphanumeric() || "_/-".contains(letter)) {
                continue;
            }
            let around = crate::manifest::around(folder_of(path));
            let roots = around.flat_map(|root| ["", "src"].into_iter().filter_map(move |inner| join(root, inner)));
            let mut files = roots.flat_map(|root| {
                [format!("{module}.py"), format!("{module}/__init__.py")]
                    .into_iter()
                    .filter_map(move |file| join(&root, &file))
            });
            found.extend(files.find_map(|file| self.by_path.get(&file)).copied());
        }
        found
    }

    pub(super) fn imported_submodule(&self, module: usize, import: &str, name: &str) -> Option<usize> {
        let inner = if import.ends_with('.') { format!("{import}{name}") } else { format!("{import}.{name}") };
        self.imported(module, &inner).module()
    }
}

/// True for a file of another project that the package carries along.
pub(super) fn is_carried(path: &str) -> bool {
    const CARRIED: [&str; 7] =
        ["_vendor", "_vendored", "vendor", "vendored", "third_party", "site-packages", "node_modules"];
    folder_of(path).split('/').any(|folder| CARRIED.contains(&folder))
}

/// The names that a module imports, by the module that they are imported from.
fn imported_names(outline: &Outline) -> BTreeMap<&str, BTreeSet<&str>> {
    let mut named: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for binding in outline.scopes.iter().flat_map(|scope| scope.names.bindings()) {
        if let Origin::Import(from) = &binding.origin
            && let Some(name) = &from.name
        {
            named.entry(&from.module).or_default().insert(name);
        }
    }
    named
}

/// All texts of a value.
fn leaves<'v>(value: &'v Json, into: &mut Vec<&'v str>) {
    match value {
        Json::String(text) => into.push(text),
        Json::Array(items) => items.iter().for_each(|item| leaves(item, into)),
        Json::Object(items) => items.values().for_each(|item| leaves(item, into)),
        _ => {}
    }
}

/// True for a file of tests, examples or documents by its path: it registers nothing unless the package loads it.
pub(super) fn is_aside(path: &str) -> bool {
    // Beside those the folders of code that only helps tests.
    const HELPING: [&str; 8] =
        ["__tests__", "__mocks__", "fixtures", "mocks", "benchmarks", "testing", "evals", "testdata"];
    let name = name_of(path);
    let stem = name.split('.').next().unwrap_or_default();
    let marked = name.contains(".test.") || name.contains(".spec.") || name.contains(".stories.");
    let python = name.ends_with(".py") && (stem.starts_with("test_") || stem.ends_with("_test") || stem == "conftest");
    marked || python || folder_of(path).split('/').any(|folder| ASIDE.contains(&folder) || HELPING.contains(&folder))
}
