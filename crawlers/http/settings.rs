//! `HttpSettings`: what the operator may say about requests.
//!
//! No source is named here: rate limits and credentials go by address and kind.

use capdex_model::time::Timestamp;

use super::{CrawlRecordingSettings, Secret};
use crate::settings::TrustedCertificates;

/// Settings of requests. [`Default`] is polite and safe; every field may be set by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HttpSettings {
    /// An address at which an operator can be reached, sent with every request: that of a page or a mailbox. Letters
    /// that no header can carry are left out.
    pub contact: String,
    /// The configured base addresses, each with the source that it is for. Its host and port are exempt from the check of
    /// private addresses in requests of that source, and in nobody else's.
    pub allowed_base_urls: Vec<AllowedBaseUrl>,
    /// Names that the operator wrote, each with the source that is asked for it. Where a name is an address, its origin is
    /// exempt while that name is visited (see `Http::visiting`).
    pub own_names: Vec<(String, String)>,
    /// Credentials by base address. The longest base address that fits wins; of several for the same base address and
    /// header each request takes the one with the most left.
    pub credentials: Vec<Credential>,
    /// Apps that prove who asks with a token made on the spot, by base address; they stand beside the credentials of the
    /// `Authorization` header.
    pub apps: Vec<AppCredential>,
    /// Requests a second to one host, also the size of a burst. 0 counts as 1.
    pub requests_per_second: u32,
    /// Requests to one host that may be under way at once. 0 counts as 1.
    pub max_in_flight_per_host: usize,
    /// Hosts with a rate limit of their own: an address there, and the limit. The last one for an address wins. Several
    /// rate limits of one host are each for the paths below their own address (GitHub's search has a budget apart from the
    /// rest). The one with the shortest path is for all other paths.
    pub rate_limits: Vec<(String, RateLimit)>,
    /// Requests a minute of single sources, by the id under which the schedule names them. It holds for all their requests
    /// together, whatever host they go to. The last one for a source wins.
    pub source_paces: Vec<(String, u32)>,
    /// The number of tries of one address before it counts as failed. 0 counts as 1.
    pub max_tries: u32,
    /// The time that a connection may take, names and TLS included.
    pub connect_deadline_ms: u64,
    /// The time that a server may be silent.
    pub idle_deadline_ms: u64,
    /// The time that one call may be on the wire, over all its tries and redirects. Waiting for the rate limit and
    /// between tries does not count.
    pub total_deadline_ms: u64,
    /// The wait before the second try; it doubles with every try.
    pub backoff_ms: u64,
    /// The longest wait that the client itself sits out; longer ones are given to the caller.
    pub max_wait_ms: u64,
    /// The time for which a host is left alone that says in the text of a refusal alone that too much was asked; it
    /// doubles with every such refusal in a row. The first is sat out however long it is, the others are the caller's.
    pub limit_pause_ms: u64,
    /// True where the proxies that the environment names (`HTTPS_PROXY` and its kin) are used. A proxy resolves names
    /// by itself, so before it is asked names are checked as far as this machine resolves them.
    pub use_environment_proxy: bool,
    /// Certificates of authorities that are trusted beside the system's, for every host.
    pub certificates: Vec<TrustedCertificates>,
    /// The seed of the jitter of waits.
    pub seed: u64,
    /// The record of all exchanges, to be written or to be played from; none where there is none.
    pub recording: Option<CrawlRecordingSettings>,
}

impl Default for HttpSettings {
    fn default() -> Self {
        Self {
            contact: "contact: set http.contact".to_owned(),
            allowed_base_urls: Vec::new(),
            own_names: Vec::new(),
            credentials: Vec::new(),
            apps: Vec::new(),
            requests_per_second: 10,
            max_in_flight_per_host: 6,
            rate_limits: Vec::new(),
            source_paces: Vec::new(),
            max_tries: 4,
            connect_deadline_ms: 10_000,
            idle_deadline_ms: 30_000,
            total_deadline_ms: 120_000,
            backoff_ms: 500,
            max_wait_ms: 30_000,
            limit_pause_ms: 60_000,
            use_environment_proxy: true,
            certificates: Vec::new(),
            seed: 0,
            recording: None,
        }
    }
}

/// A base address that one source may ask wherever its host leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AllowedBaseUrl {
    /// The id under which the schedule names the source; empty for requests of nobody.
    pub source: String,
    /// The address.
    pub url: String,
}

impl AllowedBaseUrl {
    /// An address for requests of one source.
    pub fn new(source: impl Into<String>, url: impl Into<String>) -> Self {
        Self { source: source.into(), url: url.into() }
    }
}

/// The rate limit of requests to one host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateLimit {
    /// Requests a minute on the long run. 0 counts as 1.
    pub per_minute: u32,
    /// Requests that may come at once after a pause. 0 counts as 1.
    pub burst: u32,
    /// Requests that may be under way at once. 0 counts as 1.
    pub in_flight: u32,
}

/// A credential for one server. Sent to addresses under `base_url` and nowhere else.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Credential {
    /// The address that it is for: same scheme, host and port, and a path at or below this one.
    pub base_url: String,
    /// The header that carries it, usually `Authorization`.
    pub header: String,
    /// The header's value, such as `Bearer …`.
    pub value: Secret,
    /// The kind of the source whose requests it goes along with (see `Http::acting_for`); empty for those of nobody.
    pub kind: String,
}

impl Credential {
    /// A credential in the `Authorization` header.
    pub fn authorization(base_url: impl Into<String>, value: Secret) -> Self {
        Self { base_url: base_url.into(), header: "authorization".to_owned(), value, kind: String::new() }
    }
}

/// An installation of a GitHub App: its key signs a request for a token, which holds for an hour and is replaced before
/// its end. The token is sent as a [`Credential`] would be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AppCredential {
    /// The address of the API that it is for.
    pub base_url: String,
    /// The app's id, a number or a client id.
    pub app: String,
    /// The number of the installation.
    pub installation: String,
    /// The kind of the source whose requests it goes along with.
    pub kind: String,
    /// The app's RSA key, in PEM.
    pub private_key: Secret,
    /// The time of day when the client is made; signatures are dated by it.
    pub made: Timestamp,
}
