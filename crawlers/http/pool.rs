//! `CredentialPool`: several credentials of one kind for one server, of which each request takes the one with the most left.
//!
//! A single credential is a pool of one, of which nothing is judged: its budget is the host's. Among several, a spent
//! one is left alone until it has more, and one that the server refuses is never used again. So neither holds up the
//! others.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::rate::RateLimitHeaders;
use super::retry::WAIT_WHEN_NONE_IS_GIVEN;

/// The least time for which a spent credential is left alone: a server may say that there is more already, and refuse
/// all the same.
const LEAST_REST: Duration = Duration::from_secs(1);

/// Several credentials.
pub(super) struct CredentialPool {
    members: Mutex<Vec<PooledCredential>>,
    is_single: bool,
}

#[derive(Default)]
struct PooledCredential {
    is_refused: bool,
    /// The number of times it was taken, so that members of which equally much is known take turns.
    taken: u64,
    /// Its budgets as far as they are known, by bucket of the host.
    budgets: BTreeMap<String, CredentialBudget>,
}

/// One budget as the server told it, which holds until there is more.
#[derive(Clone, Copy)]
struct CredentialBudget {
    remaining: u64,
    until: Duration,
}

/// Why there is no credential to take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoCredential {
    /// All that are left are spent; the first has more after this long.
    Spent(Duration),
    /// The server refused them all.
    Refused,
}

/// The meaning of an answer for the credential that was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CredentialStatus {
    /// The answer stands.
    Stands,
    /// The credential has nothing left: another one may have.
    Spent,
    /// The server does not take the credential: another one it may take.
    Refused,
}

impl PooledCredential {
    /// The rest of a budget; everything where nothing is known.
    fn left(&self, bucket: &str, now: Duration) -> u64 {
        match self.budgets.get(bucket) {
            Some(budget) if budget.until > now => budget.remaining,
            _ => u64::MAX,
        }
    }
}

impl CredentialPool {
    /// A pool of so many.
    pub(super) fn new(size: usize) -> Self {
        let members = std::iter::repeat_with(PooledCredential::default).take(size).collect();
        Self { members: Mutex::new(members), is_single: size == 1 }
    }

    /// True where there is only one, whose budget is the host's own.
    pub(super) const fn is_single(&self) -> bool {
        self.is_single
    }

    /// Takes the member with the most left in `lane` and gives its number.
    pub(super) fn take(&self, bucket: &str, now: Duration) -> Result<usize, NoCredential> {
        let mut members = self.members();
        let usable = members.iter_mut().enumerate().filter(|(_, member)| !member.is_refused);
        let (number, member) = usable
            .max_by_key(|(number, member)| (member.left(bucket, now), Reverse(member.taken), Reverse(*number)))
            .ok_or(NoCredential::Refused)?;
        if member.left(bucket, now) > 0 {
            member.taken += 1;
            // Those under way at the same time are not all for the same member.
            if let Some(budget) = member.budgets.get_mut(bucket) {
                budget.remaining = budget.remaining.saturating_sub(1);
            }
            return Ok(number);
        }
        let of_bucket =
            members.iter().filter(|member| !member.is_refused).filter_map(|member| member.budgets.get(bucket));
        let first = of_bucket.map(|budget| budget.until).min().unwrap_or(now);
        Err(NoCredential::Spent(first.saturating_sub(now)))
    }

    /// Learns from the answer to a request that was sent with a member; `status` is none where nothing answered.
    pub(super) fn learn(
        &self,
        number: usize,
        bucket: &str,
        status: Option<u16>,
        rate: RateLimitHeaders,
        now: Duration,
    ) -> CredentialStatus {
        let mut members = self.members();
        let Some(member) = members.get_mut(number).filter(|_| !self.is_single) else { return CredentialStatus::Stands };
        if let Some(remaining) = rate.remaining {
            let rest = match (remaining, rate.reset) {
                (0, reset) => reset.unwrap_or(WAIT_WHEN_NONE_IS_GIVEN).max(LEAST_REST),
                (_, Some(reset)) => reset,
                // Without a reset the number holds until the next answer corrects it.
                (_, None) => Duration::MAX,
            };
            member.budgets.insert(bucket.to_owned(), CredentialBudget { remaining, until: now.saturating_add(rest) });
        }
        match status {
            // Several requests may be under way with it; one warning is enough.
            Some(401) if member.is_refused => CredentialStatus::Refused,
            Some(401) => {
                member.is_refused = true;
                tracing::warn!(number, "the server refuses a credential (401): it is not used again in this run");
                CredentialStatus::Refused
            }
            // With budget left, these refuse the address and say nothing about the credential.
            Some(403 | 429) if rate.is_spent() => CredentialStatus::Spent,
            _ => CredentialStatus::Stands,
        }
    }

