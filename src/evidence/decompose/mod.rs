//! Decomposing: which capabilities a bundle holds, and which of its files belong to each.
//!
//! Every file belongs to exactly one capability; what none claims belongs to the one `package` capability, which is
//! always there and always last.
//!
//! A file goes to the most specific claimant. First comes the capability that it anchors, then one that names it (a
//! hook and its scripts), then that of the deepest folder around it. Vendored code and test fixtures anchor nothing
//! (see `evidence::manifest`); examples do, because people install them.

use std::collections::{BTreeMap, BTreeSet};

use crate::Evidence;
use crate::manifest::{Manifest, around, folder_of, is_foreign, join, name_of};
use crate::signals;
use capdex_model::bundle::Bundle;
use capdex_model::capability::{Capability, CapabilityRole, Kind};
use capdex_model::digest::Digest;
use capdex_model::ids::{CapabilityId, SLUG_DIGITS, longer_slug, slug_of, split_registry};
use capdex_model::snapshot::{Gap, GapReason};

pub mod hook;
#[cfg(test)]
mod hook_tests;
mod mcp_server;
mod plugin;
mod rules_file;
mod skill;
#[cfg(test)]
mod tests;
mod variants;

/// The most capabilities of one bundle that are told one by one. Each costs a stranger a few bytes, and everybody else rows,
/// scores and pages; the files of the others belong to what is around them, and are looked at there.
pub const MAX_CAPABILITIES: usize = 500;

/// Finds the capabilities of a bundle, sorted by (kind, path), the package's unclaimed rest last.
pub fn decompose(bundle: &Bundle, evidence: &Evidence) -> Vec<Capability> {
    decompose_counted(bundle, evidence).0
}

/// The same with a gap where there are more than [`MAX_CAPABILITIES`].
pub fn decompose_counted(bundle: &Bundle, evidence: &Evidence) -> (Vec<Capability>, Option<Gap>) {
    let input = AnchorFinderInput::of(bundle, evidence);
    let mut anchors = variants::joined(bundle, merged(anchors(&input)));
    let more = anchors.split_off(anchors.len().min(MAX_CAPABILITIES));
    let left_out = more.first().map(|first| {
        let detail = format!("and {} more capabilities, which are looked at as part of the package", more.len());
        Gap::new(first.path.clone(), GapReason::BudgetExhausted, detail)
    });
    let mut files: Vec<Vec<String>> = vec![Vec::new(); anchors.len()];
    let mut rest = Vec::new();
    let claims = ClaimedPaths::of(&anchors);
    for path in bundle.files.keys() {
        let claimant = claims.claimant(path).and_then(|at| files.get_mut(at));
        claimant.unwrap_or(&mut rest).push(path.clone());
    }
    let mut capabilities: Vec<Capability> = anchors
        .iter()
        .zip(files)
        .map(|(anchor, files)| {
            let found = capability(bundle, anchor.kind, &anchor.path, &anchor.name, files);
            Capability { role: anchor.role, ..found }
        })
        .collect();
    // Always there, so that no file is outside every capability and unread by rules.
    capabilities.push(capability(bundle, Kind::Package, "", &package_name(&input), rest));
    tell_slugs_apart(&mut capabilities);
    (capabilities, left_out)
}

/// Gives all but one of the capabilities whose paths fold to one slug a longer one. The smallest id keeps it, as in the store.
fn tell_slugs_apart(capabilities: &mut [Capability]) {
    let mut keeps: BTreeMap<String, CapabilityId> = BTreeMap::new();
    for capability in capabilities.iter() {
        let id = keeps.entry(capability.slug.clone()).or_insert(capability.id);
        *id = capability.id.min(*id);
    }
    for capability in capabilities {
        if keeps.get(&capability.slug) != Some(&capability.id) {
            capability.slug = longer_slug(&capability.slug, &capability.id, SLUG_DIGITS);
        }
    }
}

/// Every anchor in the bundle, sorted by (kind, path); some may share both.
fn anchors(input: &AnchorFinderInput<'_>) -> Vec<CapabilityAnchor> {
    // Skills and plugins come first: the finders of servers and hooks ask where they are.
    let skills = skill::anchors(input);
    let plugins = plugin::anchors(input);
    let servers = mcp_server::anchors(input, &skills, &plugins);
    let mut anchors = hook::anchors(input, &plugins);
    anchors.extend(rules_file::anchors(input));
    anchors.extend(skills);
    anchors.extend(plugins);
    anchors.extend(servers);
    anchors.sort_by(|a, b| (a.kind, &a.path, &a.own).cmp(&(b.kind, &b.path, &b.own)));
    anchors
}

