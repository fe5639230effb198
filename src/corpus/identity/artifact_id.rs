//! Artifact ids: the name of an artifact that stays the same wherever it is listed, in one spelling each.
//!
//! An artifact id is text: `npm:@scope/name`, `pypi:name`, `nuget:name`, `oci:host/path` without tag, `mcp:host/path`
//! without scheme, `row:<registry>:<name>` without version, and for repositories `repo:github:owner/name`, with `#path`
//! where a part of the repository is meant. A number that the forge gave stands in the place of the name:
//! `repo:github@7`. Nobody is asked, and who says what is not judged here.

use capdex_model::ids::ListingKey;
use capdex_model::image::ImageReference;
use capdex_model::release_line;
use capdex_model::source_role::Ecosystem;
/// Hosts behind which many servers of many people answer under paths and keys of the host's choosing. An address there
/// says nothing about whose server it is.
const GATEWAYS: [&str; 14] = [
    "smithery.ai",
    "glama.ai",
    "mcpbundles.com",
    "composio.dev",
    "pipedream.net",
    "pipedream.com",
    "zapier.com",
    "klavis.ai",
    "metorial.com",
    "mcp.run",
    "mcp.so",
    "pulsemcp.com",
    "toolsdk.ai",
    "unified.to",
];

/// Packages that start or carry other servers: who names one names what it runs, not what it is.
const LAUNCHERS: [&str; 12] = [
    "npm:mcp-remote",
    "npm:supergateway",
    "npm:mcp-proxy",
    "npm:@smithery/cli",
    "npm:@modelcontextprotocol/inspector",
    "npm:tsx",
    "npm:ts-node",
    "npm:npx",
    "pypi:mcp-proxy",
    "pypi:uv",
    "pypi:fastmcp",
    "pypi:mcp",
];

/// A repository, and the folder inside it that is meant; the empty path is the repository as a whole.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct RepositoryPath {
    /// `github:owner/name` or `git:host/owner/name`, lower case.
    pub(super) repository: String,
    /// The folder, without slashes at its ends.
    pub(super) path: String,
}

impl RepositoryPath {
    /// The place that an address of a repository means, whose key is known; `folder` is what is said beside it.
    pub(super) fn of(key: &ListingKey, address: Option<&str>, folder: Option<&str>) -> Self {
        let path = folder.map(trimmed).filter(|path| !path.is_empty());
        // A folder that is stated outweighs the one that the address happens to show.
        let path = path.or_else(|| address.and_then(folder_in)).unwrap_or_default();
        Self { repository: key.to_string().to_lowercase(), path }
    }

    /// The name of the account that owns the repository, with its forge: `github:owner`, `git:host/owner`.
    pub(super) fn owner(&self) -> &str {
        self.repository.rsplit_once('/').map_or("", |(owner, _)| owner)
    }

    /// The artifact id, by the forge's number where it is known.
    pub(super) fn artifact_id(&self, number: Option<u64>) -> String {
        let forge = self.repository.split_once(':').map_or("", |(forge, _)| forge);
        let host =
            if forge == Ecosystem::Git.as_str() { self.repository.split('/').next().unwrap_or(forge) } else { forge };
        // The number stays over renames and transfers, and is another when the name is taken again.
        let whole =
            number.map_or_else(|| format!("repo:{}", self.repository), |number| format!("repo:{host}@{number}"));
        if self.path.is_empty() { whole } else { format!("{whole}#{}", self.path) }
    }
}

/// The folder that an address inside a repository means: what follows `/tree/<ref>/`, or the folder around the file that
/// follows `/blob/<ref>/`.
fn folder_in(address: &str) -> Option<String> {
    let address = address.split(['?', '#']).next()?;
    let (is_file, rest) = match (address.split_once("/tree/"), address.split_once("/blob/")) {
        (Some((_, rest)), _) => (false, rest),
        (None, Some((_, rest))) => (true, rest),
        (None, None) => return None,
    };
    let (_, path) = rest.split_once('/')?;
    let path = if is_file { path.rsplit_once('/').map_or("", |(folder, _)| folder) } else { path };
    Some(trimmed(path))
}

fn trimmed(path: &str) -> String {
    let path = path.trim().trim_start_matches("./").trim_matches('/');
    if path == "." { String::new() } else { path.to_owned() }
}

/// The artifact id of a package, an image or an endpoint by its name in an ecosystem; none in the other ecosystems.
pub(super) fn of_name(ecosystem: Ecosystem, name: &str) -> Option<String> {
    match ecosystem {
        // Whichever version is named, it is of the package.
        Ecosystem::Npm | Ecosystem::Pypi => Some(format!("{}:{}", ecosystem.as_str(), release_line::package_of(name))),
        Ecosystem::Oci => Some(of_image(name)),
        Ecosystem::Mcp => of_endpoint(name),
        Ecosystem::GitHub | Ecosystem::Git | Ecosystem::Folder => None,
    }
}

/// An image without tag and digest.
pub(super) fn of_image(reference: &str) -> String {
    format!("oci:{}", ImageReference::read(reference).name())
}

/// An endpoint without its scheme; the query stays, because behind one path it may choose the server.
pub(super) fn of_endpoint(address: &str) -> Option<String> {
    let (scheme, rest) = address.split_once("://")?;
    let cut = rest.find(['/', '?']).unwrap_or(rest.len());
    let (host, path) = rest.split_at_checked(cut)?;
    let host = host.to_lowercase();
    // `:443` beside a scheme that implies it is the same endpoint spelled longer.
    let port = if scheme.eq_ignore_ascii_case("http") { ":80" } else { ":443" };
    let host = host.strip_suffix(port).unwrap_or(&host);
    (!host.is_empty()).then(|| format!("mcp:{host}{}", path.trim_end_matches('/')))
}

