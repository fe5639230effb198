//! The pace of a source that the operator set: requests a minute, whatever host they go to.
//!
//! It stands beside the rate limits of hosts, which every source keeps to as well. Turns are given in the order in which
//! they are asked for, by the generic cell rate algorithm (ITU-T I.371).

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The paces of all sources that have one, by the id under which the schedule names them.
pub(crate) struct SourcePaces(BTreeMap<String, SourcePace>);

impl SourcePaces {
    /// Takes them from the settings. The last one for a source wins.
    pub(crate) fn new(per_minute: &[(String, u32)]) -> Self {
        Self(per_minute.iter().map(|(source, per_minute)| (source.clone(), SourcePace::new(*per_minute))).collect())
    }

    /// The pace of a source; none where the operator set none.
    pub(crate) fn of(&self, source: &str) -> Option<&SourcePace> {
        self.0.get(source)
    }
}

/// The pace of one source.
pub(crate) struct SourcePace {
    /// Requests a minute.
    pub(crate) per_minute: u32,
    period: Duration,
    /// The time by which turns may come early: a second's worth of them may come at once.
    tolerance: Duration,
    /// When the next turn would be, were they spread evenly.
    next: Mutex<Duration>,
}

impl SourcePace {
    fn new(per_minute: u32) -> Self {
        // Zero counts as one, because dividing by it would panic.
        let per_minute = per_minute.max(1);
        let period = Duration::from_secs(60) / per_minute;
        let burst = (per_minute / 60).max(1);
        Self { per_minute, period, tolerance: period.saturating_mul(burst - 1), next: Mutex::default() }
    }

    /// Takes the next turn; gives the time until it comes.
    pub(crate) fn take(&self, now: Duration) -> Duration {
        let mut next = self.next();
        let turn = next.saturating_sub(self.tolerance).max(now);
        *next = (*next).max(turn).saturating_add(self.period);
        turn.saturating_sub(now)
    }

    /// Takes a turn if one is there now and `other` gives what else is needed; neither is taken without the other.
    ///
    /// # Errors
    /// The time until the next turn, or the error of `other`.
    pub(crate) fn try_take(&self, now: Duration, other: impl FnOnce() -> Result<(), Duration>) -> Result<(), Duration> {
        let mut next = self.next();
        let wait = next.saturating_sub(self.tolerance).saturating_sub(now);
        if !wait.is_zero() {
            return Err(wait);
        }
        other()?;
        *next = (*next).max(now).saturating_add(self.period);
        Ok(())
    }

    fn next(&self) -> MutexGuard<'_, Duration> {
        self.next.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn turns_are_spread_and_none_is_lost_or_saved_up() {
        let pace = SourcePace::new(6);
        let waits: Vec<_> = (0..4).map(|_| pace.take(Duration::ZERO)).collect();
        assert_eq!(waits, [Duration::ZERO, 10 * SECOND, 20 * SECOND, 30 * SECOND]);
        let later = 1_000 * SECOND;
        assert_eq!([pace.take(later), pace.take(later)], [Duration::ZERO, 10 * SECOND], "a pause saves nothing up");
    }

    #[test]
    fn a_fast_pace_has_a_second_s_worth_at_once() {
        let pace = SourcePace::new(600);
        let at_once = (0..30).filter(|_| pace.take(Duration::ZERO).is_zero()).count();
        assert_eq!(at_once, 10);
        assert_eq!(SourcePace::new(0).take(Duration::ZERO), Duration::ZERO);
    }

    #[test]
    fn a_turn_is_kept_where_the_host_is_not_ready() {
        let pace = SourcePace::new(6);
        assert_eq!(pace.try_take(Duration::ZERO, || Err(SECOND)), Err(SECOND));
        assert_eq!(pace.try_take(Duration::ZERO, || Ok(())), Ok(()));
        assert_eq!(pace.try_take(SECOND, || panic!("asked in vain")), Err(9 * SECOND));
    }
}
