//! How fast and how many: one pace, one number of places and one gate per host.
//!
//! Must not know what is asked for.

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use governor::{DefaultDirectRateLimiter, Quota, RateLimiter};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::HttpSettings;
use super::clock::Clock;

/// Hosts that are remembered at most; those that nobody uses are forgotten first.
const MAX_HOSTS: usize = 1_024;

/// Every host that was asked, with its pace.
pub(crate) struct Hosts {
    per_second: NonZeroU32,
    places: usize,
    hosts: Mutex<BTreeMap<(String, u16), Arc<Host>>>,
}

impl Hosts {
    /// Takes pace and places from the settings.
    pub(crate) fn new(settings: &HttpSettings) -> Self {
        Self {
            per_second: NonZeroU32::new(settings.requests_per_second).unwrap_or(NonZeroU32::MIN),
            places: settings.max_in_flight_per_host.clamp(1, Semaphore::MAX_PERMITS),
            hosts: Mutex::new(BTreeMap::new()),
        }
    }

    /// The host at this name and port; made on first use.
    pub(crate) fn host(&self, name_and_port: (String, u16)) -> Arc<Host> {
        let mut hosts = self.hosts.lock().unwrap_or_else(PoisonError::into_inner);
        if hosts.len() >= MAX_HOSTS && !hosts.contains_key(&name_and_port) {
            hosts.retain(|_, host| Arc::strong_count(host) > 1);
        }
        let host = hosts.entry(name_and_port).or_insert_with(|| {
            Arc::new(Host {
                pace: RateLimiter::direct(Quota::per_second(self.per_second)),
                places: Arc::new(Semaphore::new(self.places)),
                closed_until: Mutex::new(Duration::ZERO),
            })
        });
        Arc::clone(host)
    }
}

/// One host's pace.
pub(crate) struct Host {
    pace: DefaultDirectRateLimiter,
    places: Arc<Semaphore>,
    closed_until: Mutex<Duration>,
}

impl Host {
    /// Waits for a place, for the pace and for the gate, in this order. The place is free again when what comes back
    /// is dropped.
    ///
    /// # Errors
    /// The time for which the gate stays closed, where that is more than `max_wait`.
    pub(crate) async fn admit(&self, clock: &dyn Clock, max_wait: Duration) -> Result<OwnedSemaphorePermit, Duration> {
        let place = Arc::clone(&self.places).acquire_owned().await.expect("the semaphore is never closed");
        self.pace.until_ready().await;
        loop {
            let rest = self.closed_until().saturating_sub(clock.now());
            if rest.is_zero() {
                return Ok(place);
            }
            if rest > max_wait {
                return Err(rest);
            }
            clock.sleep(rest).await;
        }
    }

    /// Closes the gate for everybody until `time`; an earlier time does not open it.
    pub(crate) fn close_until(&self, time: Duration) {
        let mut closed_until = self.closed_until.lock().unwrap_or_else(PoisonError::into_inner);
        *closed_until = (*closed_until).max(time);
    }

    fn closed_until(&self) -> Duration {
        *self.closed_until.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::testing::FakeClock;

    const MAX_WAIT: Duration = Duration::from_secs(30);

    fn host(requests_per_second: u32, max_in_flight_per_host: usize) -> Arc<Host> {
        let settings = HttpSettings { requests_per_second, max_in_flight_per_host, ..HttpSettings::default() };
        Hosts::new(&settings).host(("host.test".into(), 80))
    }

    /// Whether a place is given without any wait.
    async fn is_admitted(host: &Host) -> Option<OwnedSemaphorePermit> {
        let clock = Arc::new(FakeClock::default());
        let admitted = tokio::time::timeout(Duration::ZERO, host.admit(&clock, MAX_WAIT)).await;
        admitted.ok().and_then(Result::ok)
    }

    #[tokio::test]
    async fn no_more_are_admitted_than_there_are_places() {
        let host = host(1_000, 2);
        let (first, second) = (is_admitted(&host).await, is_admitted(&host).await);
        assert!(first.is_some() && second.is_some());
        assert!(is_admitted(&host).await.is_none());
        drop(first);
        assert!(is_admitted(&host).await.is_some());
    }

    #[tokio::test]
    async fn no_more_are_admitted_at_once_than_the_burst() {
        let host = host(1, 100);
        assert!(is_admitted(&host).await.is_some());
        assert!(is_admitted(&host).await.is_none());
    }

    #[tokio::test]
    async fn a_closed_gate_is_waited_for_and_never_opened_early() {
        let host = host(1_000, 2);
        let clock = Arc::new(FakeClock::default());
        host.close_until(MAX_WAIT);
        host.close_until(Duration::from_secs(1));
        assert!(host.admit(&clock, MAX_WAIT).await.is_ok());
        assert_eq!(clock.waits(), [MAX_WAIT]);
        host.close_until(MAX_WAIT * 3);
        assert_eq!(host.admit(&clock, MAX_WAIT).await.expect_err("it is too long"), MAX_WAIT * 2);
    }

    #[test]
    fn one_host_has_one_pace_and_hosts_are_bounded() {
        let hosts = Hosts::new(&HttpSettings::default());
        let kept = hosts.host(("host.test".into(), 80));
        assert!(Arc::ptr_eq(&kept, &hosts.host(("host.test".into(), 80))));
        assert!(!Arc::ptr_eq(&kept, &hosts.host(("host.test".into(), 81))));
        for number in 0..3 * MAX_HOSTS {
            hosts.host((format!("host-{number}.test"), 80));
        }
        assert!(hosts.hosts.lock().expect("no test thread panics while it holds this").len() <= MAX_HOSTS + 1);
        assert!(Arc::ptr_eq(&kept, &hosts.host(("host.test".into(), 80))));
    }
}
