//! `Statement`: what one listing says of what it is, read once from its words.
//!
//! Everything here is what somebody says; what of it is proven, `evidence` decides. Must not compare listings.

use serde_json::Value;

use super::coordinate::{self, Place};
use crate::corpus::Member;
use capdex_model::ids::ListingKey;
use capdex_model::listing::{Listing, Locator};
use capdex_model::time::Timestamp;

/// Directories whose rows are single skills: a repository without a path inside says only where they lie.
const OF_SKILLS: [&str; 2] = ["skillsmp", "skills-sh"];
/// Directories whose rows their publishers write and fill with texts or servers of their own.
const SELF_WRITTEN: [&str; 2] = ["smithery", "clawhub"];
/// Sources of several lists: the list is the first two parts of a name.
const SEVERAL_LISTS: [&str; 2] = ["awesome-lists", "marketplaces"];
/// Registries of one row a version, `name@version`.
const OF_VERSIONS: [&str; 3] = ["official-registry", "github-registry", "pulsemcp"];

/// Who speaks in a listing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Voice {
    /// The place where the artefact itself is: a package registry, a forge, an endpoint.
    Artefact,
    /// Its publisher, in a registry: what it says of others' things is a claim.
    Publisher,
    /// A directory, about a thing of somebody else.
    Directory,
}

/// What a listing says of what it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// The listing as the other passes see it.
    pub member: Member,
    /// The accounts that may publish, in lower case, where they are known.
    pub owners: Option<Vec<String>>,
    pub(super) voice: Voice,
    /// The list within its source that the listing stands in.
    pub(super) catalogue: String,
    /// The artefact that the listing itself is.
    pub(super) own: Option<String>,
    /// The name in its registry, without the version.
    pub(super) row: Option<String>,
    /// The registry verified the name's namespace and that each package names the row.
    pub(super) is_official: bool,
    /// Where its bytes lie in a repository.
    pub(super) pinned: Option<Place>,
    /// The packages and images that it names, strongest first.
    pub(super) packages: Vec<String>,
    /// The endpoints that it names.
    pub(super) endpoints: Vec<String>,
    /// The repository that it is or names.
    pub(super) place: Option<Place>,
    /// The forge's own number for the repository that the listing is.
    pub(super) number: Option<u64>,
    /// The number that a row states for the repository that it names.
    pub(super) stated_number: Option<u64>,
    /// The rows of registries that a package says are its own.
    pub(super) rows: Vec<String>,
    /// The skill by its name, where a directory names it so and no path.
    pub(super) skill: Option<String>,
}

impl Statement {
    /// Reads a listing.
    pub fn of(listing: &Listing, popularity: Option<u64>, first_seen: Timestamp, is_active: bool) -> Self {
        let member = Member::of(listing, popularity, first_seen, is_active);
        let document = document_of(listing);
        let voice = voice_of(listing, document.as_ref());
        let claims = &listing.claims;
        let owners = claims.maintainers.known().map(|names| names.iter().map(|name| name.to_lowercase()).collect());
        let is_forge = voice == Voice::Artefact && is_repository(listing);
        let place = place_of(listing, document.as_ref());
        let mut statement = Self {
            catalogue: catalogue_of(&listing.key),
            owners,
            voice,
            own: own_of(listing, voice),
            row: row_of(listing, document.as_ref()),
            is_official: claims.standing.official.known() == Some(&true),
            pinned: pinned_of(listing, place.as_ref()),
            packages: packages_of(listing, document.as_ref()),
            endpoints: of_source(listing, "mcp"),
            number: member.repository_id.filter(|_| is_forge),
            stated_number: stated_number(document.as_ref()).or(member.repository_id.filter(|_| !is_forge)),
            rows: listing.references.iter().filter_map(row_named).collect(),
            skill: skill_of(listing, place.as_ref()),
            place,
            member,
        };
        if is_forge {
            statement.own = None;
        }
        statement
    }

    /// The endpoints that it names, where they are ways to one server; none of several servers.
    pub(super) fn one_server(&self) -> &[String] {
        let servers: std::collections::BTreeSet<&str> =
            self.endpoints.iter().map(|endpoint| coordinate::server_of_endpoint(endpoint)).collect();
        if servers.len() == 1 { &self.endpoints } else { &[] }
    }

