//! `AppealSettings`: the `[appeals]` table of a schedule, resolved.

use capdex_model::appeal::AppealClocks;

use super::token::TokenKey;

/// The variable of the environment that holds the key, unless the schedule names another.
pub const KEY_ENV: &str = "CAPDEX_APPEAL_KEY";
/// Open appeals of one package, unless the schedule says otherwise.
pub const MAX_OPEN: u32 = 5;
/// Filings of one package in a month, unless the schedule says otherwise.
pub const MAX_MONTH: u32 = 20;

/// How appeals are handled.
#[derive(Clone, Debug)]
pub struct AppealSettings {
    /// The name of the variable that holds the key.
    pub key_env: String,
    /// The key of the tokens; none where the variable is not set.
    pub key: Option<TokenKey>,
    /// The times of each step.
    pub clocks: AppealClocks,
    /// Resolvers that answer over HTTPS; two at least for a proof by the DNS.
    pub resolvers: Vec<String>,
    /// Open appeals of one package at most.
    pub max_open: u32,
    /// Filings of one package in 30 days at most.
    pub max_month: u32,
}

impl Default for AppealSettings {
    fn default() -> Self {
        Self {
            key_env: KEY_ENV.to_owned(),
            key: None,
            clocks: AppealClocks::default(),
            resolvers: Vec::new(),
            max_open: MAX_OPEN,
            max_month: MAX_MONTH,
        }
    }
}
