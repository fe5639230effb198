//! `Http`, the one client: it admits, sends, follows and tries again, and gives a body, "unchanged" or an error.
//!
//! Requests are made in ways that can be repeated. The client keeps no cookie, and has no redirects or retries but its
//! own.

mod authorize;
mod deliver;
mod question;
mod state;
mod stream;

use std::collections::BTreeSet;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use capdex_model::listing::Validators;
use capdex_model::snapshot::GapReason;
use capdex_model::time::Timestamp;
use reqwest::header::{ACCEPT, HeaderMap, HeaderName, HeaderValue, IF_MODIFIED_SINCE, IF_NONE_MATCH};
use tokio::time::Instant;
use url::Url;

use super::address::{self, Origin};
use super::clock::{Clock, RealClock};
use super::connections;
use super::credentials::Credentials;
use super::exchange::{Failure, Heard, Outgoing, Reply, Wire, exchange};
use super::limits::{HostLimiter, HostLimiters, Permit};
use super::pool::CredentialStatus;
use super::recording::CrawlRecording;
use super::redact::redact_url;
use super::retry::Backoff;
use super::source_pace::SourcePaces;
use super::{AllowedBaseUrl, HttpRequest, HttpResponse, HttpSettings, RateLimit, Usage};
use crate::CrawlError;

use state::ClientState;

pub use deliver::{Post, origin_of};
pub use question::{Answered, NotAnswered, Question};
pub use stream::EventStream;

/// Redirects that are followed at most.
const MAX_REDIRECTS: usize = 5;

/// The client. Cheap to clone; clones share rate limit, counters and connections.
#[derive(Clone)]
pub struct Http {
    shared: Arc<ClientState>,
    /// Counters of this handle; the whole client counts by itself.
    own: Arc<Counters>,
    /// A host whose rate limit was waited for before; the first request there need not. Nothing is held meanwhile: a place at
    /// a host must never be held by who waits for anything but the host's answer.
    reserved: Arc<Mutex<Option<Arc<HostLimiter>>>>,
    /// For which source requests are made: only its credentials are sent, and only its exemptions hold.
    user: Arc<ActingSource>,
    /// The origin of an address that the operator wrote himself, while it is visited.
    visited: Option<Arc<Origin>>,
    /// The time for which requests of this handle waited to be sent, in milliseconds.
    waited_ms: Arc<AtomicU64>,
}

/// The source that requests are made for; nobody by default.
#[derive(Default)]
struct ActingSource {
    /// The id under which the schedule names it.
    id: String,
    /// Its kind, which credentials go by.
    kind: String,
}

/// Requests sent and answers received.
#[derive(Default)]
struct Counters {
    requests: AtomicU64,
    received_bytes: AtomicU64,
    not_modified: AtomicU64,
    /// The date that the clock of the last answering server gave; none before an answer that tells.
    date: Mutex<Option<Timestamp>>,
}

impl Counters {
    fn usage(&self) -> Usage {
        Usage {
            requests: self.requests.load(Ordering::Relaxed),
            bytes: self.received_bytes.load(Ordering::Relaxed),
            not_modified: self.not_modified.load(Ordering::Relaxed),
        }
    }
}

impl fmt::Debug for Http {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Http").field("settings", &self.shared.settings).finish_non_exhaustive()
    }
}

impl Http {
    /// Makes the client.
    ///
    /// # Errors
    /// `Malformed` or `Refused` for a base address that is none. `Malformed` for a credential that no header can carry,
    /// and for a system without usable certificates.
    pub fn new(settings: HttpSettings) -> Result<Self, CrawlError> {
        Self::with_clock(settings, Box::new(RealClock::start()))
    }

