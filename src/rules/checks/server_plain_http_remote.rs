//! server-plain-http-remote: a remote server is reached without encryption.

use crate::FactSink;
use capdex_evidence::manifest::addresses;
use capdex_evidence::subject::Subject;
use capdex_model::fact::Place;

use super::server_launches::server_launches;

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    for launch in server_launches(subject) {
        let Some(rest) = launch.url.strip_prefix("http://") else { continue };
        if !is_local(rest) {
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
        if url.strip_prefix("http://").is_some_and(|rest| !is_local(rest)) {
            facts.found(Place { file: path.clone(), pointer, ..Place::default() }, url);
        }
    }
}

/// Addresses of the machine itself, of a private network, or filled in by the user.
pub(super) fn is_local(rest: &str) -> bool {
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    // `http://localhost@evil.test` goes to `evil.test`: what stands before the sign is a user name.
    let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
    let bare = if host.starts_with('[') { host } else { host.split(':').next().unwrap_or_default() };
    let private = ["127.", "10.", "192.168.", "[::1]", "[fc", "[fd", "0.0.0.0", "{", "${", "<"]
        .iter()
        .any(|start| bare.starts_with(start));
    // RFC 1918 reserves 172.16.0.0/12, which no prefix of text can tell.
    let private_range = bare
        .strip_prefix("172.")
        .and_then(|rest| rest.split('.').next()?.parse::<u8>().ok())
        .is_some_and(|second| (16..32).contains(&second));
    private
        || private_range
        || bare == "localhost"
        || bare.ends_with(".local")
        || bare.ends_with(".localhost")
        || bare.ends_with(".internal")
        // A name without a dot is of the local network or of a container's.
        || !bare.contains('.')
}
