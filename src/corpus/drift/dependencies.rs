//! Dependencies: what an installation brings along: by name, alias, address or lock file.
//!
//! A name in a registry is ordinary. What leads past it, to somebody who has nothing to do with the package, is told. Nothing
//! is resolved.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::effect::{Effect, EffectKind};
use super::hosts::host_of;
use super::package_version::PackageVersion;
use capdex_evidence::Evidence;
use capdex_evidence::file_role::FileRole;
use capdex_evidence::manifest::{Manifest, ManifestKind, is_foreign, name_of};
use capdex_evidence::own_domains::OwnDomains;
use capdex_evidence::site::site_of;
use capdex_model::capability::Capability;
use capdex_model::fact::Severity;

/// Entries of a lock file that are read.
const ENTRIES: usize = 50_000;
/// The deepest nesting of a lock file of the old form.
const DEPTH: usize = 20;
/// The lock file that is obeyed where the package is installed by somebody else.
const OBEYED: &str = "npm-shrinkwrap.json";
/// Effects of one release that are told by name.
const TOLD: usize = 20;

/// The dependencies of some files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Dependencies {
    /// Name and demand, as the manifest has them, with the manifest.
    named: BTreeMap<String, (String, String)>,
    /// The sites from which lock files take packages.
    locked: BTreeMap<String, LockedSite>,
    /// The owners and sites that are the package's own, by its word.
    own: BTreeSet<String>,
    /// The hosts of its repositories, at which others have theirs: there the owner decides.
    forges: BTreeSet<String>,
}

/// A site from which lock files take packages.
#[derive(Clone, Debug, PartialEq, Eq)]
struct LockedSite {
    /// How many.
    packages: usize,
    /// Of how many the address looks as those of a registry do.
    as_of_registry: usize,
    /// The first of them.
    first: String,
    /// The file that says so.
    file: String,
    /// True where a file says so that every installation obeys.
    is_obeyed: bool,
}

impl LockedSite {
    /// True where all that anybody takes from it looks as what a registry gives.
    const fn is_registry(&self) -> bool {
        self.as_of_registry == self.packages
    }
}

impl Dependencies {
    /// Reads the manifests and lock files among a capability's files.
    pub(super) fn of(capability: &Capability, evidence: &Evidence) -> Self {
        let mut all = Self::default();
        for path in &capability.files {
            if let Some(manifest) = evidence.manifests.get(path).filter(|manifest| !is_foreign(&manifest.path)) {
                all.read(manifest);
            }
            let lock = evidence.documents.get(path).filter(|document| {
                document.role == FileRole::Lock && matches!(name_of(path), OBEYED | "package-lock.json")
            });
            if let Some(value) = lock.and_then(|document| serde_json::from_str::<Value>(&document.text).ok()) {
                all.lock(path, &value, &mut ENTRIES.clone(), DEPTH);
            }
        }
        all
    }

    /// Adds what another capability brings along.
    pub(super) fn join(&mut self, other: Self) {
        self.named.extend(other.named);
        for (site, other) in other.locked {
            match self.locked.entry(site) {
                Entry::Vacant(entry) => drop(entry.insert(other)),
                Entry::Occupied(mut entry) => {
                    let known = entry.get_mut();
                    known.packages += other.packages;
                    known.as_of_registry += other.as_of_registry;
                    known.is_obeyed |= other.is_obeyed;
                }
            }
        }
        self.own.extend(other.own);
        self.forges.extend(other.forges);
    }

