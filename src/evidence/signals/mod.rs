//! Signals: what is known of a capability beside its text: licence, repository, dependencies, scripts, documents.
//!
//! Joins the listing's claims with the manifests inside the bytes; missing stays missing.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::subject::Subject;
use capdex_model::capability::{Capability, Kind};
use capdex_model::ids::CapabilityId;
use capdex_model::listing::Claim;

use super::Evidence;
use super::file_role::FileRole;
use super::formats;
use super::manifest::{Manifest, ManifestKind, around, folder_of, is_foreign, name_of};

mod documents;
mod scripts;
mod stated;
#[cfg(test)]
mod tests;

pub use scripts::{InstallScript, install_scripts};
use stated::Stated;

/// The facts known of one capability beside its text. Texts are untrusted and never empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CapabilitySignals {
    /// The name it gives itself.
    pub name: Claim<String>,
    /// Its version.
    pub version: Claim<String>,
    /// Its one-line description.
    pub description: Claim<String>,
    /// Its licence, as an expression or a name.
    pub license: Claim<String>,
    /// The address of its source repository, as written.
    pub repository: Claim<String>,
    /// Its keywords, in the manifest's order.
    pub keywords: Claim<Vec<String>>,
    /// The names of its run-time dependencies, sorted, each once. Unknown for what is not itself a package.
    pub dependencies: Claim<Vec<String>>,
    /// The scripts that run when it is installed or removed, by name; sorted, each once. Empty for what is not itself
    /// a package.
    pub install_scripts: Vec<(String, String)>,
    /// The deprecation message, yank reason, or the Python classifier that says the project is inactive.
    pub deprecated: Claim<String>,
    /// True where the listed version carries a provenance attestation. Only a registry knows.
    pub provenance: Claim<bool>,
    /// The path of the manifest that spoke first; none where no manifest does.
    pub manifest: Option<String>,
    /// A README at its root or the input's; in a wheel, the text in its metadata.
    pub has_readme: bool,
    /// A licence file at its root or the input's, or in a wheel's metadata folder.
    pub has_license_file: bool,
    /// A changelog at its root or the input's.
    pub has_changelog: bool,
    /// A security policy at its root or the input's, or in `.github/` or `docs/` there.
    pub has_security_policy: bool,
    /// The number of its own files that are tests or fixtures.
    pub test_files: usize,
    /// The number of its own files that are program source or scripts.
    pub source_files: usize,
}

/// Joins what the capability's manifest, the package around it and the listing say, in this order: the first that
/// states a value counts. A field that none states is `Absent` where one of them has a place for it, else `Unknown`.
///
/// A skill and a plugin speak for themselves in name, version and description; the package around them lends licence,
/// repository and keywords. The listing's scripts and dependencies belong to what [`is_package`] says.
///
/// They are gathered once for each capability: a dozen rules ask.
pub fn of(subject: &Subject<'_>) -> Arc<CapabilitySignals> {
    let mut gathered = subject.evidence.signals.0.lock().unwrap_or_else(PoisonError::into_inner);
    let signals = gathered.entry(subject.capability.id).or_insert_with(|| Arc::new(gather(subject)));
    Arc::clone(signals)
}

/// The signals that rules have asked for, by capability.
#[derive(Debug, Default)]
pub(crate) struct Gathered(Mutex<BTreeMap<CapabilityId, Arc<CapabilitySignals>>>);

fn gather(subject: &Subject<'_>) -> CapabilitySignals {
    let (capability, evidence) = (subject.capability, subject.evidence);
    // A capability speaks for itself first, then the package around it, then the listing.
    let own = own_manifests(capability, evidence);
    let enclosing = enclosing_manifests(capability, evidence);
    let mut signals = CapabilitySignals {
        manifest: own.iter().chain(&enclosing).map(|m| m.path.clone()).next(),
        ..count(subject, &own)
    };
    for manifest in &own {
        let stated = Stated::of(manifest);
        signals.add_identity(&stated);
        signals.add_package(&stated);
        signals.add_shared(stated);
    }
    // Their format has a place for both, so that silence is an absence.
    if own.is_empty() && matches!(capability.kind, Kind::Skill | Kind::Plugin) {
        (signals.name, signals.description) = (Claim::Absent, Claim::Absent);
    }
    let is_file = capability.files.binary_search(&capability.path).is_ok();
    // A server that is one file in a project does not take the project's name.
    let lends_all = own.is_empty() && !is_file && matches!(capability.kind, Kind::McpServer | Kind::Package);
    for manifest in enclosing {
        let stated = Stated::of(manifest);
        if lends_all {
            signals.add_identity(&stated);
            signals.add_package(&stated);
        }
        signals.add_shared(stated);
    }
    signals.add_claims(subject);
    // Manifest and listing tell the same scripts, and the order of their telling must not show.
    signals.install_scripts.sort();
    signals.install_scripts.dedup();
    signals
}

