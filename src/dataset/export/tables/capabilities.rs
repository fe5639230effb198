//! The table `capabilities`: the ranked table.

use std::collections::BTreeSet;
use std::sync::Arc;

use capdex_db::ListingState;
use capdex_model::capability::Kind;
use capdex_model::digest::Digest;
use capdex_model::fact::Severity;
use capdex_model::ids::ListingKey;
use capdex_model::points::Points;
use capdex_model::purl::Purl;
use capdex_model::score::{Band, Coverage, Score, Verdict};
use capdex_model::snapshot::Completeness;
use capdex_model::time::AsOf;
use capdex_rubrics::verdict::with_gaps;
use capdex_rubrics::why_they_differ;

use crate::export::cell::Cell;
use crate::export::field::{Field as _, Nested};
use crate::export::ranked_capability::RankedCapability;
use crate::export::table_row::table_row;
use crate::export::tables::packages::{CapabilityPart, PackageVerdict, links_of};

table_row! {
    /// one capability, ranked
    table capabilities: ranked;
    pub struct CapabilityRow<'a> read as ReadCapabilityRow {
        /// place in the order, from 1: band, trust (or the value by --rank-by), coverage, users, bytes, words, folders of the path, slug, id; null for what is no offer
        public rank: Option<u64>,
        /// readable name: locator, kind and path in lower-case kebab
        public slug: Arc<str>,
        /// SHA-256 (hex) of locator identity, kind and path: stays from night to night
        key capability: Arc<str>,
        /// skill, mcp_server, hook, plugin, rules, or package for what none of them claims
        public kind: Kind,
        /// the name that it gives itself; untrusted
        public name: &'a str,
        /// the locator's identity, such as npm:@scope/name
        public package: &'a str,
        /// the folder or file that anchors it inside the package
        public path: &'a str,
        /// the version listed
        public version: Option<&'a str>,
        /// source and name there
        public listing: &'a ListingKey,
        /// active, gone or failed at the last visit
        public listing_state: ListingState,
        /// SHA-256 (hex) over its files
        public content_sha256: Digest,
        /// key into the table facts
        public facts_sha256: Digest,
        /// analysed, partial or not_assessable
        public completeness: &'a Completeness,
        /// the gaps behind a completeness other than analysed
        public incomplete_reasons: Nested<Vec<String>>,
        /// what to do about it: ok, watch, caution, block or unknown
        public band: Band,
        /// (strictest - mildest) / 3 over the known bands of the four methods
        public disagreement: Option<Coverage>,
        /// why the strictest and the mildest rubric differ; null where they do not
        public disagreement_reason: Option<&'a str>,
        /// number of findings of this severity
        public findings_critical: u64,
        /// number of findings of this severity
        public findings_high: u64,
        /// number of findings of this severity
        public findings_medium: u64,
        /// number of findings of this severity
        public findings_low: u64,
        /// number of findings of this severity
        public findings_info: u64,
        /// capability codes such as W015: what it can do, not what is wrong with it
        public capability_tags: Nested<&'a BTreeSet<String>>,
        /// value of spiderrating/seed, 0 to 10
        public spiderrating_seed: Option<Points>,
        /// value of saferskills/seed, 0 to 100
        public saferskills_seed: Option<Points>,
        /// value of mcpbundles/seed, 0 to 100
        public mcpbundles_seed: Option<Points>,
        /// value of agentscore/seed, 0 to 100
        public agentscore_seed: Option<Points>,
        /// as_of of the night that saw it first
        public first_seen: AsOf,
        /// as_of of the night that saw this content first
        public revision_seen: AsOf,
        /// package URL of the package at its version; null where its ecosystem has none
        public purl: Option<String>,
        /// offer, or config for a project's own client configuration, which is judged and not ranked
        public role: &'static str,
        /// the finding or gap that decides the band, in one sentence; quotes strangers
        public reason: &'a str,
        /// mean percentile of its values among its kind, 0 to 100, over the methods that answer for at least half of it
        public trust: Option<Points>,
        /// place in the order among its kind, from 1
        public rank_kind: Option<u64>,
        /// known users: monthly downloads, installs or stars, whichever is most
        public users: Option<u64>,
        /// licence that it states
        public licence: Option<&'a str>,
        /// bytes of its files together
        public bytes: u64,
        /// different words of its files together, where bytes do not tell it from another in the order; null elsewhere
        public words: Option<u64>,
        /// address of the source repository, as its listing states it; untrusted
        public repository: Option<&'a str>,
        /// the other things that its listing names, such as github:owner/repo; null where it names none
        public links: Option<Nested<&'a [String]>>,
        /// the band by the operator's word, beside the verdict; null where he has none
        public operator_band: Option<Band>,
        /// the sentence behind it; quotes strangers
        public operator_reason: Option<&'a str>,
    }
}

