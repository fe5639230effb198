//! `AgentProfile`: how one agent is started and told of servers, as data.

use std::collections::BTreeMap;

use serde::Deserialize;

/// The way in which an agent is started. In texts and arguments `{task}`, `{endpoint}`, `{model}`, `{key}` and `{servers}` are filled.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AgentProfile {
    /// The name.
    pub id: String,
    /// The program, where none is named.
    pub program: String,
    /// The file of the working folder in which the operator's words stand.
    pub rules_file: String,
    /// The arguments of the first turn of a conversation.
    pub argv: Vec<String>,
    /// The arguments of a later turn.
    pub next_argv: Vec<String>,
    /// One server in its settings: `{name}`, and as JSON `{program}`, `{args}` and both in one list, `{command}`.
    pub server: String,
    /// One server that is reached over HTTP: `{name}`, and as JSON its address, `{url}`.
    pub http_server: String,
    /// The text between two servers.
    pub between_servers: String,
    /// Variables of its environment.
    pub env: BTreeMap<String, String>,
    /// The files of its home.
    pub file: Vec<ProfileFile>,
}

/// The way to one mock server, as an agent's settings have it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ServerWay {
    /// The agent's client starts a program with these arguments.
    Started(Vec<String>),
    /// It asks this address.
    Asked(String),
}

/// A file of an agent's home.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProfileFile {
    /// The path below the home.
    pub path: String,
    /// The text.
    pub text: String,
}

/// The names of the profiles.
pub const PROFILES: [&str; 3] = ["codex", "gemini", "opencode"];

/// A profile by its name.
///
/// # Errors
/// None for the names of [`PROFILES`]: a test reads each.
pub fn profile(id: &str) -> anyhow::Result<AgentProfile> {
    let text = match id {
        "codex" => include_str!("profiles/codex.toml"),
        "opencode" => include_str!("profiles/opencode.toml"),
        _ => include_str!("profiles/gemini.toml"),
    };
    Ok(toml::from_str(text)?)
}

impl AgentProfile {
    /// The servers as they stand in its settings, each with the way to it.
    pub(super) fn servers(&self, program: &str, servers: &[(String, ServerWay)]) -> String {
        let json = |value: serde_json::Value| value.to_string();
        let one = |(name, way): &(String, ServerWay)| {
            let args = match way {
                ServerWay::Started(args) => args,
                ServerWay::Asked(url) => {
                    let filled = self.http_server.replace("{name}", name);
                    return filled.replace("{url}", &json(url.clone().into()));
                }
            };
            let filled = self.server.replace("{name}", name).replace("{program}", &json(program.into()));
            let command = std::iter::once(program.to_owned()).chain(args.iter().cloned()).collect::<Vec<_>>();
            filled.replace("{args}", &json(args.clone().into())).replace("{command}", &json(command.into()))
        };
        servers.iter().map(one).collect::<Vec<_>>().join(&self.between_servers)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_profile_is_read_and_bears_its_name() {
        for id in PROFILES {
            let profile = profile(id).expect("a profile");
            assert_eq!(profile.id, id);
            assert!(profile.argv.contains(&"{task}".to_owned()) && profile.next_argv.contains(&"{task}".to_owned()));
        }
    }

    #[test]
    fn settings_with_servers_are_whole() {
        let servers = [
            ("a".to_owned(), ServerWay::Started(vec!["x \"y\"".to_owned()])),
            ("b".to_owned(), ServerWay::Started(Vec::new())),
            ("c".to_owned(), ServerWay::Asked("http://127.0.0.1:1/c".to_owned())),
        ];
        let text = |id: &str| {
            let profile = profile(id).expect("a profile");
            profile.file[0].text.replace("{servers}", &profile.servers("/bin/with \"marks\"", &servers))
        };
        let codex: toml::Table = toml::from_str(&text("codex")).expect("TOML");
        assert_eq!(codex["mcp_servers"]["a"]["args"][0].as_str(), Some("x \"y\""));
        assert_eq!(codex["mcp_servers"]["c"]["url"].as_str(), Some("http://127.0.0.1:1/c"));
        let gemini: serde_json::Value = serde_json::from_str(&text("gemini")).expect("JSON");
        assert_eq!(gemini["mcpServers"]["b"]["command"], "/bin/with \"marks\"");
        assert_eq!(gemini["mcpServers"]["c"]["httpUrl"], "http://127.0.0.1:1/c");
        let opencode: serde_json::Value = serde_json::from_str(&text("opencode")).expect("JSON");
        assert_eq!(opencode["mcp"]["c"]["url"], "http://127.0.0.1:1/c");
        assert_eq!(opencode["mcp"]["a"]["command"], serde_json::json!(["/bin/with \"marks\"", "x \"y\""]));
    }
}