/// True where the listing's claims about scripts and dependencies are about this capability. It is the package's own
/// row while it has files or while there are no bytes at all. Else it is the server at the root, or the skill or plugin
/// there that holds the package's manifest.
pub fn is_package(subject: &Subject<'_>) -> bool {
    let (capability, evidence) = (subject.capability, subject.evidence);
    let root = root_of(evidence);
    match capability.kind {
        Kind::Package => !capability.files.is_empty() || evidence.documents.is_empty(),
        // One package may hold several servers; the listing speaks of the one at its root.
        Kind::McpServer => capability.path == root,
        Kind::Skill | Kind::Plugin => {
            let manifest = inside(root, "package.json");
            capability.path == root && capability.files.binary_search_by(|path| path.as_str().cmp(&manifest)).is_ok()
        }
        Kind::Hook | Kind::Rules => false,
    }
}

/// The folder that stands for the input's root: the one folder that everything lies in (as in an sdist), else the root
/// itself.
pub fn root_of(evidence: &Evidence) -> &str {
    let (Some((first, _)), Some((last, _))) =
        (evidence.documents.first_key_value(), evidence.documents.last_key_value())
    else {
        return "";
    };
    let Some((name, _)) = first.split_once('/') else { return "" };
    // Sorted paths: what the first and the last begin with, all between them begin with.
    let shared = last.strip_prefix(name).is_some_and(|rest| rest.starts_with('/'));
    // A folder with a meaning of its own (`skills/`, `.claude/`) is no wrapper.
    let plain = !name.starts_with('.') && !["skills", "plugins", "packages", "src", "hooks"].contains(&name);
    if shared && plain && !name.ends_with('!') { name } else { "" }
}

/// The path of what is called so in a folder, which is a path of the input.
fn inside<'a>(folder: &str, name: &'a str) -> Cow<'a, str> {
    if folder.is_empty() { Cow::Borrowed(name) } else { Cow::Owned(format!("{folder}/{name}")) }
}

impl CapabilitySignals {
    fn add_identity(&mut self, stated: &Stated) {
        fill(&mut self.name, stated.name.clone());
        fill(&mut self.version, stated.version.clone());
        fill(&mut self.description, stated.description.clone());
    }

    fn add_package(&mut self, stated: &Stated) {
        fill(&mut self.dependencies, stated.dependencies.clone());
        self.install_scripts.extend(stated.install_scripts.iter().cloned());
    }

    fn add_shared(&mut self, stated: Stated) {
        fill(&mut self.license, stated.license);
        fill(&mut self.repository, stated.repository);
        fill(&mut self.keywords, stated.keywords);
        fill(&mut self.deprecated, stated.deprecated);
    }

    fn add_claims(&mut self, subject: &Subject<'_>) {
        let claims = subject.claims.clone();
        // The listing describes the package, not a skill or hook inside it.
        if matches!(subject.capability.kind, Kind::McpServer | Kind::Package) {
            fill(&mut self.description, claims.description);
        }
        fill(&mut self.license, claims.license);
        fill(&mut self.repository, claims.repository);
        fill(&mut self.keywords, claims.keywords);
        fill(&mut self.deprecated, claims.deprecated);
        fill(&mut self.provenance, claims.provenance);
        if is_package(subject) {
            fill(&mut self.dependencies, claims.dependencies);
            self.install_scripts.extend(claims.install_scripts.known().cloned().unwrap_or_default());
        }
    }
}

/// Takes a claim where nothing better is known: a value beats an absence, an absence beats silence.
fn fill<T>(held: &mut Claim<T>, next: Claim<T>) {
    match (&held, &next) {
        (Claim::Known(_), _) | (Claim::Absent, Claim::Absent | Claim::Unknown) | (_, Claim::Unknown) => {}
        (Claim::Absent | Claim::Unknown, Claim::Known(_)) | (Claim::Unknown, Claim::Absent) => *held = next,
    }
}

fn is_package_manifest(manifest: &Manifest) -> bool {
    matches!(manifest.kind, ManifestKind::PackageJson | ManifestKind::PythonProject)
}

/// The manifests by which a capability speaks for itself, the most telling kind first.
fn own_manifests<'a>(capability: &Capability, evidence: &'a Evidence) -> Vec<&'a Manifest> {
    let root = folder_of_anchor(capability, evidence);
    let mine = capability.files.iter().filter(|path| !is_foreign(path)).filter_map(|path| evidence.manifests.get(path));
    let mut own: Vec<&Manifest> = mine.filter(|manifest| speaks_for(capability.kind, root, manifest)).collect();
    own.sort_by_key(|manifest| (order(manifest), manifest.path.as_str()));
    own
}

