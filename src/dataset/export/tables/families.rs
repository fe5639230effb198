//! The table `families`: one member of one family of clones.

use capdex_corpus::clone::{Difference, OrderBasis};
use capdex_db::Reader;
use capdex_model::capability::Kind;
use capdex_model::digest::Digest;
use capdex_model::fact::Severity;
use capdex_model::ids::{CapabilityId, ListingKey};
use capdex_model::time::AsOf;

use crate::export::field::AsSortedJson;
use crate::export::table::Emit;
use crate::export::table_row::table_row;

table_row! {
    /// one member of one family of near-equal content
    table families: stored(rows);
    pub(super) struct FamilyRow {
        /// the id of the member that the others were made from
        public family: CapabilityId,
        /// its slug
        public original: String,
        /// the member's id
        key capability: CapabilityId,
        /// the member
        public slug: String,
        /// skill, mcp_server, hook, plugin or rules: only equal kinds are compared
        public kind: Kind,
        /// original or copy
        public role: &'static str,
        /// how it is known who was first: seen, created, stated, popularity or unknown
        public basis: Option<OrderBasis>,
        /// share of runs of three words that both have, of all that either has
        public likeness: f64,
        /// the listing that speaks for it
        public listing: ListingKey,
        /// who proves to answer for it
        public publishers: AsSortedJson<Vec<String>>,
        /// yes where one publisher answers for it and the original, else no
        public same_publisher: bool,
        /// SHA-256 (hex) over its files
        public content_sha256: Digest,
        /// SHA-256 (hex) over the original's files
        public original_sha256: Digest,
        /// files, lines and hosts that the original has not; untrusted, secrets masked
        public added: AsSortedJson<Difference>,
        /// how bad what it added is; null where nothing speaks against it
        public severity: Option<Severity>,
        /// findings in what it added: rule, severity, file and what was quoted; untrusted
        public findings: AsSortedJson<Vec<(String, Severity, String, String)>>,
        /// how many members the family has
        public members: u64,
        /// as_of of the night that found it there
        public found: AsOf,
    }
}

/// Its rows, sorted by family, original first, then by slug.
fn rows(reader: &Reader, emit: Emit<'_, FamilyRow>) -> anyhow::Result<()> {
    let mut members = reader.family_members()?;
    members.sort_by_cached_key(|(member, _)| {
        // False sorts before true, so the original comes first.
        (member.original, member.original != member.capability, member.slug.clone(), member.capability)
    });
    for (member, found) in members {
        let is_original = member.original == member.capability;
        emit(FamilyRow {
            family: member.original,
            original: member.original_slug,
            capability: member.capability,
            slug: member.slug,
            kind: member.kind,
            role: if is_original { "original" } else { "copy" },
            // An original has no order to itself.
            basis: (!is_original).then_some(member.basis),
            likeness: f64::from(member.difference.likeness) / 1000.0,
            listing: member.listing,
            publishers: AsSortedJson(member.publishers),
            same_publisher: member.same_publisher,
            content_sha256: member.content,
            original_sha256: member.original_content,
            added: AsSortedJson(member.difference),
            severity: member.severity,
            findings: AsSortedJson(member.findings),
            members: member.members,
            found,
        })?;
    }
    Ok(())
}
