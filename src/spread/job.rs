//! `Job`: some keys in canonical order, with what has to work on them. Its digest names it and its result.

use capdex_model::digest::Digest;
use serde::{Deserialize, Serialize};

use crate::Key;

/// The schema of a job as it is written.
const SCHEMA: &str = "capdex.job/1";
/// The stage that scans.
pub const SCAN: &str = "scan";
/// The most keys of one job. Far above any that is planned: it bounds what a job that is read may ask for.
pub const MAX_KEYS: usize = 100_000;

/// What has to work on a job: others would give other results.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Versions {
    /// The version of the program.
    pub engine: String,
    /// The digest of the rules.
    pub rules: Digest,
}

/// What a process that works on a job may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JobLimits {
    /// Memory, in MiB.
    pub memory_mb: u64,
    /// Time of the processor, in seconds.
    pub cpu_s: u64,
    /// Time on the wall, in seconds.
    pub wall_s: u64,
}

impl Default for JobLimits {
    fn default() -> Self {
        Self { memory_mb: 2048, cpu_s: 600, wall_s: 900 }
    }
}

/// Some work. Limits and the pack are no part of its digest: what comes out does not depend on them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Job {
    pub(crate) schema: String,
    /// The stage.
    pub stage: String,
    /// What has to work on it.
    pub versions: Versions,
    /// What the work may use.
    pub limits: JobLimits,
    /// The pack that the inputs lie in, maybe among others.
    pub pack: Digest,
    /// The keys, by subject, each subject once.
    pub keys: Vec<Key>,
}

/// A text that is no job.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no job of this version: {0}")]
pub struct NoJob(pub String);

/// What the digest of a job is of.
#[derive(Serialize)]
struct Content<'a> {
    stage: &'a str,
    versions: &'a Versions,
    keys: &'a [Key],
}

impl Job {
    /// A job whose pack holds its inputs and no others.
    pub fn new(stage: &str, versions: Versions, limits: JobLimits, keys: Vec<Key>) -> Self {
        let digests: Vec<Digest> = keys.iter().map(Key::digest).collect();
        // By the keys: a pack can be known to be there before anybody has read what goes into it.
        let pack = Digest::of_fields(digests.iter().map(|digest| digest.as_bytes().as_slice()));
        Self { schema: SCHEMA.to_owned(), stage: stage.to_owned(), versions, limits, pack, keys }
    }

    /// One job for each key, over the same pack.
    pub fn split(&self) -> impl Iterator<Item = Self> {
        self.keys.iter().map(|key| Self { keys: vec![key.clone()], ..self.clone() })
    }

    /// The digest of stage, versions and keys.
    pub fn digest(&self) -> Digest {
        Digest::of_json(&Content { stage: &self.stage, versions: &self.versions, keys: &self.keys })
    }

    /// As JSON.
    pub fn to_bytes(&self) -> Vec<u8> {
        serde_json::to_vec(self).unwrap_or_default()
    }

    /// Reads what [`Self::to_bytes`] wrote. `digest` is the one that it has to have.
    ///
    /// # Errors
    /// Anything else.
    pub fn read(bytes: &[u8], digest: &Digest) -> Result<Self, NoJob> {
        let job: Self = serde_json::from_slice(bytes).map_err(|error| NoJob(error.to_string()))?;
        if job.schema != SCHEMA {
            return Err(NoJob("another schema".to_owned()));
        }
        if job.keys.is_empty() || job.keys.len() > MAX_KEYS {
            return Err(NoJob(format!("{} keys", job.keys.len())));
        }
        if !job.keys.is_sorted_by(|one, next| one.subject < next.subject) {
            return Err(NoJob("its keys are not in order".to_owned()));
        }
        if job.digest() != *digest {
            return Err(NoJob("it has another digest than its name says".to_owned()));
        }
        Ok(job)
    }
}
