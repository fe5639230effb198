//! The `[judge]` table of a schedule: which language model is asked about servers, within which limits.

use std::time::Duration;

use capdex_crawlers::http::Secret;
use capdex_judge::unit::KINDS;
use capdex_judge::wire::{AnswerFormat, JudgeModel, WireKind};
use capdex_model::capability::Kind;
use serde::Deserialize;
use url::Url;

use super::keys::{NONE, keys};
use super::sources::variable;
use crate::exit::usage;
use crate::judge_runs::settings::{JudgeLimits, JudgePrices, JudgeSettings};

keys! {
    /// A language model that adds to what the rules find in servers. Off unless `enabled`; then names, descriptions and schemas of
    /// tools are sent to the address that stands here, and nowhere else.
    #[derive(Clone, Debug, Default, Deserialize)]
    #[serde(default, deny_unknown_fields)]
    pub struct JudgeSection {
        /// Asks the model in every night.
        #[key(default = false, example = "true")]
        pub enabled: bool,
        /// The form of the endpoint: `openai` (Chat Completions, also of llama.cpp, Ollama and vLLM) or `anthropic` (Messages).
        #[key(default = WireKind::OpenAi, example = r#""anthropic""#)]
        pub kind: Option<String>,
        /// The address, up to `/v1` for `openai` and without it for `anthropic`; `http://` only to this machine.
        #[key(default = NONE, example = r#""http://127.0.0.1:8080/v1""#)]
        pub base_url: Option<String>,
        /// The name of the model.
        #[key(default = NONE, example = r#""my-model""#)]
        pub model: Option<String>,
        /// Takes answers of a model that calls itself otherwise; some endpoints answer with the name of a file.
        #[key(default = false, example = "true")]
        pub any_model: bool,
        /// The variable of the environment that holds the key; without it no key is sent.
        #[key(default = NONE, example = r#""JUDGE_KEY""#)]
        pub key_env: Option<String>,
        /// Milliseconds of one exchange, from connecting to the last byte, over its tries.
        #[key(default = JudgeLimits::default().timeout.as_millis(), example = "20000")]
        pub timeout_ms: Option<u64>,
        /// Requests under way at once.
        #[key(default = JudgeLimits::default().max_in_flight, example = "1")]
        pub max_in_flight: Option<usize>,
        /// Further tries after 429, 500, 502, 503 and 529.
        #[key(default = JudgeLimits::default().retries, example = "0")]
        pub retries: Option<u32>,
        /// Requests of one day at most.
        #[key(default = JudgeLimits::default().max_calls, example = "100")]
        pub max_calls: Option<u64>,
        /// Tokens of requests of one day at most; before a request each of its bytes counts as one.
        #[key(default = JudgeLimits::default().max_tokens_in, example = "1000000")]
        pub max_tokens_in: Option<u64>,
        /// Tokens of answers of one day at most; before a request the longest answer counts.
        #[key(default = JudgeLimits::default().max_tokens_out, example = "200000")]
        pub max_tokens_out: Option<u64>,
        /// Minutes of one night at most.
        #[key(default = JudgeLimits::default().max_minutes, example = "10")]
        pub max_minutes: Option<u64>,
        /// The price of a million tokens of requests, in any currency; capdex knows none.
        #[key(default = NONE, example = "1.0")]
        pub price_in: Option<f64>,
        /// The same of answers.
        #[key(default = NONE, example = "5.0")]
        pub price_out: Option<f64>,
        /// The cost of one day at most, in that currency; it needs both prices.
        #[key(default = NONE, example = "2.5")]
        pub max_cost: Option<f64>,
        /// What it is asked about: `mcp_server`, `skill`, `rules`. About texts that an agent loads other questions are put than about
        /// tools, with planted texts among them; `mcpbundles/judged` rates servers alone.
        #[key(default = r#"["mcp_server"]"#, example = r#"["mcp_server", "skill"]"#)]
        pub kinds: Option<Vec<String>>,
        /// Answers that a finding needs: 1, or 2, where the second has the questions the other way round.
        #[key(default = 1, example = "2")]
        pub votes: Option<u32>,
        /// Failures in a row that end a night's asking.
        #[key(default = JudgeLimits::default().breaker, example = "3")]
        pub breaker: Option<u32>,
    }
}

