//! What the queue would cost, before anything is sent.

use capdex_db::{JudgeUse, Reader};
use capdex_judge::key;
use capdex_judge::prompt::{Prompt, PromptVersion};
use capdex_judge::wire::MAX_TOKENS;

/// Bytes of one token, about, in English text.
const BYTES_A_TOKEN: u64 = 4;
/// Tokens of an answer, about: its frame, and one row for each tool.
const ANSWER_TOKENS: (u64, u64) = (30, 22);

/// The cost of a queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct JudgeEstimate {
    /// Units that stand.
    pub units: u64,
    /// Requests that wait.
    pub calls: u64,
    /// Tokens of requests, about.
    pub tokens_in: u64,
    /// Tokens of answers, about.
    pub tokens_out: u64,
    /// Bytes of requests, which are the most tokens that they can be.
    pub most_in: u64,
    /// The most tokens of answers.
    pub most_out: u64,
}

/// The cost of asking about all that stands and has no answer that counts.
///
/// # Errors
/// Errors of the store.
pub fn estimate(reader: &Reader, judge: &JudgeUse) -> anyhow::Result<JudgeEstimate> {
    let mut cost = JudgeEstimate::default();
    for standing in reader.standing_units(&judge.kinds)? {
        let unit = reader.judge_unit(standing.id)?;
        cost.units += 1;
        for ballot in judge.ballots() {
            let key = key::key(&unit, PromptVersion::CURRENT, *ballot, &judge.model);
            let known = reader.judgement(&key)?.and_then(|of| of.answer);
            if known.is_some_and(|answer| answer.outcome.as_ref().err().is_none_or(|why| !why.is_passing())) {
                continue;
            }
            let bytes = judge.model.request(&Prompt::of(&unit, PromptVersion::CURRENT, *ballot)).len() as u64;
            let tools = unit.tools.len() as u64 + 2;
            cost.calls += 1;
            cost.tokens_in += bytes.div_ceil(BYTES_A_TOKEN);
            cost.tokens_out += ANSWER_TOKENS.0 + ANSWER_TOKENS.1 * tools;
            cost.most_in += bytes;
            cost.most_out += u64::from(MAX_TOKENS);
        }
    }
    Ok(cost)
}
