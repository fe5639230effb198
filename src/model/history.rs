//! `History`: the changes between what a source said before and what it says now.
//!
//! One statement tells nothing, so history is unknown until a source has said two different things.

use serde::{Deserialize, Serialize};

use crate::claim::Claim;

/// The knowledge of a listing's past.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct History {
    /// True where the listed version was seen with other published digests of the same file.
    pub republished: bool,
    /// The change of the accounts that may publish.
    pub owners: Claim<OwnerChange>,
}

/// The change of the accounts that may publish. In the order of weight.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OwnerChange {
    /// Nobody came.
    Same,
    /// Somebody came, and somebody of before is still there.
    Joined,
    /// Nobody of before is there.
    Replaced,
}
