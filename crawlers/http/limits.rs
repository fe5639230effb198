//! Rate and parallelism: one rate limit, one number of permits and one circuit breaker per host, or per bucket of it.
//!
//! A bucket is a part of a host that has a budget of its own, such as the search of an API. It is the paths below an
//! address to which the settings give a rate limit.

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use governor::clock::{Clock as _, DefaultClock as QuantaClock};
use governor::{DefaultDirectRateLimiter, Quota, RateLimiter};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use url::Url;

use super::address::{self, Origin};
use super::clock::Clock;
use super::stated_limit::StatedLimit;
use super::{HttpSettings, RateLimit};
use crate::CrawlError;

/// Hosts that are remembered at most; those that nobody uses are forgotten first.
const MAX_HOSTS: usize = 1_024;

/// Every host that was asked, with its rate limit.
pub(crate) struct HostLimiters {
    default: BucketLimits,
    /// The buckets of a host, the longest path first.
    own: BTreeMap<(String, u16), Vec<RateBucket>>,
    hosts: Mutex<BTreeMap<(String, u16, String), Arc<HostLimiter>>>,
    /// Limits that hosts state in words, which are for all of a host's buckets.
    stated: Mutex<BTreeMap<(String, u16), Arc<StatedLimit>>>,
}

struct RateBucket {
    path: String,
    limits: BucketLimits,
}

impl HostLimiters {
    /// Takes rate limits and places from the settings.
    ///
    /// # Errors
    /// `Malformed` or `Refused` for a rate limit whose address is none.
    pub(crate) fn new(settings: &HttpSettings) -> Result<Self, CrawlError> {
        let per_second = NonZeroU32::new(settings.requests_per_second).unwrap_or(NonZeroU32::MIN);
        let mut own: BTreeMap<(String, u16), Vec<RateBucket>> = BTreeMap::new();
        for (base_url, pace) in &settings.rate_limits {
            let url = address::parse(base_url)?;
            let bucket =
                RateBucket { path: url.path().trim_end_matches('/').to_owned(), limits: BucketLimits::of(*pace) };
            let buckets = own.entry(Origin::of(&url).host_and_port()).or_default();
            // Two sources may share a host; the last rate limit for an address wins.
            buckets.retain(|other| other.path != bucket.path);
            buckets.push(bucket);
            buckets.sort_by_key(|bucket| std::cmp::Reverse(bucket.path.len()));
        }
        // A semaphore panics above its own bound.
        let places = settings.max_in_flight_per_host.clamp(1, Semaphore::MAX_PERMITS);
        Ok(Self {
            default: BucketLimits { quota: Quota::per_second(per_second), permits: places },
            own,
            hosts: Mutex::default(),
            stated: Mutex::default(),
        })
    }

    /// The host of an address, or the bucket of it that the address is in; made on first use. Addresses in no bucket are in
    /// the one with the shortest path. A rate limit is for a whole host, except for parts that have one of their own. A host
    /// without a rate limit of its own has `rate_limit`, else that of all.
    pub(crate) fn host(&self, url: &Url, rate_limit: Option<RateLimit>) -> Arc<HostLimiter> {
        let (name, port) = Origin::of(url).host_and_port();
        let buckets = self.own.get(&(name.clone(), port));
        let bucket =
            buckets.and_then(|buckets| buckets.iter().find(|bucket| bucket.holds(url.path())).or(buckets.last()));
        let key = (name, port, bucket.map(|bucket| bucket.path.clone()).unwrap_or_default());
        let limits = bucket.map(|bucket| bucket.limits).or(rate_limit.map(BucketLimits::of)).unwrap_or(self.default);
        let mut hosts = self.hosts.lock().unwrap_or_else(PoisonError::into_inner);
        if hosts.len() >= MAX_HOSTS && !hosts.contains_key(&key) {
            // A host in use stays: to forget it would forget its rate limit and open its gate.
            hosts.retain(|_, host| Arc::strong_count(host) > 1);
        }
        let (bucket, stated) = (key.2.clone(), self.stated(&(key.0.clone(), key.1)));
        Arc::clone(hosts.entry(key).or_insert_with(|| {
            Arc::new(HostLimiter {
                bucket,
                rate_limiter: RateLimiter::direct(limits.quota),
                permits: Arc::new(Semaphore::new(limits.permits)),
                paused_until: Mutex::new(Duration::ZERO),
                circuit_breaker: Mutex::default(),
                stated,
            })
        }))
    }

