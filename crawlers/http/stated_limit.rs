//! A limit that a server states in the text of a refusal alone: how long its host is left alone, and who asks first after.
//!
//! GitHub answers so where its secondary limits are met: 403, quota left, no `Retry-After`. It wants a minute of rest at
//! least, growing waits after that, and may ban who goes on (docs.github.com, "Rate limits for the REST API"). All buckets
//! of a host share the rest.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::clock::Clock;

/// Phrases that tell of a limit, in lower case. GitHub's are those of 2024 and of before ("abuse detection mechanism").
const PHRASES: [&str; 4] = ["secondary rate limit", "abuse detection", "rate limit exceeded", "exceeded a rate limit"];
/// A rest doubles this many times at most: with a minute to begin with, a good hour.
const MAX_DOUBLINGS: u32 = 6;

/// True where the body of a refusal says that too much was asked.
pub(crate) fn is_stated_in(body: &[u8]) -> bool {
    let text = String::from_utf8_lossy(body).to_lowercase();
    PHRASES.iter().any(|phrase| text.contains(phrase))
}

/// The rest of one host.
pub(crate) struct StatedLimit {
    rest: Mutex<Rest>,
    /// One request goes first after a rest: the others would only be refused with it.
    probe: Arc<Semaphore>,
}

#[derive(Clone, Copy, Default)]
struct Rest {
    /// Limits in a row, each met after the rest that the one before brought.
    strikes: u32,
    until: Duration,
}

impl Default for StatedLimit {
    fn default() -> Self {
        Self { rest: Mutex::default(), probe: Arc::new(Semaphore::new(1)) }
    }
}

impl StatedLimit {
    /// Notes a refusal. Those that were under way together are one limit. `first` is the first rest.
    ///
    /// Gives what is left of the rest, and true where a request may sit it out: the first one only. After a second limit
    /// in a row the host is left alone, and its requests are for a later time.
    pub(crate) fn note(&self, first: Duration, now: Duration) -> (Duration, bool) {
        let mut rest = self.rest();
        if rest.until <= now {
            let doublings = rest.strikes.min(MAX_DOUBLINGS);
            rest.strikes = rest.strikes.saturating_add(1);
            rest.until = now.saturating_add(first.saturating_mul(1 << doublings));
        }
        (rest.until.saturating_sub(now), rest.strikes == 1)
    }

    /// Notes any other answer. One to a request of before the rest says nothing of it.
    pub(crate) fn clear(&self, now: Duration) {
        let mut rest = self.rest();
        if rest.until <= now {
            *rest = Rest::default();
        }
    }

    /// What is left of a rest that no request may sit out; none where the host may be asked, or will be soon.
    pub(crate) fn closed_for(&self, now: Duration) -> Option<Duration> {
        let rest = self.rest();
        (rest.strikes > 1 && rest.until > now).then(|| rest.until.saturating_sub(now))
    }

    /// What is left of any rest; zero where there is none.
    pub(crate) fn left(&self, now: Duration) -> Duration {
        self.rest().until.saturating_sub(now)
    }

    /// Waits out the rest. What comes back is kept until the answer is there: it makes the others wait for it.
    ///
    /// # Errors
    /// The time for which the host is left alone.
    pub(crate) async fn admit(&self, clock: &dyn Clock) -> Result<Option<OwnedSemaphorePermit>, Duration> {
        if self.rest().strikes == 0 {
            return Ok(None);
        }
        let probe = Arc::clone(&self.probe).acquire_owned().await.expect("the semaphore is never closed");
        loop {
            let now = clock.now();
            if let Some(left) = self.closed_for(now) {
                return Err(left);
            }
            let rest = *self.rest();
            if rest.strikes == 0 {
                return Ok(None);
            }
            if rest.until <= now {
                return Ok(Some(probe));
            }
            clock.sleep(rest.until.saturating_sub(now)).await;
        }
    }

    fn rest(&self) -> MutexGuard<'_, Rest> {
        self.rest.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE: Duration = Duration::from_secs(60);

    #[test]
    fn limits_are_told_from_other_refusals() {
        for body in [
            "{\"message\":\"You have exceeded a secondary rate limit. Please wait a few minutes.\"}",
            "{\"message\": \"You have triggered an abuse detection mechanism.\"}",
            "API Rate Limit Exceeded for 203.0.113.9.",
        ] {
            assert!(is_stated_in(body.as_bytes()), "{body}");
        }
        for body in ["", "{\"message\":\"Resource not accessible by integration\"}", "no rate is too low", "\u{fffd}"] {
            assert!(!is_stated_in(body.as_bytes()), "{body}");
        }
    }

    #[test]
    fn rests_double_and_answers_end_them() {
        let limit = StatedLimit::default();
        assert_eq!(limit.note(MINUTE, Duration::ZERO), (MINUTE, true));
        assert_eq!(limit.note(MINUTE, MINUTE / 2), (MINUTE / 2, true), "one that was under way is the same limit");
        limit.clear(MINUTE / 2);
        assert_eq!(limit.left(MINUTE / 2), MINUTE / 2, "an answer to an earlier request ends nothing");
        assert_eq!(limit.closed_for(MINUTE / 2), None);
        assert_eq!(limit.note(MINUTE, MINUTE), (2 * MINUTE, false));
        assert_eq!(limit.closed_for(2 * MINUTE), Some(MINUTE));
        assert_eq!(limit.note(MINUTE, 3 * MINUTE), (4 * MINUTE, false));
        limit.clear(7 * MINUTE);
        assert_eq!(limit.note(MINUTE, 8 * MINUTE), (MINUTE, true), "an answer in between begins anew");
    }

    #[test]
    fn a_rest_is_bounded() {
        let (limit, mut now) = (StatedLimit::default(), Duration::ZERO);
        for _ in 0..40 {
            let (rest, _) = limit.note(MINUTE, now);
            assert!(rest <= MINUTE * (1 << MAX_DOUBLINGS));
            now += rest;
        }
    }
}
