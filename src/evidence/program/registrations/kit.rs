//! What a place that was not followed to its end leaves open, and what of it is the kit's own code.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::found::Found;
use super::{MAX_TOOLS, Registrations, Site};
use crate::program::Program;
use crate::program::outline::ModuleLanguage;
use crate::program::value::UNTOLD;

/// The steps for the name of a tool at its place.
const STEPS_FOR_NAME: u64 = 50_000;

impl Program<'_> {
    /// True where a place names one tool by itself, whoever calls it: of such a place nothing is missing but what is told of
    /// the tool.
    pub(super) fn names_one(&self, module: usize, place: Site, found: &[Found]) -> bool {
        let Some((first, others)) = found.split_first() else { return false };
        let name = &first.tool.name;
        if name.contains(UNTOLD) || others.iter().any(|other| other.tool.name != *name) {
            return false;
        }
        let mut bare = Registrations::default();
        self.alone.set(true);
        self.at_place(STEPS_FOR_NAME, |program| program.registered_at(module, place, &mut bare));
        self.alone.set(false);
        !bare.found.is_empty() && bare.found.iter().all(|bare| bare.tool.name == *name)
    }

    /// Where a module holds the server of the official kit for JavaScript, as bundles carry it along: the handlers that list
    /// or look up what it keeps in its own fields. None where anything but the kit's own code fills them.
    pub(super) fn kit_in(&self, module: usize) -> Vec<Range<usize>> {
        /// The bytes before and behind such a use that belong to the kit's handler.
        const AROUND: (usize, usize) = (240, 300);
        static FIELD: LazyLock<Regex> = LazyLock::new(|| {
            crate::expression::of(
                r"\b_registered(?:Tools|Resources|ResourceTemplates|Prompts)\b[ ]?(?P<filled>=[ ]?(?:[^={\s]|\{[ ]?[^}\s]))?",
            )
        });
        let Some(outline) = self.outlines.get(module) else { return Vec::new() };
        let Some(document) = self.documents.get(&outline.path) else { return Vec::new() };
        let text = document.text.as_str();
        let is_kit = outline.language == ModuleLanguage::JavaScript && text.contains("_toolHandlersInitialized");
        let mut found = if is_kit { FIELD.captures_iter(text).take(MAX_TOOLS).collect() } else { Vec::new() };
        if found.iter().any(|field| field.name("filled").is_some()) {
            found.clear();
        }
        let range = |field: regex::Captures<'_>| {
            let at = field.get(0).map_or(0, |field| field.start());
            at.saturating_sub(AROUND.0)..at + AROUND.1
        };
        found.into_iter().map(range).collect()
    }

    /// True for a place of the kit's own handlers: what sets one, and an object that it answers with. What registers is
    /// looked at wherever it stands.
    pub(super) fn is_of_kit(&self, module: usize, offset: u32, site: Site, kit: &[Range<usize>]) -> bool {
        let at = offset as usize;
        if !kit.iter().any(|range| range.contains(&at)) {
            return false;
        }
        let Some(outline) = self.outlines.get(module) else { return false };
        let Some(text) = self.documents.get(&outline.path).and_then(|document| document.text.get(at..)) else {
            return false;
        };
        match site {
            Site::Object(_) => true,
            Site::Call(_) => text.split('(').next().is_some_and(|callee| callee.ends_with("setRequestHandler")),
            _ => false,
        }
    }
}
