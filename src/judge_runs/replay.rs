//! Reads every recorded answer again: the same request must come of its unit, and the same findings of its answer.

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

/// Replays all.
///
/// # Errors
/// Errors of the store.
pub fn replay(reader: &Reader) -> anyhow::Result<Replayed> {
    let mut replayed = Replayed::default();
    reader.each_judgement(|stored| -> anyhow::Result<()> {
        one(&stored, &mut replayed);
        Ok(())
    })?;
    Ok(replayed)
}

fn one(stored: &StoredJudgement, replayed: &mut Replayed) {
    let StoredJudgement { id, call, unit, answer } = stored;
    let prompt = Prompt::of(unit, call.prompt, call.ballot);
    replayed.requests += 1;
    if Digest::of(call.model.request(&prompt).as_bytes()) != call.request {
        replayed.differences.push(format!("request {id}: its unit gives other bytes"));
    }
    // An answer that was no text, or none at all, is known by its reason alone.
    let Some(answer) = answer else { return };
    let Some(body) = &answer.body else { return };
    replayed.answers += 1;
    let again = call.model.outcome(&prompt, body.as_bytes());
    if again.read != answer.outcome {
        replayed.differences.push(format!("request {id}: its answer is read as something else"));
    }
}
