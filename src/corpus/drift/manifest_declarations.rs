//! Manifest declarations: the effects of new ones in a package: permissions, hooks, scripts at installation, other
//! addresses, packages, repositories and credentials. Owners of the package are compared in [`owners`](super::owners).

use std::collections::BTreeSet;

use super::declaration_pins::ManifestDeclarations;
use super::effect::{Effect, EffectKind};
use super::hosts::host_of;
use super::package_version::PackageVersion;
use super::release::VersionChange;
use capdex_evidence::site::site_of;
use capdex_model::fact::Severity;

/// The effects of what a capability declares, where the whole package did not declare it before.
pub(super) fn effects(before: &PackageVersion<'_>, own: &ManifestDeclarations, version: VersionChange) -> Vec<Effect> {
    let old = &before.inventory.declarations;
    let mut effects = Vec::new();
    let mut low = |kind, subject: &str, detail: &str| effects.push(Effect::new(kind, Severity::Low, subject, detail));
    for permission in own.permissions.difference(&old.permissions) {
        // By the whole package: a permission that moves from one capability to another widens nothing.
        low(EffectKind::PermissionWidened, "permissions", permission);
    }
    for hook in own.hooks.difference(&old.hooks) {
        low(EffectKind::Hook, "hooks", hook);
    }
    for (name, command) in &own.install_scripts {
        if old.install_scripts.get(name) != Some(command) {
            low(EffectKind::InstallScript, "package.json", &format!("{name}: {command}"));
        }
    }
    // A server that asked for nothing before may begin to; only another credential than before is news.
    if !old.auth.is_empty() && own.auth.difference(&old.auth).next().is_some() {
        let new: Vec<&str> = own.auth.difference(&old.auth).map(String::as_str).collect();
        effects.push(Effect::info(EffectKind::AuthChanged, "credentials", &new.join(", ")));
    }
    effects.extend(places(old, own, version));
    effects
}

/// The places of the server and the packages that it is made of: all of it elsewhere is another server, some of it is
/// not. Another number under the same address is another repository; with another address the publisher may have moved
/// or mistyped.
fn places(old: &ManifestDeclarations, own: &ManifestDeclarations, version: VersionChange) -> Vec<Effect> {
    let mut effects = Vec::new();
    let sites = |declarations: &ManifestDeclarations| -> BTreeSet<String> {
        declarations.remotes.iter().filter_map(|address| host_of(address)).map(|host| site_of(&host)).collect()
    };
    if let Some(moved) = replaced(&sites(old), &sites(own)) {
        // A move under the same version is unannounced: callers send their credentials elsewhere.
        let severity = if version == VersionChange::Yes { Severity::Low } else { Severity::Medium };
        effects.push(Effect::new(EffectKind::RemoteMoved, severity, "remotes", &moved));
    }
    if let Some(moved) = replaced(&old.packages, &own.packages) {
        effects.push(Effect::new(EffectKind::PackagesReplaced, Severity::Low, "packages", &moved));
    }
    let (addresses, own_addresses) = (plain(&old.repositories), plain(&own.repositories));
    let number = replaced(&old.repository_ids, &own.repository_ids);
    let is_same_address = !addresses.is_disjoint(&own_addresses);
    // The name was given up and taken by somebody else: links and installations now lead to him.
    if let (Some(moved), true) = (&number, is_same_address) {
        effects.push(Effect::new(EffectKind::RepositoryReplaced, Severity::High, "repository", moved));
    } else if let Some(moved) = replaced(&addresses, &own_addresses).or(number) {
        effects.push(Effect::new(EffectKind::RepositoryMoved, Severity::Low, "repository", &moved));
    }
    effects
}

/// Addresses of repositories without what their spelling leaves open.
pub(super) fn plain(addresses: &BTreeSet<String>) -> BTreeSet<String> {
    let one = |address: &String| {
        let address = address.trim().trim_start_matches("git+").to_lowercase();
        let address = address.split_once("://").map_or(address.as_str(), |(_, rest)| rest);
        address.trim_end_matches('/').trim_end_matches(".git").trim_start_matches("www.").to_owned()
    };
    addresses.iter().map(one).collect()
}

/// The exchange in words, where there was something, there is something, and nothing stayed.
fn replaced(before: &BTreeSet<String>, after: &BTreeSet<String>) -> Option<String> {
    let is_replaced = !before.is_empty() && !after.is_empty() && before.is_disjoint(after);
    let text = |set: &BTreeSet<String>| set.iter().map(String::as_str).collect::<Vec<_>>().join(", ");
    is_replaced.then(|| format!("{} -> {}", text(before), text(after)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repository_spelt_otherwise_has_not_moved() {
        let set = |text: &str| plain(&BTreeSet::from([text.to_owned()]));
        assert_eq!(set("git+https://forge.test/Acme/x.git"), set("https://forge.test/acme/x/"));
        assert!(replaced(&set("https://forge.test/a/x"), &set("https://forge.test/b/x")).is_some());
        assert!(replaced(&BTreeSet::new(), &set("https://forge.test/b/x")).is_none());
    }

    #[test]
    fn another_number_is_another_repository_only_under_the_same_address() {
        let declarations = |address: &str, number: &str| ManifestDeclarations {
            repositories: BTreeSet::from([address.to_owned()]),
            repository_ids: BTreeSet::from([number.to_owned()]),
            remotes: BTreeSet::from([format!("https://{number}.test/mcp")]),
            ..ManifestDeclarations::default()
        };
        let old = declarations("https://forge.test/a/x", "one");
        let of = |own: &ManifestDeclarations, version| -> Vec<(EffectKind, Severity)> {
            places(&old, own, version).iter().map(|effect| (effect.kind, effect.severity)).collect()
        };
        let (remote, replaced) = (EffectKind::RemoteMoved, EffectKind::RepositoryReplaced);
        let same = declarations("https://forge.test/a/x", "two");
        assert_eq!(of(&same, VersionChange::Yes), [(remote, Severity::Low), (replaced, Severity::High)]);
        let other = declarations("https://forge.test/b/x", "two");
        let moved = (EffectKind::RepositoryMoved, Severity::Low);
        assert_eq!(of(&other, VersionChange::No), [(remote, Severity::Medium), moved]);
    }
}
