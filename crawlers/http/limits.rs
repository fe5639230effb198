//! How fast and how many: one pace, one number of places and one gate per host.
//!
//! Must not know what is asked for.

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use governor::{DefaultDirectRateLimiter, Quota, RateLimiter};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::address::{self, Origin};
use super::clock::Clock;
use super::{HttpSettings, Pace};
use crate::CrawlError;

/// Hosts that are remembered at most; those that nobody uses are forgotten first.
const MAX_HOSTS: usize = 1_024;

/// Every host that was asked, with its pace.
pub(crate) struct Hosts {
    default: Limits,
    own: BTreeMap<(String, u16), Limits>,
    hosts: Mutex<BTreeMap<(String, u16), Arc<Host>>>,
}

impl Hosts {
    /// Takes paces and places from the settings.
    ///
    /// # Errors
    /// `Malformed` or `Refused` for a pace whose address is none.
    pub(crate) fn new(settings: &HttpSettings) -> Result<Self, CrawlError> {
        let per_second = NonZeroU32::new(settings.requests_per_second).unwrap_or(NonZeroU32::MIN);
        let mut own = BTreeMap::new();
        for (base_url, pace) in &settings.paces {
            own.insert(Origin::of(&address::parse(base_url)?).host_and_port(), Limits::of(*pace));
        }
        let places = settings.max_in_flight_per_host.clamp(1, Semaphore::MAX_PERMITS);
        Ok(Self { default: Limits { quota: Quota::per_second(per_second), places }, own, hosts: Mutex::default() })
    }

    /// The host at this name and port; made on first use, with its own pace, else with `pace`, else with that of all.
    pub(crate) fn host(&self, name_and_port: (String, u16), pace: Option<Pace>) -> Arc<Host> {
        let mut hosts = self.hosts.lock().unwrap_or_else(PoisonError::into_inner);
        if hosts.len() >= MAX_HOSTS && !hosts.contains_key(&name_and_port) {
            hosts.retain(|_, host| Arc::strong_count(host) > 1);
        }
        let wished = pace.map(Limits::of);
        let limits = self.own.get(&name_and_port).or(wished.as_ref()).unwrap_or(&self.default);
        Arc::clone(hosts.entry(name_and_port).or_insert_with(|| {
            Arc::new(Host {
                pace: RateLimiter::direct(limits.quota),
                places: Arc::new(Semaphore::new(limits.places)),
                closed_until: Mutex::new(Duration::ZERO),
            })
        }))
    }
}

#[derive(Clone, Copy)]
struct Limits {
    quota: Quota,
    places: usize,
}

impl Limits {
    fn of(pace: Pace) -> Self {
        let period = Duration::from_secs(60) / pace.per_minute.max(1);
        let burst = NonZeroU32::new(pace.burst).unwrap_or(NonZeroU32::MIN);
        let quota = Quota::with_period(period).unwrap_or(Quota::per_minute(NonZeroU32::MIN)).allow_burst(burst);
        Self { quota, places: usize::try_from(pace.in_flight.max(1)).unwrap_or(1) }
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
        Hosts::new(&settings).expect("valid").host(("host.test".into(), 80), None)
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
        let hosts = Hosts::new(&HttpSettings::default()).expect("valid");
        let kept = hosts.host(("host.test".into(), 80), None);
        assert!(Arc::ptr_eq(&kept, &hosts.host(("host.test".into(), 80), None)));
        assert!(!Arc::ptr_eq(&kept, &hosts.host(("host.test".into(), 81), None)));
        for number in 0..3 * MAX_HOSTS {
            hosts.host((format!("host-{number}.test"), 80), None);
        }
        assert!(hosts.hosts.lock().expect("no test thread panics while it holds this").len() <= MAX_HOSTS + 1);
        assert!(Arc::ptr_eq(&kept, &hosts.host(("host.test".into(), 80), None)));
    }

    #[tokio::test]
    async fn a_host_with_a_pace_of_its_own_keeps_it() {
        let pace = Pace { per_minute: 1, burst: 2, in_flight: 9 };
        let settings = HttpSettings { paces: vec![("http://slow.test/api".into(), pace)], ..HttpSettings::default() };
        let hosts = Hosts::new(&settings).expect("valid");
        let (slow, other) = (hosts.host(("slow.test".into(), 80), None), hosts.host(("other.test".into(), 80), None));
        let mut places = Vec::new();
        for is_given in [true, true, false] {
            let place = is_admitted(&slow).await;
            assert_eq!(place.is_some(), is_given);
            places.extend(place);
            places.extend(is_admitted(&other).await);
        }
        assert_eq!(places.len(), 5);
        let settings = HttpSettings { paces: vec![("ftp://slow.test".into(), pace)], ..HttpSettings::default() };
        assert!(Hosts::new(&settings).is_err());
    }
}