    /// Whether the listing is a repository at its forge.
    pub(super) fn is_forge(&self) -> bool {
        self.voice == Voice::Artefact && self.own.is_none() && self.place.is_some()
    }
}

/// The `server.json` or `listing.json` that a listing carries.
fn document_of(listing: &Listing) -> Option<(&'static str, Value)> {
    let Some(Locator::Inline { files, .. }) = listing.locators.iter().find(|it| matches!(it, Locator::Inline { .. }))
    else {
        return None;
    };
    let read = |name: &'static str| Some((name, serde_json::from_str(files.get(name)?).ok()?));
    read("server.json").or_else(|| read("listing.json"))
}

fn server_of<'a>(document: Option<&'a (&'static str, Value)>) -> Option<&'a Value> {
    document.filter(|(name, _)| *name == "server.json").map(|(_, value)| value)
}

fn is_repository(listing: &Listing) -> bool {
    let own = listing.key.to_string();
    matches!(listing.key.source.as_str(), "github" | "git")
        || listing
            .locators
            .iter()
            .any(|locator| matches!(locator, Locator::GitArchive { repository, .. } if *repository == own))
}

fn voice_of(listing: &Listing, document: Option<&(&'static str, Value)>) -> Voice {
    let source = listing.key.source.as_str();
    if matches!(source, "npm" | "pypi" | "oci" | "mcp" | "folder") || is_repository(listing) {
        Voice::Artefact
    } else if server_of(document).is_some() || SELF_WRITTEN.contains(&source) || OF_VERSIONS.contains(&source) {
        Voice::Publisher
    } else {
        Voice::Directory
    }
}

fn catalogue_of(key: &ListingKey) -> String {
    let parts = if SEVERAL_LISTS.contains(&key.source.as_str()) { 2 } else { 0 };
    let mut catalogue = key.source.clone();
    for part in key.name.split('/').take(parts) {
        catalogue.push('/');
        catalogue.push_str(part);
    }
    catalogue
}

fn own_of(listing: &Listing, voice: Voice) -> Option<String> {
    if voice != Voice::Artefact {
        return None;
    }
    let packages = listing.locators.iter().find_map(|locator| match locator {
        Locator::NpmPackage { .. } | Locator::PypiPackage { .. } => Some(locator.identity()),
        _ => None,
    });
    packages.or_else(|| coordinate::of_key(&listing.key)).or_else(|| Some(listing.key.to_string()))
}

/// The name of a registry's row without its version. Only the latest version carries its text.
fn row_of(listing: &Listing, document: Option<&(&'static str, Value)>) -> Option<String> {
    let ListingKey { source, name } = &listing.key;
    let is_row = server_of(document).is_some() || OF_VERSIONS.contains(&source.as_str());
    let name = name.rsplit_once('@').map_or(name.as_str(), |(name, _)| name);
    is_row.then(|| format!("row:{source}:{name}"))
}

fn row_named(reference: &ListingKey) -> Option<String> {
    OF_VERSIONS.contains(&reference.source.as_str()).then(|| format!("row:{reference}"))
}

fn place_of(listing: &Listing, document: Option<&(&'static str, Value)>) -> Option<Place> {
    let is_forge = |key: &&ListingKey| matches!(key.source.as_str(), "github" | "git");
    if is_repository(listing) {
        return Some(Place::of(&listing.key, None, None));
    }
    let folder = document.and_then(|(name, value)| match *name {
        "server.json" => value.pointer("/repository/subfolder"),
        _ => value.pointer("/source/directory").or_else(|| value.pointer("/source/path")),
    });
    let address = listing.claims.repository.known().map(String::as_str);
    let key = listing.references.iter().find(is_forge)?;
    Some(Place::of(key, address, folder.and_then(Value::as_str)))
}

/// Where the archive that a directory pins lies.
fn pinned_of(listing: &Listing, place: Option<&Place>) -> Option<Place> {
    let is_pinned = |locator: &Locator| matches!(locator, Locator::GitArchive { repository, .. } if repository.starts_with("pinned:"));
    listing.locators.iter().any(is_pinned).then(|| place.cloned()).flatten()
}

fn packages_of(listing: &Listing, document: Option<&(&'static str, Value)>) -> Vec<String> {
    let mut packages: Vec<String> = ["npm", "pypi"].into_iter().flat_map(|source| of_source(listing, source)).collect();
    let named = server_of(document).and_then(|server| server.get("packages")?.as_array());
    let nuget =
        named.into_iter().flatten().filter(|package| package.get("registryType").is_some_and(|it| it == "nuget"));
    let nuget = nuget.filter_map(|package| package.get("identifier")?.as_str());
    packages.extend(nuget.map(|name| format!("nuget:{}", name.to_lowercase())));
    packages.extend(of_source(listing, "oci"));
    packages
}

fn of_source(listing: &Listing, source: &str) -> Vec<String> {
    listing.references.iter().filter(|key| key.source == source).filter_map(coordinate::of_key).collect()
}

/// The number that a server.json states for its repository; GitHub's are digits.
fn stated_number(document: Option<&(&'static str, Value)>) -> Option<u64> {
    server_of(document)?.pointer("/repository/id")?.as_str()?.parse().ok()
}

fn skill_of(listing: &Listing, place: Option<&Place>) -> Option<String> {
    let is_whole = place.is_some_and(|place| place.path.is_empty());
    (OF_SKILLS.contains(&listing.key.source.as_str()) && is_whole)
        .then(|| listing.key.name.rsplit('/').next().unwrap_or_default().to_owned())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::identity::testing::{listing, read, registry_row};

    #[test]
    fn a_registry_row_is_read_with_its_name_without_version() {
        let server = r#"{"repository": {"url": "https://github.com/Acme/Mono", "id": "7", "subfolder": "packages/x"},
                         "packages": [{"registryType": "nuget", "identifier": "Acme.X"}]}"#;
        let row = registry_row(
            "io.github.acme/x@1.0.0",
            server,
            &["npm:@acme/x", "github:acme/mono", "mcp:https://A.test/mcp"],
        );
        let said = read(&row);
        assert_eq!(said.voice, Voice::Publisher);
        assert_eq!(said.row.as_deref(), Some("row:official-registry:io.github.acme/x"));
        assert_eq!(said.packages, ["npm:@acme/x", "nuget:acme.x"]);
        assert_eq!(said.endpoints, ["mcp:a.test/mcp"]);
        let place = said.place.expect("a place");
        assert_eq!(
            (place.coordinate(None).as_str(), said.stated_number),
            ("repo:github:acme/mono#packages/x", Some(7))
        );
    }

    #[test]
    fn a_skill_without_a_path_is_no_word_about_the_repository() {
        let mut skill = listing("skillsmp:x", &["github:acme/skills"]);
        assert_eq!(read(&skill).skill.as_deref(), Some("x"));
        skill.claims.repository =
            capdex_model::listing::Claim::Known("https://github.com/acme/skills/tree/main/skills/x".into());
        let said = read(&skill);
        assert_eq!((said.skill, said.place.map(|place| place.path)), (None, Some("skills/x".into())));
    }

    #[test]
    fn what_a_directory_pins_lies_in_the_repository_that_it_names() {
        let mut entry = listing("docker-mcp-registry:x", &["github:acme/mono", "oci:docker.io/mcp/x"]);
        let files = BTreeMap::from([("listing.json".to_owned(), r#"{"source": {"directory": "src/x"}}"#.to_owned())]);
        entry.locators = vec![
            Locator::Inline { identity: "docker-mcp-registry:x".into(), version: None, files },
            Locator::GitArchive {
                repository: "pinned:docker-mcp-registry:x".into(),
                commit: "00".into(),
                url: String::new(),
            },
        ];
        let said = read(&entry);
        assert_eq!(said.pinned.map(|place| place.coordinate(None)).as_deref(), Some("repo:github:acme/mono#src/x"));
        assert_eq!(said.voice, Voice::Directory);
    }

    #[test]
    fn lists_of_one_source_are_told_apart() {
        let of = |key: &str| catalogue_of(&key.parse().expect("a key"));
        assert_eq!(of("awesome-lists:ann/list/github.com/a/b"), "awesome-lists/ann/list");
        assert_eq!(of("glama:a/b"), "glama");
    }
}
