//! The voice of a file by its role, its path and what it was read as.

use std::collections::BTreeSet;

use super::Voice;
use crate::Evidence;
use crate::document::{Document, is_test_path};
use crate::file_role::FileRole;
use crate::language::Language;
use crate::manifest::{ManifestKind, around, folder_of, is_foreign, name_of};
use crate::zones::is_loaded_by_name;

/// Folders whose Markdown agents load, whatever the files are called.
const AGENT_FOLDERS: [&str; 9] =
    ["commands", "agents", "prompts", "rules", "references", "skills", "hooks", "personas", "subagents"];

/// Folders of what is looked up on request: manuals, data, other people's packages.
const MANUAL_FOLDERS: [&str; 12] = [
    "docs",
    ".docs",
    "doc",
    "documentation",
    "manual",
    "manuals",
    "website",
    "data",
    "datasets",
    "corpus",
    "node_modules",
    "site-packages",
];

/// The places of a bundle that agents load.
struct AgentPlaces {
    /// Folders that hold a skill.
    skills: BTreeSet<String>,
    /// True where no file is named as instructions: the texts at the top are then all that there is.
    is_bare: bool,
}

impl AgentPlaces {
    fn of(evidence: &Evidence) -> Self {
        let named = || evidence.documents.keys().filter(|path| is_loaded_by_name(path));
        let skills = named().filter(|path| name_of(path).eq_ignore_ascii_case("skill.md"));
        let is_package = evidence
            .manifests
            .values()
            .any(|manifest| matches!(manifest.kind, ManifestKind::PackageJson | ManifestKind::PythonProject));
        Self {
            skills: skills.map(|path| folder_of(path).to_owned()).collect(),
            is_bare: !is_package && named().next().is_none(),
        }
    }

    /// The folder of the skill around a path.
    fn skill<'p>(&self, path: &'p str) -> Option<&'p str> {
        around(folder_of(path)).find(|folder| self.skills.contains(*folder))
    }

    /// True where an agent loads or looks up the texts of a path's folder as instructions.
    fn holds(&self, path: &str) -> bool {
        let folder = folder_of(path);
        let within = self.skill(path).map(|skill| folder.get(skill.len()..).unwrap_or_default());
        let is_manual = |folder: &str| folder.split('/').any(|part| MANUAL_FOLDERS.contains(&part));
        match within {
            Some(below) => !is_manual(below),
            None => !is_manual(folder) && folder.split('/').any(|part| AGENT_FOLDERS.contains(&part)),
        }
    }
}

/// Gives every document the voice of its file.
pub(super) fn assign(evidence: &mut Evidence) {
    let places = AgentPlaces::of(evidence);
    let read: BTreeSet<&str> = evidence.tools.iter().map(|tool| tool.place.file.as_str()).collect();
    let voices: Vec<Voice> = evidence
        .documents
        .values()
        .map(|document| {
            let kind = evidence.manifests.get(&document.path).map(|manifest| manifest.kind);
            of(document, kind, read.contains(document.path.as_str()), &places)
        })
        .collect();
    for (document, voice) in evidence.documents.values_mut().zip(voices) {
        document.voice = voice;
    }
}