    /// Sets a member aside that could not even be sent: for good, or for a while. Gives whether there are others.
    pub(super) fn set_aside(&self, number: usize, bucket: &str, is_refused: bool, now: Duration) -> bool {
        let mut members = self.members();
        let Some(member) = members.get_mut(number).filter(|_| !self.is_single) else { return false };
        if is_refused {
            tracing::warn!(number, "no token is given for a credential: it is not used again in this run");
            member.is_refused = true;
        } else {
            let until = now.saturating_add(WAIT_WHEN_NONE_IS_GIVEN);
            member.budgets.insert(bucket.to_owned(), CredentialBudget { remaining: 0, until });
        }
        true
    }

    fn members(&self) -> MutexGuard<'_, Vec<PooledCredential>> {
        self.members.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Duration = Duration::from_secs(100);

    fn rate(remaining: u64, reset_s: u64) -> RateLimitHeaders {
        RateLimitHeaders { remaining: Some(remaining), reset: Some(Duration::from_secs(reset_s)) }
    }

    #[test]
    fn the_one_with_the_most_left_is_taken_and_unknown_counts_as_full() {
        let pool = CredentialPool::new(3);
        assert_eq!(pool.learn(0, "", Some(200), rate(10, 60), NOW), CredentialStatus::Stands);
        assert_eq!(pool.learn(1, "", Some(200), rate(12, 60), NOW), CredentialStatus::Stands);
        assert_eq!(pool.take("", NOW), Ok(2));
        assert_eq!(pool.learn(2, "", Some(200), rate(1, 60), NOW), CredentialStatus::Stands);
        // Twelve, eleven, then ten twice.
        assert_eq!([(); 4].map(|()| pool.take("", NOW)), [Ok(1), Ok(1), Ok(0), Ok(1)]);
        // After its reset a member is full again, and the one that was taken least is first.
        assert_eq!(pool.take("", NOW + Duration::from_secs(60)), Ok(0));
    }

    #[test]
    fn members_of_which_nothing_is_known_take_turns() {
        let pool = CredentialPool::new(2);
        assert_eq!([(); 4].map(|()| pool.take("", NOW)), [Ok(0), Ok(1), Ok(0), Ok(1)]);
    }

    #[test]
    fn budgets_of_lanes_are_apart_and_a_refusal_is_for_all() {
        let pool = CredentialPool::new(2);
        assert_eq!(pool.learn(0, "/search", Some(403), rate(0, 30), NOW), CredentialStatus::Spent);
        assert_eq!([(); 2].map(|()| pool.take("/search", NOW)), [Ok(1), Ok(1)]);
        assert_eq!(pool.take("", NOW), Ok(0));
        assert_eq!(pool.learn(1, "/search", Some(429), rate(0, 20), NOW), CredentialStatus::Spent);
        assert_eq!(pool.take("/search", NOW), Err(NoCredential::Spent(Duration::from_secs(20))));
        for number in [0, 1] {
            assert_eq!(pool.learn(number, "", Some(401), RateLimitHeaders::default(), NOW), CredentialStatus::Refused);
        }
        assert_eq!(pool.take("", NOW), Err(NoCredential::Refused));
        assert_eq!(pool.take("/search", NOW), Err(NoCredential::Refused));
    }

    #[test]
    fn a_spent_one_rests_at_least_a_second_and_a_single_one_is_never_judged() {
        let pool = CredentialPool::new(2);
        pool.learn(0, "", Some(403), rate(0, 0), NOW);
        pool.learn(1, "", Some(403), RateLimitHeaders { remaining: Some(0), reset: None }, NOW);
        assert_eq!(pool.take("", NOW), Err(NoCredential::Spent(LEAST_REST)));
        let single = CredentialPool::new(1);
        assert_eq!(single.learn(0, "", Some(401), rate(0, 60), NOW), CredentialStatus::Stands);
        assert_eq!(single.take("", NOW), Ok(0));
    }
}
