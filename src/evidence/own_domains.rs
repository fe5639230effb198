//! Own domains: the sites that a package names as its own, in its manifests: homepage, repository, publisher.
//!
//! Whoever writes the manifest chooses them, so they tell whose an address is, never that it is good.

use std::collections::BTreeSet;

use serde_json::Value;

use super::Evidence;
use super::manifest::{Manifest, ManifestKind, is_foreign};
use super::site::site_of;

/// Where manifests name addresses of their own.
const POINTERS: [&str; 22] = [
    "/homepage",
    "/repository",
    "/repository/url",
    "/bugs",
    "/bugs/url",
    "/url",
    "/website",
    "/websiteUrl",
    "/documentation",
    "/author",
    "/author/url",
    "/owner/url",
    "/publisher/url",
    "/funding/url",
    "/project/urls",
    "/tool/poetry/homepage",
    "/tool/poetry/repository",
    "/tool/poetry/documentation",
    "/home-page",
    "/project-url",
    "/metadata/homepage",
    "/metadata/openclaw/homepage",
];

/// Forges and meeting places: an address there is one of many strangers.
const SHARED: [&str; 12] = [
    "bitbucket.org",
    "codeberg.org",
    "discord.com",
    "discord.gg",
    "github.com",
    "githubusercontent.com",
    "gitlab.com",
    "google.com",
    "linkedin.com",
    "medium.com",
    "twitter.com",
    "x.com",
];

/// The sites that belong to a package by its own word.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct OwnDomains(BTreeSet<String>);

impl OwnDomains {
    /// The sites that the manifests of a bundle name, vendored ones left out.
    pub fn of(evidence: &Evidence) -> Self {
        let describes = |manifest: &&Manifest| {
            !matches!(
                manifest.kind,
                ManifestKind::McpJson | ManifestKind::HooksJson | ManifestKind::SettingsJson | ManifestKind::ToolsList
            ) && !is_foreign(&manifest.path)
        };
        let mut sites = BTreeSet::new();
        for manifest in evidence.manifests.values().filter(describes) {
            for value in POINTERS.iter().filter_map(|pointer| manifest.value.pointer(pointer)) {
                add(value, &mut sites);
            }
        }
        Self(sites)
    }

    /// True where a host lies on one of the sites.
    pub fn contains(&self, host: &str) -> bool {
        !self.0.is_empty() && self.0.contains(&site_of(host))
    }
}

/// Adds the sites of the addresses in a value: a text, a list of texts, or a table of them.
fn add(value: &Value, sites: &mut BTreeSet<String>) {
    match value {
        Value::String(text) => {
            let hosts = text.split("://").skip(1).filter_map(|rest| {
                let authority = rest.split(['/', '?', '#', ')', '>', ' ', ',', '"']).next()?;
                // A name before the host belongs to no address, and a port to no site.
                authority.rsplit('@').next()?.split(':').next()
            });
            let named = hosts.map(site_of).filter(|site| site.contains('.') && !SHARED.contains(&site.as_str()));
            sites.extend(named);
        }
        Value::Array(items) => items.iter().for_each(|item| add(item, sites)),
        Value::Object(items) => items.values().filter(|item| item.is_string()).for_each(|item| add(item, sites)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use capdex_model::bundle::{Bundle, BundleFile};

    fn own(path: &str, text: &str) -> OwnDomains {
        let files = [(path.to_owned(), BundleFile::new(text.as_bytes().to_vec()))].into_iter().collect();
        OwnDomains::of(&Evidence::gather(&Bundle::local("folder:own", files)))
    }

    #[test]
    fn a_package_owns_the_sites_that_its_manifest_names() {
        let package = r#"{"name": "kit", "version": "1.0.0", "homepage": "https://docs.kit.test/start",
            "repository": {"url": "git+https://github.com/kit/kit.git"},
            "author": "Kit <a@kit.test> (https://maker.test)"}"#;
        let own = own("package.json", package);
        for host in ["kit.test", "get.kit.test", "maker.test"] {
            assert!(own.contains(host), "{host}");
        }
        for host in ["github.com", "kit.test.stranger.test", "notkit.test"] {
            assert!(!own.contains(host), "{host}");
        }
    }

    #[test]
    fn a_skill_owns_its_homepage_and_not_what_its_text_names() {
        let skill =
            "---\nname: kit\ndescription: Counts, see https://other.test.\nhomepage: https://kit.test\n---\nx\n";
        let own = own("SKILL.md", skill);
        assert!(own.contains("api.kit.test"));
        assert!(!own.contains("other.test"));
    }
}
