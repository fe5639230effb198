//! Modules: which file of the package an import means.

use std::collections::BTreeMap;

use super::Program;
use super::outline::ModuleLanguage;
use crate::Evidence;
use crate::manifest::{ManifestKind, around, folder_of, join};

/// What an import means.
#[derive(Clone)]
pub(super) enum Imported {
    /// A module of the package.
    Module(usize),
    /// Another file of the bundle, by its path: JSON or text.
    File(String),
    /// Something outside of the package.
    Outside,
}

impl Imported {
    /// The module of the package, where it is one.
    pub(super) fn module(self) -> Option<usize> {
        match self {
            Self::Module(module) => Some(module),
            Self::File(_) | Self::Outside => None,
        }
    }
}

/// The endings that may stand in place of the written one, or be left out.
const ENDINGS: [&str; 9] = ["js", "mjs", "cjs", "ts", "tsx", "jsx", "mts", "cts", "json"];

/// The folders of the packages of a bundle by their npm names.
pub(super) fn packages(evidence: &Evidence) -> BTreeMap<String, String> {
    let named = evidence.manifests.values().filter(|manifest| manifest.kind == ManifestKind::PackageJson);
    named
        .filter_map(|manifest| Some((manifest.text("name")?.to_owned(), folder_of(&manifest.path).to_owned())))
        .collect()
}

impl Program<'_> {
    /// The file that an import in a module means.
    pub(super) fn imported(&self, from: usize, module: &str) -> Imported {
        let Some(outline) = self.outlines.get(from) else { return Imported::Outside };
        // A search over folders costs far more than a step, and names are asked for again and again.
        let key = (from, module.to_owned());
        if let Some(known) = self.imports.borrow().get(&key) {
            return known.clone();
        }
        let found = match outline.language {
            ModuleLanguage::Python => self.python_module(&outline.path, module),
            ModuleLanguage::JavaScript => self.script_module(&outline.path, module),
        };
        let imported = match found {
            Some(path) => match self.by_path.get(&path) {
                Some(module) => Imported::Module(*module),
                None => Imported::File(path),
            },
            None => Imported::Outside,
        };
        self.imports.borrow_mut().insert(key, imported.clone());
        imported
    }

    fn script_module(&self, from: &str, module: &str) -> Option<String> {
        // A bundler's query (`./text.md?raw`) is no part of the path.
        let module = module.split('?').next().unwrap_or(module);
        if module.starts_with('.') {
            return self.script_file(&join(folder_of(from), module)?);
        }
        // The usual alias of a project's own source folder.
        if let Some(rest) = ["@/", "~/", "#"].iter().find_map(|alias| module.strip_prefix(alias)) {
            let roots = around(folder_of(from));
            return roots
                .flat_map(|root| {
                    ["", "src", "dist", "build", "lib"].into_iter().filter_map(move |inner| join(root, inner))
                })
                .find_map(|root| self.script_file(&join(&root, rest)?));
        }
        // Another package of the same bundle, by its name.
        let (name, folder) = self.packages.iter().find(|(name, _)| {
            module.strip_prefix(name.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })?;
        let rest = module.get(name.len()..).unwrap_or_default().trim_start_matches('/');
        let inside = ["", "dist", "build", "src", "lib"].iter().filter_map(|inner| join(folder, inner));
        inside
            .into_iter()
            .find_map(|root| self.script_file(&join(&root, if rest.is_empty() { "index" } else { rest })?))
    }

    /// The file that a path without or with another ending means.
    fn script_file(&self, path: &str) -> Option<String> {
        let is_there = |path: &String| self.documents.contains_key(path);
        let stem = path.rsplit_once('.').filter(|(_, ending)| ENDINGS.contains(ending)).map(|(stem, _)| stem);
        let same = Some(path.to_owned());
        let swapped = stem.into_iter().flat_map(|stem| ENDINGS.iter().map(move |ending| format!("{stem}.{ending}")));
        let added = ENDINGS.iter().map(|ending| format!("{path}.{ending}"));
        let index = ENDINGS.iter().map(|ending| format!("{path}/index.{ending}"));
        // TypeScript names the file that it compiles to, so the written ending is tried before the others.
        same.into_iter().chain(swapped).chain(added).chain(index).find(is_there)
    }

    fn python_module(&self, from: &str, module: &str) -> Option<String> {
        let dots = module.len() - module.trim_start_matches('.').len();
        let rest = module.get(dots..).unwrap_or_default().replace('.', "/");
        if dots > 0 {
            let mut folder = folder_of(from);
            for _ in 1..dots.min(32) {
                folder = folder_of(folder);
            }
            return self.python_file(&join(folder, &rest)?);
        }
        // An absolute import is looked for beside every folder around: the root of the project is one of them.
        around(folder_of(from))
            .flat_map(|root| ["", "src"].into_iter().filter_map(move |inner| join(root, inner)))
            .find_map(|root| self.python_file(&join(&root, &rest)?))
    }

    fn python_file(&self, path: &str) -> Option<String> {
        let path = path.trim_end_matches('/');
        let package = if path.is_empty() { "__init__.py".to_owned() } else { format!("{path}/__init__.py") };
        [format!("{path}.py"), package].into_iter().find(|path| self.documents.contains_key(path))
    }

    /// The module below a package by its name: `tools` of `from . import tools`.
    pub(super) fn submodule(&self, module: usize, name: &str) -> Option<usize> {
        let outline = self.outlines.get(module)?;
        if outline.language != ModuleLanguage::Python || !outline.path.ends_with("__init__.py") {
            return None;
        }
        let path = self.python_file(&join(folder_of(&outline.path), name)?)?;
        self.by_path.get(&path).copied()
    }
}
