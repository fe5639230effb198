//! The `[appeals]` table of a schedule: the key of the tokens, the clocks and the limits of the right of reply.

use capdex_model::appeal::AppealClocks;
use serde::Deserialize;

use super::keys::keys;
use super::sources::variable;
use crate::appeals::settings::{AppealSettings, KEY_ENV, MAX_MONTH, MAX_OPEN};
use crate::appeals::token::TokenKey;
use crate::exit::usage;

keys! {
    /// Appeals of vendors against findings.
    #[derive(Clone, Debug, Default, Deserialize)]
    #[serde(default, deny_unknown_fields)]
    pub struct AppealsSection {
        /// The variable of the environment that holds the key of the tokens by which vendors prove control, 16 letters at least.
        #[key(default = KEY_ENV, example = r#""APPEAL_KEY""#)]
        pub key_env: Option<String>,
        /// How long a token counts, in minutes, hours or days (`30m`, `1h`, `7d`).
        #[key(default = words(AppealClocks::default().lapse), example = r#""14d""#)]
        pub lapse: Option<String>,
        /// From the proof of control to the machine's answer.
        #[key(default = words(AppealClocks::default().machine_answer), example = r#""2h""#)]
        pub machine_answer: Option<String>,
        /// From the proof of control until a person takes the appeal up.
        #[key(default = words(AppealClocks::default().take), example = r#""48h""#)]
        pub take: Option<String>,
        /// From the proof of control to the decision.
        #[key(default = words(AppealClocks::default().decide), example = r#""10d""#)]
        pub decide: Option<String>,
        /// From the reopening of an appeal to the second decision.
        #[key(default = words(AppealClocks::default().reopen), example = r#""21d""#)]
        pub reopen: Option<String>,
        /// From an overturned finding to a new version of its rule.
        #[key(default = words(AppealClocks::default().rule), example = r#""60d""#)]
        pub rule: Option<String>,
        /// Resolvers that answer DNS over HTTPS (RFC 8484). With fewer than two, no TXT record proves anything.
        #[key(default = "none", example = r#"["https://dns.example/dns-query", "https://resolver.example/dns-query"]"#)]
        pub resolvers: Vec<String>,
        /// Open appeals of one package at most.
        #[key(default = MAX_OPEN, example = "10")]
        pub max_open: Option<u32>,
        /// Filings of one package in 30 days at most.
        #[key(default = MAX_MONTH, example = "50")]
        pub max_month: Option<u32>,
    }
}

const UNITS: [(char, i64); 3] = [('d', 86_400), ('h', 3600), ('m', 60)];

/// Seconds as the table writes them.
fn words(seconds: i64) -> String {
    let fitting = UNITS.into_iter().find(|(_, unit)| seconds % unit == 0);
    fitting.map_or_else(|| format!("{seconds}s"), |(letter, unit)| format!("{}{letter}", seconds / unit))
}

/// The seconds of a text such as `7d`.
fn seconds(text: &str) -> Option<i64> {
    let (letter, unit) = UNITS.into_iter().find(|(letter, _)| text.ends_with(*letter))?;
    let number: u32 = text.strip_suffix(letter)?.parse().ok()?;
    (1..=3650).contains(&number).then_some(i64::from(number) * unit)
}

impl AppealsSection {
    /// The same, checked, with the key of the environment.
    ///
    /// # Errors
    /// Wrong configuration: a time that is none, a key that is too short.
    pub fn settings(&self) -> anyhow::Result<AppealSettings> {
        let usual = AppealSettings::default();
        let time = |key: &str, text: &Option<String>, usual: i64| match text {
            None => Ok(usual),
            Some(text) => seconds(text)
                .ok_or_else(|| usage(format!("appeals.{key}: {text:?} is no time such as 30m, 1h or 7d, up to 3650"))),
        };
        let clocks = AppealClocks {
            lapse: time("lapse", &self.lapse, usual.clocks.lapse)?,
            machine_answer: time("machine_answer", &self.machine_answer, usual.clocks.machine_answer)?,
            take: time("take", &self.take, usual.clocks.take)?,
            decide: time("decide", &self.decide, usual.clocks.decide)?,
            reopen: time("reopen", &self.reopen, usual.clocks.reopen)?,
            rule: time("rule", &self.rule, usual.clocks.rule)?,
        };
        let key_env = self.key_env.clone().unwrap_or(usual.key_env);
        let key = variable(&key_env).map(|text| TokenKey::of_text(&text)).transpose();
        let key = key.map_err(|why| usage(format!("the key in {key_env} {why}")))?;
        Ok(AppealSettings {
            key_env,
            key,
            clocks,
            resolvers: self.resolvers.clone(),
            max_open: self.max_open.unwrap_or(usual.max_open),
            max_month: self.max_month.unwrap_or(usual.max_month),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_read_and_write_and_wrong_ones_are_refused() {
        for text in ["30m", "1h", "7d"] {
            assert_eq!(seconds(text).map(words).as_deref(), Some(text));
        }
        for text in ["", "7", "d", "0d", "-1d", "7w", "1e9d", "4000d"] {
            assert_eq!(seconds(text), None, "{text}");
        }
        let section = AppealsSection { take: Some("soon".into()), ..AppealsSection::default() };
        assert!(format!("{:#}", section.settings().expect_err("refused")).contains("appeals.take"));
    }
}
