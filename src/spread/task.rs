//! `Task`: the message by which a queue hands out one job. Losing it loses nothing but time.

use capdex_model::digest::Digest;
use serde::{Deserialize, Serialize};

/// One job of one plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Task {
    /// The plan that it is of.
    pub plan: Digest,
    /// The job.
    pub job: Digest,
    /// True where it is done although it may be done, and compared.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub audit: bool,
}

impl Task {
    /// As JSON.
    pub fn to_bytes(&self) -> Vec<u8> {
        serde_json::to_vec(self).unwrap_or_default()
    }

    /// Reads what [`Self::to_bytes`] wrote; none for anything else.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        serde_json::from_slice(bytes).ok()
    }

    /// What a queue tells two of the same by. `round` counts how often all that is missing was handed out.
    pub fn id(&self, round: u64) -> String {
        let word = if self.audit { "audit" } else { "work" };
        format!("{}-{}-{word}-{round}", self.plan.hex(), self.job.hex())
    }
}
