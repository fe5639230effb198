//! Skills: every folder with a `SKILL.md`.
//!
//! Only the front matter of the text is read, for the name. Source: agentskills.io as of 2026-07; file names are taken
//! in any case, as agents on case-insensitive file systems do.

use crate::manifest::{folder_of, join, name_of};
use capdex_model::capability::Kind;

use super::{AnchorFinderInput, CapabilityAnchor, given_name};

/// The folders that belong to a skill's text by the format: kept where a server has the same root.
const PARTS: [&str; 3] = ["scripts", "references", "assets"];

/// One anchor for each folder with a `SKILL.md`, which claims the folder.
pub(super) fn anchors(input: &AnchorFinderInput<'_>) -> Vec<CapabilityAnchor> {
    // In any case: a file system that does not mind it loads `Skill.md` as well.
    let manifests = input.own_paths().filter(|path| name_of(path).eq_ignore_ascii_case("skill.md"));
    manifests
        .map(|path| {
            let folder = folder_of(path);
            let front = input.evidence.manifests.get(path);
            let name = given_name(front.and_then(|front| front.text("name")));
            let name = name.unwrap_or_else(|| input.name_of_folder(folder));
            let kept = PARTS.iter().filter_map(|part| join(folder, part)).collect();
            CapabilityAnchor { kept, ..CapabilityAnchor::folder(Kind::Skill, folder, name, path) }
        })
        .collect()
}
