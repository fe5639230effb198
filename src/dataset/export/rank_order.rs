//! The ranked order of what the store holds now: places and no texts, so that a store of any size is ranked in little memory.
//!
//! Scores are read as the score stage kept them, and never computed here.

use std::collections::BTreeMap;

use anyhow::Context as _;
use capdex_db::{CurrentPlace, FactsId, Reader, RubricIds, StoreError, StoredScore};
use capdex_model::capability::Kind;
use capdex_model::points::Points;
use capdex_model::score::{Band, RubricRef, Score};
use capdex_model::snapshot::Completeness;
use capdex_model::time::AsOf;
use capdex_rubrics::rank::{MEASURE, Merit, RankKey, Standings, TRUST, USERS, users_in};
use capdex_rubrics::verdict::VERDICT;
use capdex_rubrics::{RUBRICS, verdict};

use super::band_counts::BandCounts;
use super::equals::order_equals;
use super::file_sizes::FileSizes;
use crate::bulk;

/// Capabilities whose scores are read between two pieces of work.
const BATCH: usize = 4096;

/// Every capability of the store in its ranked order, the best first.
pub struct RankOrder {
    /// The capabilities in their order.
    pub places: Vec<CurrentPlace>,
    /// The rubrics that score.
    pub rubrics: RubricIds,
    /// Their number by verdict.
    pub bands: BandCounts,
    /// The standing of each, in their order.
    pub standing_of: Vec<Standing>,
}

/// Where a capability stands in the order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standing {
    /// The verdict's band.
    pub band: Band,
    /// The mean percentile of its values among its kind, 0 to 100; none where no method that counts answers for it.
    pub trust: Option<Points>,
    /// The rank among all, from 1; none for a project's own configuration, which is judged and takes no rank.
    pub rank: Option<u64>,
    /// The rank among its kind, likewise.
    pub rank_kind: Option<u64>,
    /// The bytes of its files, where they were looked up for the order.
    pub bytes: Option<u64>,
    /// The different words of its files, where bytes do not tell it from another; none elsewhere.
    pub words: Option<u64>,
}

/// Gives out ranks in the order, overall and by kind.
#[derive(Default)]
pub struct Ranks {
    overall: u64,
    by_kind: BTreeMap<Kind, u64>,
}

impl Ranks {
    /// The next rank overall and among the kind.
    pub fn next(&mut self, kind: Kind) -> (u64, u64) {
        let of_kind = self.by_kind.entry(kind).or_default();
        self.overall += 1;
        *of_kind += 1;
        (self.overall, *of_kind)
    }
}

impl RankOrder {
    /// Ranks what the store holds, by the scores under today's rubric texts. `rank_by` is [`TRUST`] or a rubric's id.
    ///
    /// # Errors
    /// Errors of the store.
    pub fn of(reader: &Reader, pool: &rayon::ThreadPool, as_of: AsOf, rank_by: &str) -> anyhow::Result<Self> {
        let references: Vec<RubricRef> = RUBRICS.iter().map(|rubric| rubric.meta().rubric.clone()).collect();
        let rubrics = reader.rubric_ids(&references)?;
        let speaking: Vec<RubricRef> = references.iter().filter(|rubric| speaks(rubric, rank_by)).cloned().collect();
        // Ids of the store, so that scores are found by a number and not by a text.
        let speaking = reader.rubric_ids(&speaking)?;
        let places = reader.current_places()?;
        let mut merits: Vec<Merit> = Vec::with_capacity(places.len());
        let mut bands = BandCounts::default();
        let read = |places: &[CurrentPlace]| {
            let stored = |place: &CurrentPlace| {
                Ok((place.kind, place.is_analysed, reader.stored_scores(place.facts, &speaking, as_of.day())?))
            };
            places.iter().map(stored).collect::<anyhow::Result<_>>().map(Some)
        };
        // The outline is enough: breakdowns are the bulk of a score.
        let work =
            |(kind, is_analysed, stored): (Kind, bool, Vec<StoredScore>)| merit(kind, is_analysed, &stored, rank_by);
        let write = |found: Vec<Result<Merit, StoreError>>| {
            found.into_iter().try_for_each(|found| {
                let merit = found.context("failed to rank")?;
                bands.add(merit.band);
                merits.push(merit);
                Ok(())
            })
        };
        bulk::overlapped(pool, &places, BATCH, read, work, write)?;
        let ranked = merits.iter().zip(&places).filter(|(_, place)| place.role.is_ranked());
        let standings = Standings::of(ranked.map(|(merit, _)| merit));
        // The places come in the order of slug and id, which decides where the key does not.
        let mut order: Vec<(Merit, CurrentPlace)> = merits.into_iter().zip(places).collect();
        let key = |merit: &Merit| standings.key(merit, rank_by == TRUST);
        // A stable sort, which keeps slug and id as the last criteria.
        order.sort_by_cached_key(|(merit, _)| key(merit));
        add_users(reader, &mut order, key)?;
        add_bytes(reader, &mut order, key)?;
        order_equals(reader, &mut order, key, |place| reader.current_at(place))?;
        let mut ranks = Ranks::default();
        let standing = |(merit, place): &(Merit, CurrentPlace)| {
            let ranks = place.role.is_ranked().then(|| ranks.next(place.kind));
            let trust = standings.trust(merit).filter(|_| ranks.is_some());
            Standing {
                band: merit.band,
                trust,
                rank: ranks.map(|(all, _)| all),
                rank_kind: ranks.map(|(_, kind)| kind),
                bytes: merit.bytes(),
                words: merit.words(),
            }
        };
        let standing_of = order.iter().map(standing).collect();
        Ok(Self { places: order.into_iter().map(|(_, place)| place).collect(), rubrics, bands, standing_of })
    }
}

