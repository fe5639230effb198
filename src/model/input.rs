//! `Alias` and `LeftOut`: what the reading of an input notes beside its files, and is no gap.

use serde::{Deserialize, Serialize};

/// A link whose target lies inside the same input. What it leads to was read.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Alias {
    /// The path of the link inside the input. Untrusted text.
    pub path: String,
    /// The path that it leads to: inside the input; for a folder that the operator named, possibly beside it, and then
    /// as the link writes it. Untrusted text.
    pub target: String,
}

/// A folder or file that was left out on purpose, by a default or by the operator.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct LeftOut {
    /// The path inside the input. Untrusted text.
    pub path: String,
    /// Why.
    pub reason: LeftOutReason,
}

/// Why something was left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LeftOutReason {
    /// Installed dependencies or a cache of a package manager or tool.
    Dependencies,
    /// The operator excludes it.
    Excluded,
}