    fn read(&mut self, manifest: &Manifest) {
        let (value, path) = (&manifest.value, &manifest.path);
        match manifest.kind {
            ManifestKind::PackageJson => {
                for table in ["dependencies", "optionalDependencies", "peerDependencies"] {
                    for (name, demand) in value.get(table).and_then(Value::as_object).into_iter().flatten() {
                        let demand = demand.as_str().unwrap_or_default().trim().to_owned();
                        self.named.insert(name.clone(), (demand, path.clone()));
                    }
                }
                let repository = value.get("repository");
                let url = repository.and_then(Value::as_str).or(repository.and_then(|of| of.get("url")?.as_str()));
                self.own.extend(url.and_then(owner_of));
                self.forges.extend(url.and_then(|url| host_of(&plain(url))));
            }
            ManifestKind::PythonProject => {
                for pointer in ["/project/dependencies", "/build-system/requires", "/requires-dist"] {
                    for demand in value.pointer(pointer).and_then(Value::as_array).into_iter().flatten() {
                        let demand = demand.as_str().unwrap_or_default().trim();
                        let name = demand.split(|letter: char| !is_of_name(letter)).next().unwrap_or_default();
                        // Only an address is a demand that leads past the index.
                        let address = demand.split_once(" @ ").or_else(|| demand.split_once("@ "));
                        let demand = address.map_or("", |(_, address)| address.trim()).to_owned();
                        self.named.insert(name.to_lowercase(), (demand, path.clone()));
                    }
                }
            }
            _ => {}
        }
    }

    fn lock(&mut self, path: &str, value: &Value, left: &mut usize, depth: usize) {
        let tables = ["packages", "dependencies"].into_iter().filter_map(|table| value.get(table)?.as_object());
        for (name, entry) in tables.flatten() {
            if *left == 0 || depth == 0 {
                return;
            }
            *left -= 1;
            let resolved = entry.get("resolved").and_then(Value::as_str).unwrap_or_default();
            if let Some(host) = host_of(&plain(resolved)) {
                let name = name.rsplit("node_modules/").next().unwrap_or(name);
                let of_site = || LockedSite {
                    packages: 0,
                    as_of_registry: 0,
                    first: name.to_owned(),
                    file: path.to_owned(),
                    is_obeyed: false,
                };
                let site = self.locked.entry(site_of(&host)).or_insert_with(of_site);
                site.packages += 1;
                site.as_of_registry += usize::from(resolved.contains("/-/"));
                site.is_obeyed |= name_of(path) == OBEYED;
            }
            self.lock(path, entry, left, depth - 1);
        }
    }
}

/// The address of a repository as that of a page.
fn plain(address: &str) -> String {
    address.trim_start_matches("git+").replace("ssh://", "https://")
}

const fn is_of_name(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_' | '.')
}

/// The account at a forge, in small letters, with the site of the forge: `forge.test/owner`.
fn owner_of(address: &str) -> Option<String> {
    let address = address.trim().trim_start_matches("git+").to_lowercase();
    let rest = address.split_once("://").map_or(address.as_str(), |(_, rest)| rest);
    let rest = rest.rsplit_once('@').map_or(rest, |(_, rest)| rest);
    let is_part = |part: &&str| !part.is_empty() && !part.bytes().all(|byte| byte.is_ascii_digit());
    // `git@forge.test:owner/name`; a number there is a port.
    let mut parts = rest.split(['/', ':']).filter(is_part);
    // `github:owner/name` and `owner/name` are short for a forge.
    match (parts.next()?, parts.next()?) {
        (forge @ ("github" | "gitlab"), owner) => Some(format!("{forge}.com/{owner}")),
        ("bitbucket", owner) => Some(format!("bitbucket.org/{owner}")),
        (host, owner) if host.contains('.') => Some(format!("{}/{owner}", site_of(host))),
        (owner, _) => Some(format!("github.com/{owner}")),
    }
}

/// True where an alias is another name of the same thing, as one more version of it is: one without a scope, or of the
/// scope that the name has. Anybody may have a scope of his own with the same name in it.
fn is_named_so(name: &str, of: &str) -> bool {
    let scope = |text: &str| text.strip_prefix('@').and_then(|rest| Some(rest.split_once('/')?.0.to_lowercase()));
    let bare = |text: &str| text.rsplit('/').next().unwrap_or(text).replace(['-', '_', '.'], "").to_lowercase();
    let is_of_scope = scope(of).is_none_or(|own| scope(name).is_some_and(|scope| scope == own));
    is_of_scope && (bare(name).contains(&bare(of)) || bare(of).contains(&bare(name)))
}

