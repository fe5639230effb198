//! The table `families`: one member of one family of clones.

use capdex_corpus::clone::{Difference, OrderBasis};
use capdex_db::Reader;
use capdex_model::capability::Kind;
use capdex_model::digest::Digest;
use capdex_model::fact::Severity;
use capdex_model::ids::{CapabilityId, ListingKey};
use capdex_model::time::AsOf;
use serde::Serialize;

use crate::export::field::Nested;
use crate::export::table::Emit;
use crate::export::table_row::table_row;

table_row! {
    /// one member of one family of near-equal content
    table families: passed(rows);
    pub(super) struct FamilyRow {
        /// the id of the member that the others were made from
        public family: CapabilityId,
        /// its slug
        public original_slug: String,
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
        public publishers: Nested<Vec<String>>,
        /// whether one publisher answers for it and the original
        public same_publisher: bool,
        /// SHA-256 (hex) over its files
        public content_sha256: Digest,
        /// SHA-256 (hex) over the original's files
        public original_sha256: Digest,
        /// files, lines and hosts that the original has not; untrusted, secrets masked
        public added: Nested<FamilyDifference>,
        /// how bad what it added is; null where nothing speaks against it
        public severity: Option<Severity>,
        /// findings in what it added: rule, severity, file and what was quoted; untrusted
        public findings: Nested<Vec<FamilyFinding>>,
        /// how many members the family has
        public members: u64,
        /// as_of of the night that found it there
        public found: AsOf,
    }
}

/// A line that a copy has and the original has not.
#[derive(Serialize)]
pub struct AddedLine {
    /// The file.
    pub file: String,
    /// The line.
    pub text: String,
}

/// What a copy has and the original has not, beside its likeness, which is a column.
#[derive(Serialize)]
pub struct FamilyDifference {
    files_added: Vec<String>,
    files_changed: Vec<String>,
    files_removed: Vec<String>,
    binaries: Vec<String>,
    lines: Vec<AddedLine>,
    lines_more: u64,
    hosts: Vec<String>,
    program_hosts: Vec<String>,
}

impl FamilyDifference {
    /// The difference as its column has it.
    pub fn of(difference: Difference) -> Self {
        let line = |(file, text)| AddedLine { file, text };
        Self {
            files_added: difference.files_added,
            files_changed: difference.files_changed,
            files_removed: difference.files_removed,
            binaries: difference.binaries,
            lines: difference.lines.into_iter().map(line).collect(),
            lines_more: difference.lines_more,
            hosts: difference.hosts,
            program_hosts: difference.program_hosts,
        }
    }
}

/// A finding in what a copy added.
#[derive(Serialize)]
pub struct FamilyFinding {
    /// The rule.
    pub rule: String,
    /// The severity.
    pub severity: Severity,
    /// The file.
    pub file: String,
    /// What was quoted; untrusted.
    pub quote: String,
}

/// Its rows, sorted by family, original first, then by slug.
fn rows(reader: &Reader, emit: Emit<'_, FamilyRow>) -> anyhow::Result<()> {
    reader.each_family_member(|member, found| {
        let is_original = member.original == member.capability;
        let finding = |(rule, severity, file, quote)| FamilyFinding { rule, severity, file, quote };
        let findings = member.findings.into_iter().map(finding);
        emit(FamilyRow {
            family: member.original,
            original_slug: member.original_slug,
            capability: member.capability,
            slug: member.slug,
            kind: member.kind,
            role: if is_original { "original" } else { "copy" },
            // An original has no order to itself.
            basis: (!is_original).then_some(member.basis),
            likeness: f64::from(member.difference.likeness) / 1000.0,
            listing: member.listing,
            publishers: Nested(member.publishers),
            same_publisher: member.same_publisher,
            content_sha256: member.content,
            original_sha256: member.original_content,
            added: Nested(FamilyDifference::of(member.difference)),
            severity: member.severity,
            findings: Nested(findings.collect()),
            members: member.members,
            found,
        })
    })
}
