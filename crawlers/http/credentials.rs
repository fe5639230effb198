//! Which credential goes to which address.
//!
//! Must not know where credentials come from.

use capdex_core::snapshot::GapReason;
use reqwest::header::HeaderValue;
use url::Url;

use super::address::{self, Origin};
use super::{Credential, redact};
use crate::CrawlError;

/// Every credential, ready to be sent.
pub(super) struct Credentials(Vec<(Origin, String, HeaderValue)>);

impl Credentials {
    /// Reads the credentials of the settings.
    ///
    /// # Errors
    /// `Malformed` or `Refused` for a base address that is none, `Malformed` for a value that no header can carry.
    pub(super) fn read(credentials: &[Credential]) -> Result<Self, CrawlError> {
        credentials.iter().map(read).collect::<Result<_, _>>().map(Self)
    }

    /// The credential whose base address is the longest that `url` is under.
    pub(super) fn find(&self, url: &Url) -> Option<&HeaderValue> {
        let origin = Origin::of(url);
        let is_under =
            |base: &str| url.path().strip_prefix(base).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        self.0
            .iter()
            .filter(|(of, path, _)| *of == origin && is_under(path))
            .max_by_key(|(_, path, _)| path.len())
            .map(|(_, _, value)| value)
    }
}

fn read(credential: &Credential) -> Result<(Origin, String, HeaderValue), CrawlError> {
    let url = address::parse(&credential.base_url)?;
    let mut value = HeaderValue::from_str(credential.authorization.reveal()).map_err(|_| CrawlError::Malformed {
        subject: redact(&credential.base_url),
        reason: GapReason::Malformed,
        detail: "the credential has letters that no header can carry".to_owned(),
    })?;
    value.set_sensitive(true);
    Ok((Origin::of(&url), url.path().trim_end_matches('/').to_owned(), value))
}
