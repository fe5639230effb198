//! plugin-manifests-disagree: the manifests of one plugin say different things of it to different clients.

use std::collections::{BTreeMap, BTreeSet};

use crate::FactSink;
use capdex_evidence::formats;
use capdex_evidence::manifest::{Manifest, ManifestKind, launches};
use capdex_evidence::subject::Subject;
use capdex_model::fact::Place;

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    let evidence = subject.evidence;
    let mut by_root: BTreeMap<&str, Vec<&Manifest>> = BTreeMap::new();
    for path in &subject.capability.files {
        let Some(manifest) = evidence.manifests.get(path) else { continue };
        if matches!(manifest.kind, ManifestKind::PluginJson | ManifestKind::Frontmatter)
            && let Some(root) = formats::plugin_root(path)
        {
            by_root.entry(root).or_default().push(manifest);
        }
    }
    for manifests in by_root.values() {
        let stated: [(&str, Stated); 3] = [("name", name), ("version", version), ("servers", servers)];
        for (what, of) in stated {
            // What a manifest leaves out is no other word.
            let told = manifests.iter().filter_map(|manifest| Some((*manifest, of(manifest)?)));
            let told: Vec<(&Manifest, String)> = told.collect();
            let Some((_, first)) = told.first() else { continue };
            let Some((other, second)) = told.iter().find(|(_, text)| text != first) else { continue };
            let pointer = if what == "servers" { "/mcpServers".to_owned() } else { format!("/{what}") };
            let place = Place { file: other.path.clone(), pointer, ..Place::default() };
            facts.found(place, &format!("{what}: {first} and {second}"));
        }
    }
}

/// What a manifest states of one thing, as a text that can be compared; none where it says nothing.
type Stated = fn(&Manifest) -> Option<String>;

fn name(manifest: &Manifest) -> Option<String> {
    manifest.text("name").map(str::to_owned)
}

fn version(manifest: &Manifest) -> Option<String> {
    manifest.text("version").map(str::to_owned)
}

/// The servers with what starts or reaches them, in the order of their names.
fn servers(manifest: &Manifest) -> Option<String> {
    let servers: BTreeSet<String> = launches(manifest)
        .iter()
        .map(|server| {
            let reached = server.url.or(server.command).unwrap_or_default();
            format!("{} {reached} {}", server.name, server.arguments.join(" ")).trim_end().to_owned()
        })
        .collect();
    (!servers.is_empty()).then(|| servers.into_iter().collect::<Vec<_>>().join("; "))
}