/// Joins anchors of one kind and path: ids stay unique. The first one's name counts.
fn merged(anchors: Vec<CapabilityAnchor>) -> Vec<CapabilityAnchor> {
    let mut merged: Vec<CapabilityAnchor> = Vec::with_capacity(anchors.len());
    for anchor in anchors {
        match merged.last_mut().filter(|last| (last.kind, &last.path) == (anchor.kind, &anchor.path)) {
            Some(last) => {
                last.own.extend(anchor.own);
                last.named.extend(anchor.named);
                last.kept.extend(anchor.kept);
                // A file and a folder at one path: the folder's claim is kept.
                last.folder = last.folder.take().or(anchor.folder);
            }
            None => merged.push(anchor),
        }
    }
    merged
}

/// The place at which a capability was found, with its claims.
#[derive(Clone, Debug)]
struct CapabilityAnchor {
    kind: Kind,
    role: CapabilityRole,
    /// The capability's path: a folder, or the one file that it is.
    path: String,
    name: String,
    /// The files that make it a capability. No one else gets them.
    own: Vec<String>,
    /// Files elsewhere that it names as its own, where they anchor nothing themselves.
    named: Vec<String>,
    /// The folder that it claims with all below, minus what deeper anchors claim.
    folder: Option<String>,
    /// The folders that it keeps where a capability of another kind has the same folder.
    kept: Vec<String>,
}

impl CapabilityAnchor {
    /// An anchor that claims a folder and is made by one file.
    fn folder(kind: Kind, folder: &str, name: String, own: &str) -> Self {
        let own = vec![own.to_owned()];
        let claim = Some(folder.to_owned());
        let (path, role) = (folder.to_owned(), CapabilityRole::Offer);
        Self { kind, role, path, name, own, named: Vec::new(), folder: claim, kept: Vec::new() }
    }

    /// An anchor that is one file.
    fn file(kind: Kind, path: &str, name: String) -> Self {
        let own = vec![path.to_owned()];
        let (path, role) = (path.to_owned(), CapabilityRole::Offer);
        Self { kind, role, path, name, own, named: Vec::new(), folder: None, kept: Vec::new() }
    }
}

/// The claimant of each file and folder, by the index of the anchor.
#[derive(Default)]
struct ClaimedPaths<'a> {
    files: BTreeMap<&'a str, usize>,
    folders: BTreeMap<&'a str, (u8, usize)>,
}

impl<'a> ClaimedPaths<'a> {
    fn of(anchors: &'a [CapabilityAnchor]) -> Self {
        let mut claimed = Self::default();
        for (at, anchor) in anchors.iter().enumerate() {
            for path in &anchor.own {
                claimed.files.entry(path).or_insert(at);
            }
            for (folder, rank) in anchor.folder.iter().map(|folder| (folder, rank(anchor.kind))) {
                claimed.claim_folder(folder, rank, at);
            }
            for folder in &anchor.kept {
                // The weakest claim, which holds only where nobody is anchored there.
                claimed.claim_folder(folder, KEPT, at);
            }
        }
        // Named files after all own ones: a name in a command must not take another's manifest.
        for (at, anchor) in anchors.iter().enumerate() {
            for path in &anchor.named {
                claimed.files.entry(path).or_insert(at);
            }
        }
        claimed
    }

    fn claim_folder(&mut self, folder: &'a str, rank: u8, at: usize) {
        let held = self.folders.entry(folder).or_insert((rank, at));
        // The lowest rank wins whatever the order, so that the result does not hang on it.
        *held = (*held).min((rank, at));
    }

    fn claimant(&self, path: &str) -> Option<usize> {
        let by_folder = || around(folder_of(path)).find_map(|folder| self.folders.get(folder)).map(|(_, at)| *at);
        self.files.get(path).copied().or_else(by_folder)
    }
}

/// The order in which kinds get a folder that two claim. A server is its whole source tree, a skill its text and what
/// it says it keeps, a plugin what the others leave.
const fn rank(kind: Kind) -> u8 {
    match kind {
        Kind::McpServer => 0,
        Kind::Skill => 1,
        Kind::Plugin => 2,
        Kind::Hook => 3,
        Kind::Rules | Kind::Package => 4,
    }
}

