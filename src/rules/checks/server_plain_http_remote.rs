//! server-plain-http-remote: a remote server is reached without encryption.

use std::sync::LazyLock;

use crate::{FactSink, Rule, RuleMeta};
use capdex_evidence::subject::Subject;
use capdex_model::fact::Place;

use super::server_launches::server_launches;

/// See the file's first line.
pub(super) struct ServerPlainHttpRemote;

static META: LazyLock<RuleMeta> = LazyLock::new(|| toml::from_str(CARD).expect("the card is valid"));

const CARD: &str = r##"
id = "server-plain-http-remote"
version = 1
title = "A remote server is reached over plain HTTP"
why = "Anyone on the way can read the calls, take the token and change the tools."
fix = "Serve it over HTTPS."
cannot_see = "Redirects; networks that encrypt below."
severity = "medium"
confidence = "high"
kinds = ["mcp_server", "plugin", "package"]
lifecycle = "stable"
cites = ["SAFE-T1005", "CWE-319", "owasp-mcp:MCP07"]
[[examples.fires]]
note = "Plain."
[examples.fires.files]
".mcp.json" = '{"mcpServers":{"a":{"type":"http","url":"http://mcp.remote.test/mcp"}}}'
[[examples.silent]]
note = "Local."
[examples.silent.files]
".mcp.json" = '{"mcpServers":{"a":{"url":"http://localhost:3000/mcp"}}}'
[[examples.silent]]
note = "Encrypted."
[examples.silent.files]
".mcp.json" = '{"mcpServers":{"a":{"url":"https://mcp.remote.test/mcp"}}}'
"##;

impl Rule for ServerPlainHttpRemote {
    fn meta(&self) -> &RuleMeta {
        &META
    }

    fn check(&self, subject: &Subject<'_>, facts: &mut FactSink<'_>) {
        for launch in server_launches(subject) {
            let Some(rest) = launch.url.strip_prefix("http://") else { continue };
            if !is_local(rest) {
                let place = Place {
                    file: launch.path.to_owned(),
                    pointer: format!("{}/url", launch.pointer),
                    ..Place::default()
                };
                facts.found(place, launch.url);
            }
        }
    }
}

/// Addresses of the machine itself, of a private network, or filled in by the user.
fn is_local(rest: &str) -> bool {
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
    let bare = if host.starts_with('[') { host } else { host.split(':').next().unwrap_or_default() };
    let private = ["127.", "10.", "192.168.", "[::1]", "[fc", "[fd", "0.0.0.0", "{", "${", "<"]
        .iter()
        .any(|start| bare.starts_with(start));
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
        || !bare.contains('.')
}
