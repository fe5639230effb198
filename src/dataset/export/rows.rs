//! The way from a capability as the store holds it to its rows in the ranked tables, with the counts made on the way.
//!
//! Formats and threads play no part: rows of one capability depend on it alone.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use capdex_db::{BreakdownTexts, CurrentPlace, FactsId, PackedCapability, Reader, StoreError, StoredBreakdown};
use capdex_model::facts::SparseFacts;
use capdex_model::ruling::OperatorPolicy;
use capdex_model::score::Score;
use capdex_model::snapshot::Completeness;
use capdex_model::time::AsOf;
use capdex_rubrics::operator::BeforeOperator;
use capdex_rubrics::rank::{MEASURE, USERS, users};
use capdex_rubrics::saferskills::{self, RolledUpCapability};
use capdex_rubrics::{RUBRICS, opposites, verdict};

use super::band_changes::{BandChange, BandChanges};
use super::batch::Batch;
use super::breakdowns::{Breakdowns, Named};
use super::cell::Row;
use super::differences::Differences;
use super::earlier_dataset::{ComparedCapability, EarlierDataset};
use super::field::NestedCell;
use super::file_sizes::FileSizes;
use super::rank_order::{RankOrder, Standing};
use super::ranked_capability::RankedCapability;
use super::table_row::TableRow as _;
use super::tables::TablePlace;
use super::tables::capabilities::CapabilityRow;
use super::tables::changes::ChangeRow;
use super::tables::coverage::{CoverageRow, ScoreCounts};
use super::tables::facts::FactsRow;
use super::tables::findings::FindingRows;
use super::tables::history::HistoryRow;
use super::tables::hosts::HostRow;
use super::tables::packages::{CapabilityPart, PackageRow, PackageSummary, PackageVerdict};
use super::tables::permissions::PermissionRow;
use super::tables::score_breakdowns::BreakdownRow;
use super::tables::scores::{RubricTexts, ScoreRow, ScoreSubject};
use super::tables::surfaces::SurfaceRow;
use super::top_rows::{TopRow, TopRows};
use crate::finding::{self, SeverityCounts};
use crate::operator;
use crate::scan_record::{TAG, capability_tags};

/// A capability as the store holds it, so that another thread can read it.
pub(super) struct Packed {
    standing: Standing,
    stored: PackedCapability,
    /// The bytes of its files.
    bytes: u64,
    /// True where no capability before it has the same facts.
    is_first: bool,
    /// Its scores, outlines mostly, and the numbers of their breakdowns.
    scores: Vec<Score>,
    numbers: Vec<u64>,
    /// Breakdowns that no capability before it has, with their numbers.
    breakdowns: Vec<(u64, StoredBreakdown)>,
    /// The rest of the scores of these places: the reason for a disagreement is told from it.
    rests: Vec<(usize, StoredBreakdown)>,
}

/// The facts and breakdowns met on the way.
#[derive(Default)]
pub(super) struct Met {
    facts: BTreeSet<FactsId>,
    breakdowns: Breakdowns,
    sizes: FileSizes,
}

/// The rows and counts of a capability.
pub(super) struct Made {
    pub(super) rows: MadeRows,
    pub(super) counts: CapabilityCounts,
}

/// Rows of several tables, each with the place of its table.
#[derive(Default)]
pub(super) struct MadeRows(pub(super) Vec<(usize, Row)>);

impl MadeRows {
    fn add<R: TablePlace>(&mut self, row: R) -> anyhow::Result<()> {
        self.0.push((R::NUMBER, row.into_cells()?));
        Ok(())
    }
}

/// The counts of one capability.
pub(super) struct CapabilityCounts {
    package: String,
    part: CapabilityPart,
    member: Option<RolledUpCapability>,
    line: TopRow,
    change: Option<BandChange>,
    id: [u8; 32],
    asked: Vec<((&'static str, &'static str), ScoreCounts)>,
}

