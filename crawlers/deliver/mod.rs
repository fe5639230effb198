//! Handing things over to an operator's own receivers: why that failed, how a document is signed, and letters by SMTP.
//!
//! Must not know what is handed over, how often it is tried, or when.

use std::time::Duration;

pub mod mail;
pub mod signature;

/// Why a receiver has not taken something, as far as anybody knows: it may have taken it and not said so.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{detail}")]
pub struct NotDelivered {
    /// What happened; holds no address and no secret. May hold text of the receiver's.
    pub detail: String,
    /// How long the receiver wants to be left alone.
    pub wait: Option<Duration>,
    /// What must change before it can succeed.
    pub blame: Blame,
}

/// What a failure is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blame {
    /// The receiver or the way there: anything else would have failed too.
    Sink,
    /// This very thing: others may go through.
    Message,
}

impl NotDelivered {
    /// A failure of the receiver or the way there.
    pub fn sink(detail: impl Into<String>) -> Self {
        Self { detail: detail.into(), wait: None, blame: Blame::Sink }
    }
}
