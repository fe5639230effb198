//! `JudgeSettings`: which model is asked, and within which limits.

use std::time::Duration;

use capdex_crawlers::http::Secret;
use capdex_db::{JudgeSpent, JudgeUse};
use capdex_judge::wire::JudgeModel;
use capdex_model::capability::Kind;

/// The judge of a schedule.
#[derive(Clone, Debug, PartialEq)]
pub struct JudgeSettings {
    /// True where nights ask it.
    pub is_nightly: bool,
    /// The address below which it is asked, without a slash at its end.
    pub base_url: String,
    /// The model.
    pub model: JudgeModel,
    /// The variable of the key, and the key where it is set; none for an endpoint that wants none.
    pub key: Option<(String, Option<Secret>)>,
    /// Answers that a finding needs.
    pub votes: u32,
    /// The kinds that it is asked about.
    pub kinds: Vec<Kind>,
    /// The prices of a million tokens; none where nobody said them.
    pub prices: Option<JudgePrices>,
    /// The limits.
    pub limits: JudgeLimits,
}

/// Prices of a million tokens, in any currency.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JudgePrices {
    /// Of requests.
    pub input: f64,
    /// Of answers.
    pub output: f64,
}

impl JudgePrices {
    /// What so many tokens cost.
    pub fn cost(&self, tokens_in: u64, tokens_out: u64) -> f64 {
        (tokens_in as f64 * self.input + tokens_out as f64 * self.output) / 1e6
    }
}

/// The limits of asking.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JudgeLimits {
    /// The time of one exchange, over its tries.
    pub timeout: Duration,
    /// Requests under way at once.
    pub max_in_flight: usize,
    /// Further tries of one request.
    pub retries: u32,
    /// Requests of one day.
    pub max_calls: u64,
    /// Tokens of requests of one day.
    pub max_tokens_in: u64,
    /// Tokens of answers of one day.
    pub max_tokens_out: u64,
    /// Minutes of one run.
    pub max_minutes: u64,
    /// The cost of one day; none where there is no limit.
    pub max_cost: Option<f64>,
    /// Failures in a row that end a run.
    pub breaker: u32,
}

impl Default for JudgeLimits {
    fn default() -> Self {
        Self {
            timeout: Duration::from_secs(25),
            max_in_flight: 4,
            retries: 1,
            max_calls: 2000,
            max_tokens_in: 5_000_000,
            max_tokens_out: 1_000_000,
            max_minutes: 60,
            max_cost: None,
            breaker: 5,
        }
    }
}

impl JudgeSettings {
    /// True where the limits of a day allow so much.
    pub fn has_room(&self, all: JudgeSpent) -> bool {
        let limits = &self.limits;
        let is_affordable = match (limits.max_cost, &self.prices) {
            (Some(most), Some(prices)) => prices.cost(all.tokens_in, all.tokens_out) <= most,
            _ => true,
        };
        all.calls <= limits.max_calls
            && all.tokens_in <= limits.max_tokens_in
            && all.tokens_out <= limits.max_tokens_out
            && is_affordable
    }

    /// Whose answers count.
    pub fn to_use(&self) -> JudgeUse {
        JudgeUse { model: self.model.clone(), votes: self.votes, kinds: self.kinds.clone() }
    }
}