    /// [`Http::new`] with a clock of the caller's.
    pub(crate) fn with_clock(settings: HttpSettings, clock: Box<dyn Clock>) -> Result<Self, CrawlError> {
        let mut allowed = BTreeSet::new();
        for AllowedBaseUrl { source, url } in &settings.allowed_base_urls {
            allowed.insert((source.clone(), Origin::of(&address::parse(url)?).host_and_port()));
        }
        let shared = ClientState {
            configured: connections::unchecked(&settings)?,
            checked: connections::checked(&settings)?,
            has_proxy: connections::has_proxy(&settings),
            allowed,
            own_names: settings.own_names.iter().cloned().collect(),
            credentials: Credentials::read(&settings)?,
            hosts: HostLimiters::new(&settings)?,
            paces: SourcePaces::new(&settings.source_paces),
            backoff: Backoff::new(
                Duration::from_millis(settings.backoff_ms),
                Duration::from_millis(settings.max_wait_ms),
                settings.seed,
            ),
            clock,
            counters: Counters::default(),
            recording: CrawlRecording::open(settings.recording.as_ref())?,
            settings,
        };
        Ok(Self {
            shared: Arc::new(shared),
            own: Arc::default(),
            reserved: Arc::default(),
            user: Arc::default(),
            visited: None,
            waited_ms: Arc::default(),
        })
    }

    /// Asks for an address, and follows at most five redirects. Each hop is checked as the first address is; to
    /// another scheme, host or port neither credentials nor validators go along.
    ///
    /// # Errors
    /// Any [`CrawlError`]; `RetryAt`, `Transient` and `Unreachable` only after all tries.
    pub async fn send(&self, request: HttpRequest<'_>) -> Result<HttpResponse, CrawlError> {
        let mut url = self.encrypted(address::parse(request.url)?)?;
        let mut validators = request.validators;
        let mut own_headers = request.headers;
        let mut budget = Duration::from_millis(self.shared.settings.total_deadline_ms);
        for _ in 0..=MAX_REDIRECTS {
            let headers = self.headers(&url, request.accept, validators, own_headers)?;
            let asked = self.ask(&url, &headers, &request, &mut budget).await;
            match asked? {
                // Believed, it would keep an entry unchanged that was never read.
                Reply::NotModified if validators.is_none() => {
                    return Err(CrawlError::Malformed {
                        subject: redact_url(url),
                        reason: GapReason::BadAnswer,
                        detail: "\"not modified\" though nothing was asked".to_owned(),
                    });
                }
                Reply::NotModified => {
                    self.count(|counters| &counters.not_modified, 1);
                    return Ok(HttpResponse::NotModified);
                }
                Reply::Body { bytes, validators, headers } => {
                    return Ok(HttpResponse::Body { bytes, validators, headers, url: url.into() });
                }
                Reply::Redirect { to: next, keeps_method } => {
                    let (here, there) = (Origin::of(&url), Origin::of(&next));
                    // 307 and 308 say that the same is to be sent there (RFC 9110, 15.4.8 and 15.4.9). To another origin
                    // the body would go to an address of the server's choice.
                    if request.body.is_some() && !(keeps_method && here == there) {
                        return Err(refused(&next, "a redirect of a POST"));
                    }
                    if here.is_downgraded_by(&there) {
                        return Err(refused(&next, "a redirect from https to http"));
                    }
                    // Validators and own headers are for the first host only: they could tell another one who asks.
                    if here != there {
                        validators = None;
                        own_headers = &[];
                    }
                    url = self.encrypted(next)?;
                }
            }
        }
        Err(refused(&url, "more than five redirects"))
    }

    /// Usage of all handles since the client was made.
    pub fn usage(&self) -> Usage {
        self.shared.counters.usage()
    }

    /// The same client for one user, who wants to know what was sent and received through this handle and its clones.
    pub fn counted(&self) -> Self {
        Self { own: Arc::default(), reserved: Arc::default(), ..self.clone() }
    }

