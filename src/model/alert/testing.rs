//! Small alerts for the tests of this folder.
//!
//! Shared by the tests of the modules beside it.

use super::{Alert, Raised};
use crate::digest::Digest;
use crate::fact::Severity;
use crate::time::{AsOf, Timestamp};

/// A night, as days after some first one.
pub(crate) fn night(days: i64) -> AsOf {
    AsOf(Timestamp::from_unix_seconds(1_790_000_000 + days * 86_400))
}

/// An alert about the subject `s-<key>`, at the content of its key.
pub(crate) fn alert(key: &str, severity: Severity) -> Alert {
    Alert {
        key: key.into(),
        pass: "drift".into(),
        class: "same_version".into(),
        capability: None,
        subject: format!("s-{key}"),
        severity,
        title: format!("{key} has other bytes"),
        why: String::new(),
        fix: String::new(),
        content: Some(Digest::of(key.as_bytes())),
        details: Vec::new(),
        evidence: Vec::new(),
        diff: Vec::new(),
        scores: Vec::new(),
        members: Vec::new(),
        reproduce: String::new(),
        reach: 0,
    }
}

/// The same, raised on a night.
pub(crate) fn raised(key: &str, severity: Severity, reach: u32, days: i64) -> Raised {
    Raised { alert: Alert { reach, ..alert(key, severity) }, at: night(days) }
}