/// The counts of all capabilities.
#[derive(Default)]
pub(super) struct DatasetCounts {
    packages: BTreeMap<String, (PackageSummary, Vec<RolledUpCapability>)>,
    /// By rubric and kind.
    asked: BTreeMap<(&'static str, &'static str), ScoreCounts>,
    there: BTreeSet<[u8; 32]>,
    /// The lines shown of the order.
    pub(super) top_rows: TopRows,
    /// Whose band is another than before.
    pub(super) band_changes: BandChanges,
}

impl DatasetCounts {
    pub(super) fn add(&mut self, counts: CapabilityCounts) {
        // Also without a member, because every package has a row, with or without a number.
        let (summary, members) = self.packages.entry(counts.package).or_default();
        members.extend(counts.member);
        summary.add(counts.part);
        self.top_rows.add(counts.line);
        if let Some(change) = counts.change {
            self.band_changes.add(change);
        }
        self.there.insert(counts.id);
        for (of, asked) in counts.asked {
            self.asked.entry(of).or_default().join(asked);
        }
    }

    /// Hands on the rows of the tables that count, and of what is not there any more.
    pub(super) fn each_batch(
        &mut self,
        since: &EarlierDataset,
        as_of: AsOf,
        hand_on: &mut dyn FnMut(Batch) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        // Taken out, so that the memory of each is free as soon as its row is made.
        let packages = std::mem::take(&mut self.packages);
        let package = |(package, (summary, members)): (String, (PackageSummary, Vec<RolledUpCapability>))| {
            PackageRow::of(&package, &summary, saferskills::roll_up(&members).as_ref()).into_cells()
        };
        Batch::each::<PackageRow<'_>, _>(packages, package, hand_on)?;
        let asked = std::mem::take(&mut self.asked);
        let coverage = |((rubric, kind), asked): ((&str, &str), ScoreCounts)| asked.row(rubric, kind).into_cells();
        Batch::each::<CoverageRow<'_>, _>(asked, coverage, hand_on)?;
        let there = std::mem::take(&mut self.there);
        self.band_changes.gone = since.gone(&there).count() as u64;
        Batch::each::<ChangeRow<'_>, _>(since.gone(&there), ChangeRow::into_cells, hand_on)?;
        let gone = |(id, slug): (String, &str)| HistoryRow::gone(&id, slug, as_of).into_cells();
        Batch::each::<HistoryRow<'_>, _>(since.history.gone(&there), gone, hand_on)
    }
}

/// The means of making rows.
pub(super) struct RowMaker {
    pub(super) as_of: AsOf,
    finding_rows: FindingRows,
    differences: Differences,
    rubrics: RubricTexts,
    /// The dataset of before.
    pub(super) since: EarlierDataset,
    policy: OperatorPolicy,
    /// True where the operator may have a word on something: it may be about any fact, and all else only about true ones.
    has_operator: bool,
}

impl RowMaker {
    pub(super) fn new(as_of: AsOf, since: EarlierDataset, policy: OperatorPolicy) -> anyhow::Result<Self> {
        Ok(Self {
            as_of,
            finding_rows: FindingRows::default(),
            differences: Differences::default(),
            rubrics: RubricTexts::new()?,
            since,
            has_operator: !policy.is_empty(),
            policy,
        })
    }

    /// Reads the capability at a place. `met` holds the facts and breakdowns of all places before it.
    pub(super) fn read(
        &self,
        reader: &Reader,
        ranking: &RankOrder,
        place: &CurrentPlace,
        standing: Standing,
        met: &mut Met,
    ) -> Result<Packed, StoreError> {
        let stored = reader.stored_scores(place.facts, &ranking.rubrics, self.as_of.day())?;
        let mut breakdowns = Vec::new();
        // On the reading thread, because numbers follow from the order of the capabilities.
        let numbered = met.breakdowns.number(reader, &stored, &mut breakdowns)?;
        let (scores, named): (Vec<Score>, Vec<Named>) = numbered.into_iter().unzip();
        let bytes = match standing.bytes {
            // Looked up for the order already.
            Some(bytes) => bytes,
            None => {
                let (snapshot, files) = reader.files_at(place)?;
                met.sizes.of(reader, snapshot, &files)?
            }
        };
        Ok(Packed {
            standing,
            stored: reader.packed_capability(place)?,
            bytes,
            // Equal contents share facts, and the table has them once.
            is_first: met.facts.insert(place.facts),
            rests: self.rests(reader, &scores, &named)?,
            numbers: named.into_iter().map(|named| named.number).collect(),
            scores,
            breakdowns,
        })
    }

