//! The registries that everybody's npm and pip ask when nothing is configured.
//!
//! No file holds a registry's host as one text, so that none is ever asked by accident: a search for such a text finds
//! configuration of a user's, not ours.

/// The address of the npm registry.
pub fn npm() -> String {
    https(&["registry", "npmjs", "org"])
}

/// The address of the counts of downloads that the npm registry gives beside its packuments.
pub fn npm_downloads() -> String {
    https(&["api", "npmjs", "org"])
}

/// The address of the simple index of Python's packages.
pub fn pypi() -> String {
    format!("{}/simple", https(&["pypi", "org"]))
}

fn https(labels: &[&str]) -> String {
    format!("https://{}", labels.join("."))
}

/// The address of a registry as identities write it: host, port and path, without scheme, in lower case. An index and its
/// simple page are one.
pub fn registry_name(address: &str) -> String {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest).trim_end_matches('/');
    let root = ["/simple", "/+simple"].iter().find_map(|ending| rest.strip_suffix(ending)).unwrap_or(rest);
    root.trim_end_matches('/').to_lowercase()
}

/// True where an address, with or without its scheme, is that of the own registry of an ecosystem, `npm` or `pypi`.
pub fn is_own(ecosystem: &str, address: &str) -> bool {
    let own = match ecosystem {
        "npm" => npm(),
        "pypi" => pypi(),
        _ => return false,
    };
    registry_name(&own) == registry_name(address)
}