/// The folder of a capability's anchor: the anchor itself where that is a folder.
fn folder_of_anchor<'a>(capability: &'a Capability, evidence: &'a Evidence) -> &'a str {
    match capability.kind {
        Kind::Package => root_of(evidence),
        _ if capability.files.binary_search(&capability.path).is_ok() => folder_of(&capability.path),
        _ => &capability.path,
    }
}

fn speaks_for(kind: Kind, root: &str, manifest: &Manifest) -> bool {
    let folder = folder_of(&manifest.path);
    match kind {
        Kind::Skill => folder == root && name_of(&manifest.path).eq_ignore_ascii_case("skill.md"),
        Kind::Plugin => {
            let describes = matches!(manifest.kind, ManifestKind::PluginJson | ManifestKind::Frontmatter);
            describes && formats::plugin_root(&manifest.path) == Some(root)
        }
        Kind::McpServer => {
            let listed =
                matches!(manifest.kind, ManifestKind::ServerJson | ManifestKind::Mcpb | ManifestKind::ToolsList);
            (folder == root && listed) || is_package_at(root, manifest)
        }
        Kind::Package => is_package_at(root, manifest),
        Kind::Hook | Kind::Rules => false,
    }
}

/// True where a manifest describes the package in a folder; a wheel's and a build's metadata lie one folder below it.
fn is_package_at(root: &str, manifest: &Manifest) -> bool {
    let folder = folder_of(&manifest.path);
    // Builds write their metadata into a folder of its own.
    let below = [".dist-info", ".egg-info"].iter().any(|end| name_of(folder).ends_with(end));
    is_package_manifest(manifest) && (folder == root || (below && folder_of(folder) == root))
}

fn order(manifest: &Manifest) -> u8 {
    match manifest.kind {
        ManifestKind::Frontmatter | ManifestKind::PluginJson => 0,
        ManifestKind::PackageJson => 1,
        ManifestKind::PythonProject if name_of(&manifest.path) == "pyproject.toml" => 2,
        ManifestKind::PythonProject => 3,
        ManifestKind::Mcpb => 4,
        ManifestKind::ServerJson => 5,
        _ => 6,
    }
}

/// The package manifests in the nearest folder at or around the anchor that has any, whosever files they are.
fn enclosing_manifests<'a>(capability: &Capability, evidence: &'a Evidence) -> Vec<&'a Manifest> {
    let at = |folder: &str| -> Vec<&'a Manifest> {
        let names = ["package.json", "pyproject.toml", "PKG-INFO"];
        let found = names.iter().filter_map(|name| evidence.manifests.get(&*inside(folder, name)));
        found.filter(|manifest| is_package_manifest(manifest)).collect()
    };
    let anchor = folder_of_anchor(capability, evidence);
    around(anchor).map(at).find(|found| !found.is_empty()).unwrap_or_default()
}

/// The signals that come from the files alone.
fn count(subject: &Subject<'_>, own: &[&Manifest]) -> CapabilitySignals {
    let (capability, evidence) = (subject.capability, subject.evidence);
    let mut signals = CapabilitySignals::default();
    let (own_root, root) = (folder_of_anchor(capability, evidence), root_of(evidence));
    signals.note_documents(evidence, "");
    if !root.is_empty() {
        signals.note_documents(evidence, root);
    }
    // Each folder is looked through once.
    if !own_root.is_empty() && own_root != root {
        signals.note_documents(evidence, own_root);
    }
    // A wheel has no README file and carries licences in its metadata folder.
    for manifest in own.iter().filter(|manifest| manifest.value.get("metadata-version").is_some()) {
        let folder = folder_of(&manifest.path);
        signals.has_license_file |=
            [folder, &inside(folder, "licenses")].iter().any(|folder| documents::has(evidence, folder, &LICENSE));
        signals.has_readme |= documents::has_body(evidence, &manifest.path);
    }
    let roles =
        || capability.files.iter().filter_map(|path| evidence.documents.get(path)).map(|document| document.role);
    signals.test_files = roles().filter(|role| *role == FileRole::Test).count();
    signals.source_files = roles().filter(|role| matches!(role, FileRole::Source | FileRole::Script)).count();
    signals
}

const LICENSE: [&str; 4] = ["license", "licence", "copying", "unlicense"];

impl CapabilitySignals {
    /// Notes the documents for people that lie directly in a folder; a security policy also in two folders below.
    fn note_documents(&mut self, evidence: &Evidence, folder: &str) {
        let has = |stems: &[&str]| documents::has(evidence, folder, stems);
        let below = |name: &str| documents::has(evidence, &inside(folder, name), &["security"]);
        self.has_readme |= has(&["readme"]);
        self.has_changelog |= has(&["changelog", "changes", "history", "news", "release_notes", "releases"]);
        self.has_license_file |= has(&LICENSE);
        self.has_security_policy |= has(&["security"]) || below(".github") || below("docs");
    }
}