    fn stated(&self, host: &(String, u16)) -> Arc<StatedLimit> {
        let mut stated = self.stated.lock().unwrap_or_else(PoisonError::into_inner);
        if stated.len() >= MAX_HOSTS && !stated.contains_key(host) {
            stated.retain(|_, limit| Arc::strong_count(limit) > 1);
        }
        Arc::clone(stated.entry(host.clone()).or_default())
    }
}

impl RateBucket {
    fn holds(&self, path: &str) -> bool {
        path.strip_prefix(self.path.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }
}

#[derive(Clone, Copy)]
struct BucketLimits {
    quota: Quota,
    permits: usize,
}

impl BucketLimits {
    fn of(rate_limit: RateLimit) -> Self {
        // Zero counts as one, because dividing by it would panic.
        let period = Duration::from_secs(60) / rate_limit.per_minute.max(1);
        let burst = NonZeroU32::new(rate_limit.burst).unwrap_or(NonZeroU32::MIN);
        let quota = Quota::with_period(period).unwrap_or(Quota::per_minute(NonZeroU32::MIN)).allow_burst(burst);
        Self { quota, permits: usize::try_from(rate_limit.in_flight.max(1)).unwrap_or(1) }
    }
}

/// The rate limit of one host, or of one bucket of it.
pub(crate) struct HostLimiter {
    bucket: String,
    rate_limiter: DefaultDirectRateLimiter,
    permits: Arc<Semaphore>,
    paused_until: Mutex<Duration>,
    circuit_breaker: Mutex<CircuitBreaker>,
    stated: Arc<StatedLimit>,
}

/// Leave to send one request: a place at its host, and its turn where one request goes before all others. Both are free
/// again when it is dropped.
#[derive(Debug)]
pub(crate) struct Permit {
    _place: OwnedSemaphorePermit,
    _probe: Option<OwnedSemaphorePermit>,
}

/// Exchanges in a row that got no answer at all.
#[derive(Default)]
struct CircuitBreaker {
    exchanges: u32,
    /// Until when nobody asks; zero while the host is asked as ever.
    until: Duration,
    /// The error that the last exchange met.
    why: String,
}

/// The time for which to leave a host alone all of whose places are taken.
const NO_PERMIT_WAIT: Duration = Duration::from_millis(20);
/// So many exchanges without any answer mean that a host is not there: two whole calls with four tries each.
const CIRCUIT_OPENS_AFTER: u32 = 8;
/// For so long nobody asks then. Further requests to it fail at once instead of after minutes of waiting.
const CIRCUIT_OPEN_FOR: Duration = Duration::from_secs(300);

impl HostLimiter {
    /// The path of the bucket; empty for a whole host.
    pub(crate) fn bucket(&self) -> &str {
        &self.bucket
    }

    /// Waits for a place, for the rate limit and for the gate, in this order. The place is free again when what comes back
    /// is dropped.
    ///
    /// # Errors
    /// The time for which the gate stays closed, where that is more than `max_wait`.
    pub(crate) async fn admit(&self, clock: &dyn Clock, max_wait: Duration) -> Result<Permit, Duration> {
        // With the place in hand first, no share of the rate limit passes unused while this waits for a place.
        let place = Arc::clone(&self.permits).acquire_owned().await.expect("the semaphore is never closed");
        self.rate_limiter.until_ready().await;
        self.pass_gate(place, clock, max_wait).await
    }

    /// The gate comes last: it may have closed while a request waited for other things.
    async fn pass_gate(
        &self,
        place: OwnedSemaphorePermit,
        clock: &dyn Clock,
        max_wait: Duration,
    ) -> Result<Permit, Duration> {
        let probe = self.stated.admit(clock).await?;
        self.wait_while_paused(clock, max_wait).await?;
        Ok(Permit { _place: place, _probe: probe })
    }

    /// Takes a share of the rate limit if a request could be sent now. [`HostLimiter::admit_reserved`] then lets it in without
    /// a wait.
    /// The error is the time for which that is certainly not so.
    pub(crate) fn try_reserve(&self, clock: &dyn Clock) -> Result<(), Duration> {
        let rest = self.paused_until().saturating_sub(clock.now()).max(self.stated.left(clock.now()));
        if !rest.is_zero() {
            return Err(rest);
        }
        if self.permits.available_permits() == 0 {
            return Err(NO_PERMIT_WAIT);
        }
        self.rate_limiter.check().map_err(|not_until| not_until.wait_time_from(QuantaClock::default().now()))
    }

