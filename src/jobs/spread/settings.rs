//! `SpreadSettings`: where a night hands its scans out, and in which pieces.

use std::time::Duration;

use capdex_spread::{JobLimits, JobSize};

/// Seconds that the coordinator waits for one job.
const PATIENCE_S: u64 = 600;
/// Of ten thousand jobs so many are done twice.
const AUDITED: u32 = 100;

/// How scans are handed out to workers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpreadSettings {
    /// The address of the store of work.
    pub store: String,
    /// The queue; none where workers read plans.
    pub nats: Option<String>,
    /// How much one job holds.
    pub size: JobSize,
    /// Of ten thousand jobs so many are done twice and compared.
    pub audited: u32,
    /// What one job may use.
    pub limits: JobLimits,
    /// For so long the next job is waited for before the coordinator does it itself; none to wait for ever.
    pub patience: Option<Duration>,
    /// True where what lies in the store stays there after it was taken in.
    pub keeps: bool,
    /// A command that computing processes of the coordinator itself are started by; empty for none.
    pub under: Vec<String>,
}

impl SpreadSettings {
    /// The usual settings over a store.
    pub fn new(store: String) -> Self {
        Self {
            store,
            nats: None,
            size: JobSize::default(),
            audited: AUDITED,
            limits: JobLimits::default(),
            patience: Some(Duration::from_secs(PATIENCE_S)),
            keeps: false,
            under: Vec::new(),
        }
    }
}