/// True for a rubric without which neither verdict nor rank is known. Variants need not be read for them.
pub fn speaks(rubric: &RubricRef, rank_by: &str) -> bool {
    rubric.is_seed() || rubric.id == VERDICT || rubric.id == rank_by
}

/// Orders by known users what is equal up to there. They stand in the facts, which are read for these alone.
fn add_users(
    reader: &Reader,
    order: &mut [(Merit, CurrentPlace)],
    key: impl Fn(&Merit) -> RankKey,
) -> Result<(), StoreError> {
    // Equal contents share facts.
    let mut known: BTreeMap<FactsId, Option<u64>> = BTreeMap::new();
    for equals in order.chunk_by_mut(|(one, _), (other, _)| key(one) == key(other)).filter(|equals| equals.len() > 1) {
        for (merit, place) in equals.iter_mut() {
            let users = match known.get(&place.facts) {
                Some(users) => *users,
                None => {
                    let facts = reader.packed_facts(&[place.facts])?.pop();
                    let measured = facts.map(|facts| facts.value(MEASURE, &USERS)).transpose()?.flatten();
                    let found = measured.as_ref().and_then(users_in);
                    known.insert(place.facts, found);
                    found
                }
            };
            *merit = merit.clone().with_users(users);
        }
        equals.sort_by_key(|(merit, _)| key(merit));
    }
    Ok(())
}

/// Orders by the bytes of their files what is equal up to there.
fn add_bytes(
    reader: &Reader,
    order: &mut [(Merit, CurrentPlace)],
    key: impl Fn(&Merit) -> RankKey,
) -> Result<(), StoreError> {
    let mut sizes = FileSizes::default();
    for equals in order.chunk_by_mut(|(one, _), (other, _)| key(one) == key(other)).filter(|equals| equals.len() > 1) {
        for (merit, place) in equals.iter_mut() {
            let (snapshot, files) = reader.files_at(place)?;
            let bytes = sizes.of(reader, snapshot, &files)?;
            *merit = merit.clone().with_bytes(Some(bytes));
        }
        equals.sort_by_key(|(merit, _)| key(merit));
    }
    Ok(())
}

fn merit(kind: Kind, is_analysed: bool, stored: &[StoredScore], rank_by: &str) -> Result<Merit, StoreError> {
    let scores: Vec<Score> = stored.iter().map(StoredScore::outline).collect::<Result<_, _>>()?;
    // The gaps of a partial one only make its reason, so an empty list will do.
    let completeness = if is_analysed { Completeness::Analysed } else { Completeness::Partial(Vec::new()) };
    Ok(Merit::of(kind, verdict(&scores, &completeness).band, &scores, rank_by))
}
