//! The result pack: for every key of a job one row, in order: what was found, or why nothing could be.

use capdex_model::digest::Digest;
use serde::{Deserialize, Serialize};

use crate::Job;
use crate::job::Versions;
use crate::packed::{PackError, Packer, Unpacked};

/// The schema of a result pack.
const SCHEMA: &str = "capdex.result/1";
/// The most bytes that one holds.
pub const MAX_BYTES: u64 = 1 << 30;
/// The first byte of a row, after the digest of its key.
const FOUND: u8 = 0;
/// See [`FOUND`].
const FAILED: u8 = 1;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Head {
    schema: String,
    job: Digest,
    stage: String,
    versions: Versions,
    rows: usize,
}

/// What became of one key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ResultRow {
    /// What was found, in the form of the stage.
    Found(Vec<u8>),
    /// Nothing, and why.
    Failed(Failure),
}

/// Why nothing was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Failure {
    /// Each process that worked on this key alone was ended, by a limit or by itself.
    Limit,
}

/// The rows of a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResultPack {
    /// One for each key of the job, in order.
    pub rows: Vec<ResultRow>,
    /// The digest of all that it says.
    pub digest: Digest,
}

impl ResultPack {
    /// True where a row failed: a limit is no property of the input, so that another worker may find more.
    pub fn has_failures(&self) -> bool {
        self.rows.iter().any(|row| matches!(row, ResultRow::Failed(_)))
    }

    /// The pack of a job's rows.
    ///
    /// # Errors
    /// Another number of rows than the job has keys.
    pub fn write(job: &Job, rows: &[ResultRow]) -> Result<Vec<u8>, PackError> {
        if rows.len() != job.keys.len() {
            return Err(PackError(format!("{} rows for {} keys", rows.len(), job.keys.len())));
        }
        let told = |error: serde_json::Error| PackError(error.to_string());
        let (stage, versions) = (job.stage.clone(), job.versions.clone());
        let head = Head { schema: SCHEMA.to_owned(), job: job.digest(), stage, versions, rows: rows.len() };
        let mut packer = Packer::new()?;
        packer.add(&serde_json::to_vec(&head).map_err(told)?)?;
        for (key, row) in job.keys.iter().zip(rows) {
            let (mark, bytes) = match row {
                ResultRow::Found(bytes) => (FOUND, bytes.clone()),
                ResultRow::Failed(why) => (FAILED, serde_json::to_vec(why).map_err(told)?),
            };
            packer.add(&[key.digest().as_bytes().as_slice(), &[mark], &bytes].concat())?;
        }
        packer.finish().map(|(pack, _)| pack)
    }

    /// Reads the result of a job.
    ///
    /// # Errors
    /// Anything that is not the whole result of this very job.
    pub fn read(pack: &[u8], job: &Job) -> Result<Self, PackError> {
        let unpacked = Unpacked::read(pack, MAX_BYTES)?;
        let mut records = unpacked.records();
        let head: Head = records.json()?;
        let is_of_job = head.job == job.digest() && head.stage == job.stage && head.versions == job.versions;
        if head.schema != SCHEMA || !is_of_job || head.rows != job.keys.len() {
            return Err(PackError("it is the result of another job".to_owned()));
        }
        let mut rows = Vec::with_capacity(job.keys.len());
        for key in &job.keys {
            let Some((digest, row)) = records.record()?.split_first_chunk::<32>() else {
                return Err(PackError("a row has no key".to_owned()));
            };
            if digest != key.digest().as_bytes() {
                return Err(PackError("a row is about another key".to_owned()));
            }
            rows.push(match row.split_first() {
                Some((&FOUND, found)) => ResultRow::Found(found.to_vec()),
                Some((&FAILED, why)) => {
                    ResultRow::Failed(serde_json::from_slice(why).map_err(|error| PackError(error.to_string()))?)
                }
                _ => return Err(PackError("a row says neither what was found nor why nothing was".to_owned())),
            });
        }
        records.end()?;
        Ok(Self { rows, digest: unpacked.digest() })
    }
}