impl<'a> CapabilityRow<'a> {
    /// The row of a ranked capability. `slug` and `id` are shared with the rows of other tables.
    pub fn of(ranked: &'a RankedCapability, slug: Arc<str>, id: Arc<str>) -> Self {
        let (current, capability, verdict) = (&ranked.current, &ranked.current.capability, &ranked.verdict);
        let count = |severity| ranked.findings.count(severity);
        let value =
            |rubric: &str| ranked.scores.iter().find(|score| score.rubric.id == rubric).and_then(|score| score.value);
        Self {
            rank: ranked.standing.rank,
            slug,
            capability: id,
            kind: capability.kind,
            name: &capability.name,
            package: &current.identity,
            path: &capability.path,
            version: current.version.as_deref(),
            listing: &current.listing,
            listing_state: current.listing_state,
            content_sha256: capability.content,
            facts_sha256: current.facts,
            completeness: &current.completeness,
            incomplete_reasons: Nested(current.completeness.gaps().iter().map(ToString::to_string).collect()),
            band: verdict.band,
            disagreement: verdict.disagreement,
            disagreement_reason: ranked.difference.as_deref(),
            findings_critical: count(Severity::Critical),
            findings_high: count(Severity::High),
            findings_medium: count(Severity::Medium),
            findings_low: count(Severity::Low),
            findings_info: count(Severity::Info),
            capability_tags: Nested(&ranked.tags),
            spiderrating_seed: value("spiderrating/seed"),
            saferskills_seed: value("saferskills/seed"),
            mcpbundles_seed: value("mcpbundles/seed"),
            agentscore_seed: value("agentscore/seed"),
            first_seen: current.first_seen,
            revision_seen: current.revision_as_of,
            purl: Purl::of_identity(&current.identity, current.version.as_deref()).map(|purl| purl.to_string()),
            role: capability.role.as_str(),
            reason: &verdict.reason,
            trust: ranked.standing.trust,
            rank_kind: ranked.standing.rank_kind,
            users: ranked.users,
            licence: ranked.licence.as_deref(),
            bytes: ranked.bytes,
            words: ranked.standing.words,
            repository: ranked.repository.as_deref(),
            links: links_of(&ranked.links),
            operator_band: ranked.operator.as_ref().map(|said| said.band),
            operator_reason: ranked.operator.as_ref().map(|said| &*said.reason),
        }
    }
}

impl ReadCapabilityRow {
    /// The columns that say what the rubrics come to together.
    pub const fn verdict(&self) -> [&Cell; 3] {
        [&self.band, &self.disagreement, &self.disagreement_reason]
    }

    /// What the row says of its package beside its verdict.
    pub fn part(&self, verdict: PackageVerdict) -> CapabilityPart {
        let text = |cell: &Cell| Some(cell.as_text().to_owned()).filter(|text| !text.is_empty());
        let band = |cell: &Cell| Band::ALL.into_iter().find(|band| band.as_str() == cell.as_text());
        CapabilityPart {
            verdict,
            operator: band(&self.operator_band).map(|band| (band, self.operator_reason.as_text().to_owned())),
            users: self.users.as_integer().and_then(|users| u64::try_from(users).ok()),
            licence: text(&self.licence),
            repository: text(&self.repository),
            links: self.links.as_texts(),
        }
    }

    /// The sentence of a verdict over an empty list of gaps with those of the row put in.
    pub fn with_gaps(&self, sentence: &str) -> String {
        with_gaps(sentence, &self.incomplete_reasons.as_texts())
    }
}

/// The cells of [`ReadCapabilityRow::verdict`], computed again.
///
/// # Errors
/// Never: none of them is JSON.
pub fn verdict_cells(scores: &[Score], verdict: &Verdict) -> anyhow::Result<[Cell; 3]> {
    Ok([verdict.band.into_cell()?, verdict.disagreement.into_cell()?, why_they_differ(scores).into_cell()?])
}
