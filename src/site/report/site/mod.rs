//! `Site`: the data of every page, read once: a short row for each capability, figures, and what the passes saw.
//!
//! Short, so that hundreds of thousands of capabilities fit into memory: facts, terms and texts are read again for the page
//! that shows them. The look of pages is decided elsewhere.

use std::collections::{BTreeMap, BTreeSet};

use capdex_db::{CurrentCapability, ListingState, Reader, StoreError, Totals};
use capdex_model::capability::{CapabilityRole, Kind};
use capdex_model::ids::{CapabilityId, ListingKey};
use capdex_model::points::Points;
use capdex_model::rule::RuleIndex;
use capdex_model::score::{Band, Coverage, Score, Verdict};
use capdex_model::time::AsOf;
use capdex_rubrics::rank::{Merit, Standings, TRUST, users};
use capdex_rubrics::{RUBRICS, answers};

use super::names::{self, NamePart};
use capdex_dataset::annotations;
use capdex_dataset::escape::shorten;
use capdex_dataset::export::equals::order_equals;
use capdex_dataset::export::file_sizes::FileSizes;
use capdex_dataset::export::rank_order::Ranks;
use capdex_dataset::export::ranked_capability;
use capdex_dataset::finding::SeverityCounts;

mod appeals;
mod figures;
pub(crate) mod packages;
mod sources;
mod watch;

pub(crate) use appeals::AppealHead;
pub(crate) use figures::{Figures, median, seeds};
pub(crate) use sources::{GapCount, SourceSummary};
pub(crate) use watch::{Copied, DriftHead, Watch};

/// Letters of a text that a row keeps; whole texts are read for the page of the capability.
const KEPT: usize = 400;

/// A capability in one line.
#[derive(Clone, Debug)]
pub struct CapabilitySummary {
    /// Its place in the order, from 1; none where it is no offer.
    pub rank: Option<u64>,
    /// The part that it plays.
    pub role: CapabilityRole,
    /// Its id.
    pub id: CapabilityId,
    /// Its readable name.
    pub slug: String,
    /// Its kind.
    pub kind: Kind,
    /// The name that it gives itself; untrusted.
    pub name: String,
    /// The identity of its package; untrusted.
    pub package: String,
    /// The folder or file that anchors it in there; untrusted.
    pub path: String,
    /// The version of its package; untrusted.
    pub version: Option<String>,
    /// The listing that speaks for it.
    pub listing: ListingKey,
    /// The state of that listing.
    pub listing_state: ListingState,
    /// Its place in the order among its kind, from 1; none where it is no offer.
    pub rank_kind: Option<u64>,
    /// The verdict's band.
    pub band: Band,
    /// What appeals about it come to, in a word: `disputed` or `overturned`; none for any other. It changes no number.
    pub mark: Option<&'static str>,
    /// The sentence behind it; it quotes strangers.
    pub reason: String,
    /// The mean percentile of its values among its kind, 0 to 100.
    pub trust: Option<Points>,
    /// Known users.
    pub users: Option<u64>,
    /// The degree to which the four methods disagree.
    pub disagreement: Option<Coverage>,
    /// The value of each rubric, in the order of [`RUBRICS`].
    pub values: Vec<Option<Points>>,
    /// True for each rubric that answers, in the same order: another may have a value, and says itself that it knows too little.
    pub(crate) answering: Vec<bool>,
    /// Its findings, counted.
    pub findings: SeverityCounts,
    /// The completeness of the look at it.
    pub completeness: &'static str,
    /// When it was first met.
    pub first_seen: AsOf,
    /// When this content was first met.
    pub revised: AsOf,
}

impl CapabilitySummary {
    /// The value of a rubric by its place in [`RUBRICS`]; none where it cannot answer.
    pub(crate) fn answer(&self, rubric: usize) -> Option<Points> {
        let is_answering = self.answering.get(rubric) == Some(&true);
        self.values.get(rubric).copied().flatten().filter(|_| is_answering)
    }
}

/// Everything that pages are made from.
pub struct Site {
    /// The instant that ages are measured against.
    pub as_of: AsOf,
    /// The rules of the program.
    pub rules: &'static RuleIndex,
    /// Every capability, in order.
    pub rows: Vec<CapabilitySummary>,
    /// The number of those that have a rank.
    pub ranked: u64,
    /// True where pages of some capabilities are written and no others.
    pub(crate) is_selection: bool,
    /// The address under which the site is found, without a slash at its end; none where it is not known.
    pub base_url: Option<String>,
    /// The pages of the directory by name.
    pub(crate) names: Vec<NamePart>,
    /// The totals of the store.
    pub(crate) totals: Totals,
    /// The counts behind the plots.
    pub(crate) figures: Figures,
    /// The observations of the passes.
    pub(crate) watch: Watch,
    /// The appeals, the newest first.
    pub(crate) appeals: Vec<AppealHead>,
    /// The sources of listings.
    pub(crate) sources: Vec<SourceSummary>,
    /// The things that could not be looked at, by reason.
    pub(crate) gaps: Vec<GapCount>,
    by_id: BTreeMap<CapabilityId, usize>,
    packages: packages::Packages,
}

