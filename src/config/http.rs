//! The `[http]` table of a schedule: the manner in which requests are made.

use capdex_crawlers::http::HttpSettings;
use serde::Deserialize;

use super::keys::{NONE, keys};

keys! {
    /// The manner in which requests are made.
    #[derive(Clone, Debug, Default, Deserialize)]
    #[serde(default, deny_unknown_fields)]
    pub struct HttpSection {
        /// An e-mail address or a page to write to about our requests; sent in the User-Agent.
        #[key(default = NONE, example = r#""ops@example.test""#)]
        pub contact: Option<String>,
        /// Requests a second to one host.
        #[key(default = HttpSettings::default().requests_per_second, example = "5")]
        pub requests_per_second: Option<u32>,
        /// Requests in flight to one host.
        #[key(default = HttpSettings::default().max_in_flight_per_host, example = "4")]
        pub max_in_flight_per_host: Option<usize>,
        /// Tries of one address before it counts as failed.
        #[key(default = HttpSettings::default().max_tries, example = "3")]
        pub max_tries: Option<u32>,
        /// Milliseconds before the second try; the wait doubles with every try.
        #[key(default = HttpSettings::default().backoff_ms, example = "1000")]
        pub backoff_ms: Option<u64>,
        /// Milliseconds for which a host is left alone that says too much was asked, and not for how long. They double with
        /// every such refusal in a row. GitHub wants a minute at least.
        #[key(default = HttpSettings::default().limit_pause_ms, example = "120000")]
        pub limit_pause_ms: Option<u64>,
        /// Milliseconds for which a server may be silent.
        #[key(default = HttpSettings::default().idle_deadline_ms, example = "60000")]
        pub idle_deadline_ms: Option<u64>,
        /// Milliseconds that one exchange may take over all its tries and redirects.
        #[key(default = HttpSettings::default().total_deadline_ms, example = "300000")]
        pub total_deadline_ms: Option<u64>,
    }
}

impl HttpSection {
    /// The client's settings: what is written here, else the client's own.
    pub(super) fn settings(&self, seed: u64) -> HttpSettings {
        let own = HttpSettings::default();
        HttpSettings {
            contact: self.contact.clone().unwrap_or(own.contact),
            requests_per_second: self.requests_per_second.unwrap_or(own.requests_per_second),
            max_in_flight_per_host: self.max_in_flight_per_host.unwrap_or(own.max_in_flight_per_host),
            max_tries: self.max_tries.unwrap_or(own.max_tries),
            backoff_ms: self.backoff_ms.unwrap_or(own.backoff_ms),
            limit_pause_ms: self.limit_pause_ms.unwrap_or(own.limit_pause_ms),
            idle_deadline_ms: self.idle_deadline_ms.unwrap_or(own.idle_deadline_ms),
            total_deadline_ms: self.total_deadline_ms.unwrap_or(own.total_deadline_ms),
            seed,
            ..HttpSettings::default()
        }
    }
}
