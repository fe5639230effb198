//! Roles for the tests of the passes, as the sources of these names declare them.

use capdex_model::source_role::{Ecosystem, FilledBy, NameProof, Rows, SourceRole, SourceRoles, Speaker};

const fn artifact(ecosystem: Ecosystem, proof: NameProof, precedence: u8) -> SourceRole {
    SourceRole { speaker: Speaker::Artifact(ecosystem), proof, precedence, ..SourceRole::UNKNOWN }
}

/// Some sources of every role.
pub(crate) fn roles() -> SourceRoles {
    let unknown = SourceRole::UNKNOWN;
    let registry = SourceRole {
        speaker: Speaker::Publisher,
        proof: NameProof::Namespace,
        rows: Rows::Versions,
        dates_entries: true,
        ..unknown
    };
    let others = SourceRole { filled_by: FilledBy::Others, ..unknown };
    let several = SourceRole { has_several_lists: true, ..unknown };
    SourceRoles::new([
        ("npm", SourceRole { dates_entries: true, ..artifact(Ecosystem::Npm, NameProof::Scope, 0) }),
        ("pypi", SourceRole { dates_entries: true, ..artifact(Ecosystem::Pypi, NameProof::Nothing, 1) }),
        ("github", artifact(Ecosystem::GitHub, NameProof::Account, 2)),
        ("git", artifact(Ecosystem::Git, NameProof::HostAccount, 3)),
        ("oci", artifact(Ecosystem::Oci, NameProof::ImageAccount, 4)),
        ("mcp", artifact(Ecosystem::Mcp, NameProof::Nothing, 5)),
        ("folder", artifact(Ecosystem::Folder, NameProof::Nothing, u8::MAX)),
        ("official-registry", SourceRole { precedence: 6, ..registry }),
        ("mcp-registry", SourceRole { dates_entries: false, ..registry }),
        ("smithery", SourceRole { speaker: Speaker::Publisher, ..unknown }),
        ("glama", others),
        ("mcp-so", others),
        ("docker-mcp-registry", others),
        ("skills-sh", SourceRole { rows: Rows::Skills, ..others }),
        ("clawhub", SourceRole { speaker: Speaker::Publisher, ..unknown }),
        ("skillsmp", SourceRole { rows: Rows::Skills, ..others }),
        ("awesome-lists", SourceRole { filled_by: FilledBy::Others, ..several }),
        ("marketplaces", several),
    ])
}