impl Site {
    /// Reads a store. `told` is called after each capability.
    ///
    /// # Errors
    /// Errors of the store.
    pub fn load(reader: &Reader, as_of: AsOf, told: impl Fn()) -> anyhow::Result<Self> {
        let mut figures = Figures::default();
        let mut ranked: Vec<(Merit, CapabilitySummary)> = Vec::new();
        let mut sizes = FileSizes::default();
        let appeals = appeals::load(reader)?;
        let appealed: BTreeSet<&str> = appeals.iter().map(|head| head.subject.identity.as_str()).collect();
        // One at a time: facts of all capabilities together would not fit into memory.
        reader.each_current(|current| -> anyhow::Result<()> {
            let facts = ranked_capability::facts(reader, &current)?;
            let (scores, verdict) = ranked_capability::scores(reader, &current, as_of)?;
            let kind = current.capability.kind;
            let users = users(&facts);
            let bytes = sizes.of(reader, current.snapshot, &current.capability.files)?;
            let merit = Merit::of(kind, verdict.band, &scores, TRUST).with_users(users).with_bytes(Some(bytes));
            // Most are appealed about by nobody, and cost no query.
            let mark = match appealed.contains(current.identity.as_str()) {
                true => appeals::mark(&annotations::of(reader, &current)?),
                false => None,
            };
            let row = CapabilitySummary { users, mark, ..row(current, &scores, &verdict, SeverityCounts::of(&facts)) };
            // Counted while the facts are at hand, because they are not kept.
            figures.count(&row, &facts, &scores);
            ranked.push((merit, row));
            told();
            Ok(())
        })?;
        let standings = Standings::of(ranked.iter().filter(|(_, row)| row.role.is_ranked()).map(|(merit, _)| merit));
        // Ends with the id, so that no two are equal.
        ranked.sort_by_cached_key(|(merit, row)| (standings.key(merit, true), row.slug.clone(), row.id));
        let current = |row: &CapabilitySummary| {
            let unknown = || StoreError::Unknown { what: "capability", key: row.id.to_string() };
            reader.current_of(&row.id)?.ok_or_else(unknown)
        };
        order_equals(reader, &mut ranked, |merit| standings.key(merit, true), current)?;
        // Ranks are given after sorting, and begin at 1. What is no offer takes none.
        let mut ranks = Ranks::default();
        let numbered = ranked.into_iter().map(|(merit, row)| match row.role.is_ranked() {
            true => {
                let (rank, rank_kind) = ranks.next(row.kind);
                let trust = standings.trust(&merit);
                CapabilitySummary { rank: Some(rank), rank_kind: Some(rank_kind), trust, ..row }
            }
            false => row,
        });
        let rows: Vec<CapabilitySummary> = numbered.collect();
        Ok(Self {
            as_of,
            rules: reader.rules(),
            is_selection: false,
            base_url: None,
            names: names::parts(&rows),
            ranked: rows.iter().filter(|row| row.rank.is_some()).count() as u64,
            totals: reader.totals()?,
            by_id: rows.iter().enumerate().map(|(at, row)| (row.id, at)).collect(),
            packages: packages::Packages::of(&rows),
            watch: Watch::load(reader)?,
            appeals,
            sources: sources::load(reader)?,
            gaps: sources::gaps(reader)?,
            figures,
            rows,
        })
    }

    /// The whole address of a page or file; none where it is not known where the site is found.
    pub(crate) fn url_of(&self, path: &str) -> Option<String> {
        let base = self.base_url.as_ref()?;
        // The first page is the one that a folder shows.
        Some(format!("{}/{}", base.trim_end_matches('/'), if path == "index.html" { "" } else { path }))
    }

    /// The row of a capability; none where it does not stand now.
    pub fn row(&self, id: &CapabilityId) -> Option<&CapabilitySummary> {
        self.by_id.get(id).and_then(|at| self.rows.get(*at))
    }

    /// The rows whose ids begin with these hex digits, in small letters.
    pub fn rows_with_prefix<'a>(&'a self, hex: &'a str) -> impl Iterator<Item = &'a CapabilitySummary> {
        // Padded with zeros the digits are the lowest id that begins with them.
        let low = format!("sha256:{hex:0<64}").parse().ok().map(CapabilityId);
        let from = low.into_iter().flat_map(|low| self.by_id.range(low..));
        from.map_while(move |(id, at)| if id.0.hex().starts_with(hex) { self.rows.get(*at) } else { None })
    }
}

fn row(current: CurrentCapability, scores: &[Score], verdict: &Verdict, findings: SeverityCounts) -> CapabilitySummary {
    let capability = current.capability;
    let score = |id: &str| scores.iter().find(|score| score.rubric.id == id);
    let ids = || RUBRICS.iter().map(|rubric| &*rubric.meta().rubric.id);
    CapabilitySummary {
        rank: None,
        rank_kind: None,
        trust: None,
        users: None,
        id: capability.id,
        role: capability.role,
        // Names of strangers may be of any length, and a row is kept for each.
        slug: shorten(&capability.slug, KEPT),
        kind: capability.kind,
        name: shorten(&capability.name, KEPT),
        package: shorten(&current.identity, KEPT),
        path: shorten(&capability.path, KEPT),
        version: current.version.map(|version| shorten(&version, KEPT)),
        listing: current.listing,
        listing_state: current.listing_state,
        band: verdict.band,
        mark: None,
        reason: shorten(&verdict.reason, KEPT),
        disagreement: verdict.disagreement,
        values: ids().map(|id| score(id).and_then(|score| score.value)).collect(),
        answering: ids().map(|id| score(id).is_some_and(answers)).collect(),
        findings,
        completeness: current.completeness.as_str(),
        first_seen: current.first_seen,
        revised: current.revision_as_of,
    }
}
