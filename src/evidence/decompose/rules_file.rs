//! Rules files: standing instructions for editors and agents, and a project's agents, commands and prompts. Each file is
//! a capability of its own.
//!
//! Name and folder alone decide; the forms are rows of `formats.toml`. What has hooks or servers in it is a hook or a
//! server.

use crate::formats;
use crate::manifest::name_of;
use capdex_model::capability::Kind;

use super::{AnchorFinderInput, CapabilityAnchor, hook, mcp_server};

/// One anchor for each rules file.
pub(super) fn anchors(input: &AnchorFinderInput<'_>) -> Vec<CapabilityAnchor> {
    let is_more = |path: &str| {
        let manifest = input.evidence.manifests.get(path);
        manifest.is_some_and(|manifest| hook::declares(manifest) || mcp_server::configures(manifest))
    };
    let rules = input.own_paths().filter(|path| formats::of_kind(path, Kind::Rules).is_some() && !is_more(path));
    rules.map(|path| CapabilityAnchor::file(Kind::Rules, path, name_of(path).to_owned())).collect()
}