impl JudgeSection {
    /// The same, checked, with the key of the environment; none where no endpoint is named.
    ///
    /// # Errors
    /// Wrong configuration.
    pub fn settings(&self) -> anyhow::Result<Option<JudgeSettings>> {
        let wrong = |key: &str, why: &str| Err(usage(format!("judge.{key}: {why}")));
        let (base_url, name) = match (&self.base_url, &self.model) {
            (Some(base_url), Some(name)) if !name.trim().is_empty() => (base_url, name),
            (None, None) if !self.enabled => return Ok(None),
            (None, _) => return wrong("base_url", "a judge needs the address of its endpoint"),
            _ => return wrong("model", "a judge needs the name of its model"),
        };
        let kind: WireKind = match self.kind.as_deref().unwrap_or_default().parse() {
            Ok(kind) => kind,
            Err(_) if self.kind.is_none() => WireKind::default(),
            Err(why) => return wrong("kind", &why),
        };
        if !is_allowed(base_url) {
            return wrong("base_url", "an address with https, or with http on this machine, without user and query");
        }
        let votes = self.votes.unwrap_or(1);
        if !(1..=2).contains(&votes) {
            return wrong("votes", "1 or 2");
        }
        let kinds = self.kinds.as_ref().map_or(Ok(vec![Kind::McpServer]), |words| {
            let of = |word: &String| KINDS.into_iter().find(|kind| kind.as_str() == word);
            words.iter().map(of).collect::<Option<Vec<_>>>().filter(|kinds| !kinds.is_empty()).ok_or(())
        });
        let Ok(kinds) = kinds else { return wrong("kinds", "some of mcp_server, skill, rules") };
        let prices = match (self.price_in, self.price_out) {
            (Some(input), Some(output)) if input >= 0.0 && output >= 0.0 => Some(JudgePrices { input, output }),
            (None, None) => None,
            _ => return wrong("price_in", "both prices are needed, 0 or more"),
        };
        if self.max_cost.is_some() && prices.is_none() {
            return wrong("max_cost", "it needs price_in and price_out");
        }
        let usual = JudgeLimits::default();
        let timeout = self.timeout_ms.map_or(usual.timeout, Duration::from_millis);
        if timeout.is_zero() || timeout > usual.timeout {
            return wrong("timeout_ms", "from 1 to 25000: the published method gives a model 25 seconds");
        }
        let (max_in_flight, breaker) =
            (self.max_in_flight.unwrap_or(usual.max_in_flight), self.breaker.unwrap_or(usual.breaker));
        if max_in_flight == 0 || breaker == 0 {
            return wrong("max_in_flight", "max_in_flight and breaker are 1 or more");
        }
        let key = self.key_env.as_deref().map(|name| (name.to_owned(), variable(name).map(Secret::new)));
        Ok(Some(JudgeSettings {
            is_nightly: self.enabled,
            base_url: base_url.trim_end_matches('/').to_owned(),
            model: JudgeModel { kind, name: name.clone(), format: AnswerFormat::default(), any_name: self.any_model },
            key,
            votes,
            kinds,
            prices,
            limits: JudgeLimits {
                timeout,
                max_in_flight,
                breaker,
                retries: self.retries.unwrap_or(usual.retries),
                max_calls: self.max_calls.unwrap_or(usual.max_calls),
                max_tokens_in: self.max_tokens_in.unwrap_or(usual.max_tokens_in),
                max_tokens_out: self.max_tokens_out.unwrap_or(usual.max_tokens_out),
                max_minutes: self.max_minutes.unwrap_or(usual.max_minutes),
                max_cost: self.max_cost,
            },
        }))
    }
}

/// True for an address that a key may be sent to: encrypted, or of this machine.
fn is_allowed(address: &str) -> bool {
    let Ok(url) = Url::parse(address) else { return false };
    let is_here = match url.host() {
        Some(url::Host::Domain(name)) => name == "localhost",
        Some(url::Host::Ipv4(address)) => address.is_loopback(),
        Some(url::Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    };
    let is_plain =
        url.username().is_empty() && url.password().is_none() && url.query().is_none() && url.fragment().is_none();
    is_plain && url.host().is_some() && (url.scheme() == "https" || (url.scheme() == "http" && is_here))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn section(text: &str) -> JudgeSection {
        toml::from_str(text).expect("a table")
    }

    #[test]
    fn nobody_is_asked_unless_an_endpoint_is_named() {
        assert!(JudgeSection::default().settings().expect("read").is_none());
        let text = "base_url = \"http://127.0.0.1:9/v1/\"\nmodel = \"m\"";
        let settings = section(text).settings().expect("read").expect("named");
        assert!(!settings.is_nightly, "named and not enabled: only by command");
        assert_eq!((settings.base_url.as_str(), settings.limits.timeout.as_secs()), ("http://127.0.0.1:9/v1", 25));
        assert!(section(&format!("enabled = true\n{text}")).settings().expect("read").expect("named").is_nightly);
    }

    #[test]
    fn what_is_wrong_is_named() {
        let refused = |more: &str| {
            let text = format!("base_url = \"https://models.example/v1\"\nmodel = \"m\"\n{more}");
            format!("{:#}", section(&text).settings().expect_err("refused"))
        };
        for (more, key) in [
            ("kind = \"x\"", "judge.kind"),
            ("votes = 3", "judge.votes"),
            ("kinds = []", "judge.kinds"),
            ("kinds = [\"package\"]", "judge.kinds"),
            ("timeout_ms = 25001", "judge.timeout_ms"),
            ("timeout_ms = 0", "judge.timeout_ms"),
            ("price_in = 1.0", "judge.price_in"),
            ("max_cost = 1.0", "judge.max_cost"),
            ("max_in_flight = 0", "judge.max_in_flight"),
        ] {
            assert!(refused(more).contains(key), "{more}");
        }
        assert!(section("enabled = true").settings().is_err());
        assert!(section("model = \"m\"").settings().is_err());
        for address in
            ["http://models.example/v1", "http://10.0.0.1/v1", "https://a:b@models.example", "ftp://localhost", "x"]
        {
            let text = format!("base_url = \"{address}\"\nmodel = \"m\"");
            assert!(section(&text).settings().is_err(), "{address}");
        }
        for address in ["http://localhost:1/v1", "http://[::1]:1/v1", "https://models.example/v1"] {
            let text = format!("base_url = \"{address}\"\nmodel = \"m\"");
            assert!(section(&text).settings().is_ok(), "{address}");
        }
    }
}
