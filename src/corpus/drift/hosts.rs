//! Hosts: which hosts texts name, and which of them mean that something is sent there.
//!
//! No name is resolved and no list is fetched: the same text always gives the same hosts.

use std::collections::BTreeMap;
use std::net::{Ipv4Addr, Ipv6Addr};
use std::sync::LazyLock;

use regex::Regex;

use capdex_evidence::Evidence;
use capdex_evidence::document::Document;
use capdex_evidence::file_role::FileRole;
use capdex_evidence::site::site_of;
use capdex_evidence::zones::ZoneKind;

static URL: LazyLock<Regex> = LazyLock::new(|| {
    capdex_evidence::expression::of(
        r"(?i)\b(?:https?|wss?|ftp)://(?:[^\s/@\x22'`<>()]{0,80}@)?([a-z0-9][a-z0-9.-]{0,252}|\[[0-9a-f:.]{2,45}\])",
    )
});

/// Hosts that name a standard, a place for documents or this machine: to name them sends nothing anywhere.
const KNOWN: [&str; 19] = [
    "w3.org",
    "json-schema.org",
    "schema.org",
    "github.com",
    "githubusercontent.com",
    "gitlab.com",
    "python.org",
    "modelcontextprotocol.io",
    "agentskills.io",
    "opensource.org",
    "creativecommons.org",
    "apache.org",
    "mozilla.org",
    "wikipedia.org",
    "ietf.org",
    "rfc-editor.org",
    "shields.io",
    "stackoverflow.com",
    "microsoft.com",
];

/// The host of an address; none where it has none.
pub(super) fn host_of(address: &str) -> Option<String> {
    URL.captures(address).and_then(|found| found.get(1)).map(|host| host.as_str().to_ascii_lowercase())
}

/// True where a host is nobody's: this machine, a private network, a name reserved for examples.
pub(super) fn is_nobodys(host: &str) -> bool {
    const RESERVED: [&str; 4] = ["example.com", "example.net", "example.org", "example.edu"];
    if let Some(inside) = is_inside(host) {
        return inside;
    }
    RESERVED.contains(&site_of(host).as_str())
        || [".example", ".invalid", ".localhost", ".local", ".internal"].iter().any(|end| host.ends_with(end))
        || !host.contains(['.', ':'])
}

/// True where a number is that of this machine or of a private network.
fn is_inside(host: &str) -> Option<bool> {
    let inside = |it: Ipv4Addr| it.is_loopback() || it.is_private() || it.octets().first() == Some(&0);
    if let Some(host) = host.strip_prefix('[') {
        let it: Ipv6Addr = host.trim_end_matches(']').parse().ok()?;
        let local = it.is_loopback() || it.is_unspecified() || it.is_unique_local() || it.is_unicast_link_local();
        return Some(local || it.to_ipv4_mapped().is_some_and(inside));
    }
    // Programs take one number for the four as well: `http://3405803777/`.
    let one = || match host.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16).ok(),
        None => host.parse().ok(),
    };
    host.parse().ok().or_else(|| one().map(Ipv4Addr::from)).map(inside)
}

/// True where a host only names a standard or a place for documents and code. To send something there is another thing:
/// everybody may have a place on some of them.
pub(super) fn is_known(host: &str) -> bool {
    KNOWN.contains(&site_of(host).as_str())
}

/// By what a host is remembered: its registrable domain; the host itself where many may write at one domain.
pub(super) fn place_of(host: &str) -> String {
    // On a shared host the domain says nothing of who reads what is sent: `gist.github.com` is not `github.com`.
    if is_known(host) { host.trim_matches('.').to_ascii_lowercase() } else { site_of(host) }
}

/// Every place that the code and the instructions of some files name, by [`place_of`], with the first file that does.
/// Comments, documentation and tests name none.
pub(super) fn sites<'a>(evidence: &Evidence, files: impl Iterator<Item = &'a String>) -> BTreeMap<String, String> {
    let mut sites = BTreeMap::new();
    for document in files.filter_map(|path| evidence.documents.get(path)) {
        for host in hosts(document) {
            sites.entry(place_of(&host)).or_insert_with(|| document.path.clone());
        }
    }
    sites
}

fn hosts(document: &Document) -> impl Iterator<Item = String> + use<'_> {
    named(document).map(|(host, _)| host)
}

/// The hosts that the code, instructions and manifests among files name, each with the byte at which it stands.
pub(super) fn named(document: &Document) -> impl Iterator<Item = (String, usize)> + use<'_> {
    let is_read =
        matches!(document.role, FileRole::Source | FileRole::Script | FileRole::Instruction | FileRole::Manifest);
    let text = if is_read { document.text.as_str() } else { "" };
    URL.captures_iter(text).filter_map(move |found| {
        let host = found.get(1)?;
        let host_text = host.as_str().trim_end_matches(['.', '-']).to_ascii_lowercase();
        // A comment with an address runs nothing and is the commonest change of all.
        let counts = document.zone_at(host.start()) != ZoneKind::Comment && !is_nobodys(&host_text);
        counts.then_some((host_text, host.start()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_examples_name_no_host() {
        let text =
            "// see https://comment.test/x\nconst s = 'https://a.example.com/x';\nfetch('https://api.acme.test/v1');\n";
        let document = Document::read("a.js", text.as_bytes(), &mut Vec::new());
        assert_eq!(hosts(&document).collect::<Vec<_>>(), ["api.acme.test"]);
    }

    #[test]
    fn only_reserved_names_are_nobodys() {
        assert!(is_nobodys("api.example.com") && is_nobodys("localhost") && is_nobodys("a.example"));
        assert!(!is_nobodys("example.ru") && !is_nobodys("api.github.com"));
        for inside in ["127.0.0.1", "10.0.0.5", "192.168.1.1", "172.16.0.1", "0.0.0.0", "[::1]", "[fe80::1]", "8080"] {
            assert!(is_nobodys(inside), "{inside}");
        }
        for outside in [
            "10.collector.test",
            "127.collector.test",
            "203.0.113.1",
            "3405803777",
            "0xcb007101",
            "[2001:db8::1]",
            "[::ffff:203.0.113.1]",
        ] {
            assert!(!is_nobodys(outside), "{outside}");
        }
        assert!(is_known("api.github.com") && is_known("json-schema.org") && !is_known("example.ru"));
        assert_eq!(
            (place_of("api.github.com"), place_of("api.acme.test")),
            ("api.github.com".into(), "acme.test".into())
        );
    }
}
