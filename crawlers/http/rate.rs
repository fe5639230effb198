//! A server's word on its budget: the requests that are left, and the time until there are more.
//!
//! Instants that servers send are compared with their own `Date` header, so that no clock of ours is needed. Both
//! spellings are read. `X-RateLimit-Remaining` and `X-RateLimit-Reset` have a reset that is an instant at GitHub and a
//! span elsewhere. `RateLimit-Remaining` and `RateLimit-Reset` (drafts of the IETF working group on HTTP APIs) have a
//! span.

use std::time::Duration;

use reqwest::header::{DATE, HeaderMap, HeaderName};

use super::headers::text_of;
use super::retry::http_date;

/// Numbers above this are instants: as a span it would be more than thirty years.
const FIRST_INSTANT: u64 = 1_000_000_000;

/// The budget that one answer tells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct RateLimitHeaders {
    /// Requests that are left.
    pub(crate) remaining: Option<u64>,
    /// The time until there are more.
    pub(crate) reset: Option<Duration>,
}

impl RateLimitHeaders {
    /// Reads the headers. Values that are no number are not guessed.
    pub(crate) fn of(headers: &HeaderMap) -> Self {
        let number = |name: &'static str| -> Option<u64> {
            text_of(headers, &HeaderName::from_static(name))?.trim().parse().ok()
        };
        let remaining = number("x-ratelimit-remaining").or_else(|| number("ratelimit-remaining"));
        let now = text_of(headers, &DATE).and_then(|date| http_date(&date));
        let span = |reset: u64| match reset {
            FIRST_INSTANT.. => {
                // Without a `Date` to measure it by, an instant says nothing: the clock here may be wrong.
                let now = u64::try_from(now?.unix_seconds()).ok()?;
                Some(Duration::from_secs(reset.saturating_sub(now)))
            }
            _ => Some(Duration::from_secs(reset)),
        };
        let reset = number("x-ratelimit-reset").or_else(|| number("ratelimit-reset")).and_then(span);
        Self { remaining, reset }
    }

    /// True where nothing is left.
    pub(crate) fn is_spent(self) -> bool {
        self.remaining == Some(0)
    }

    /// The time for which to leave the host alone; none where something is left, or where it does not say until when.
    pub(crate) fn wait(self) -> Option<Duration> {
        self.reset.filter(|_| self.is_spent())
    }
}

#[cfg(test)]
mod tests {
    use reqwest::header::HeaderValue;

    use super::*;

    fn rate(headers: &[(&'static str, &str)]) -> RateLimitHeaders {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.insert(*name, HeaderValue::from_str(value).expect("a value"));
        }
        RateLimitHeaders::of(&map)
    }

    const DATE: (&str, &str) = ("date", "Sun, 22 Nov 2026 10:00:00 GMT");

    #[test]
    fn both_spellings_and_both_kinds_of_reset_are_read() {
        let instant = rate(&[("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", "1795341630"), DATE]);
        assert_eq!(instant.wait(), Some(Duration::from_secs(30)));
        let span = rate(&[("ratelimit-remaining", "0"), ("ratelimit-reset", "12")]);
        assert_eq!(span.wait(), Some(Duration::from_secs(12)));
        assert_eq!(rate(&[("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", "12")]).wait(), span.wait());
    }

    #[test]
    fn nothing_is_waited_for_without_need_or_knowledge() {
        assert_eq!(rate(&[("x-ratelimit-remaining", "1"), ("x-ratelimit-reset", "12")]).wait(), None);
        assert_eq!(rate(&[("x-ratelimit-remaining", "0")]).wait(), None);
        assert_eq!(rate(&[("x-ratelimit-remaining", "soon"), ("x-ratelimit-reset", "12")]).wait(), None);
        assert_eq!(rate(&[("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", "1795341630")]).wait(), None);
        let past = rate(&[("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", "1700000000"), DATE]);
        assert_eq!(past.wait(), Some(Duration::ZERO));
    }
}
