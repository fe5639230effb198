//! `CrawlError`: what went wrong, named by what the driver must do about it.
//!
//! A variant tells the driver to wait, to try again later, to record something as gone, or to give up.

use capdex_model::snapshot::{Gap, GapReason};

use crate::http::redact;

/// Why a request or an artifact gave nothing. `subject` is the address or key, safe to print (no credentials).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CrawlError {
    /// The server asks to come back after so many seconds, longer than the client itself may wait. Try again then.
    #[error("{subject} asks to be left alone for {wait_s} s")]
    RetryAt {
        /// The address or key that was asked for.
        subject: String,
        /// Seconds to wait.
        wait_s: u64,
    },
    /// The server failed or did not answer in time, after all retries. Try again on a later run.
    #[error("{subject} did not give a whole answer: {detail}")]
    Transient {
        /// The address or key that was asked for.
        subject: String,
        /// The last status or transport error.
        detail: String,
    },
    /// Nothing answered at all, after all retries: no name, no connection, no status line. The host is down or the
    /// network away; what else is wanted from it may wait too.
    #[error("{subject} cannot be reached: {detail}")]
    Unreachable {
        /// The address or key that was asked for.
        subject: String,
        /// The last transport error.
        detail: String,
    },
    /// It does not exist (404, 410). Record it as gone.
    #[error("{subject} does not exist")]
    Gone {
        /// The address or key that was asked for.
        subject: String,
    },
    /// The registry took it down, and says so. Record it as taken down.
    #[error("{subject} was taken down: {detail}")]
    TakenDown {
        /// The address or key that was asked for.
        subject: String,
        /// What the registry says or shows. Untrusted text.
        detail: String,
    },
    /// The server refuses (401, 403, 451). Do not try again with the same credentials.
    #[error("{subject} refuses: {detail}")]
    Denied {
        /// The address or key that was asked for.
        subject: String,
        /// The status.
        detail: String,
    },
    /// The server wants to know who asks (401), and says how. A caller that has an answer may give it; to everybody
    /// else it is a refusal.
    #[error("{subject} refuses: it wants to know who asks")]
    Unauthorized {
        /// The address or key that was asked for.
        subject: String,
        /// The `WWW-Authenticate` header; empty where there is none. Untrusted text.
        challenge: String,
    },
    /// A cap was met before the end.
    #[error("{subject} is larger than allowed: {detail}")]
    TooLarge {
        /// The address or key that was asked for.
        subject: String,
        /// The cap and what was met.
        detail: String,
    },
    /// The answer or artifact is not what the protocol says, or its digest does not fit.
    #[error("{subject} is not what it should be: {detail}")]
    Malformed {
        /// The address or key that was asked for.
        subject: String,
        /// Why, as a gap names it.
        reason: GapReason,
        /// The particulars.
        detail: String,
    },
    /// We refuse: an address that may not be fetched, a redirect to one, a scheme other than http and https.
    #[error("{subject} may not be fetched: {detail}")]
    Refused {
        /// The address or key that was asked for.
        subject: String,
        /// The rule that refuses.
        detail: String,
    },
}

impl CrawlError {
    /// An answer that is not what its interface promises; the address is made safe to print.
    pub(crate) fn bad_answer(address: &str, detail: impl Into<String>) -> Self {
        Self::Malformed { subject: redact(address), reason: GapReason::BadAnswer, detail: detail.into() }
    }

    /// The gap that records it.
    pub fn to_gap(&self) -> Gap {
        let (subject, reason) = match self {
            Self::RetryAt { subject, .. } => (subject, GapReason::RateLimited),
            Self::Transient { subject, .. } | Self::Unreachable { subject, .. } => (subject, GapReason::Unreachable),
            Self::Gone { subject } => (subject, GapReason::NotFound),
            Self::TakenDown { subject, .. } => (subject, GapReason::TakenDown),
            // Refusals of the server and of ours are one reason: asking again changes neither.
            Self::Denied { subject, .. } | Self::Unauthorized { subject, .. } | Self::Refused { subject, .. } => {
                (subject, GapReason::Denied)
            }
            Self::TooLarge { subject, .. } => (subject, GapReason::CompressedTooLarge),
            Self::Malformed { subject, reason, .. } => (subject, *reason),
        };
        Gap::new(subject.clone(), reason, self.to_string())
    }

    /// True where a later try may succeed without anything having been mended.
    pub const fn is_transient(&self) -> bool {
        matches!(self, Self::RetryAt { .. } | Self::Transient { .. } | Self::Unreachable { .. })
    }

    /// The address or key that it is about, safe to print.
    pub fn subject(&self) -> &str {
        match self {
            Self::RetryAt { subject, .. }
            | Self::Transient { subject, .. }
            | Self::Unreachable { subject, .. }
            | Self::Gone { subject }
            | Self::TakenDown { subject, .. }
            | Self::Denied { subject, .. }
            | Self::Unauthorized { subject, .. }
            | Self::TooLarge { subject, .. }
            | Self::Malformed { subject, .. }
            | Self::Refused { subject, .. } => subject,
        }
    }
}