    /// The counterpart of [`HostLimiter::admit`] for a caller that has paid with [`HostLimiter::try_reserve`].
    ///
    /// # Errors
    /// The errors of [`HostLimiter::admit`].
    pub(crate) async fn admit_reserved(&self, clock: &dyn Clock, max_wait: Duration) -> Result<Permit, Duration> {
        let place = Arc::clone(&self.permits).acquire_owned().await.expect("the semaphore is never closed");
        self.pass_gate(place, clock, max_wait).await
    }

    async fn wait_while_paused(&self, clock: &dyn Clock, max_wait: Duration) -> Result<(), Duration> {
        loop {
            // Looked at again after each wait, because another answer may have closed the gate for longer.
            let rest = self.paused_until().saturating_sub(clock.now());
            if rest.is_zero() {
                return Ok(());
            }
            if rest > max_wait {
                return Err(rest);
            }
            clock.sleep(rest).await;
        }
    }

    /// Notes an exchange that was answered, or what kept it from being answered.
    pub(crate) fn note(&self, unanswered: Option<&str>, now: Duration) {
        let mut silence = self.circuit_breaker.lock().unwrap_or_else(PoisonError::into_inner);
        match unanswered {
            // Any answer proves that the host is there, whatever it says.
            None => *silence = CircuitBreaker::default(),
            Some(why) => {
                silence.exchanges += 1;
                why.clone_into(&mut silence.why);
                if silence.exchanges >= CIRCUIT_OPENS_AFTER {
                    silence.until = now.saturating_add(CIRCUIT_OPEN_FOR);
                }
            }
        }
    }

    /// Why nobody asks this host now; none where it is asked.
    pub(crate) fn open_circuit_reason(&self, now: Duration) -> Option<String> {
        let silence = self.circuit_breaker.lock().unwrap_or_else(PoisonError::into_inner);
        (silence.until > now).then(|| format!("the host has not answered {} times: {}", silence.exchanges, silence.why))
    }

    /// Closes the gate for everybody until `time`; an earlier time does not open it.
    pub(crate) fn pause_until(&self, time: Duration) {
        let mut closed_until = self.paused_until.lock().unwrap_or_else(PoisonError::into_inner);
        *closed_until = (*closed_until).max(time);
    }

    /// The time for which nobody may ask, where that is longer than `max_wait`, the longest that a request sits out.
    pub(crate) fn closed_for(&self, clock: &dyn Clock, max_wait: Duration) -> Option<Duration> {
        let now = clock.now();
        let rest = Some(self.paused_until().saturating_sub(now)).filter(|rest| *rest > max_wait);
        rest.max(self.stated.closed_for(now))
    }

    /// The limit that this host states in words.
    pub(crate) fn stated(&self) -> &StatedLimit {
        &self.stated
    }

