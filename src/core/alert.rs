//! `Alert`: what a pass raises for a person.
//!
//! Must not know how alerts are sent.

use serde::{Deserialize, Serialize};

use crate::fact::Severity;
use crate::ids::CapabilityId;

/// Something for a person to look at. Its key is stable over nights, so that it is raised once.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Alert {
    /// Stable over nights: the pass, the capability and what distinguishes this event.
    pub key: String,
    /// The pass that raised it, such as `drift`.
    pub pass: String,
    /// Which capability it is about.
    pub capability: CapabilityId,
    /// How bad.
    pub severity: Severity,
    /// One sentence for a person. Holds untrusted names.
    pub title: String,
    /// The particulars, one a line: files that changed, versions, digests.
    pub details: Vec<String>,
}
