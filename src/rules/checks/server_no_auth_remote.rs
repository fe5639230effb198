//! server-no-auth-remote: a remote server is declared without credentials.

use crate::FactSink;
use capdex_evidence::subject::Subject;
use capdex_model::fact::Place;

use super::server_launches::server_launches;

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    for launch in server_launches(subject) {
        if launch.url.is_empty() || launch.url.contains("localhost") || launch.url.contains("127.0.0.1") {
            continue;
        }
        let declared = ["headers", "oauth", "headersHelper", "auth", "authorization", "bearer_token_env_var"]
            .iter()
            .any(|key| launch.value.get(*key).is_some());
        // Some services take their key in the address: bad in itself, but no missing credentials.
        let in_address =
            ["key=", "token=", "apikey", "api_key"].iter().any(|part| launch.url.to_ascii_lowercase().contains(part));
        if !declared && !in_address {
            let place = Place { file: launch.path.to_owned(), pointer: launch.pointer.clone(), ..Place::default() };
            facts.found(place, &format!("{} {}", launch.name, launch.url));
        }
    }
}
