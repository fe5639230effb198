//! Plugins: folders with a plugin manifest, and the local folders that a marketplace lists.
//!
//! The root of a plugin is the folder around `.claude-plugin/`, not that folder itself. Several manifests of one root are
//! one plugin. Skills, hooks, servers and rules in it are capabilities of their own. The forms of manifests are rows of
//! `formats.toml`.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::formats::{self, FormatRole};
use crate::manifest::{Manifest, ManifestKind, folder_of, join};
use capdex_model::capability::Kind;

use super::{AnchorFinderInput, CapabilityAnchor, given_name};

/// The folders that a plugin keeps beside those of its manifests, where a server or skill has the same root.
const PARTS: [&str; 4] = ["commands", "agents", "output-styles", "themes"];

/// One anchor for each plugin root; manifests go before marketplace entries, whose plugins may have none.
pub(super) fn anchors(input: &AnchorFinderInput<'_>) -> Vec<CapabilityAnchor> {
    let described = input.own_manifests().filter(|manifest| is_plugin(manifest));
    let mut anchors: Vec<CapabilityAnchor> = described
        .map(|manifest| {
            let root = root_of(&manifest.path);
            let name = given_name(manifest.text("name")).unwrap_or_else(|| input.name_of_folder(root));
            anchor(root, name, vec![manifest.path.clone()])
        })
        .collect();
    // A manifest knows more of the plugin than the entry that lists it.
    let described: BTreeSet<String> = anchors.iter().map(|anchor| anchor.path.clone()).collect();
    for marketplace in input.own_manifests().filter(|manifest| manifest.kind == ManifestKind::MarketplaceJson) {
        let listed = listed(input, marketplace);
        anchors.extend(listed.into_iter().filter(|anchor| !described.contains(&anchor.path)));
    }
    anchors
}

/// True for the manifest of a plugin. One in front matter must give a name, since other programs use the file name too.
fn is_plugin(manifest: &Manifest) -> bool {
    match manifest.kind {
        ManifestKind::PluginJson => true,
        ManifestKind::Frontmatter => formats::plugin_root(&manifest.path).is_some() && manifest.text("name").is_some(),
        _ => false,
    }
}

fn anchor(root: &str, name: String, own: Vec<String>) -> CapabilityAnchor {
    let manifests = formats::all().iter().filter(|format| {
        format.kind == Kind::Plugin && matches!(format.role, FormatRole::Manifest | FormatRole::Marketplace)
    });
    let parts: BTreeSet<&str> = manifests.filter_map(|format| format.folder()).chain(PARTS).collect();
    let kept = parts.into_iter().filter_map(|part| join(root, part)).collect();
    CapabilityAnchor { own, kept, ..CapabilityAnchor::folder(Kind::Plugin, root, name, "") }
}

/// The folder that a plugin or marketplace manifest speaks for.
fn root_of(path: &str) -> &str {
    formats::plugin_root(path).unwrap_or_else(|| folder_of(path))
}

/// The plugins that a marketplace lists at paths in this input. Several entries at one path are one plugin, which
/// then bears the marketplace's name.
fn listed(input: &AnchorFinderInput<'_>, marketplace: &Manifest) -> Vec<CapabilityAnchor> {
    let base = root_of(&marketplace.path);
    let plugin_root = marketplace.value.pointer("/metadata/pluginRoot").and_then(Value::as_str);
    let entries = marketplace.value.get("plugins").and_then(Value::as_array).into_iter().flatten();
    let mut anchors: Vec<CapabilityAnchor> = Vec::new();
    for entry in entries {
        let Some(folder) = local_source(entry).and_then(|source| resolve(input, base, plugin_root, source)) else {
            continue;
        };
        let name = given_name(entry.get("name").and_then(Value::as_str));
        let name = name.unwrap_or_else(|| input.name_of_folder(&folder));
        anchors.push(anchor(&folder, name, Vec::new()));
    }
    // Sorted, so that entries at one path stand side by side below.
    anchors.sort_by(|a, b| a.path.cmp(&b.path));
    let shared = given_name(marketplace.text("name"));
    for at in 1..anchors.len() {
        if let Some([before, after]) = anchors.get_mut(at - 1..=at)
            && before.path == after.path
            && let Some(name) = &shared
        {
            before.name.clone_from(name);
            after.name.clone_from(name);
        }
    }
    anchors
}

/// The path of an entry whose plugin lies beside the marketplace; none for plugins elsewhere.
fn local_source(entry: &Value) -> Option<&str> {
    let source = entry.get("source")?;
    // A source may be a text or an object with its kind; others are fetched from elsewhere.
    let kind = source.get("source").and_then(Value::as_str);
    let path = source.get("path").and_then(Value::as_str).filter(|_| matches!(kind, Some("local" | "directory")));
    source.as_str().or(path)
}

/// The folder that a source names, if it is there: below the marketplace, else below its plugin root.
fn resolve(input: &AnchorFinderInput<'_>, base: &str, plugin_root: Option<&str>, source: &str) -> Option<String> {
    // Marketplaces name a root for their plugins, but some entries ignore it.
    let below_root = || join(&join(base, plugin_root?)?, source);
    let exists = |folder: &String| input.folders.contains(folder.as_str());
    join(base, source).filter(exists).or_else(|| below_root().filter(exists))
}
