//! Tool siblings: the names and titles of a server's tools, by which its own are told from another's.

use std::cell::OnceCell;
use std::collections::BTreeSet;

use capdex_evidence::subject::Subject;
use capdex_evidence::surfaces::{Surface, folded_name};

use super::tool_texts::tool_surfaces;

/// The tools of a capability by name, once asked for.
pub(super) struct Siblings<'a> {
    subject: Subject<'a>,
    names: OnceCell<SiblingNames<'a>>,
}

/// The names of a server's tools.
pub(super) struct SiblingNames<'a> {
    /// Without case and separators.
    pub(super) folded: BTreeSet<&'a str>,
    /// Their titles, likewise.
    pub(super) titles: BTreeSet<String>,
    /// The words of their names, singular.
    pub(super) words: BTreeSet<&'a str>,
}

impl<'a> Siblings<'a> {
    /// Those of a subject.
    pub(super) const fn of(subject: &Subject<'a>) -> Self {
        Self { subject: *subject, names: OnceCell::new() }
    }

    /// Their names, gathered at the first question.
    pub(super) fn names(&self) -> &SiblingNames<'a> {
        self.names.get_or_init(|| {
            let folded = tool_surfaces(&self.subject).map(|surface| surface.folded.as_str()).collect();
            let words = tool_surfaces(&self.subject).flat_map(Surface::name_words);
            let named = |surface: &'a Surface| {
                surface.texts.iter().filter(|text| text.is("/title") || text.is("/annotations/title"))
            };
            let titles = tool_surfaces(&self.subject).flat_map(named).map(|text| folded_name(text.raw())).collect();
            SiblingNames { folded, titles, words: words.map(|word| word.trim_end_matches('s')).collect() }
        })
    }
}
