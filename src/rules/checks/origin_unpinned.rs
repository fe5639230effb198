//! origin-unpinned: a marketplace or a lock file has plugins or skills fetched from a place whose content may change.

use crate::FactSink;
use capdex_evidence::subject::Subject;
use capdex_model::fact::Place;

use super::named_sources::named_sources;

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    for (path, source) in named_sources(subject).filter(|(_, source)| !source.is_pinned) {
        let place = Place { file: path.to_owned(), pointer: source.pointer, ..Place::default() };
        facts.found(place, &format!("{} {}", source.name, source.place));
    }
}
