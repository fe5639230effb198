//! `ChatEndpoint`: a model behind Chat Completions, asked through the one client.
//!
//! The operator names the address, so that it may be one of this machine. The key goes to that address alone.

use std::time::Duration;

use anyhow::Context as _;
use capdex_agent_scan::chat::{ChatAnswer, ChatFault, ChatModel, ChatRequest};
use capdex_crawlers::CrawlError;
use capdex_crawlers::http::{AllowedBaseUrl, Credential, Http, HttpRequest, HttpResponse, HttpSettings, Secret};
use serde_json::{Map, Value, json};
use tokio::runtime::Runtime;
use tokio::sync::watch;

use crate::config::no_address;
use crate::exit::usage;
use crate::jobs::run::runtime;
use crate::shutdown::shutdown_requested;

/// The most bytes of one answer.
const MAX_ANSWER: u64 = 8 << 20;
/// Requests a second: an endpoint of one's own has no other guests.
const REQUESTS_PER_SECOND: u32 = 1000;
/// Tries of one request that the endpoint refuses or does not answer.
const TRIES: u32 = 3;

/// The options of asking an endpoint.
#[derive(Clone, Debug)]
pub struct EndpointOptions {
    /// The address, up to `/v1` or with the whole path.
    pub url: String,
    /// The model that is asked for.
    pub model: String,
    /// The key; none for an endpoint that wants none.
    pub key: Option<Secret>,
    /// The temperature; the endpoint's own where none is given.
    pub temperature: Option<f64>,
    /// The most tokens of one answer; the endpoint's own where none are given.
    pub max_tokens: Option<u32>,
    /// The time that one answer may take.
    pub deadline: Duration,
}

/// A model behind an endpoint.
pub struct ChatEndpoint {
    runtime: Runtime,
    http: Http,
    url: String,
    fields: Map<String, Value>,
    is_asked_to_stop: watch::Receiver<bool>,
}

impl ChatEndpoint {
    /// Sets the client up and begins to hear signals.
    ///
    /// # Errors
    /// An address or a key that is none.
    pub fn open(options: &EndpointOptions) -> anyhow::Result<Self> {
        let url = completions(&options.url).ok_or_else(|| {
            let why = no_address(&options.url).unwrap_or_else(|| format!("{:?} has no path", options.url));
            usage(format!("the endpoint: {why}"))
        })?;
        let deadline_ms = u64::try_from(options.deadline.as_millis()).unwrap_or(u64::MAX);
        let bearer = |key: &Secret| Credential::authorization(&url, key.clone());
        let http = Http::new(HttpSettings {
            allowed_base_urls: vec![AllowedBaseUrl::new("", &url)],
            credentials: options.key.iter().map(bearer).collect(),
            requests_per_second: REQUESTS_PER_SECOND,
            max_tries: TRIES,
            idle_deadline_ms: deadline_ms,
            total_deadline_ms: deadline_ms,
            ..HttpSettings::default()
        })
        .context("failed to set up the client for the endpoint")?;
        let mut fields = Map::from_iter([("model".to_owned(), options.model.clone().into())]);
        fields.extend(options.temperature.map(|value| ("temperature".to_owned(), value.into())));
        fields.extend(options.max_tokens.map(|value| ("max_tokens".to_owned(), value.into())));
        let runtime = runtime()?;
        let (tell, is_asked_to_stop) = watch::channel(false);
        runtime.spawn(async move {
            shutdown_requested().await;
            // Nobody waiting any more is no error.
            let _ = tell.send(true);
        });
        Ok(Self { runtime, http, url, fields, is_asked_to_stop })
    }

    /// True where somebody asked to stop.
    pub fn is_asked_to_stop(&self) -> bool {
        *self.is_asked_to_stop.borrow()
    }
}

impl ChatModel for ChatEndpoint {
    fn answer(&mut self, request: &ChatRequest<'_>) -> Result<ChatAnswer, ChatFault> {
        let mut body = self.fields.clone();
        body.insert("messages".to_owned(), request.messages.into());
        body.insert("tools".to_owned(), request.tools.into());
        let body = json!(body).to_string();
        let asked = HttpRequest {
            url: &self.url,
            accept: Some("application/json"),
            headers: &[("content-type", "application/json")],
            body: Some(body.as_bytes()),
            max_bytes: MAX_ANSWER,
            ..HttpRequest::default()
        };
        let mut stopped = self.is_asked_to_stop.clone();
        let answer = self.runtime.block_on(async {
            tokio::select! {
                answer = self.http.send(asked) => Some(answer),
                Ok(_) = stopped.wait_for(|stop| *stop) => None,
            }
        });
        match answer {
            None => Err(ChatFault::Interrupted),
            Some(Ok(HttpResponse::Body { bytes, .. })) => ChatAnswer::read(&bytes),
            Some(Ok(HttpResponse::NotModified)) => Err(ChatFault::Transport("it answers without a body".to_owned())),
            Some(Err(error)) => Err(fault(&error)),
        }
    }
}

/// The fault that an error means. Its address is left out: it may differ from machine to machine.
fn fault(error: &CrawlError) -> ChatFault {
    let detail = match error {
        CrawlError::Transient { detail, .. } | CrawlError::Unreachable { detail, .. }
            if detail.contains("timed out") =>
        {
            return ChatFault::Timeout;
        }
        CrawlError::Transient { detail, .. }
        | CrawlError::Unreachable { detail, .. }
        | CrawlError::Denied { detail, .. }
        | CrawlError::Malformed { detail, .. }
        | CrawlError::Refused { detail, .. } => detail.clone(),
        CrawlError::RetryAt { .. } => "it asks to be left alone".to_owned(),
        CrawlError::Gone { .. } => "there is nothing at the address".to_owned(),
        _ => "it refuses".to_owned(),
    };
    ChatFault::Transport(detail)
}

/// The address of Chat Completions below an endpoint.
fn completions(endpoint: &str) -> Option<String> {
    let url = url::Url::parse(endpoint).ok().filter(|url| matches!(url.scheme(), "http" | "https"))?;
    let path = url.path().trim_end_matches('/');
    let path = match path {
        "" => "/v1/chat/completions".to_owned(),
        path if path.ends_with("/chat/completions") => path.to_owned(),
        path => format!("{path}/chat/completions"),
    };
    let mut url = url.clone();
    url.set_path(&path);
    Some(url.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_path_of_chat_completions_is_added_where_it_is_missing() {
        let whole = Some("http://127.0.0.1:8/v1/chat/completions".to_owned());
        for endpoint in ["http://127.0.0.1:8", "http://127.0.0.1:8/v1/", "http://127.0.0.1:8/v1/chat/completions"] {
            assert_eq!(completions(endpoint), whole, "{endpoint}");
        }
        assert_eq!(completions("file:///v1"), None);
        assert_eq!(completions("127.0.0.1:8"), None);
    }
}
