//! `Statement`: what one listing says of what it is, read once from its words.
//!
//! Everything here is what somebody says; what of it is proven, `evidence` decides.

use serde_json::Value;

use super::artifact_id::{self, RepositoryPath};
use crate::corpus::CorpusMember;
use capdex_model::ids::{ListingKey, split_registry};
use capdex_model::listing::{Listing, Locator};
use capdex_model::source_role::{Ecosystem, Rows, SourceRole, SourceRoles, Speaker};
use capdex_model::time::Timestamp;
/// The party that speaks in a listing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Voice {
    /// The place where the artifact itself is: a package registry, a forge, an endpoint.
    Artefact,
    /// Its publisher, in a registry: what it says of others' things is a claim.
    Publisher,
    /// A directory, about a thing of somebody else.
    Directory,
}

/// The statement that a listing makes of what it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// The listing as the other passes see it.
    pub member: CorpusMember,
    /// The accounts that may publish, in lower case, where they are known.
    pub owners: Option<Vec<String>>,
    pub(super) voice: Voice,
    /// The list within its source that the listing stands in.
    pub(super) catalogue: String,
    /// The artifact that the listing itself is.
    pub(super) own: Option<String>,
    /// The package that it is, whatever registry has it, with version and published digest.
    pub(super) release: Option<String>,
    /// The name in its registry, without the version.
    pub(super) row: Option<String>,
    /// The same as packages name it, which know the kind of a registry and not what an operator calls it.
    pub(super) row_of_kind: Option<String>,
    /// The registry verified the name's namespace and that each package names the row.
    pub(super) is_official: bool,
    /// The place of its bytes in a repository.
    pub(super) pinned: Option<RepositoryPath>,
    /// The packages and images that it names, strongest first.
    pub(super) packages: Vec<String>,
    /// The endpoints that it names.
    pub(super) endpoints: Vec<String>,
    /// The repository that it is or names.
    pub(super) place: Option<RepositoryPath>,
    /// The repository that its registry's attestation names, lower case.
    pub(super) attested: Option<String>,
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
    pub fn of(
        listing: &Listing,
        roles: &SourceRoles,
        popularity: Option<u64>,
        first_seen: Timestamp,
        is_active: bool,
    ) -> Self {
        let member = CorpusMember::of(listing, roles, popularity, first_seen, is_active);
        let (role, document) = (member.role, document_of(listing));
        let voice = voice_of(listing, role, document.as_ref());
        let row = |registry: &str| row_of(listing, role, registry, document.as_ref());
        let claims = &listing.claims;
        let owners = claims.maintainers.known().map(|names| names.iter().map(|name| name.to_lowercase()).collect());
        let is_forge = voice == Voice::Artefact && is_repository(listing, role);
        let place = place_of(listing, role, document.as_ref());
        let mut statement = Self {
            catalogue: catalogue_of(&listing.key, role),
            owners,
            voice,
            own: own_of(listing, role, voice),
            release: release_of(listing, voice),
            row: row(&listing.key.source),
            row_of_kind: row(roles.kind_of(&listing.key.source)),
            is_official: claims.repository_signals.official.known() == Some(&true),
            pinned: pinned_of(listing, place.as_ref()),
            packages: packages_of(listing, document.as_ref()),
            endpoints: of_ecosystem(listing, Ecosystem::Mcp),
            attested: claims.attested.known().map(|key| key.to_string().to_lowercase()),
            // Only the forge may number what it lists: a directory's number is a claim.
            number: member.repository_id.filter(|_| is_forge),
            stated_number: stated_number(document.as_ref()).or(member.repository_id.filter(|_| !is_forge)),
            rows: listing.references.iter().filter_map(|key| row_named(key, roles)).collect(),
            skill: skill_of(listing, role, place.as_ref()),
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
            self.endpoints.iter().map(|endpoint| artifact_id::server_of_endpoint(endpoint)).collect();
        // Several servers behind one listing would be joined into one by it.
        if servers.len() == 1 { &self.endpoints } else { &[] }
    }

    /// The list within its source that it stands in, where that is a directory and not the place of the artifact itself.
    pub(crate) fn directory(&self) -> Option<&str> {
        (self.voice != Voice::Artefact).then_some(self.catalogue.as_str())
    }

    /// True where the registry verified the row's namespace and its packages.
    pub const fn is_official(&self) -> bool {
        self.is_official
    }

    /// True where the listing is a repository at its forge.
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
    // `server.json` is the publisher's own form and comes before a directory's.
    let read = |name: &'static str| Some((name, serde_json::from_str(files.get(name)?).ok()?));
    read("server.json").or_else(|| read("listing.json"))
}

