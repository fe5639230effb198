//! `of`: the publishers that prove to answer for a listing.
//!
//! A publisher is a name that its registry gives to one account only: an npm scope, the owner of a repository, a verified
//! namespace, an account that may publish. Claims of a listing about itself (a repository, a home page, a display name)
//! prove nothing and make no publisher: whoever wears another's name says the same. The roles of sources say what a name
//! proves, so that no directory's format is known here.

use std::collections::BTreeSet;

use capdex_model::ids::{ListingKey, split_registry};
use capdex_model::source_role::{Ecosystem, NameProof, SourceRoles};

/// The publishers of a listing: from its key, from what its locators are, and from the accounts that may publish.
pub fn of(
    key: &ListingKey,
    roles: &SourceRoles,
    identities: &BTreeSet<String>,
    maintainers: &[String],
) -> BTreeSet<String> {
    let mut publishers = BTreeSet::new();
    // Locators prove something even where the directory's own names prove nothing.
    for identity in identities.iter().map(String::as_str).chain([key.to_string().as_str()]) {
        if let Some((word, name)) = identity.split_once(':') {
            // The role belongs to the word before the colon: a locator may be of another ecosystem than its listing.
            publishers.extend(of_identity(word, roles.of_source(word).proof, name));
        }
    }
    if roles.of_source(&key.source).ecosystem().is_some_and(Ecosystem::has_accounts) {
        // By the source's own name: accounts of another registry are other people.
        publishers.extend(maintainers.iter().map(|account| format!("{}-user:{}", key.source, account.to_lowercase())));
    }
    publishers
}

/// The publishers that a name proves, at the source or in the ecosystem that is called `word`.
fn of_identity(word: &str, proof: NameProof, name: &str) -> Vec<String> {
    match proof {
        NameProof::Scope => {
            // A package without a scope can be published by anyone who is first to take the name.
            let (name, registry) = split_registry(name);
            let scope = name.strip_prefix('@').and_then(|rest| rest.split_once('/'));
            // The same scope in another registry is somebody else's.
            // Its port is no part that a reader may take for the account.
            let at = registry.map(|registry| format!("@{}", registry.replace(':', "-"))).unwrap_or_default();
            scope.map(|(scope, _)| format!("{word}-scope{at}:{}", scope.to_lowercase())).into_iter().collect()
        }
        // By the source's own name: at another address the same owner may be somebody else.
        NameProof::Account => owner(name).map(|owner| format!("{word}:{owner}")).into_iter().collect(),
        NameProof::HostAccount => name
            // The host is part of the name: the same owner on another forge is somebody else.
            .split_once('/')
            .and_then(|(host, path)| Some(format!("git:{}/{}", host.to_lowercase(), owner(path)?)))
            .into_iter()
            .collect(),
        // GitHub's own registry of images: its names begin with the account.
        NameProof::ImageAccount => {
            let account = name.strip_prefix("ghcr.io/").and_then(owner);
            account.map(|account| format!("github:{account}")).into_iter().collect()
        }
        NameProof::Namespace => of_namespace(name),
        NameProof::Nothing => Vec::new(),
    }
}

/// A reverse-DNS namespace, and the account of GitHub that `io.github.<account>` stands for.
fn of_namespace(name: &str) -> Vec<String> {
    let Some((namespace, _)) = name.split_once('/') else { return Vec::new() };
    // Registries compare namespaces without case; two spellings must not become two publishers.
    let namespace = namespace.to_lowercase();
    // The registry gives `io.github.<account>` only to whoever proves to hold that account.
    let account = namespace.strip_prefix("io.github.").map(|account| format!("github:{account}"));
    [format!("namespace:{namespace}")].into_iter().chain(account).collect()
}

fn owner(path: &str) -> Option<String> {
    // An empty owner (`//x`) would be one publisher that all malformed names share.
    path.split('/').next().filter(|owner| !owner.is_empty()).map(str::to_lowercase)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::roles;

    fn publishers(key: (&str, &str), identities: &[&str], maintainers: &[&str]) -> Vec<String> {
        let identities = identities.iter().map(|identity| (*identity).to_owned()).collect();
        let maintainers: Vec<String> = maintainers.iter().map(|name| (*name).to_owned()).collect();
        of(&ListingKey::new(key.0, key.1), &roles(), &identities, &maintainers).into_iter().collect()
    }

    #[test]
    fn names_that_a_registry_gives_once_are_publishers() {
        assert_eq!(publishers(("npm", "@Acme/x"), &["npm:@Acme/x"], &["Ann"]), ["npm-scope:acme", "npm-user:ann"]);
        // A table of its own name, with a registry of its own: nobody there is somebody at npm.
        let elsewhere = publishers(("corp", "@acme/x"), &["npm:@acme/x?registry=corp.test:8443/npm"], &[]);
        assert!(!elsewhere.iter().any(|publisher| publisher == "npm-scope:acme"), "{elsewhere:?}");
        assert!(elsewhere.iter().any(|publisher| publisher == "npm-scope@corp.test-8443/npm:acme"), "{elsewhere:?}");
        assert_eq!(publishers(("github", "Acme/x"), &["github:acme/x"], &[]), ["github:acme"]);
        assert_eq!(publishers(("git", "gitlab.com/acme/x"), &[], &[]), ["git:gitlab.com/acme"]);
        assert_eq!(publishers(("oci", "ghcr.io/Acme/x:1"), &[], &[]), ["github:acme"]);
        let registry =
            publishers(("official-registry", "io.github.Acme/x"), &["official-registry:io.github.Acme/x"], &[]);
        assert_eq!(registry, ["github:acme", "namespace:io.github.acme"]);
    }

    #[test]
    fn what_anybody_may_call_himself_is_none() {
        assert!(publishers(("npm", "acme-x"), &["npm:acme-x"], &[]).is_empty());
        assert!(publishers(("oci", "docker.io/acme/x"), &[], &[]).is_empty());
        assert!(publishers(("glama", "acme/x"), &["glama:acme/x"], &["acme"]).is_empty());
    }
}
