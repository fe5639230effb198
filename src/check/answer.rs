//! `CheckAnswer`: what was found out about one subject, before it is judged.

use capdex_db::Scanned;
use capdex_model::bundle::Bundle;
use capdex_model::snapshot::{Gap, GapReason};
use capdex_model::time::AsOf;

use crate::analysis;

/// Who gave the bytes that are judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnsweredBy {
    /// The store, whose registry was asked at this instant, where that is known.
    Store(Option<AsOf>),
    /// A dataset, which knows what its publisher knew at this instant.
    Dataset(AsOf),
    /// The registry, the forge or the endpoint itself, now.
    Registry,
}

/// What is known of one subject.
#[derive(Clone, Debug)]
pub struct CheckAnswer {
    /// The capabilities with their facts; the package is the last.
    pub scanned: Vec<Scanned>,
    /// The identity of the artifact.
    pub identity: String,
    /// The version, or the commit.
    pub version: Option<String>,
    /// Who gave the bytes; none where nobody did.
    pub by: Option<AnsweredBy>,
    /// Why nothing could be looked at; none where something was.
    pub refusal: Option<Refusal>,
}

/// The reason where nobody was asked, as `check --offline` prints it.
pub const NOT_STORED: &str = "not in the store; --offline";

/// Why nothing could be looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The reason as a sentence without its end. May hold text of strangers.
    pub reason: String,
    /// True where nobody answered at all, so that the fault may be this machine's network.
    pub is_unreachable: bool,
}

impl Refusal {
    /// A reason that lies in the subject.
    pub fn of(reason: impl Into<String>) -> Self {
        Self { reason: reason.into(), is_unreachable: false }
    }
}

impl CheckAnswer {
    /// A subject of which nothing could be looked at.
    pub fn refused(identity: &str, refusal: Refusal) -> Self {
        let gaps = vec![Gap::new(identity, GapReason::NotLookedAt, refusal.reason.clone())];
        let bundle = Bundle { gaps, ..Bundle::local(identity, std::collections::BTreeMap::new()) };
        Self {
            scanned: analysis::scan(&bundle),
            identity: identity.to_owned(),
            version: None,
            by: None,
            refusal: Some(refusal),
        }
    }
}
