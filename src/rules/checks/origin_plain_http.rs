//! origin-plain-http: a marketplace or a lock file has plugins or skills fetched without encryption.

use crate::FactSink;
use capdex_evidence::subject::Subject;
use capdex_model::fact::Place;

use super::named_sources::named_sources;
use super::unprotected::is_unprotected;

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    for (path, source) in named_sources(subject) {
        if is_unprotected(source.place, &["http", "git", "ftp"]) {
            let place = Place { file: path.to_owned(), pointer: source.pointer, ..Place::default() };
            facts.found(place, &format!("{} {}", source.name, source.place));
        }
    }
}
