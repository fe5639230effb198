//! `Breakdowns`: the numbers by which scores name how they were computed, and each breakdown once.
//!
//! Numbers are given in the order in which scores come, so that they follow from the store's content alone.

use std::collections::BTreeMap;

use capdex_db::{BreakdownId, Reader, StoreError, StoredBreakdown, StoredScore};
use capdex_model::score::Score;

/// The breakdowns that have a number.
#[derive(Default)]
pub(super) struct Breakdowns {
    stored: BTreeMap<BreakdownId, u64>,
    /// Those of scores that stand whole in the store and whose breakdown nothing else has, by the digest of its text.
    whole: BTreeMap<[u8; 32], u64>,
}

/// The name of a breakdown in a score.
#[derive(Clone, Copy)]
pub(super) struct Named {
    pub(super) number: u64,
    /// The place of the rest of an outline; none where the store has the score whole.
    pub(super) rest: Option<BreakdownId>,
}

impl Breakdowns {
    /// Gives scores their numbers, each beside its outline (whole where the store has it so); breakdowns that have none yet
    /// are added to `met`.
    pub(super) fn number(
        &mut self,
        reader: &Reader,
        scores: &[StoredScore],
        met: &mut Vec<(u64, StoredBreakdown)>,
    ) -> Result<Vec<(Score, Named)>, StoreError> {
        let numbered = |stored: &StoredScore| match stored.breakdown {
            Some(id) => {
                let (number, is_new) = self.stored(id);
                // Only the first score with a number brings the breakdown: it is a row of its own table.
                if is_new {
                    met.push((number, reader.breakdown(id)?));
                }
                Ok((stored.outline()?, Named { number, rest: Some(id) }))
            }
            // Some scores stand whole in the store; their breakdown may still equal one that has a row.
            None => {
                let score = stored.whole()?;
                let (digest, id, breakdown) = reader.breakdown_of(&score)?;
                let (number, is_new) = match id {
                    Some(id) => self.stored(id),
                    None => self.whole(*digest.as_bytes()),
                };
                if is_new {
                    met.push((number, breakdown));
                }
                Ok((score, Named { number, rest: None }))
            }
        };
        scores.iter().map(numbered).collect()
    }

    fn stored(&mut self, id: BreakdownId) -> (u64, bool) {
        // Taken before the entry, so that a number equal to it is known to be new.
        let next = self.next();
        let number = *self.stored.entry(id).or_insert(next);
        (number, number == next)
    }

    fn whole(&mut self, digest: [u8; 32]) -> (u64, bool) {
        let next = self.next();
        let number = *self.whole.entry(digest).or_insert(next);
        (number, number == next)
    }

    fn next(&self) -> u64 {
        // One series for both maps, since the table has one key.
        (self.stored.len() + self.whole.len()) as u64 + 1
    }
}
