//! `Subject`: one capability with the evidence of its bundle, as every rule reads it.
//!
//! Holds references only.

use capdex_model::capability::Capability;
use capdex_model::listing::Claims;
use capdex_model::snapshot::Gap;

use crate::Evidence;
use crate::document::Document;
use crate::tools::Tool;

/// The input of a rule: one capability with the evidence of its bundle.
#[derive(Clone, Copy)]
pub struct Subject<'a> {
    /// The capability.
    pub capability: &'a Capability,
    /// The evidence of the whole bundle.
    pub evidence: &'a Evidence,
    /// The claims of the listing.
    pub claims: &'a Claims,
    /// The gaps of the whole bundle: what could not be read or was refused on the way in.
    pub gaps: &'a [Gap],
}

impl<'a> Subject<'a> {
    /// The documents of this capability, in the order of their paths.
    pub fn documents(&self) -> impl Iterator<Item = &'a Document> + use<'a> {
        let evidence = self.evidence;
        self.capability.files.iter().filter_map(move |path| evidence.documents.get(path))
    }

    /// The tools that stand in files of this capability, in the order of path, line and name.
    pub fn tools(&self) -> impl Iterator<Item = &'a Tool> + use<'a> {
        let tools = self.evidence.tools.as_slice();
        // Both are sorted by path. A bundle of a thousand servers asks a thousand times: each time for its own alone.
        self.capability.files.iter().filter(|_| !tools.is_empty()).flat_map(move |path| {
            let first = tools.partition_point(|tool| tool.place.file < *path);
            tools.get(first..).into_iter().flatten().take_while(move |tool| tool.place.file == *path)
        })
    }
}
