//! The connections of the client: TLS, deadlines, proxies, and who resolves names.
//!
//! TLS is rustls with ring and the system's certificate store (or the one that `SSL_CERT_FILE` and `SSL_CERT_DIR`
//! name).

use std::collections::BTreeSet;
use std::time::Duration;

use capdex_model::snapshot::GapReason;
use reqwest::{Client, ClientBuilder};
use url::Url;

use super::HttpSettings;
use super::address::CheckingResolver;
use crate::CrawlError;

/// Connections to what is configured: a name may lead anywhere.
pub(super) fn unchecked(settings: &HttpSettings) -> Result<Client, CrawlError> {
    build(builder(settings))
}

/// Connections to everything else: every name is checked when it is resolved, but for those of the operator's own
/// proxies.
pub(super) fn checked(settings: &HttpSettings) -> Result<Client, CrawlError> {
    let unchecked = if settings.use_environment_proxy { proxy_names() } else { BTreeSet::new() };
    build(builder(settings).dns_resolver(CheckingResolver { unchecked }))
}

#[expect(clippy::disallowed_methods, reason = "this is the one place that makes a client")]
fn builder(settings: &HttpSettings) -> ClientBuilder {
    // The first one stays, whoever installs it; all of them are ring here.
    let _ = rustls::crypto::ring::default_provider().install_default();
    // A letter outside printable ASCII would make the header invalid, and every request with it.
    let contact: String = settings.contact.chars().filter(|letter| (' '..='~').contains(letter)).collect();
    let builder = Client::builder()
        .user_agent(format!("capdex/{} (+{contact})", env!("CARGO_PKG_VERSION")))
        // Redirects and retries are the client's own: it checks each hop and keeps to the rate limit.
        .redirect(reqwest::redirect::Policy::none())
        .retry(reqwest::retry::never())
        .referer(false)
        .connect_timeout(Duration::from_millis(settings.connect_deadline_ms))
        .read_timeout(Duration::from_millis(settings.idle_deadline_ms));
    if settings.use_environment_proxy { builder } else { builder.no_proxy() }
}

fn build(builder: ClientBuilder) -> Result<Client, CrawlError> {
    builder.build().map_err(|error| CrawlError::Malformed {
        subject: "the http client".to_owned(),
        reason: GapReason::Unsupported,
        detail: error.to_string(),
    })
}

/// The names of the proxies in the environment. An operator's proxy usually stands on a private network.
fn proxy_names() -> BTreeSet<String> {
    ["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]
        .into_iter()
        .filter_map(|variable| std::env::var(variable).ok())
        // The variables of proxies are often written without a scheme.
        .filter_map(|address| Url::parse(&address).or_else(|_| Url::parse(&format!("http://{address}"))).ok())
        .filter_map(|url| url.host_str().map(str::to_owned))
        .collect()
}
