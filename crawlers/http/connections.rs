//! The connections of the client: TLS, deadlines, proxies, and who resolves names.
//!
//! TLS is rustls with ring and the system's certificate store (or the one that `SSL_CERT_FILE` and `SSL_CERT_DIR`
//! name), with the authorities that the settings add.

use std::collections::BTreeSet;
use std::time::Duration;

use capdex_model::snapshot::GapReason;
use reqwest::{Certificate, Client, ClientBuilder};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use url::Url;

use super::HttpSettings;
use super::address::CheckingResolver;
use crate::CrawlError;
use crate::settings::TrustedCertificates;

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
    let certificates = settings.certificates.iter().flat_map(|trusted| authorities(trusted).0);
    let builder = builder.tls_certs_merge(certificates);
    if settings.use_environment_proxy { builder } else { builder.no_proxy() }
}

/// The authorities in a setting's certificates, and the number of those that are none.
fn authorities(trusted: &TrustedCertificates) -> (Vec<Certificate>, usize) {
    let (mut found, mut broken) = (Vec::new(), 0);
    for der in CertificateDer::pem_slice_iter(trusted.pem.as_deref().unwrap_or_default().as_bytes()) {
        // Tried one by one: a single broken one in a bundle must not end all of TLS.
        let certificate = der.ok().filter(|der| rustls::RootCertStore::empty().add(der.clone()).is_ok());
        match certificate.and_then(|der| Certificate::from_der(&der).ok()) {
            Some(certificate) => found.push(certificate),
            None => broken += 1,
        }
    }
    (found, broken)
}

/// The number of authorities in a setting's certificates, and the number of certificates there that are none.
pub fn count_authorities(trusted: &TrustedCertificates) -> (usize, usize) {
    let (found, broken) = authorities(trusted);
    (found.len(), broken)
}

/// True where the environment names a proxy that is used.
pub(super) fn has_proxy(settings: &HttpSettings) -> bool {
    settings.use_environment_proxy && !proxy_names().is_empty()
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
