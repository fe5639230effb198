//! `SourceRole`: the properties of a source that the passes need, declared by the source itself.
//!
//! Passes never name a source. They ask for the role of a listing's source. It follows from the *kind* of the source
//! and not from the table that an operator keeps it under.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// A namespace of artifacts. Locators, artifact ids and references begin with its word: `npm:@scope/name`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Ecosystem {
    /// Packages of the npm registry.
    Npm,
    /// Projects of the Python package index.
    Pypi,
    /// Images in registries, by whole reference.
    Oci,
    /// Live MCP endpoints, by address.
    Mcp,
    /// Repositories `owner/name` of one forge.
    GitHub,
    /// Repositories `host/owner/name` of all other forges.
    Git,
    /// Paths on this machine.
    Folder,
}

impl Ecosystem {
    /// Every ecosystem.
    const ALL: [Self; 7] = [Self::Npm, Self::Pypi, Self::Oci, Self::Mcp, Self::GitHub, Self::Git, Self::Folder];

    /// The word before the colon of its identities, which is also the kind of the source that lists it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Npm => "npm",
            Self::Pypi => "pypi",
            Self::Oci => "oci",
            Self::Mcp => "mcp",
            Self::GitHub => "github",
            Self::Git => "git",
            Self::Folder => "folder",
        }
    }

    /// The ecosystem with this word; none for other words.
    pub fn of_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|ecosystem| ecosystem.as_str() == word)
    }

    /// True where its artifacts are repositories at a forge.
    pub const fn is_forge(self) -> bool {
        matches!(self, Self::GitHub | Self::Git)
    }

    /// True where its artifacts are published by accounts that the registry names.
    pub const fn has_accounts(self) -> bool {
        matches!(self, Self::Npm | Self::Pypi)
    }
}

/// The party that speaks in the listings of a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Speaker {
    /// The place where the artifact itself is: a package registry, a forge, an endpoint.
    Artifact(Ecosystem),
    /// The publisher, about things of its own.
    Publisher,
    /// A directory, about things of others. A row that carries a `server.json` is its publisher's word even there.
    Directory,
}

/// The party that fills a source with entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FilledBy {
    /// The operator of this program.
    Operator,
    /// Whoever publishes, so that an entry is no more than the publisher's own word. Also where nobody knows.
    Publishers,
    /// Somebody other than the publisher: an entry there counts as being known.
    Others,
}

/// The proof that the name of a listing gives of who answers for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NameProof {
    /// Nothing.
    Nothing,
    /// `@scope/name`: the registry gives the scope to one account.
    Scope,
    /// `owner/name`: the forge gives the owner's name to one account.
    Account,
    /// `host/owner/name`: the same, at the host.
    HostAccount,
    /// `ghcr.io/account/name`: an account of GitHub. Other image registries prove nothing.
    ImageAccount,
    /// `namespace/name`, in reverse DNS: the registry verified the namespace.
    Namespace,
}

/// The thing that one listing of a source stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rows {
    /// A thing with all its versions.
    Things,
    /// One version of a thing, `name@version`.
    Versions,
    /// A single skill: a repository without a path inside says only where it lies.
    Skills,
}

/// The properties of a source that the passes need.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SourceRole {
    /// The party that speaks in its listings.
    pub speaker: Speaker,
    /// The party that fills it.
    pub filled_by: FilledBy,
    /// The proof that its names give.
    pub proof: NameProof,
    /// The thing that one listing stands for.
    pub rows: Rows,
    /// True where it holds several lists. The list is the first two parts of a name.
    pub has_several_lists: bool,
    /// True where it dates what it holds itself. Elsewhere a date is what a publisher says.
    pub dates_entries: bool,
    /// The order in which members give a new entity its id: the least first, then by key.
    pub precedence: u8,
}

impl SourceRole {
    /// A directory of which nothing is known: it proves nothing, and its entries count for nothing.
    pub const UNKNOWN: Self = Self {
        speaker: Speaker::Directory,
        filled_by: FilledBy::Publishers,
        proof: NameProof::Nothing,
        rows: Rows::Things,
        has_several_lists: false,
        dates_entries: false,
        precedence: u8::MAX,
    };

