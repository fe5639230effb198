//! Install scripts: the commands that a package manager runs when a package is installed or removed, with the scripts
//! inside the package that they start.
//!
//! Only npm's life cycle counts: what `pip` runs is a build backend or `setup.py`, which is source.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::Evidence;
use crate::manifest::{Manifest, ManifestKind, folder_of, is_foreign, join, place_of, words_of};
use crate::subject::Subject;
use capdex_model::fact::Place;

use super::is_package;
use super::stated::LIFE_CYCLE;

/// One life-cycle script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstallScript {
    /// Its name: `postinstall` and so on.
    pub name: String,
    /// The command line as written.
    pub command: String,
    /// The command lines of the package's other scripts that it runs by `npm run`, in the order of their reach.
    pub reached: Vec<String>,
    /// The files in the package that these command lines start, sorted.
    pub files: Vec<String>,
    /// Its place; empty where only the listing tells of it.
    pub place: Place,
}

/// The install scripts of the packages whose manifests are among the capability's files. Those that only the listing
/// states count where its claims are about this capability. Packages in vendored code and fixtures do not count: nobody
/// installs them.
pub fn install_scripts(subject: &Subject<'_>) -> Vec<InstallScript> {
    let evidence = subject.evidence;
    let manifests = subject.capability.files.iter().filter_map(|path| evidence.manifests.get(path));
    let own = manifests.filter(|manifest| manifest.kind == ManifestKind::PackageJson && !is_foreign(&manifest.path));
    let mut scripts: Vec<InstallScript> = own.flat_map(|manifest| of_package(evidence, manifest)).collect();
    if is_package(subject) {
        for (name, command) in subject.claims.install_scripts.known().into_iter().flatten() {
            // The listing repeats the manifest; only what it alone states is added.
            if !scripts.iter().any(|script| &script.name == name && &script.command == command) {
                let (name, command) = (name.clone(), command.clone());
                let claimed = InstallScript { name, command, reached: vec![], files: vec![], place: Place::default() };
                scripts.push(claimed);
            }
        }
    }
    scripts
}

fn of_package(evidence: &Evidence, manifest: &Manifest) -> Vec<InstallScript> {
    let scripts = manifest.value.get("scripts");
    let command = |name: &str| scripts.and_then(|scripts| scripts.get(name)).and_then(Value::as_str);
    let script = |name: &&str| {
        let command = command(name).filter(|command| !command.trim().is_empty())?;
        let reached = reached_from(command, scripts);
        let folder = folder_of(&manifest.path);
        let mut files: Vec<String> = std::iter::once(command)
            .chain(reached.iter().map(String::as_str))
            .flat_map(|command| words_of(command).into_iter().filter_map(|word| file_of(evidence, folder, &word)))
            .collect();
        files.sort();
        files.dedup();
        let document = evidence.documents.get(&manifest.path)?;
        let place = place_of(document, &format!("/scripts/{name}"));
        Some(InstallScript { name: (*name).to_owned(), command: command.to_owned(), reached, files, place })
    };
    LIFE_CYCLE.iter().filter_map(script).collect()
}

/// The command lines of other scripts that a command line runs, directly or through one another, each once.
fn reached_from(command: &str, scripts: Option<&Value>) -> Vec<String> {
    let mut seen: BTreeSet<String> = BTreeSet::new();
    let mut open = vec![command.to_owned()];
    let mut reached = Vec::new();
    while let Some(command) = open.pop() {
        for name in scripts_run_by(&command) {
            let Some(next) = scripts.and_then(|scripts| scripts.get(&name)).and_then(Value::as_str) else { continue };
            // Scripts may run each other in a circle.
            if seen.insert(name) {
                reached.push(next.to_owned());
                open.push(next.to_owned());
            }
        }
    }
    reached
}

/// The names of the scripts that a command line runs: after `npm run` and its kin, or directly after yarn and pnpm.
fn scripts_run_by(command: &str) -> Vec<String> {
    let words = words_of(command);
    let mut names = Vec::new();
    for (at, word) in words.iter().enumerate() {
        // `yarn build` runs a script as `npm run build` does; a name that is none is not found later.
        let manager = matches!(word.as_str(), "npm" | "pnpm" | "yarn" | "bun");
        let mut rest = words.iter().skip(at + 1).filter(|word| !word.starts_with('-'));
        let Some(next) = rest.next().filter(|_| manager) else { continue };
        let named = if matches!(next.as_str(), "run" | "run-script") { rest.next() } else { Some(next) };
        names.extend(named.cloned());
    }
    names
}

/// The file of the package that a word names, with the endings that Node adds by itself.
fn file_of(evidence: &Evidence, folder: &str, word: &str) -> Option<String> {
    if word.starts_with('-') {
        return None;
    }
    let base = join(folder, word)?;
    let candidates = ["", ".js", ".cjs", ".mjs", "/index.js"].iter().map(|end| format!("{base}{end}"));
    candidates.into_iter().find(|path| evidence.documents.contains_key(path))
}
