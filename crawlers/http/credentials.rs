//! Which credential goes to which address.
//!
//! Several for the same base address and header are a pool.

use std::time::Duration;

use capdex_model::snapshot::GapReason;
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};
use url::Url;

use super::address::{self, Origin};
use super::app::App;
use super::pool::{CredentialPool, CredentialStatus, NoCredential};
use super::rate::RateLimitHeaders;
use super::{Credential, HttpSettings, redact};
use crate::CrawlError;

/// Every credential, ready to be sent.
pub(super) struct Credentials(Vec<CredentialGroup>);

struct CredentialGroup {
    kind: String,
    origin: Origin,
    path: String,
    header: HeaderName,
    proofs: Vec<Proof>,
    pool: CredentialPool,
}

/// The source of a header's value: a fixed text, or a token that an app asks for.
pub(super) enum Proof {
    /// A fixed text.
    Fixed(HeaderValue),
    /// An app, which asks for a token.
    App(Box<App>),
}

/// The credentials that one request was sent with.
pub(super) struct Taken<'a> {
    bucket: &'a str,
    members: Vec<(&'a CredentialGroup, usize)>,
}

impl Credentials {
    /// Reads the credentials of the settings.
    ///
    /// # Errors
    /// `Malformed` or `Refused` for a base address that is none. `Malformed` for a value that no header can carry, and
    /// for an app whose key is none.
    pub(super) fn read(settings: &HttpSettings) -> Result<Self, CrawlError> {
        let mut all = Self(Vec::new());
        for credential in &settings.credentials {
            let (header, value) = fixed(credential)?;
            all.put(&credential.kind, &credential.base_url, header, Proof::Fixed(value))?;
        }
        for app in &settings.apps {
            all.put(&app.kind, &app.base_url, AUTHORIZATION, Proof::App(Box::new(App::read(app)?)))?;
        }
        Ok(all)
    }

    /// Puts a proof beside those for the same base address and header. The same one twice is one.
    fn put(&mut self, kind: &str, base_url: &str, header: HeaderName, proof: Proof) -> Result<(), CrawlError> {
        let url = address::parse(base_url)?;
        let (origin, path) = (Origin::of(&url), url.path().trim_end_matches('/').to_owned());
        let is_same = |entry: &&mut CredentialGroup| {
            (entry.kind.as_str(), &entry.origin, &entry.path, &entry.header) == (kind, &origin, &path, &header)
        };
        let Some(entry) = self.0.iter_mut().find(is_same) else {
            self.0.push(CredentialGroup {
                kind: kind.to_owned(),
                origin,
                path,
                header,
                proofs: vec![proof],
                pool: CredentialPool::new(1),
            });
            return Ok(());
        };
        let is_known =
            |known: &Proof| matches!((known, &proof), (Proof::Fixed(one), Proof::Fixed(other)) if one == other);
        if !entry.proofs.iter().any(is_known) {
            entry.proofs.push(proof);
            entry.pool = CredentialPool::new(entry.proofs.len());
        }
        Ok(())
    }

    /// True where a source of this kind has any.
    pub(super) fn has_any(&self, kind: &str) -> bool {
        self.0.iter().any(|entry| entry.kind == kind)
    }

    /// Takes the credentials for a request to `url`, among those for sources of this `kind`. Each header that `headers`
    /// do not have gets the credential with the longest base address that `url` is under. `lane` is the part of the
    /// host whose budget is charged.
    pub(super) fn take<'a>(
        &'a self,
        url: &Url,
        bucket: &'a str,
        now: Duration,
        headers: &HeaderMap,
        kind: &str,
    ) -> Result<Taken<'a>, NoCredential> {
        let origin = Origin::of(url);
        // Whole segments only: a credential for `/v1` must not go to `/v10`.
        let is_under =
            |base: &str| url.path().strip_prefix(base).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        let mut fitting: Vec<&CredentialGroup> = self
            .0
            .iter()
            .filter(|entry| entry.kind == kind && entry.origin == origin && is_under(&entry.path))
            .collect();
        fitting.sort_by_key(|entry| std::cmp::Reverse(entry.path.len()));
        let mut members: Vec<(&CredentialGroup, usize)> = Vec::new();
        for entry in fitting {
            let is_there = members.iter().any(|(taken, _)| taken.header == entry.header);
            // A header that the request brings itself stays: it may be a token for this one repository.
            if !is_there && !headers.contains_key(&entry.header) {
                members.push((entry, entry.pool.take(bucket, now)?));
            }
        }
        Ok(Taken { bucket, members })
    }
}

impl Taken<'_> {
    /// The headers that the credentials go into, each with the source of its value.
    pub(super) fn proofs(&self) -> impl Iterator<Item = (&HeaderName, &Proof)> {
        self.members.iter().filter_map(|(entry, number)| Some((&entry.header, entry.proofs.get(*number)?)))
    }

    /// Sets aside, among several, the credential that could not be made; gives whether another one may do.
    pub(super) fn set_aside(&self, error: &CrawlError, now: Duration) -> bool {
        let is_refused = !error.is_transient();
        self.members
            .iter()
            .fold(false, |any, (entry, number)| entry.pool.set_aside(*number, self.bucket, is_refused, now) || any)
    }

    /// True where the budget that an answer speaks of is that of one credential among several, and not the host's.
    pub(super) fn is_pooled(&self) -> bool {
        self.members.iter().any(|(entry, _)| !entry.pool.is_single())
    }

    /// Learns from the answer. `status` is none where nothing answered.
    pub(super) fn learn(&self, status: Option<u16>, rate: RateLimitHeaders, now: Duration) -> CredentialStatus {
        let verdicts =
            self.members.iter().map(|(entry, number)| entry.pool.learn(*number, self.bucket, status, rate, now));
        verdicts.fold(CredentialStatus::Stands, |all, one| if one == CredentialStatus::Stands { all } else { one })
    }
}

fn fixed(credential: &Credential) -> Result<(HeaderName, HeaderValue), CrawlError> {
    let malformed = || CrawlError::Malformed {
        subject: redact(&credential.base_url),
        reason: GapReason::Malformed,
        detail: "the credential has letters that no header can carry".to_owned(),
    };
    let header = HeaderName::from_bytes(credential.header.as_bytes()).map_err(|_| malformed())?;
    // No debug output may show a credential.
    let mut value = HeaderValue::from_str(credential.value.reveal()).map_err(|_| malformed())?;
    value.set_sensitive(true);
    Ok((header, value))
}
