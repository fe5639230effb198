//! server-plain-http-remote: a remote server is reached without encryption.

use crate::FactSink;
use capdex_evidence::manifest::addresses;
use capdex_evidence::subject::Subject;
use capdex_model::fact::Place;

use super::server_launches::server_launches;
use super::unprotected::is_unprotected;

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    for launch in server_launches(subject) {
        if is_unprotected(launch.url, &["http"]) {
            let place =
                Place { file: launch.path.to_owned(), pointer: format!("{}/url", launch.pointer), ..Place::default() };
            facts.found(place, launch.url);
        }
    }
    // Other agents are reached at the addresses of a card as servers are.
    let manifests = subject.capability.files.iter().filter_map(|path| subject.evidence.manifests.get(path));
    for (path, (pointer, url)) in
        manifests.flat_map(|manifest| addresses(manifest).into_iter().map(|at| (&manifest.path, at)))
    {
        if is_unprotected(url, &["http"]) {
            facts.found(Place { file: path.clone(), pointer, ..Place::default() }, url);
        }
    }
}
