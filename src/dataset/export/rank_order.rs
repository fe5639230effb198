//! The ranked order of what the store holds now: places and no texts, so that a store of any size is ranked in little memory.
//!
//! Scores are read as the score stage kept them, and never computed here.

use anyhow::Context as _;
use capdex_db::{CurrentPlace, Reader, RubricIds, StoreError, StoredScore};
use capdex_model::score::{Band, RubricRef, Score};
use capdex_model::snapshot::Completeness;
use capdex_model::time::AsOf;
use capdex_rubrics::rank::{ScoreRankKey, score_rank_key};
use capdex_rubrics::{RUBRICS, verdict};

use super::band_counts::BandCounts;
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
    /// The verdict's band of each, in their order.
    pub band_of: Vec<Band>,
    /// The rank of each, from 1; none for a project's own configuration, which is judged and takes no rank.
    pub rank_of: Vec<Option<u64>>,
}

impl RankOrder {
    /// Ranks what the store holds, by the scores under today's rubric texts.
    ///
    /// # Errors
    /// Errors of the store.
    pub fn of(reader: &Reader, pool: &rayon::ThreadPool, as_of: AsOf, rank_by: &str) -> anyhow::Result<Self> {
        let references: Vec<RubricRef> = RUBRICS.iter().map(|rubric| rubric.meta().rubric.clone()).collect();
        let rubrics = reader.rubric_ids(&references)?;
        // What has no voice in verdict and rank need not be read for them.
        let speaks = |rubric: &&RubricRef| rubric.is_seed() || rubric.id == rank_by;
        let speaking: Vec<RubricRef> = references.iter().filter(speaks).cloned().collect();
        // Ids of the store, so that scores are found by a number and not by a text.
        let speaking = reader.rubric_ids(&speaking)?;
        let places = reader.current_places()?;
        let mut merits: Vec<(ScoreRankKey, Band)> = Vec::with_capacity(places.len());
        let mut bands = BandCounts::default();
        let read = |places: &[CurrentPlace]| {
            let stored = |place: &CurrentPlace| {
                Ok((place.is_analysed, reader.stored_scores(place.facts, &speaking, as_of.day())?))
            };
            places.iter().map(stored).collect::<anyhow::Result<_>>().map(Some)
        };
        // The outline is enough: breakdowns are the bulk of a score.
        let work = |(is_analysed, stored): (bool, Vec<StoredScore>)| rank_key_of(is_analysed, &stored, rank_by);
        let write = |found: Vec<Result<(Band, ScoreRankKey), StoreError>>| {
            found.into_iter().try_for_each(|found| {
                let (band, merit) = found.context("failed to rank")?;
                bands.add(band);
                merits.push((merit, band));
                Ok(())
            })
        };
        bulk::overlapped(pool, &places, BATCH, read, work, write)?;
        // The places come in the order of slug and id, which decides where merit does not.
        let mut order: Vec<((ScoreRankKey, Band), CurrentPlace)> = merits.into_iter().zip(places).collect();
        // A stable sort, which keeps slug and id as the last criteria.
        order.sort_by_key(|((merit, _), _)| *merit);
        let (band_of, places): (Vec<Band>, Vec<CurrentPlace>) =
            order.into_iter().map(|((_, band), place)| (band, place)).unzip();
        let mut ranks = 1..;
        let rank_of = places.iter().map(|place| if place.role.is_ranked() { ranks.next() } else { None }).collect();
        Ok(Self { places, rubrics, bands, band_of, rank_of })
    }
}

fn rank_key_of(is_analysed: bool, stored: &[StoredScore], rank_by: &str) -> Result<(Band, ScoreRankKey), StoreError> {
    let scores: Vec<Score> = stored.iter().map(StoredScore::outline).collect::<Result<_, _>>()?;
    // The reasons of a partial one have no voice in the verdict, so an empty list will do.
    let completeness = if is_analysed { Completeness::Analysed } else { Completeness::Partial(Vec::new()) };
    let verdict = verdict(&scores, &completeness);
    Ok((verdict.band, score_rank_key(&verdict, &scores, rank_by)))
}