    /// The rests of the two scores that say why rubrics disagree, where what they say is not known.
    fn rests(
        &self,
        reader: &Reader,
        scores: &[Score],
        named: &[Named],
    ) -> Result<Vec<(usize, StoredBreakdown)>, StoreError> {
        let rest = |at: usize| {
            let (score, named) = (scores.get(at)?, named.get(at)?);
            let rest = named.rest.filter(|_| !self.differences.knows((at, named.number), score))?;
            Some(reader.breakdown(rest).map(|rest| (at, rest)))
        };
        // Only those two, because the rest of a score is most of its bytes.
        opposites(scores).into_iter().flatten().filter_map(rest).collect()
    }

    /// Makes the rows.
    pub(super) fn make(&self, mut packed: Packed) -> anyhow::Result<Made> {
        // Unpacked here, on the pool, and not on the thread that reads.
        let (all, texts) = match self.has_operator {
            true => packed.stored.facts.unpack_with_texts()?,
            false => packed.stored.facts.unpack_true_with_texts(&ASKED)?,
        };
        let (is_first, breakdowns) = (packed.is_first, std::mem::take(&mut packed.breakdowns));
        let numbers = std::mem::take(&mut packed.numbers);
        let surfaces = packed.stored.surfaces()?.unwrap_or_default();
        let reach = packed.stored.reach()?.unwrap_or_default();
        let ranked = self.ranked(packed, &all, &numbers)?;
        let current = &ranked.current;
        let slug: Arc<str> = current.capability.slug.as_str().into();
        let id: Arc<str> = current.capability.id.to_string().into();
        let mut rows = MadeRows::default();
        let row = CapabilityRow::of(&ranked, slug.clone(), id.clone());
        // Compared with the row as it is written, so that `changes` can never disagree with it.
        let now = ComparedCapability::of(&row);
        let mut band_change = None;
        if let Some(change) = self.since.row(&current.capability.id, &now) {
            let (before, now) = (change.band_before, ranked.verdict.band);
            // Content and ranks change all the time; the verdict is what a person acts on.
            band_change = (before != Some(now.as_str())).then(|| BandChange {
                slug: slug.to_string(),
                before: before.map(ToOwned::to_owned),
                now,
            });
            rows.add(change)?;
        }
        let state = HistoryRow::of(&row, self.as_of, "").state()?;
        if let Some(change) = self.since.history.change(&current.capability.id, state) {
            rows.add(HistoryRow::of(&row, self.as_of, change))?;
        }
        rows.add(row)?;
        self.add_scores(&mut rows, &ranked, &numbers, [&slug, &id])?;
        for (number, stored) in breakdowns {
            let BreakdownTexts { terms, parts } = stored.texts()?;
            let (terms, parts) = (NestedCell::of_text(terms.get())?, NestedCell::of_text(parts.get())?);
            rows.add(BreakdownRow { breakdown: number, terms, parts })?;
        }
        for found in finding::fingerprinted(&all) {
            rows.add(self.finding_rows.row(slug.clone(), id.clone(), found, all.rules())?)?;
        }
        for record in &surfaces.records {
            rows.add(SurfaceRow::of(slug.clone(), id.clone(), record))?;
        }
        for host in &reach.hosts {
            rows.add(HostRow::of(slug.clone(), id.clone(), host))?;
        }
        for permission in &reach.permissions {
            rows.add(PermissionRow::of(slug.clone(), id.clone(), permission))?;
        }
        // Only the first: the key of the table is the digest of the facts.
        if is_first {
            rows.add(FactsRow::of(current.facts, &all, texts)?)?;
        }
        let line = TopRow::of(&ranked);
        // Moved out at the end, when no row borrows from it any more.
        let counts = CapabilityCounts {
            asked: asked(&ranked),
            id: *ranked.current.capability.id.0.as_bytes(),
            part: CapabilityPart {
                verdict: PackageVerdict {
                    band: ranked.verdict.band,
                    reason: ranked.verdict.reason,
                    slug: slug.to_string(),
                    trust: ranked.standing.trust,
                    rank_kind: ranked.standing.rank_kind,
                },
                operator: ranked.operator.map(|said| (said.band, said.reason)),
                users: ranked.users,
                licence: ranked.licence,
                repository: ranked.repository,
                links: ranked.links,
            },
            package: ranked.current.identity,
            member: ranked.member,
            line,
            change: band_change,
        };
        Ok(Made { rows, counts })
    }