/// The rank of a folder that is only kept: a capability that is anchored there goes before.
const KEPT: u8 = 5;

/// The input of the finders of anchors.
struct AnchorFinderInput<'a> {
    identity: &'a str,
    evidence: &'a Evidence,
    /// Every path, and every folder above one.
    paths: BTreeSet<&'a str>,
    folders: BTreeSet<&'a str>,
    /// The paths and the manifests that may anchor a capability.
    own_paths: Vec<&'a str>,
    own_manifests: Vec<&'a Manifest>,
    /// The folders whose `package.json` belongs to the package around them, with the folder of that.
    parts: BTreeMap<&'a str, &'a str>,
}

impl<'a> AnchorFinderInput<'a> {
    fn of(bundle: &'a Bundle, evidence: &'a Evidence) -> Self {
        let paths: BTreeSet<&str> = bundle.files.keys().map(String::as_str).collect();
        let mut folders = BTreeSet::from([""]);
        for path in &paths {
            for folder in around(folder_of(path)) {
                // The folders further up were added with this one: the work stays linear.
                if !folders.insert(folder) {
                    break;
                }
            }
        }
        let own_paths = paths.iter().copied().filter(|path| !is_foreign(path)).collect();
        let own_manifests: Vec<&Manifest> =
            evidence.manifests.values().filter(|manifest| !is_foreign(&manifest.path)).collect();
        let parts = mcp_server::inner_manifests(&own_manifests);
        Self { identity: &bundle.identity, evidence, paths, folders, own_paths, own_manifests, parts }
    }

    /// The paths that may anchor a capability.
    fn own_paths(&self) -> impl Iterator<Item = &'a str> {
        self.own_paths.iter().copied()
    }

    /// The manifests that may anchor a capability.
    fn own_manifests(&self) -> impl Iterator<Item = &'a Manifest> {
        self.own_manifests.iter().copied()
    }

    fn has(&self, folder: &str, name: &str) -> bool {
        join(folder, name).is_some_and(|path| self.paths.contains(path.as_str()))
    }

    /// The name of a folder in which nothing gives one: its last component, and at the root the input's.
    fn name_of_folder(&self, folder: &str) -> String {
        // A `!` at the end marks a nested archive and is no part of a name.
        let name = if folder.is_empty() { self.identity_name() } else { name_of(folder) };
        name.trim_end_matches('!').to_owned()
    }

    fn identity_name(&self) -> &'a str {
        // The registry says where, and not what it is called.
        let (identity, _) = split_registry(self.identity);
        identity.split_once(':').map_or(identity, |(_, name)| name)
    }
}

/// The longest name that is kept, in code points.
const NAME_LENGTH: usize = 200;

/// A name that a capability gives itself: trimmed and cut; none where it is blank.
fn given_name(name: Option<&str>) -> Option<String> {
    let name = name.map(str::trim).filter(|name| !name.is_empty())?;
    Some(name.chars().take(NAME_LENGTH).collect())
}

/// The package's name: that of the manifest at the input's root, else the input's own.
fn package_name(input: &AnchorFinderInput<'_>) -> String {
    let root = signals::root_of(input.evidence);
    let at_root = input.own_manifests().filter(|manifest| mcp_server::folder_of_package(input, manifest) == Some(root));
    let mut named: Vec<&Manifest> = at_root.collect();
    named.sort_by_key(|manifest| mcp_server::telling(manifest));
    let name = named.into_iter().find_map(|manifest| given_name(mcp_server::name_in(manifest).as_deref()));
    name.unwrap_or_else(|| input.identity_name().to_owned())
}

/// Builds a capability from its anchor and the sorted paths of its files.
pub fn capability(bundle: &Bundle, kind: Kind, path: &str, name: &str, files: Vec<String>) -> Capability {
    // Over paths and digests, so that a moved file changes the content too.
    let content = Digest::of_tree(
        files.iter().filter_map(|path| bundle.files.get(path).map(|file| (path.as_str(), file.digest))),
    );
    Capability {
        id: CapabilityId::of(&bundle.identity, kind, path),
        kind,
        role: CapabilityRole::Offer,
        path: path.to_owned(),
        name: name.to_owned(),
        slug: slug_of(&bundle.identity, kind, path),
        files,
        content,
    }
}