    /// Asks if the host of `url` may be asked now. If so, gives a handle whose first request there is sent without a
    /// wait; else the time for which that is certainly not so. A caller with a scarce thing to share out, such as
    /// memory, asks this with the thing in hand and puts it back meanwhile. No place at the host is held.
    ///
    /// # Errors
    /// The error of [`Http::send`] for an address that is none. `RetryAt` where the host wants to be left alone for too
    /// long; `Unreachable` where it has not answered for long.
    pub fn try_reserve(&self, url: &str) -> Result<Result<Self, Duration>, CrawlError> {
        let url = self.encrypted(address::parse(url)?)?;
        let host = self.shared.hosts.host(&url, None);
        self.shared.check_circuit(&host, &url, &HttpRequest::default())?;
        let clock = &*self.shared.clock;
        let reserved = match self.shared.paces.of(&self.user.id) {
            Some(pace) => pace.try_take(clock.now(), || host.try_reserve(clock)),
            None => host.try_reserve(clock),
        };
        match reserved {
            Ok(()) => Ok(Ok(Self { reserved: Arc::new(Mutex::new(Some(host))), ..self.clone() })),
            Err(wait) => match host.closed_for(&*self.shared.clock, self.shared.max_wait()) {
                Some(rest) => Err(retry_at(&url, rest)),
                None => Ok(Err(wait)),
            },
        }
    }

    /// True where the source that requests are made for has a credential of any kind, and where a record is played: whether
    /// there was one then, its answers tell.
    pub fn may_have_credential(&self) -> bool {
        self.has_credential() || self.shared.recording.is_replaying()
    }

    /// True where the source that requests are made for has a credential of any kind.
    pub fn has_credential(&self) -> bool {
        self.shared.credentials.has_any(&self.user.kind)
    }

    /// The same client for requests of one source, by the id under which the schedule names it, and by its kind. Only
    /// credentials of that kind are sent, and only to the addresses that they are for. Only that source's own base
    /// addresses may be private ones. So an address that a stranger chose is asked without another's rights.
    #[must_use]
    pub fn acting_for(&self, id: &str, kind: &str) -> Self {
        let user = Arc::new(ActingSource { id: id.to_owned(), kind: kind.to_owned() });
        Self { user, visited: None, ..self.clone() }
    }

    /// The same client for a visit of the name `name` at `url`. Where the operator wrote the name into the source's own
    /// list, the origin of `url` may be a private one, also for what a redirect there leads to. A stranger's name gives
    /// no such right.
    #[must_use]
    pub fn visiting(&self, name: &str, url: &str) -> Self {
        let is_own = self.shared.own_names.contains(&(self.user.id.clone(), name.to_owned()));
        let visited = address::parse(url).ok().filter(|_| is_own).map(|url| Arc::new(Origin::of(&url)));
        Self { visited, ..self.clone() }
    }

    /// The same client for one task, which wants to know for how long its requests waited to be sent.
    #[must_use]
    pub fn timed(&self) -> Self {
        Self { waited_ms: Arc::default(), ..self.clone() }
    }

    /// The time for which requests of this handle waited: for rate limits, for a place at a host, for a host at rest.
    pub fn waited(&self) -> Duration {
        Duration::from_millis(self.waited_ms.load(Ordering::Relaxed))
    }

    /// Usage of this handle and its clones.
    pub fn own_usage(&self) -> Usage {
        self.own.usage()
    }

