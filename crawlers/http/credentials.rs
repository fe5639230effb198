//! Which credential goes to which address.
//!
//! Must not know where credentials come from.

use capdex_core::snapshot::GapReason;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use url::Url;

use super::address::{self, Origin};
use super::{Credential, redact};
use crate::CrawlError;

/// Every credential, ready to be sent.
pub(super) struct Credentials(Vec<Entry>);

struct Entry {
    origin: Origin,
    path: String,
    header: HeaderName,
    value: HeaderValue,
}

impl Credentials {
    /// Reads the credentials of the settings.
    ///
    /// # Errors
    /// `Malformed` or `Refused` for a base address that is none, `Malformed` for a value that no header can carry.
    pub(super) fn read(credentials: &[Credential]) -> Result<Self, CrawlError> {
        credentials.iter().map(read).collect::<Result<_, _>>().map(Self)
    }

    /// Adds to `headers` what proves to the server of `url` who asks: for each header the credential whose base address
    /// is the longest that `url` is under.
    pub(super) fn add(&self, url: &Url, headers: &mut HeaderMap) {
        let origin = Origin::of(url);
        let is_under =
            |base: &str| url.path().strip_prefix(base).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        let mut fitting: Vec<&Entry> =
            self.0.iter().filter(|entry| entry.origin == origin && is_under(&entry.path)).collect();
        // Of those with the same length the first one stays, as it did before there were several headers.
        fitting.sort_by_key(|entry| std::cmp::Reverse(entry.path.len()));
        for entry in fitting {
            if !headers.contains_key(&entry.header) {
                headers.insert(entry.header.clone(), entry.value.clone());
            }
        }
    }
}

fn read(credential: &Credential) -> Result<Entry, CrawlError> {
    let url = address::parse(&credential.base_url)?;
    let malformed = || CrawlError::Malformed {
        subject: redact(&credential.base_url),
        reason: GapReason::Malformed,
        detail: "the credential has letters that no header can carry".to_owned(),
    };
    let header = HeaderName::from_bytes(credential.header.as_bytes()).map_err(|_| malformed())?;
    let mut value = HeaderValue::from_str(credential.value.reveal()).map_err(|_| malformed())?;
    value.set_sensitive(true);
    Ok(Entry { origin: Origin::of(&url), path: url.path().trim_end_matches('/').to_owned(), header, value })
}
