//! origin-plain-http: a marketplace or a lock file has plugins or skills fetched without encryption.

use crate::FactSink;
use capdex_evidence::subject::Subject;
use capdex_model::fact::Place;

use super::named_sources::named_sources;
use super::server_plain_http_remote::is_local;

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    for (path, source) in named_sources(subject) {
        let bare = ["http://", "git://", "ftp://"].iter().find_map(|scheme| source.place.strip_prefix(scheme));
        if bare.is_some_and(|rest| !is_local(rest)) {
            let place = Place { file: path.to_owned(), pointer: source.pointer, ..Place::default() };
            facts.found(place, &format!("{} {}", source.name, source.place));
        }
    }
}
