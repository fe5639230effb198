//! Purls of every kind of listing, to text and back.

use proptest::prelude::*;

use super::*;

fn of(key: &str, version: Option<&str>) -> Option<String> {
    Purl::of_identity(key, version).map(|purl| purl.to_string())
}

#[test]
fn every_ecosystem_has_its_type() {
    for (key, version, purl) in [
        ("npm:left-pad", None, "pkg:npm/left-pad"),
        ("npm:@scope/name", Some("1.2.0-rc.1+x"), "pkg:npm/%40scope/name@1.2.0-rc.1%2Bx"),
        ("npm:@scope/name@next", Some("2.0.0-rc.1"), "pkg:npm/%40scope/name@2.0.0-rc.1"),
        ("pypi:left-pad", Some("1!2.0"), "pkg:pypi/left-pad@1!2.0"),
        ("npm:a?registry=corp.test:8443/npm", Some("1"), "pkg:npm/a@1?repository_url=corp.test:8443%2Fnpm"),
        ("github:owner/name", Some("00ff"), "pkg:github/owner/name@00ff"),
        ("git:gitlab.com/a/b", None, "pkg:generic/b?vcs_url=git%2Bhttps:%2F%2Fgitlab.com%2Fa%2Fb"),
        ("oci:ghcr.io/a/b:1", None, "pkg:oci/b?repository_url=ghcr.io%2Fa%2Fb&tag=1"),
        ("oci:ghcr.io/a/b:1", Some("sha256:00"), "pkg:oci/b@sha256:00?repository_url=ghcr.io%2Fa%2Fb&tag=1"),
        ("oci:redis@sha256:00", None, "pkg:oci/redis@sha256:00?repository_url=docker.io%2Flibrary%2Fredis"),
        ("oci:redis:7", Some("7"), "pkg:oci/redis?repository_url=docker.io%2Flibrary%2Fredis&tag=7"),
    ] {
        assert_eq!(of(key, version).as_deref(), Some(purl), "{key}");
    }
}

#[test]
fn rows_of_directories_and_names_that_read_back_as_another_have_none() {
    for key in [
        "clawhub:a/b",
        "mcp:https://a.test/mcp",
        "folder:x",
        "pinned:a",
        "npm:JSONStream",
        "pypi:Left_Pad",
        "npm:/",
        "a b:c",
    ] {
        assert_eq!(of(key, None), None, "{key}");
    }
}

#[test]
fn spellings_of_others_are_read() {
    let read = |text: &str| text.parse::<Purl>().expect("a purl");
    for (text, key, identity) in [
        ("pkg:npm/@scope/name@1.0", "npm:@scope/name", "npm:@scope/name"),
        ("pkg:npm/./left-pad", "npm:left-pad", "npm:left-pad"),
        ("pkg://npm/left-pad?repository_url=https://corp.test/", "npm:left-pad", "npm:left-pad?registry=corp.test"),
        ("pkg:pypi/Left_Pad", "pypi:left-pad", "pypi:left-pad"),
        ("pkg:github/Owner/Name#skills/x", "github:owner/name", "github:owner/name"),
        ("pkg:docker/mcp/git@1.2", "oci:docker.io/mcp/git:1.2", "oci:docker.io/mcp/git:1.2"),
        ("pkg:docker/redis@sha256:00", "oci:docker.io/library/redis@sha256:00", "oci:docker.io/library/redis"),
        ("pkg:docker/a/b@1?repository_url=ghcr.io", "oci:ghcr.io/a/b:1", "oci:ghcr.io/a/b:1"),
        ("pkg:oci/b@sha256:00?repository_url=ghcr.io/a/b&tag=1", "oci:ghcr.io/a/b:1@sha256:00", "oci:ghcr.io/a/b:1"),
    ] {
        let purl = read(text);
        assert_eq!(purl.key().to_string().as_str(), key, "{text}");
        assert_eq!(purl.identity().as_str(), identity, "{text}");
    }
    // The ecosystem's own registry said in full is no other one, and another ecosystem's is.
    let own = |ecosystem: &str, registry: &str| read(&format!("pkg:{ecosystem}/a@1?repository_url={registry}&x=y#p"));
    for (ecosystem, registry) in [("npm", registries::npm()), ("pypi", registries::pypi())] {
        assert_eq!(own(ecosystem, &registry), read(&format!("pkg:{ecosystem}/a@1?x=y#p")));
    }
    assert!(own("npm", &registries::pypi()).registry().is_some());
    let purl = read("pkg:npm/left-pad@1.0#skills/x");
    assert_eq!(purl.version(), Some("1.0"));
    assert_eq!(purl.path(), Some("skills/x"));
}

#[test]
fn what_names_no_listing_is_an_error() {
    let read = |text: &str| text.parse::<Purl>();
    for text in ["", "npm:left-pad", "pkg:", "pkg:npm", "pkg:npm/", "pkg:oci/b", "pkg:generic/b", "pkg:npm/%ff"] {
        assert!(matches!(read(text), Err(ParsePurlError::Malformed { .. })), "{text}");
    }
    assert_eq!(read("pkg:cargo/serde"), Err(ParsePurlError::UnknownType("cargo".to_owned())));
}

proptest! {
    #[test]
    fn a_purl_reads_back_as_its_key(
        key in prop_oneof![
            "npm:(@[a-z0-9][a-z0-9._~-]{0,8}/)?[a-z0-9][a-z0-9._~-]{0,12}",
            "pypi:[a-z0-9]{1,6}(-[a-z0-9]{1,6}){0,2}",
            "github:[a-z0-9-]{1,8}/[a-z0-9._-]{0,8}[a-z0-9]",
            "git:[a-z]{1,6}\\.test/[a-z0-9-]{1,8}/[a-z0-9_.-]{0,6}[a-z0-9]",
            "oci:[a-z]{1,6}\\.test(:[0-9]{2,4})?/[a-z0-9]{1,6}(/[a-z0-9._-]{1,6}){0,2}(:[a-zA-Z0-9._-]{1,6})?(@sha256:[0-9a-f]{2,8})?",
        ],
    ) {
        let key: ListingKey = key.parse().expect("a key");
        let purl = Purl::of(&key, None).expect("an ecosystem's name");
        prop_assert_eq!(purl.key(), &key);
        prop_assert_eq!(purl.to_string().parse(), Ok(purl));
    }

    #[test]
    fn what_is_read_has_one_text(text in "pkg:(npm|pypi|oci|docker|github|generic)/[a-zA-Z0-9@%/._?=&#:+-]{0,40}") {
        if let Ok(purl) = text.parse::<Purl>() {
            prop_assert_eq!(purl.to_string().parse(), Ok(purl));
        }
    }

    #[test]
    fn any_text_is_read_without_panic(text in "(pkg:)?\\PC{0,40}") {
        let _ = text.parse::<Purl>();
    }
}