fn of(document: &Document, kind: Option<ManifestKind>, holds_tools: bool, places: &AgentPlaces) -> Voice {
    let path = document.path.as_str();
    if document.run_by.is_some() {
        return Voice::Program;
    }
    if is_loaded_by_name(path) {
        return Voice::Agent;
    }
    // What a skill brings along in an office's format is there to be read.
    if is_office(path) && places.skill(path).is_some() {
        return Voice::Agent;
    }
    // Git runs what its configuration names.
    if path.ends_with(".git/config") || path.ends_with(".git/config.worktree") {
        return Voice::Program;
    }
    let is_sample = document.role == FileRole::Test || (is_test_path(path) && is_code(document));
    if is_sample {
        // The test runner loads it by itself.
        return if name_of(path) == "conftest.py" { Voice::Program } else { Voice::Data };
    }
    match kind {
        Some(ManifestKind::PythonProject) if name_of(path) != "pyproject.toml" => return Voice::Human,
        Some(ManifestKind::PythonProject) => return Voice::Program,
        Some(ManifestKind::Frontmatter) | None => {}
        Some(_) if is_foreign(path) => return Voice::Data,
        Some(_) => return Voice::Agent,
    }
    match document.role {
        FileRole::Source | FileRole::Script => Voice::Program,
        FileRole::Instruction => of_text(path, places),
        FileRole::Manifest if places.skill(path).is_some() => Voice::Agent,
        FileRole::Manifest => Voice::Program,
        FileRole::Docs => Voice::Human,
        FileRole::Data if holds_tools => Voice::Agent,
        FileRole::Data => of_data(document, places),
        FileRole::Test | FileRole::Lock | FileRole::Binary => Voice::Data,
    }
}

/// True for a part of a text, table or slides of an office.
fn is_office(path: &str) -> bool {
    const ENDINGS: [&str; 6] = [".docx!/", ".xlsx!/", ".pptx!/", ".odt!/", ".ods!/", ".odp!/"];
    let lower = path.to_ascii_lowercase();
    ENDINGS.iter().any(|ending| lower.contains(ending))
}

fn is_code(document: &Document) -> bool {
    matches!(document.role, FileRole::Source | FileRole::Script)
}

fn of_text(path: &str, places: &AgentPlaces) -> Voice {
    if places.holds(path) || (places.is_bare && folder_of(path).is_empty()) {
        return Voice::Agent;
    }
    let is_manual = folder_of(path).split('/').any(|folder| MANUAL_FOLDERS.contains(&folder));
    if is_manual { Voice::Data } else { Voice::Human }
}

fn of_data(document: &Document, places: &AgentPlaces) -> Voice {
    let path = document.path.as_str();
    let name = name_of(path);
    let ends = |endings: &[&str]| name.rsplit_once('.').is_some_and(|(_, ending)| endings.contains(&ending));
    if document.language == Language::Plain && ends(&["txt", "text", "prompt"]) {
        // What pip installs is no text, and what a skill brings may be its prompt.
        return match name.starts_with("requirements") || name.starts_with("constraints") {
            true => Voice::Program,
            false if places.holds(path) => Voice::Agent,
            false => of_text(path, places),
        };
    }
    let is_skills = places.skill(path).is_some();
    // A notebook that a skill brings is there to be run.
    if RUN_BY_NAME.contains(&name.to_ascii_lowercase().as_str()) || (is_skills && ends(&["ipynb"])) {
        return Voice::Program;
    }
    // A template of a workflow runs where it is put.
    let is_workflow = document.language == Language::Yaml
        && (path.contains(".github/workflows/") || is_skills && is_run_by_others(&document.text))
        || is_skills && ends(&["tf", "hcl", "service", "timer", "plist", "desktop", "reg"]);
    let is_page = document.language == Language::Markup && ends(&["html", "htm", "xhtml"]);
    if is_workflow || is_page { Voice::Program } else { Voice::Data }
}

/// Settings out of which another program runs commands, by their names.
const RUN_BY_NAME: [&str; 14] = [
    ".gitlab-ci.yml",
    ".travis.yml",
    "appveyor.yml",
    "azure-pipelines.yml",
    "bitbucket-pipelines.yml",
    "buildspec.yml",
    "cloudbuild.yaml",
    "devcontainer.json",
    "lefthook.yaml",
    "lefthook.yml",
    "taskfile.yaml",
    "taskfile.yml",
    "wercker.yml",
    ".drone.yml",
];

/// True for settings in YAML by which another program runs commands: a workflow, a playbook, services in containers.
fn is_run_by_others(text: &str) -> bool {
    const MARKS: [&str; 6] = ["runs-on:", "ansible.builtin.", "become:", "entrypoint:", "restart: ", "- hosts:"];
    MARKS.iter().any(|mark| text.contains(mark))
}