    /// The namespace of the artifacts that its listings are; none where they are about artifacts elsewhere.
    pub const fn ecosystem(&self) -> Option<Ecosystem> {
        match self.speaker {
            Speaker::Artifact(ecosystem) => Some(ecosystem),
            Speaker::Publisher | Speaker::Directory => None,
        }
    }

    /// True where its listings are repositories at a forge.
    pub fn is_forge(&self) -> bool {
        self.ecosystem().is_some_and(Ecosystem::is_forge)
    }

    /// True where it reads this machine and asks nobody: its base address is a folder.
    pub fn is_local(&self) -> bool {
        self.ecosystem() == Some(Ecosystem::Folder)
    }
}

impl Default for SourceRole {
    fn default() -> Self {
        Self::UNKNOWN
    }
}

/// The role of every kind of source, and the kinds of the sources that have a name of their own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceRoles {
    roles: BTreeMap<String, SourceRole>,
    kinds: BTreeMap<String, String>,
}

impl SourceRoles {
    /// The roles by kind. Every source counts as one of the kind that has its name.
    pub fn new<'a>(roles: impl IntoIterator<Item = (&'a str, SourceRole)>) -> Self {
        let roles = roles.into_iter().map(|(kind, role)| (kind.to_owned(), role)).collect();
        Self { roles, kinds: BTreeMap::new() }
    }

    /// The same, with the kinds of sources by name. A source that is not among them keeps the kind of its name.
    #[must_use]
    pub fn with_kinds(self, kinds: BTreeMap<String, String>) -> Self {
        Self { kinds, ..self }
    }

    /// The kind of a source.
    pub fn kind_of<'a>(&'a self, source: &'a str) -> &'a str {
        // An operator may keep two registries of one kind under names of their own.
        self.kinds.get(source).map_or(source, String::as_str)
    }

    /// The role of a source, by its kind.
    pub fn of_source(&self, source: &str) -> SourceRole {
        self.of_kind(self.kind_of(source))
    }

    /// The role of a kind; [`SourceRole::UNKNOWN`] for one that nobody declared.
    pub fn of_kind(&self, kind: &str) -> SourceRole {
        // A source that a newer version declared may stand in the store: it proves nothing here.
        self.roles.get(kind).copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A registry of packages and one of servers.
    fn roles() -> SourceRoles {
        let npm = SourceRole {
            speaker: Speaker::Artifact(Ecosystem::Npm),
            proof: NameProof::Scope,
            dates_entries: true,
            precedence: 0,
            ..SourceRole::UNKNOWN
        };
        let registry = SourceRole { speaker: Speaker::Publisher, proof: NameProof::Namespace, ..SourceRole::UNKNOWN };
        SourceRoles::new([("npm", npm), ("official-registry", registry)])
    }

    #[test]
    fn a_role_follows_the_kind_and_else_the_name() {
        let roles = roles();
        let named = BTreeMap::from([("company".to_owned(), "official-registry".to_owned())]);
        let with = roles.clone().with_kinds(named);
        assert_eq!(with.of_source("company"), roles.of_source("official-registry"));
        assert_eq!(with.of_source("npm").ecosystem(), Some(Ecosystem::Npm));
        assert_eq!(roles.of_source("company"), SourceRole::UNKNOWN);
        assert_eq!(with.of_kind("nobody"), SourceRole::UNKNOWN);
    }

    #[test]
    fn an_ecosystem_has_one_word_in_text_and_in_json() {
        for ecosystem in Ecosystem::ALL {
            assert_eq!(Ecosystem::of_word(ecosystem.as_str()), Some(ecosystem));
            assert_eq!(serde_json::to_value(ecosystem).expect("serialises"), ecosystem.as_str());
        }
        assert_eq!(Ecosystem::of_word("nuget"), None);
    }

    #[test]
    fn a_role_round_trips_through_json() {
        let role = roles().of_kind("npm");
        let text = serde_json::to_string(&role).expect("serialises");
        assert_eq!(serde_json::from_str::<SourceRole>(&text).expect("parses"), role);
    }
}
