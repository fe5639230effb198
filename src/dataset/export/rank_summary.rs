//! `RankSummary`: how the store stands at the end of a run: counts by verdict, the worst, and whose verdict is another than
//! before.
//!
//! A dataset makes it while it is written. A run that writes none reads it from the store.

use std::collections::BTreeMap;

use capdex_db::Reader;
use capdex_model::score::Band;
use capdex_model::time::AsOf;
use serde::{Deserialize, Serialize};

use super::band_changes::{BandChange, BandChanges};
use super::band_counts::BandCounts;
use super::rank_order::RankOrder;
use super::ranked_capability;
use super::top_rows::{self, TopRow, TopRows};

/// How the capabilities stand, and what became of them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RankSummary {
    /// Those that rank last.
    pub top_rows: TopRows,
    /// All by verdict.
    pub bands: BandCounts,
    /// Those of before; none where there is nothing to compare with.
    pub bands_before: Option<BandCounts>,
    /// Whose verdict is another than before.
    pub band_changes: BandChanges,
}

/// The verdicts in a store before a run, by the numbers that capabilities have there. Empty where no run was before it.
#[derive(Clone, Debug, Default)]
pub struct EarlierVerdicts {
    bands: BandCounts,
    by_capability: BTreeMap<i64, Band>,
}

impl EarlierVerdicts {
    /// The verdicts as the last run left them.
    ///
    /// # Errors
    /// Errors of the store.
    pub fn of(reader: &Reader, pool: &rayon::ThreadPool, rank_by: &str) -> anyhow::Result<Self> {
        // By its day and not by today's: what has no score of today yet would read as another verdict.
        let Some(as_of) = reader.runs(1)?.first().map(|run| run.as_of) else { return Ok(Self::default()) };
        let ranking = RankOrder::of(reader, pool, as_of, rank_by)?;
        let numbers = ranking.places.iter().map(|place| place.capability);
        Ok(Self {
            bands: ranking.bands,
            by_capability: numbers.zip(ranking.standing_of.iter().map(|standing| standing.band)).collect(),
        })
    }
}

impl RankSummary {
    /// The summary of what the store holds now, compared with the verdicts of before.
    ///
    /// # Errors
    /// Errors of the store.
    pub fn of_store(
        reader: &Reader,
        pool: &rayon::ThreadPool,
        as_of: AsOf,
        rank_by: &str,
        before: &EarlierVerdicts,
    ) -> anyhow::Result<Self> {
        let ranking = RankOrder::of(reader, pool, as_of, rank_by)?;
        // Against nothing every capability would be new.
        let is_compared = !before.by_capability.is_empty();
        Ok(Self {
            top_rows: worst(reader, &ranking, as_of)?,
            bands: ranking.bands,
            bands_before: is_compared.then_some(before.bands),
            band_changes: if is_compared { changes(reader, &ranking, before)? } else { BandChanges::default() },
        })
    }
}

/// The lines of the worst. Only these are read, so that the end of a run costs the same for a store of any size.
fn worst(reader: &Reader, ranking: &RankOrder, as_of: AsOf) -> anyhow::Result<TopRows> {
    let mut top_rows = TopRows::default();
    for (at, place) in ranking.places.iter().enumerate().rev() {
        if top_rows.lines.len() == top_rows::LINES {
            top_rows.beyond = at as u64 + 1;
            break;
        }
        let current = reader.current_at(place)?;
        let (scores, verdict) = ranked_capability::scores(reader, &current, as_of)?;
        let rank = ranking.standing_of.get(at).and_then(|standing| standing.rank);
        top_rows.lines.push(TopRow::new(rank, &current, &verdict, &scores));
    }
    Ok(top_rows)
}

/// The capabilities whose band is another than before, in their order.
fn changes(reader: &Reader, ranking: &RankOrder, before: &EarlierVerdicts) -> anyhow::Result<BandChanges> {
    let known = |number: i64| before.by_capability.get(&number).copied();
    let all = ranking.places.iter().zip(ranking.standing_of.iter().map(|standing| standing.band));
    let still = all.clone().filter(|(place, _)| known(place.capability).is_some()).count();
    let changed: Vec<_> = all.filter(|(place, now)| known(place.capability) != Some(*now)).collect();
    let beyond = changed.len().saturating_sub(top_rows::LINES);
    let mut changes = BandChanges {
        beyond: beyond as u64,
        gone: before.by_capability.len().saturating_sub(still) as u64,
        ..BandChanges::default()
    };
    for (place, now) in changed.into_iter().skip(beyond) {
        let slug = reader.current_at(place)?.capability.slug;
        let before = known(place.capability).map(|band| band.as_str().to_owned());
        changes.add(BandChange { slug, before, now });
    }
    Ok(changes)
}