    /// The date that the server told which answered this handle or a clone of it last; none where no answer told.
    pub fn server_date(&self) -> Option<Timestamp> {
        *self.own.date.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a place at a host.
    ///
    /// # Errors
    /// `RetryAt` where the host wants to be left alone for longer than the client waits.
    async fn admit(&self, host: &Arc<HostLimiter>, url: &Url) -> Result<Permit, CrawlError> {
        let (clock, max_wait) = (&*self.shared.clock, self.shared.max_wait());
        let is_paid = {
            let mut paid = self.reserved.lock().unwrap_or_else(PoisonError::into_inner);
            paid.take_if(|paid| Arc::ptr_eq(paid, host)).is_some()
        };
        let begun = Instant::now();
        // Before a place is taken: a source that keeps its own pace must not hold up others at the host.
        let wait = self.shared.paces.of(&self.user.id).filter(|_| !is_paid).map(|pace| pace.take(clock.now()));
        if let Some(wait) = wait.filter(|wait| !wait.is_zero()) {
            clock.sleep(wait).await;
        }
        let place =
            if is_paid { host.admit_reserved(clock, max_wait).await } else { host.admit(clock, max_wait).await };
        let waited_ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.waited_ms.fetch_add(waited_ms, Ordering::Relaxed);
        place.map_err(|wait| retry_at(url, wait))
    }

    /// The rate limit of a host that has none of its own: that of the request, or the source's own pace where it is higher.
    fn host_limit(&self, asked: Option<RateLimit>) -> Option<RateLimit> {
        let pace = self.shared.paces.of(&self.user.id).map_or(0, |pace| pace.per_minute);
        asked.map(|asked| RateLimit { per_minute: asked.per_minute.max(pace), ..asked })
    }

    fn count(&self, which: impl Fn(&Counters) -> &AtomicU64, by: u64) {
        which(&self.own).fetch_add(by, Ordering::Relaxed);
        which(&self.shared.counters).fetch_add(by, Ordering::Relaxed);
    }

    fn headers(
        &self,
        url: &Url,
        accept: Option<&str>,
        validators: Option<&Validators>,
        own: &[(&'static str, &str)],
    ) -> Result<HeaderMap, CrawlError> {
        let mut headers = HeaderMap::new();
        let mut put = |name: HeaderName, value: &str| -> Result<(), CrawlError> {
            let value = HeaderValue::from_str(value).map_err(|_| CrawlError::Malformed {
                subject: redact_url(url.clone()),
                reason: GapReason::BadAnswer,
                detail: format!("the value for the header {name} cannot be sent"),
            })?;
            headers.insert(name, value);
            Ok(())
        };
        put(ACCEPT, accept.unwrap_or("*/*"))?;
        if let Some(etag) = validators.and_then(|validators| validators.etag.as_deref()) {
            put(IF_NONE_MATCH, etag)?;
        }
        if let Some(date) = validators.and_then(|validators| validators.last_modified.as_deref()) {
            put(IF_MODIFIED_SINCE, date)?;
        }
        for (name, value) in own {
            put(HeaderName::from_static(name), value)?;
        }
        Ok(headers)
    }

    /// Asks one address, as often as the policy allows. `budget` is what is left of the time on the wire.
    async fn ask(
        &self,
        url: &Url,
        headers: &HeaderMap,
        request: &HttpRequest<'_>,
        budget: &mut Duration,
    ) -> Result<Reply, CrawlError> {
        let shared = &*self.shared;
        let client = self.client(url).await?;
        let host = shared.hosts.host(url, self.host_limit(request.rate_limit));
        let mut tries = 0;
        loop {
            shared.check_circuit(&host, url, request)?;
            tries += 1;
            let mut headers = headers.clone();
            let now = shared.clock.now();
            let taken = match shared.credentials.take(url, host.bucket(), now, &headers, &self.user.kind) {
                Ok(taken) => taken,
                Err(missing) => {
                    shared.wait_for_credential(url, missing, tries).await?;
                    continue;
                }
            };
            // An app asks for its token by a request of its own, at the same host: no place may be held meanwhile.
            if let Err(error) = self.authorize(&taken, now, &mut headers).await {
                if !taken.set_aside(&error, now) {
                    return Err(error);
                }
                continue;
            }
            let place = self.admit(&host, url).await?;
            let outgoing =
                Outgoing { headers, body: request.body, is_secret: request.is_secret, max_bytes: request.max_bytes };
            let (outcome, heard) = self.send_once(client, url, outgoing, budget).await;
            host.note(unanswered(&outcome), shared.clock.now());
            let verdict = taken.learn(heard.status, heard.rate, shared.clock.now());
            if let Some(wait) = heard.rate.wait().filter(|_| !taken.is_pooled()) {
                host.pause_until(shared.clock.now().saturating_add(wait));
            }
            // Noted before the place is free: whoever gets it next must find the host at rest.
            let rest = shared.note_stated_limit(&host, url, heard.status, matches!(outcome, Err(Failure::Limited)));
            // Given back before any wait: a try that waits must not keep others from the host.
            drop(place);
            match outcome {
                Ok(reply) => return Ok(reply),
                // Another credential is tried at once. Each is spent or refused only once before there is none.
                Err(_) if verdict != CredentialStatus::Stands && !budget.is_zero() => tries -= 1,
                Err(Failure::Final(error)) => return Err(error),
                Err(Failure::Limited) => {
                    let (rest, is_sat_out) = rest.unwrap_or_default();
                    if !is_sat_out || tries >= shared.settings.max_tries || budget.is_zero() {
                        return Err(retry_at(url, rest));
                    }
                }
                Err(Failure::Again { error, wait, is_for_all }) => {
                    let is_last = tries >= shared.settings.max_tries || budget.is_zero();
                    shared.wait_or_give_up(&host, tries, is_last, error, wait, is_for_all).await?;
                }
            }
        }
    }

    /// True where the operator chose an address for the very source that requests are made for.
    fn is_operators(&self, url: &Url) -> bool {
        let origin = Origin::of(url);
        self.shared.allowed.contains(&(self.user.id.clone(), origin.host_and_port()))
            || self.visited.as_deref() == Some(&origin)
    }

    /// An address over TLS, unless the operator chose it as it is: over plain HTTP whoever stands on the way writes the
    /// answer. Nearly every host answers to both.
    ///
    /// # Errors
    /// `Refused` for plain HTTP at a port of its own, which says nothing about the port of TLS.
    pub(super) fn encrypted(&self, mut url: Url) -> Result<Url, CrawlError> {
        if url.scheme() != "http" || self.is_operators(&url) {
            return Ok(url);
        }
        if url.port().is_some() {
            // The more telling refusal, where both hold.
            address::check_literal(&url)?;
            return Err(refused(&url, "plain http of a stranger's; write it into the source's own list to allow it"));
        }
        let _ = url.set_scheme("https");
        Ok(url)
    }

    /// The client for an address.
    ///
    /// # Errors
    /// `Refused` for one whose host is written as a number that may not be fetched, or is a name that a proxy may not be
    /// told.
    async fn client(&self, url: &Url) -> Result<&reqwest::Client, CrawlError> {
        let shared = &*self.shared;
        // They may be private ones.
        if self.is_operators(url) {
            return Ok(&shared.configured);
        }
        address::check_literal(url)?;
        // A replay asks nobody, so no name is resolved for it.
        if shared.has_proxy && !shared.recording.is_replaying() {
            address::check_before_proxy(url).await?;
        }
        Ok(&shared.checked)
    }

    /// Sends once, within what is left of the time on the wire, and counts.
    async fn send_once(
        &self,
        client: &reqwest::Client,
        url: &Url,
        outgoing: Outgoing<'_>,
        budget: &mut Duration,
    ) -> (Result<Reply, Failure>, Heard) {
        self.count(|counters| &counters.requests, 1);
        let body = outgoing.body;
        let (received, mut heard, begun) = (AtomicU64::new(0), Heard::default(), Instant::now());
        let wire = Wire { client, recording: &self.shared.recording, received_bytes: &received };
        let attempt = exchange(wire, url, outgoing, &mut heard);
        let outcome = match tokio::time::timeout(*budget, attempt).await {
            Ok(outcome) => outcome,
            Err(_) => Err(self.shared.out_of_time(url, body)),
        };
        self.count(|counters| &counters.received_bytes, received.into_inner());
        if heard.date.is_some() {
            *self.own.date.lock().unwrap_or_else(PoisonError::into_inner) = heard.date;
        }
        *budget = budget.saturating_sub(begun.elapsed());
        (outcome, heard)
    }
}

/// The failure that kept an exchange from being answered; none where something answered, whatever it said.
fn unanswered(outcome: &Result<Reply, Failure>) -> Option<&str> {
    match outcome {
        Err(Failure::Again { error: CrawlError::Unreachable { detail, .. }, .. }) => Some(detail),
        _ => None,
    }
}

fn retry_at(url: &Url, wait: Duration) -> CrawlError {
    let wait_s = wait.as_secs().saturating_add(u64::from(wait.subsec_nanos() > 0));
    CrawlError::RetryAt { subject: redact_url(url.clone()), wait_s }
}

fn refused(url: &Url, rule: &str) -> CrawlError {
    CrawlError::Refused { subject: redact_url(url.clone()), detail: rule.to_owned() }
}
