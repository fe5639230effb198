//! Reads every recorded answer again: the same request must come of its unit, and the same findings of its answer.

use capdex_dataset::bulk;
use capdex_db::{Reader, StoredJudgement};
use capdex_judge::prompt::Prompt;
use capdex_model::digest::Digest;

/// What a replay found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Replayed {
    /// Requests that were built again.
    pub requests: u64,
    /// Answers that were read again.
    pub answers: u64,
    /// What is not as it is kept, one sentence each.
    pub differences: Vec<String>,
}

/// Answers that are read from the store before they are looked at, which bounds memory.
const BATCH: usize = 512;

impl Replayed {
    fn add(&mut self, other: Self) {
        self.requests += other.requests;
        self.answers += other.answers;
        self.differences.extend(other.differences);
    }
}

/// Replays all, on the threads of a pool.
///
/// # Errors
/// Errors of the store.
pub fn replay(reader: &Reader, pool: &rayon::ThreadPool) -> anyhow::Result<Replayed> {
    let (mut replayed, mut batch) = (Replayed::default(), Vec::with_capacity(BATCH));
    let mut look = |batch: Vec<StoredJudgement>| {
        bulk::mapped(pool, batch, |stored| one(&stored)).into_iter().for_each(|one| replayed.add(one));
    };
    reader.each_judgement(|stored| -> anyhow::Result<()> {
        batch.push(stored);
        if batch.len() == BATCH {
            look(std::mem::take(&mut batch));
        }
        Ok(())
    })?;
    look(batch);
    Ok(replayed)
}

fn one(stored: &StoredJudgement) -> Replayed {
    let StoredJudgement { id, call, unit, answer } = stored;
    let prompt = Prompt::of(unit, call.prompt, call.ballot);
    let mut replayed = Replayed { requests: 1, ..Replayed::default() };
    if Digest::of(call.model.request(&prompt).as_bytes()) != call.request {
        replayed.differences.push(format!("request {id}: its unit gives other bytes"));
    }
    // An answer that was no text, or none at all, is known by its reason alone.
    let Some(body) = answer.as_ref().and_then(|answer| answer.body.as_ref()) else { return replayed };
    replayed.answers = 1;
    let again = call.model.outcome(&prompt, body.as_bytes());
    if answer.as_ref().is_some_and(|answer| again.read != answer.outcome) {
        replayed.differences.push(format!("request {id}: its answer is read as something else"));
    }
    replayed
}
