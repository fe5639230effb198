//! The deeds of `deeds.toml`: how a program does each, and the words by which an honest skill tells of it.

use std::ops::Range;
use std::sync::LazyLock;

use capdex_evidence::document::Document;
use capdex_prefilter::{DeedCard, DeedFile};
use regex::Regex;

use crate::pattern::Question;
use crate::questions;

/// The most places of a document that are looked at: a program that names more of them lists them.
const PLACES: usize = 20;

/// One kind of deed.
pub(super) struct Deed {
    /// What it is, for the evidence.
    pub(super) name: String,
    /// How a program does it.
    done: &'static Question,
    /// True where it is done only if something is written near.
    pub(super) is_written: bool,
    /// The words by which texts tell of it, where any do.
    pub(super) told: Option<Regex>,
    /// True where the deed names an address, and is told by that address alone.
    pub(super) is_addressed: bool,
    /// What stands near it where it is done, and not merely spoken of.
    pub(super) beside: Option<Regex>,
}

impl Deed {
    /// The first places of a document at which it may be done.
    pub(super) fn places(&self, document: &Document) -> Vec<Range<usize>> {
        self.done.all_in(document, PLACES)
    }
}

/// The deeds of which a document may hold any.
pub(super) fn hinted(document: &Document) -> impl Iterator<Item = &'static Deed> {
    DEEDS.iter().filter(|deed| deed.done.may_occur(document))
}

pub(super) static DEEDS: LazyLock<Vec<Deed>> = LazyLock::new(|| {
    let file: DeedFile = toml::from_str(include_str!("../../deeds.toml")).expect("the build script has read it");
    file.deeds().zip(&questions::DEEDS).map(|(card, done)| deed(card, done)).collect()
});

fn deed(card: DeedCard, done: &'static Question) -> Deed {
    let told = card.told.map(|told| capdex_evidence::expression::of(&format!("(?i){told}")));
    // Letters beyond ASCII in it would take the search off its quick way.
    let beside = card.beside.map(|near| capdex_evidence::expression::of(&format!("(?i-u){near}")));
    Deed { name: card.name, done, is_written: card.written, told, is_addressed: card.addressed, beside }
}