/// An endpoint without the last word of its path that says only how it is spoken with. `/mcp` and `/sse` of one address
/// are one server.
pub(super) fn server_of_endpoint(artifact_id: &str) -> &str {
    match artifact_id.rsplit_once('/') {
        Some((server, "mcp" | "sse" | "http" | "stream" | "streamable" | "message" | "messages")) => server,
        _ => artifact_id,
    }
}

/// The host of an endpoint's artifact id, without its port.
pub(super) fn host_of(artifact_id: &str) -> Option<&str> {
    let rest = artifact_id.strip_prefix("mcp:")?;
    rest.split(['/', '?', ':']).next()
}

/// True where an artifact id is one that many unlike things share by its nature.
pub(super) fn is_shared_by_nature(artifact_id: &str) -> bool {
    let is_below = |host: &str, domain: &str| {
        host == domain || host.strip_suffix(domain).is_some_and(|before| before.ends_with('.'))
    };
    let local = |host: &str| matches!(host, "localhost" | "127.0.0.1" | "0.0.0.0" | "example.com" | "[");
    host_of(artifact_id).map_or_else(
        || LAUNCHERS.contains(&artifact_id),
        |host| local(host) || GATEWAYS.iter().any(|gateway| is_below(host, gateway)),
    )
}

/// The domain that a reverse-DNS namespace stands for; none for the namespaces of forges' accounts.
pub(super) fn domain_of_namespace(namespace: &str) -> Option<String> {
    let parts: Vec<&str> = namespace.split('.').collect();
    // A namespace of an account of a forge proves the account and no domain.
    let is_account = parts.len() > 2 && matches!(parts.as_slice(), ["io" | "com", "github" | "gitlab", ..]);
    (parts.len() >= 2 && !is_account).then(|| parts.into_iter().rev().collect::<Vec<_>>().join("."))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(address: &str, folder: Option<&str>) -> String {
        RepositoryPath::of(&ListingKey::new("github", "Acme/Mono"), Some(address), folder).artifact_id(None)
    }

    #[test]
    fn a_folder_inside_a_repository_is_told_from_the_repository() {
        let whole = "repo:github:acme/mono";
        assert_eq!(place("https://github.com/Acme/Mono", None), whole);
        assert_eq!(place("https://github.com/Acme/Mono/tree/main", None), whole);
        assert_eq!(place("https://github.com/Acme/Mono/blob/main/README.md", None), whole);
        for (address, folder) in [
            ("https://github.com/Acme/Mono/tree/main/packages/x/", None),
            ("https://github.com/Acme/Mono/blob/main/packages/x/SKILL.md?plain=1", None),
            ("https://github.com/Acme/Mono", Some("./packages/x/")),
            ("https://github.com/Acme/Mono/tree/main/other", Some("packages/x")),
        ] {
            assert_eq!(place(address, folder), format!("{whole}#packages/x"), "{address}");
        }
        let numbered = RepositoryPath { repository: "git:gitlab.com/a/b".into(), path: "x".into() };
        assert_eq!(numbered.artifact_id(Some(7)).as_str(), "repo:git:gitlab.com@7#x");
        assert_eq!(numbered.owner(), "git:gitlab.com/a");
    }

    #[test]
    fn endpoints_and_images_have_one_spelling() {
        for address in ["https://A.test/mcp", "http://a.test/mcp/", "https://a.test:443/mcp"] {
            assert_eq!(of_endpoint(address).as_deref(), Some("mcp:a.test/mcp"), "{address}");
        }
        assert_eq!(of_endpoint("https://a.test/mcp?app=x").as_deref(), Some("mcp:a.test/mcp?app=x"));
        assert_eq!(of_endpoint("nothing"), None);
        assert_eq!(of_endpoint("https://"), None);
        for endpoint in ["mcp:a.test/x/mcp", "mcp:a.test/x/sse", "mcp:a.test/x"] {
            assert_eq!(server_of_endpoint(endpoint), "mcp:a.test/x");
        }
        for reference in
            ["docker.io/mcp/x", "docker.io/mcp/x:1.0", "index.docker.io/mcp/x@sha256:00", "docker.io/MCP/x:1", "mcp/x"]
        {
            assert_eq!(of_image(reference), "oci:docker.io/mcp/x", "{reference}");
        }
        assert_eq!(of_image("127.0.0.1:5000/x"), "oci:127.0.0.1:5000/x");
    }

    #[test]
    fn gateways_and_launchers_are_shared_by_nature() {
        for shared in ["mcp:server.smithery.ai/x/mcp", "mcp:zapier.com/mcp", "npm:mcp-remote", "mcp:localhost:3000/mcp"]
        {
            assert!(is_shared_by_nature(shared), "{shared}");
        }
        for own in ["mcp:notsmithery.ai/mcp", "npm:mcp-remote-x", "mcp:a.test/mcp", "repo:github:a/b"] {
            assert!(!is_shared_by_nature(own), "{own}");
        }
    }

    #[test]
    fn a_namespace_is_a_domain_unless_it_is_an_account() {
        assert_eq!(domain_of_namespace("com.acme").as_deref(), Some("acme.com"));
        assert_eq!(domain_of_namespace("dev.acme.mcp").as_deref(), Some("mcp.acme.dev"));
        assert_eq!(domain_of_namespace("io.github.ann"), None);
        assert_eq!(domain_of_namespace("acme"), None);
        assert_eq!(domain_of_namespace("io.github").as_deref(), Some("github.io"));
    }
}
