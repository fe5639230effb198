//! Copies: a surface that stands in several copies of the code is one surface.

use std::collections::{BTreeMap, BTreeSet};

use super::package_of;
use super::spoken::FoundSurface;
use crate::program::Program;
use crate::surfaces::SurfaceKind;

/// Each surface once in its package: of copies the one that an entry point loads, then the one that tells more.
pub(super) fn once(program: &Program<'_>, spoken: Vec<FoundSurface>, reached: &BTreeSet<usize>) -> Vec<FoundSurface> {
    let mut groups: BTreeMap<(String, SurfaceKind, String), Vec<FoundSurface>> = BTreeMap::new();
    for found in spoken {
        let path = program.outlines.get(found.module).map(|outline| outline.path.as_str()).unwrap_or_default();
        let key = (package_of(program, path), found.surface.kind, found.surface.name().to_owned());
        groups.entry(key).or_default().push(found);
    }
    let mut kept: Vec<FoundSurface> = Vec::new();
    for (_, mut copies) in groups {
        if copies.iter().any(|copy| reached.contains(&copy.module)) {
            copies.retain(|copy| reached.contains(&copy.module));
        }
        copies.sort_by_key(|copy| std::cmp::Reverse((!copy.surface.unread, copy.surface.entry.to_string().len())));
        let mut texts: Vec<String> = Vec::new();
        for copy in copies {
            let text = ["description", "instructions"].iter().find_map(|key| copy.surface.entry.get(*key)?.as_str());
            let text = text.unwrap_or_default().trim().to_owned();
            // Two texts under one name are both read; a part of one, or one that could not be told, is no second text.
            let is_new = !copy.surface.unread && !texts.iter().any(|known| known.contains(&text));
            if texts.is_empty() || is_new {
                texts.push(text);
                kept.push(copy);
            }
        }
    }
    kept.sort_by_key(|found| (found.module, found.offset));
    kept
}
