//! `ClientState`: what all handles of the client share, and its decisions about waiting and giving up.

use std::collections::BTreeSet;
use std::time::Duration;

use tracing::warn;
use url::Url;

use super::super::clock::Clock;
use super::super::credentials::Credentials;
use super::super::exchange::Failure;
use super::super::limits::{HostLimiter, HostLimiters};
use super::super::pool::NoCredential;
use super::super::recording::CrawlRecording;
use super::super::redact::redact_url;
use super::super::retry::Backoff;
use super::super::source_pace::SourcePaces;
use super::super::{HttpRequest, HttpSettings};
use super::{Counters, retry_at};
use crate::CrawlError;

/// What all handles of the client share.
pub(super) struct ClientState {
    pub(super) settings: HttpSettings,
    /// For addresses whose host and port are configured: names may lead anywhere.
    pub(super) configured: reqwest::Client,
    /// For all other addresses: names are checked when they are resolved.
    pub(super) checked: reqwest::Client,
    /// True where a proxy of the environment's resolves names for `checked`.
    pub(super) has_proxy: bool,
    /// Hosts that a source may ask wherever they lead, by its id.
    pub(super) allowed: BTreeSet<(String, (String, u16))>,
    /// Names that the operator wrote, by source.
    pub(super) own_names: BTreeSet<(String, String)>,
    pub(super) credentials: Credentials,
    pub(super) hosts: HostLimiters,
    pub(super) paces: SourcePaces,
    pub(super) backoff: Backoff,
    pub(super) clock: Box<dyn Clock>,
    pub(super) counters: Counters,
    pub(super) recording: CrawlRecording,
}

impl ClientState {
    /// Asks nothing of a host that has not answered for long. A record of the crawl has this too, and a replay takes it
    /// from there.
    ///
    /// # Errors
    /// `Unreachable` for such a host.
    pub(super) fn check_circuit(
        &self,
        host: &HostLimiter,
        url: &Url,
        request: &HttpRequest<'_>,
    ) -> Result<(), CrawlError> {
        let Some(detail) = host.open_circuit_reason(self.clock.now()).filter(|_| !self.recording.is_replaying()) else {
            return Ok(());
        };
        self.recording.record_failure(url, request.body, &detail)?;
        Err(CrawlError::Unreachable { subject: redact_url(url.clone()), detail })
    }

    /// Notes for a host whether its answer's text states a limit; gives the rest that this brings, and true where it may
    /// be sat out.
    pub(super) fn note_stated_limit(
        &self,
        host: &HostLimiter,
        url: &Url,
        status: Option<u16>,
        is_limited: bool,
    ) -> Option<(Duration, bool)> {
        let now = self.clock.now();
        if is_limited {
            let rest = host.stated().note(Duration::from_millis(self.settings.limit_pause_ms), now);
            warn!(
                url = redact_url(url.clone()),
                rest_s = rest.0.as_secs(),
                "asked too often, says the host; it is left alone"
            );
            return Some(rest);
        }
        if status.is_some() {
            host.stated().clear(now);
        }
        None
    }

    pub(super) fn max_wait(&self) -> Duration {
        Duration::from_millis(self.settings.max_wait_ms)
    }

    /// Waits until one of several credentials has something left again.
    ///
    /// # Errors
    /// `RetryAt` where that takes too long or was waited for too often, `Denied` where the server refuses them all.
    pub(super) async fn wait_for_credential(
        &self,
        url: &Url,
        missing: NoCredential,
        tries: u32,
    ) -> Result<(), CrawlError> {
        match missing {
            NoCredential::Spent(wait) if wait > self.max_wait() || tries >= self.settings.max_tries => {
                Err(retry_at(url, wait))
            }
            NoCredential::Spent(wait) => {
                self.clock.sleep(wait).await;
                Ok(())
            }
            NoCredential::Refused => Err(CrawlError::Denied {
                subject: redact_url(url.clone()),
                detail: "every credential for it was refused".to_owned(),
            }),
        }
    }

    /// Waits before the next try.
    ///
    /// # Errors
    /// `RetryAt` where the server asks for more than may be waited for, and `error` after the last try.
    pub(super) async fn wait_or_give_up(
        &self,
        host: &HostLimiter,
        tries: u32,
        is_last: bool,
        error: CrawlError,
        asked: Option<Duration>,
        is_for_all: bool,
    ) -> Result<(), CrawlError> {
        // A server may ask for no wait at all and mean none of it, so the backoff is the least.
        let wait = self.backoff.after(tries).max(asked.unwrap_or_default());
        let is_too_long = wait > self.max_wait();
        if is_for_all {
            host.pause_until(self.clock.now().saturating_add(wait));
        }
        if is_too_long {
            let subject = error.subject().to_owned();
            return Err(CrawlError::RetryAt { subject, wait_s: wait.as_secs() });
        }
        if is_last {
            return Err(error);
        }
        if !is_for_all {
            self.clock.sleep(wait).await;
        }
        Ok(())
    }

    pub(super) fn out_of_time(&self, url: &Url, body: Option<&[u8]>) -> Failure {
        let detail = format!("not done within {} ms", self.settings.total_deadline_ms);
        match self.recording.record_broken(url, body, &detail) {
            Ok(()) => Failure::again(CrawlError::Transient { subject: redact_url(url.clone()), detail }),
            Err(error) => Failure::Final(error),
        }
    }
}
