//! `JudgeEndpoint`: one question to the operator's model, over the one client, within one deadline.

use std::time::Duration;

use anyhow::Context as _;
use capdex_crawlers::http::{AllowedBaseUrl, Answered, Http, HttpSettings, NotAnswered, Question, Secret};
use capdex_dataset::stopwatch::Stopwatch;
use capdex_db::JudgeAnswer;
use capdex_judge::Unanswered;
use capdex_judge::answer::MAX_ANSWER_BYTES;
use capdex_judge::prompt::Prompt;
use capdex_judge::wire::{ANTHROPIC_VERSION, JudgeModel, WireKind};

use super::settings::JudgeSettings;
use crate::exit::usage;

/// The wait before another try where the endpoint names none.
const WAIT: Duration = Duration::from_millis(500);

/// The operator's endpoint. Cloned, it is the same one.
#[derive(Clone)]
pub struct JudgeEndpoint {
    http: Http,
    base_url: String,
    key: Option<(&'static str, Secret)>,
    timeout: Duration,
    retries: u32,
}

impl JudgeEndpoint {
    /// Sets the client up.
    ///
    /// # Errors
    /// A variable that should hold the key and is not set.
    pub fn open(settings: &JudgeSettings, contact: &str) -> anyhow::Result<Self> {
        let key = match &settings.key {
            None => None,
            Some((name, None)) => return Err(usage(format!("the judge's key: {name} is not set in the environment"))),
            Some((_, Some(key))) => Some(match settings.model.kind {
                WireKind::OpenAi => ("authorization", key.with_prefix("Bearer ")),
                WireKind::Anthropic => ("x-api-key", key.clone()),
            }),
        };
        // Twice: the deadline of the whole exchange comes first, so that one that is late is always told as that.
        let timeout_ms = u64::try_from(settings.limits.timeout.as_millis()).unwrap_or(u64::MAX).saturating_mul(2);
        let http = Http::new(HttpSettings {
            contact: contact.to_owned(),
            // Named by the operator, so that it may be of this machine.
            allowed_base_urls: vec![AllowedBaseUrl::new("", &settings.base_url)],
            connect_deadline_ms: timeout_ms,
            idle_deadline_ms: timeout_ms,
            total_deadline_ms: timeout_ms,
            ..HttpSettings::default()
        })
        .context("failed to set up the client for the judge")?;
        let (timeout, retries) = (settings.limits.timeout, settings.limits.retries);
        Ok(Self { http, base_url: settings.base_url.clone(), key, timeout, retries })
    }

    /// Asks, and reads what comes.
    pub async fn ask(&self, model: &JudgeModel, prompt: &Prompt, body: &str) -> JudgeAnswer {
        let watch = Stopwatch::start();
        let answered = tokio::time::timeout(self.timeout, self.tries(model, body)).await;
        let latency_ms = u64::try_from(watch.elapsed().as_millis()).unwrap_or(u64::MAX);
        let without = |why: Unanswered| match why.may_have_cost() {
            // Nothing of the work was seen, and where some may have been done the most counts.
            true => JudgeAnswer {
                latency_ms,
                tokens_in: body.len() as u64,
                tokens_out: u64::from(capdex_judge::wire::MAX_TOKENS),
                ..JudgeAnswer::without(why)
            },
            false => JudgeAnswer { latency_ms, ..JudgeAnswer::without(why) },
        };
        let bytes = match answered {
            Err(_) => return without(Unanswered::Timeout),
            Ok(Err(why)) => return without(why),
            Ok(Ok(bytes)) => bytes,
        };
        let outcome = model.outcome(prompt, &bytes);
        JudgeAnswer {
            outcome: outcome.read,
            body: String::from_utf8(bytes).ok(),
            answered_by: outcome.answered_by,
            fingerprint: outcome.fingerprint,
            latency_ms,
            tokens_in: outcome.usage.tokens_in.unwrap_or(body.len() as u64),
            tokens_out: outcome.usage.tokens_out.unwrap_or(u64::from(capdex_judge::wire::MAX_TOKENS)),
        }
    }

    /// The body of an answer of success, after so many tries.
    async fn tries(&self, model: &JudgeModel, body: &str) -> Result<Vec<u8>, Unanswered> {
        let url = format!("{}{}", self.base_url, model.path());
        let version: &[(&'static str, &str)] = match model.kind {
            WireKind::OpenAi => &[],
            WireKind::Anthropic => &[("anthropic-version", ANTHROPIC_VERSION)],
        };
        let question = Question {
            url: &url,
            headers: version,
            key: self.key.as_ref().map(|(name, key)| (*name, key)),
            body: body.as_bytes(),
            max_bytes: MAX_ANSWER_BYTES,
            deadline: self.timeout,
        };
        let mut left = self.retries;
        loop {
            let answered = self.http.question(&question).await.map_err(|why| match why {
                NotAnswered::Timeout => Unanswered::Timeout,
                NotAnswered::Unreachable(_) => Unanswered::Unreachable,
                NotAnswered::TooLarge => Unanswered::TooLarge,
                NotAnswered::Refused(_) => Unanswered::Rejected,
            })?;
            let why = match of_status(&answered) {
                Ok(()) => return Ok(answered.bytes),
                Err(why) => why,
            };
            if left == 0 || !matches!(answered.status, 429 | 500 | 502 | 503 | 529) {
                return Err(why);
            }
            left -= 1;
            let wait = answered.wait.unwrap_or(WAIT);
            // Whoever asks for more than the exchange may take is left alone at once.
            if wait >= self.timeout {
                return Err(why);
            }
            tokio::time::sleep(wait).await;
        }
    }
}

/// What a status and a media type mean.
fn of_status(answered: &Answered) -> Result<(), Unanswered> {
    match answered.status {
        200..=299 if answered.media_type.to_ascii_lowercase().contains("json") => Ok(()),
        200..=299 => Err(Unanswered::MediaType),
        300..=399 => Err(Unanswered::Redirect),
        401 | 403 => Err(Unanswered::Denied),
        404 | 410 => Err(Unanswered::Gone),
        429 => Err(Unanswered::RateLimited),
        500..=599 => Err(Unanswered::ServerFault),
        _ => Err(Unanswered::Rejected),
    }
}
