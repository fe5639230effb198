//! server-no-auth-remote: a remote server is declared without credentials.

use std::sync::LazyLock;

use crate::{FactSink, Rule, RuleMeta};
use capdex_evidence::subject::Subject;
use capdex_model::fact::Place;

use super::server_launches::server_launches;

/// See the file's first line.
pub(super) struct ServerNoAuthRemote;

static META: LazyLock<RuleMeta> = LazyLock::new(|| toml::from_str(CARD).expect("the card is valid"));

const CARD: &str = r##"
id = "server-no-auth-remote"
version = 1
title = "A remote server is declared without authentication"
why = "Either anyone can use it, or it asks for credentials in another way that the declaration does not show."
fix = "Declare the header or OAuth settings that the server needs."
cannot_see = "OAuth that the client negotiates by itself, which most remote servers use."
severity = "info"
confidence = "low"
kinds = ["mcp_server", "plugin", "package"]
lifecycle = "stable"
cites = ["SAFE-T1005", "owasp-mcp:MCP07"]
[[examples.fires]]
note = "Nothing declared."
[examples.fires.files]
".mcp.json" = '{"mcpServers":{"a":{"url":"https://mcp.remote.test/mcp"}}}'
[[examples.silent]]
note = "A header."
[examples.silent.files]
".mcp.json" = '{"mcpServers":{"a":{"url":"https://mcp.remote.test/mcp","headers":{"Authorization":"Bearer ${TOKEN}"}}}}'
"##;

impl Rule for ServerNoAuthRemote {
    fn meta(&self) -> &RuleMeta {
        &META
    }

    fn check(&self, subject: &Subject<'_>, facts: &mut FactSink<'_>) {
        for launch in server_launches(subject) {
            if launch.url.is_empty() || launch.url.contains("localhost") || launch.url.contains("127.0.0.1") {
                continue;
            }
            let declared = ["headers", "oauth", "headersHelper", "auth", "authorization", "bearer_token_env_var"]
                .iter()
                .any(|key| launch.value.get(*key).is_some());
            let in_address = ["key=", "token=", "apikey", "api_key"]
                .iter()
                .any(|part| launch.url.to_ascii_lowercase().contains(part));
            if !declared && !in_address {
                let place = Place { file: launch.path.to_owned(), pointer: launch.pointer.clone(), ..Place::default() };
                facts.found(place, &format!("{} {}", launch.name, launch.url));
            }
        }
    }
}