    fn add_scores(
        &self,
        rows: &mut MadeRows,
        ranked: &RankedCapability,
        numbers: &[u64],
        [slug, id]: [&Arc<str>; 2],
    ) -> anyhow::Result<()> {
        let current = &ranked.current;
        // Shared by all rows of the capability, so that its digests are written out once.
        let subject = ScoreSubject {
            slug: slug.clone(),
            capability: id.clone(),
            content_sha256: current.capability.content.hex().into(),
            facts_sha256: current.facts.hex().into(),
            ruleset_sha256: current.ruleset.hex().into(),
        };
        let mut numbered = ranked.scores.iter().zip(numbers);
        numbered.try_for_each(|(score, number)| {
            rows.add(ScoreRow::of(subject.clone(), self.rubrics.of(&score.rubric)?, score, *number)?)
        })
    }

    /// The capability with its verdict, and the operator's word on it.
    fn ranked(&self, packed: Packed, all: &SparseFacts, numbers: &[u64]) -> Result<RankedCapability, StoreError> {
        let mut scores = packed.scores;
        for (at, rest) in packed.rests {
            if let Some(score) = scores.get_mut(at) {
                // Filled for the reason alone; values and grades stand in the outline.
                *score = rest.fill(score.clone())?;
            }
        }
        let (current, origin) = (packed.stored.capability()?, packed.stored.origin()?);
        let verdict = verdict(&scores, &current.completeness);
        let before = BeforeOperator {
            capability: &current.capability,
            facts: all,
            scores: &scores,
            completeness: &current.completeness,
            verdict: &verdict,
        };
        Ok(RankedCapability {
            standing: packed.standing,
            users: users(all),
            licence: licence(all),
            bytes: packed.bytes,
            repository: origin.repository,
            links: origin.references.iter().map(ToString::to_string).collect(),
            operator: operator::heard(&self.policy, before, self.as_of),
            difference: self.differences.of(&scores, numbers),
            verdict,
            member: saferskills::member(all, &scores),
            findings: SeverityCounts::of(all),
            tags: capability_tags(all),
            current,
            scores,
        })
    }
}

/// The counts of the scores, by rubric and kind.
fn asked(ranked: &RankedCapability) -> Vec<((&'static str, &'static str), ScoreCounts)> {
    let kind = ranked.current.capability.kind.as_str();
    let is_analysed = ranked.current.completeness == Completeness::Analysed;
    let of = |score: &Score| {
        // The program's own text for the id, which lives as long as the maps need it.
        let rubric = RUBRICS.iter().map(|rubric| &*rubric.meta().rubric.id).find(|id| *id == score.rubric.id)?;
        let mut asked = ScoreCounts::default();
        asked.add(score, is_analysed);
        Some(((rubric, kind), asked))
    };
    ranked.scores.iter().filter_map(of).collect()
}

/// The part of what is measured that names the licence.
const LICENCE: &str = "license_name";

/// The parts of what is measured that rows are made of.
const ASKED: [&str; 5] = {
    let [downloads, installs, stars] = USERS;
    [downloads, installs, stars, LICENCE, TAG]
};

/// The licence that a capability states, by its name.
fn licence(all: &SparseFacts) -> Option<String> {
    let name = all.value(MEASURE)?.get(LICENCE)?.as_str()?;
    Some(name.to_owned())
}