    fn paused_until(&self) -> Duration {
        *self.paused_until.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::testing::FakeClock;

    const MAX_WAIT: Duration = Duration::from_secs(30);

    fn host(requests_per_second: u32, max_in_flight_per_host: usize) -> Arc<HostLimiter> {
        let settings = HttpSettings { requests_per_second, max_in_flight_per_host, ..HttpSettings::default() };
        HostLimiters::new(&settings).expect("valid").host(&url("http://host.test"), None)
    }

    fn url(address: &str) -> Url {
        Url::parse(address).expect("an address")
    }

    /// Whether a place is given without any wait.
    async fn is_admitted(host: &HostLimiter) -> Option<Permit> {
        let clock = Arc::new(FakeClock::default());
        let admitted = tokio::time::timeout(Duration::ZERO, host.admit(&clock, MAX_WAIT)).await;
        admitted.ok().and_then(Result::ok)
    }

    #[tokio::test]
    async fn no_more_are_admitted_than_there_are_places() {
        let host = host(1_000, 2);
        let (first, second) = (is_admitted(&host).await, is_admitted(&host).await);
        assert!(first.is_some());
        assert!(second.is_some());
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
        host.pause_until(MAX_WAIT);
        host.pause_until(Duration::from_secs(1));
        assert!(host.admit(&clock, MAX_WAIT).await.is_ok());
        assert_eq!(clock.waits(), [MAX_WAIT]);
        host.pause_until(MAX_WAIT * 3);
        assert_eq!(host.admit(&clock, MAX_WAIT).await.expect_err("it is too long"), MAX_WAIT * 2);
    }

    #[test]
    fn one_host_has_one_pace_and_hosts_are_bounded() {
        let hosts = HostLimiters::new(&HttpSettings::default()).expect("valid");
        let kept = hosts.host(&url("http://host.test"), None);
        assert!(Arc::ptr_eq(&kept, &hosts.host(&url("http://host.test"), None)));
        assert!(!Arc::ptr_eq(&kept, &hosts.host(&url("http://host.test:81"), None)));
        for number in 0..3 * MAX_HOSTS {
            hosts.host(&url(&format!("http://host-{number}.test")), None);
        }
        assert!(hosts.hosts.lock().expect("no test thread panics while it holds this").len() <= MAX_HOSTS + 1);
        assert!(Arc::ptr_eq(&kept, &hosts.host(&url("http://host.test"), None)));
    }

    #[tokio::test]
    async fn a_host_with_a_pace_of_its_own_keeps_it() {
        let pace = RateLimit { per_minute: 1, burst: 2, in_flight: 9 };
        let settings =
            HttpSettings { rate_limits: vec![("http://slow.test/api".into(), pace)], ..HttpSettings::default() };
        let hosts = HostLimiters::new(&settings).expect("valid");
        let (slow, other) =
            (hosts.host(&url("http://slow.test/x"), None), hosts.host(&url("http://other.test/api"), None));
        let mut places = Vec::new();
        for is_given in [true, true, false] {
            let place = is_admitted(&slow).await;
            assert_eq!(place.is_some(), is_given);
            places.extend(place);
            places.extend(is_admitted(&other).await);
        }
        assert_eq!(places.len(), 5);
        let settings = HttpSettings { rate_limits: vec![("ftp://slow.test".into(), pace)], ..HttpSettings::default() };
        assert!(HostLimiters::new(&settings).is_err());
    }

    #[test]
    fn a_lane_has_a_pace_and_a_gate_of_its_own() {
        let pace = RateLimit { per_minute: 60, burst: 1, in_flight: 1 };
        let paces = ["http://api.test/v3", "http://api.test/v3/search", "http://api.test/v3/search/code"];
        let paces = paces.map(|address| (address.to_owned(), pace)).to_vec();
        let hosts = HostLimiters::new(&HttpSettings { rate_limits: paces, ..HttpSettings::default() }).expect("valid");
        let bucket = |path: &str| hosts.host(&url(&format!("http://api.test{path}")), None).bucket().to_owned();
        assert_eq!(bucket("/v3/search/code?q=x"), "/v3/search/code");
        assert_eq!(bucket("/v3/search/repositories"), "/v3/search");
        assert_eq!(bucket("/v3/searching").as_str(), "/v3");
        assert_eq!(bucket("/elsewhere").as_str(), "/v3");
        let (search, rest) =
            (hosts.host(&url("http://api.test/v3/search/x"), None), hosts.host(&url("http://api.test/v3/x"), None));
        search.pause_until(MAX_WAIT);
        assert_eq!(search.paused_until(), MAX_WAIT);
        assert_eq!(rest.paused_until(), Duration::ZERO);
    }

    #[test]
    fn a_host_that_never_answers_is_left_alone_for_a_while() {
        let host = host(1_000, 2);
        for number in 0..CIRCUIT_OPENS_AFTER {
            assert_eq!(host.open_circuit_reason(Duration::ZERO), None, "{number}");
            host.note(Some("no route"), Duration::ZERO);
        }
        assert!(host.open_circuit_reason(Duration::ZERO).is_some_and(|why| why.ends_with("no route")));
        assert_eq!(host.open_circuit_reason(CIRCUIT_OPEN_FOR), None, "it is asked again later");
        host.note(None, CIRCUIT_OPEN_FOR);
        host.note(Some("no route"), CIRCUIT_OPEN_FOR);
        assert_eq!(host.open_circuit_reason(CIRCUIT_OPEN_FOR), None, "an answer makes up for all");
    }
}
