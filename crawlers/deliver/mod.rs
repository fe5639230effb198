//! Handing things over to an operator's own receivers: why that failed, how a document is signed, and letters by SMTP.
//!
//! The caller decides about contents, repetitions and times.

use std::time::Duration;

pub mod mail;
pub mod signature;

/// Why a receiver has not taken something, as far as anybody knows: it may have taken it and not said so.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{detail}")]
pub struct NotDelivered {
    /// The cause in words; holds no address and no secret. May hold text of the receiver's.
    pub detail: String,
    /// The time for which the receiver wants to be left alone.
    pub wait: Option<Duration>,
    /// The part that must change before it can succeed.
    pub blame: Blame,
}

/// The part that is at fault for a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blame {
    /// The receiver or the way there: anything else would have failed too.
    Notifier,
    /// This very thing: others may go through.
    Message,
}

impl NotDelivered {
    /// A failure of the receiver or the way there.
    pub fn notifier(detail: impl Into<String>) -> Self {
        Self { detail: detail.into(), wait: None, blame: Blame::Notifier }
    }
}