/// The effects of dependencies that the package did not have, or not in that way. What is its own, it said before: whoever takes a
/// release over writes his own repository and home page into the same manifest. `registry` is the site of the registry that
/// handed the package out.
pub(super) fn effects(before: &PackageVersion<'_>, own: &Dependencies, registry: Option<&str>) -> Vec<Effect> {
    let old = &before.inventory.dependencies;
    let mut effects = Vec::new();
    let domains = OwnDomains::of(before.evidence);
    for (name, (demand, path)) in &own.named {
        let known = old.named.get(name).map(|(demand, _)| demand.as_str());
        if known == Some(demand) {
            continue;
        }
        match leads_to(demand) {
            // A range within the registry moves with nearly every release.
            Target::Registry if known.is_some_and(|known| leads_to(known) == Target::Registry) => {}
            Target::Registry => effects.push(Effect::info(EffectKind::Dependency, path, name)),
            Target::Alias(of) => {
                let severity = if is_named_so(name, of) { Severity::Low } else { Severity::Medium };
                effects.push(Effect::new(EffectKind::Dependency, severity, path, &format!("{name}: {demand}")));
            }
            Target::Address => {
                let owner = owner_of(demand).unwrap_or_default();
                let is_of_site = |host: String| domains.contains(&host) && !old.forges.contains(&host);
                let is_own = old.own.contains(&owner) || host_of(&plain(demand)).is_some_and(is_of_site);
                let severity = if is_own { Severity::Low } else { Severity::Medium };
                effects.push(Effect::new(EffectKind::Dependency, severity, path, &format!("{name}: {demand}")));
            }
        }
    }
    let first = || own.locked.iter().filter(|(_, of)| of.is_registry()).max_by_key(|(_, of)| of.packages);
    let usual = if old.locked.is_empty() { first().map(|(site, _)| site) } else { None };
    for (site, of) in &own.locked {
        // What a file names that no installation obeys, nobody has taken from there yet.
        let is_known = old.locked.get(site).is_some_and(|known| known.is_obeyed || !of.is_obeyed);
        let is_known = is_known || domains.contains(site);
        // What looks as a registry's is one where everybody takes packages from it, or this package came from it. A first file
        // that every installation obeys could name any; one that only its author's does names his.
        let is_registry = || {
            of.is_registry()
                && (hands_out_all(site) || registry == Some(site.as_str()) || usual == Some(site) && !of.is_obeyed)
        };
        if !is_known && !is_registry() {
            let detail = format!("{} comes from {site}", of.first);
            effects.push(Effect::new(EffectKind::Dependency, Severity::Medium, &of.file, &detail));
        }
    }
    effects.sort_by_key(|effect| std::cmp::Reverse(effect.severity));
    effects.truncate(TOLD);
    effects
}

/// True for the site of a registry or a mirror from which everybody takes packages, under the names that they have.
fn hands_out_all(site: &str) -> bool {
    /// The name of the site, and its ending.
    const PUBLIC: [(&str, &str); 6] = [
        ("npmjs", "org"),
        ("yarnpkg", "com"),
        ("npmmirror", "com"),
        ("taobao", "org"),
        ("tencent", "com"),
        ("huaweicloud", "com"),
    ];
    site.split_once('.').is_some_and(|named| PUBLIC.contains(&named))
}

/// The place to which a demand leads.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Target<'a> {
    /// The registry, under the name itself.
    Registry,
    /// The registry, under another name.
    Alias(&'a str),
    /// An address, a repository.
    Address,
}

fn leads_to(demand: &str) -> Target<'_> {
    if let Some(alias) = demand.strip_prefix("npm:") {
        let end = alias.get(1..).and_then(|rest| rest.find('@')).map_or(alias.len(), |at| at + 1);
        return Target::Alias(alias.get(..end).unwrap_or(alias));
    }
    // What lies in the package itself, or in the workspace of its author, leads nowhere else.
    if ["file:", "link:", "workspace:", "catalog:", "portal:"].iter().any(|word| demand.starts_with(word)) {
        return Target::Registry;
    }
    // `owner/name` is short for a repository; no range has a stroke.
    if demand.contains('/') || demand.starts_with("git@") { Target::Address } else { Target::Registry }
}