fn server_of<'a>(document: Option<&'a (&'static str, Value)>) -> Option<&'a Value> {
    document.filter(|(name, _)| *name == "server.json").map(|(_, value)| value)
}

fn is_repository(listing: &Listing, role: SourceRole) -> bool {
    let own = listing.key.to_string();
    role.is_forge()
        || listing
            .locators
            .iter()
            .any(|locator| matches!(locator, Locator::GitArchive { repository, .. } if *repository == own))
}

fn voice_of(listing: &Listing, role: SourceRole, document: Option<&(&'static str, Value)>) -> Voice {
    match role.speaker {
        Speaker::Artifact(_) => Voice::Artefact,
        _ if is_repository(listing, role) => Voice::Artefact,
        Speaker::Publisher => Voice::Publisher,
        // A row that carries a `server.json` repeats its publisher.
        Speaker::Directory if server_of(document).is_some() => Voice::Publisher,
        Speaker::Directory => Voice::Directory,
    }
}

fn catalogue_of(key: &ListingKey, role: SourceRole) -> String {
    let parts = if role.has_several_lists { 2 } else { 0 };
    let mut catalogue = key.source.clone();
    for part in key.name.split('/').take(parts) {
        catalogue.push('/');
        catalogue.push_str(part);
    }
    catalogue
}

fn own_of(listing: &Listing, role: SourceRole, voice: Voice) -> Option<String> {
    if voice != Voice::Artefact {
        return None;
    }
    let packages = listing.locators.iter().find_map(|locator| match locator {
        Locator::NpmPackage { .. } | Locator::PypiPackage { .. } => Some(locator.identity()),
        _ => None,
    });
    packages
        .or_else(|| artifact_id::of_name(role.ecosystem()?, &listing.key.name))
        .or_else(|| Some(listing.key.to_string()))
}

/// The package and its bytes, as digests prove them; none where the registry publishes none.
fn release_of(listing: &Listing, voice: Voice) -> Option<String> {
    listing.locators.iter().filter(|_| voice == Voice::Artefact).find_map(|locator| match locator {
        Locator::NpmPackage { integrity, .. } | Locator::PypiPackage { integrity, .. } if !integrity.is_empty() => {
            Some(format!("{} {}", split_registry(&locator.identity()).0, locator.artifact()))
        }
        _ => None,
    })
}

/// The name of a registry's row without its version. Only the latest version carries its text.
fn row_of(
    listing: &Listing,
    role: SourceRole,
    registry: &str,
    document: Option<&(&'static str, Value)>,
) -> Option<String> {
    let name = &listing.key.name;
    let is_row = server_of(document).is_some() || role.rows == Rows::Versions;
    let name = name.rsplit_once('@').map_or(name.as_str(), |(name, _)| name);
    is_row.then(|| format!("row:{registry}:{name}"))
}

fn row_named(reference: &ListingKey, roles: &SourceRoles) -> Option<String> {
    (roles.of_kind(&reference.source).rows == Rows::Versions).then(|| format!("row:{reference}"))
}

fn place_of(listing: &Listing, role: SourceRole, document: Option<&(&'static str, Value)>) -> Option<RepositoryPath> {
    let is_forge = |key: &&ListingKey| Ecosystem::of_word(&key.source).is_some_and(Ecosystem::is_forge);
    if is_repository(listing, role) {
        // The host is part of such a name, so that it means one repository wherever it is listed.
        let named_by_host = role.ecosystem().filter(|ecosystem| *ecosystem == Ecosystem::Git);
        let key = named_by_host.map(|ecosystem| ListingKey::new(ecosystem.as_str(), listing.key.name.as_str()));
        return Some(RepositoryPath::of(key.as_ref().unwrap_or(&listing.key), None, None));
    }
    let folder = document.and_then(|(name, value)| match *name {
        "server.json" => value.pointer("/repository/subfolder"),
        _ => value.pointer("/source/directory").or_else(|| value.pointer("/source/path")),
    });
    let address = listing.claims.repository.known().map(String::as_str);
    let key = listing.references.iter().find(is_forge)?;
    Some(RepositoryPath::of(key, address, folder.and_then(Value::as_str)))
}

/// The place of the archive that a directory pins.
fn pinned_of(listing: &Listing, place: Option<&RepositoryPath>) -> Option<RepositoryPath> {
    let is_pinned = |locator: &Locator| matches!(locator, Locator::GitArchive { repository, .. } if repository.starts_with("pinned:"));
    listing.locators.iter().any(is_pinned).then(|| place.cloned()).flatten()
}

fn packages_of(listing: &Listing, document: Option<&(&'static str, Value)>) -> Vec<String> {
    let mut packages = of_ecosystem(listing, Ecosystem::Npm);
    packages.extend(of_ecosystem(listing, Ecosystem::Pypi));
    let named = server_of(document).and_then(|server| server.get("packages")?.as_array());
    let nuget =
        named.into_iter().flatten().filter(|package| package.get("registryType").is_some_and(|it| it == "nuget"));
    let nuget = nuget.filter_map(|package| package.get("identifier")?.as_str());
    packages.extend(nuget.map(|name| format!("nuget:{}", name.to_lowercase())));
    packages.extend(of_ecosystem(listing, Ecosystem::Oci));
    packages
}

fn of_ecosystem(listing: &Listing, ecosystem: Ecosystem) -> Vec<String> {
    let named = listing.references.iter().filter(|key| key.source == ecosystem.as_str());
    named.filter_map(|key| artifact_id::of_name(ecosystem, &key.name)).collect()
}

/// The number that a server.json states for its repository; GitHub's are digits.
fn stated_number(document: Option<&(&'static str, Value)>) -> Option<u64> {
    server_of(document)?.pointer("/repository/id")?.as_str()?.parse().ok()
}

fn skill_of(listing: &Listing, role: SourceRole, place: Option<&RepositoryPath>) -> Option<String> {
    let is_whole = place.is_some_and(|place| place.path.is_empty());
    (role.rows == Rows::Skills && is_whole).then(|| listing.key.name.rsplit('/').next().unwrap_or_default().to_owned())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::identity::testing::{listing, read, registry_row};
    use crate::testing::roles;

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
        assert_eq!(place.artifact_id(None).as_str(), "repo:github:acme/mono#packages/x");
        assert_eq!(said.stated_number, Some(7));
    }

    #[test]
    fn a_source_under_a_name_of_its_own_is_read_by_its_kind() {
        let kinds = [("company", "official-registry"), ("forge", "git"), ("images", "oci"), ("ours", "github")];
        let kinds = kinds.map(|(name, kind)| (name.to_owned(), kind.to_owned()));
        let roles = roles().with_kinds(BTreeMap::from(kinds));
        let read = |name: &str, references: &[&str]| {
            Statement::of(&listing(name, references), &roles, None, Timestamp::from_unix_seconds(0), true)
        };
        let row = read("company:io.github.ann/x@1.0.0", &[]);
        assert_eq!(row.row.as_deref(), Some("row:company:io.github.ann/x"));
        let package = read("npm:x", &["official-registry:io.github.ann/x"]);
        assert_eq!(Some(package.rows), row.row_of_kind.map(|named| vec![named]));
        assert_eq!(row.voice, Voice::Publisher);
        assert_eq!(row.member.publishers.len(), 2);
        assert_eq!(read("images:docker.io/mcp/x:1", &[]).own.as_deref(), Some("oci:docker.io/mcp/x"));
        let place = |name: &str| read(name, &[]).place.map(|place| place.artifact_id(Some(7)));
        assert_eq!(place("forge:gitlab.com/ann/x").as_deref(), Some("repo:git:gitlab.com@7"));
        assert_eq!(place("ours:ann/x").as_deref(), Some("repo:ours@7"), "another address is another forge");
        assert_eq!(read("nobody:x@1", &[]).row, None);
    }

    #[test]
    fn a_skill_without_a_path_is_no_word_about_the_repository() {
        let mut skill = listing("skillsmp:x", &["github:acme/skills"]);
        assert_eq!(read(&skill).skill.as_deref(), Some("x"));
        skill.claims.repository =
            capdex_model::listing::Claim::Known("https://github.com/acme/skills/tree/main/skills/x".into());
        let said = read(&skill);
        assert_eq!(said.skill, None);
        assert_eq!(said.place.map(|place| place.path), Some("skills/x".into()));
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
        assert_eq!(said.pinned.map(|place| place.artifact_id(None)).as_deref(), Some("repo:github:acme/mono#src/x"));
        assert_eq!(said.voice, Voice::Directory);
    }

    #[test]
    fn lists_of_one_source_are_told_apart() {
        let of = |key: &str| {
            let key: ListingKey = key.parse().expect("a key");
            catalogue_of(&key, roles().of_source(&key.source))
        };
        assert_eq!(of("awesome-lists:ann/list/github.com/a/b"), "awesome-lists/ann/list");
        assert_eq!(of("glama:a/b"), "glama");
    }
}
