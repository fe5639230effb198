//! Edges: why a listing is, or is not, one thing with what it names.

use serde::{Deserialize, Serialize};

/// Why a listing has to do with something. In the order of their strength.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// The operator's file says that they are one.
    OperatorJoined,
    /// The operator's file takes it out of what the evidence joins it with.
    OperatorParted,
    /// The listing is the repository, by the number that the forge gave it, or by its name where no number is known.
    IsRepository,
    /// The listing is the package, the image or the endpoint.
    IsArtefact,
    /// The same bytes under the same name and version in another registry, by the digests that both publish.
    MirrorOf,
    /// A version of the same server in the same registry.
    VersionOf,
    /// The archive that it pins lies there.
    PinnedArchive,
    /// It is about this package: the strongest that it names.
    AboutPackage,
    /// It names no package and is about this endpoint.
    AboutEndpoint,
    /// It names neither package nor endpoint and is about this place in a repository.
    AboutRepository,
    /// It names a skill of a repository, in which one folder has that name.
    NamedSkill,
    /// The registry's attestation of its bytes names the repository, and nothing else claims the same place.
    Attested,
    /// The official registry takes a package only where the package itself names the row.
    RegistryVerified,
    /// The package names the row, and the row the package.
    NamesEachOther,
    /// The endpoint's host lies in the domain whose owner the registry verified.
    NamespaceDomain,
    /// The package names the repository, and a manifest there names the package.
    Manifest,
    /// The account that publishes it owns the repository, and nothing else of that account claims the same place.
    NamespaceOwner,
    /// Its repository was forked from that one, as the forge says. A fork is another thing.
    ForkOf,
    /// It only says so: the other side does not.
    Claims,
    /// The registry's attestation names the repository, in which other things lie too. It is no less proved.
    BuiltFrom,
    /// It lies in the repository, together with other things.
    PartOf,
    /// So many unlike listings name it that it says nothing about what they are.
    Shared,
    /// The publisher, where a registry proves that. The same publisher is not the same thing.
    Publisher,
}

impl Reason {
    /// Every reason, strongest first.
    pub const ALL: [Self; 23] = [
        Self::OperatorJoined,
        Self::OperatorParted,
        Self::IsRepository,
        Self::IsArtefact,
        Self::MirrorOf,
        Self::VersionOf,
        Self::PinnedArchive,
        Self::AboutPackage,
        Self::AboutEndpoint,
        Self::AboutRepository,
        Self::NamedSkill,
        Self::Attested,
        Self::RegistryVerified,
        Self::NamesEachOther,
        Self::NamespaceDomain,
        Self::Manifest,
        Self::NamespaceOwner,
        Self::ForkOf,
        Self::Claims,
        Self::BuiltFrom,
        Self::PartOf,
        Self::Shared,
        Self::Publisher,
    ];

    /// The word that is stored and printed.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::OperatorJoined => "operator_joined",
            Self::OperatorParted => "operator_parted",
            Self::IsRepository => "is_repository",
            Self::IsArtefact => "is_artefact",
            Self::MirrorOf => "mirror_of",
            Self::VersionOf => "version_of",
            Self::PinnedArchive => "pinned_archive",
            Self::AboutPackage => "about_package",
            Self::AboutEndpoint => "about_endpoint",
            Self::AboutRepository => "about_repository",
            Self::NamedSkill => "named_skill",
            Self::Attested => "attested",
            Self::RegistryVerified => "registry_verified",
            Self::NamesEachOther => "names_each_other",
            Self::NamespaceDomain => "namespace_domain",
            Self::Manifest => "manifest",
            Self::NamespaceOwner => "namespace_owner",
            Self::ForkOf => "fork_of",
            Self::Claims => "claims",
            Self::BuiltFrom => "built_from",
            Self::PartOf => "part_of",
            Self::Shared => "shared",
            Self::Publisher => "publisher",
        }
    }

    /// True where the things that it holds between are one.
    pub const fn joins(self) -> bool {
        !matches!(
            self,
            Self::OperatorParted
                | Self::ForkOf
                | Self::Claims
                | Self::BuiltFrom
                | Self::PartOf
                | Self::Shared
                | Self::Publisher
        )
    }
}

/// Why one listing has to do with an artifact id, a publisher or another listing.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IdentityEdge {
    /// Why.
    pub reason: Reason,
    /// With what: an artifact id, a publisher, or the listings that the operator's file names.
    pub to: String,
    /// The operator's own words; empty for what the evidence says.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub note: String,
}

impl IdentityEdge {
    pub(super) fn new(reason: Reason, to: impl Into<String>) -> Self {
        Self { reason, to: to.into(), note: String::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_those_that_are_stored() {
        for reason in Reason::ALL {
            assert_eq!(serde_json::to_value(reason).expect("serialises"), reason.as_str());
        }
        assert!(Reason::ALL.is_sorted());
    }
}
