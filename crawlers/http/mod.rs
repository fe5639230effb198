//! The only place where a request is made: one client, one rate limit per host, one retry policy, one address check.
//!
//! A test keeps the HTTP library out of every other part of the crawlers.

mod address;
mod app;
mod client;
mod clock;
mod connections;
mod credentials;
mod events;
mod exchange;
mod headers;
mod limits;
mod pool;
mod rate;
mod recording;
mod redact;
mod request;
mod retry;
mod settings;
mod source_pace;
mod stated_limit;
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;
mod usage;

pub use address::host_of;
pub use client::{Answered, EventStream, Http, NotAnswered, Post, Question, origin_of};
pub use connections::count_authorities;
pub(crate) use events::EventParser;
pub use events::StreamEvent;
pub(crate) use exchange::{innermost, is_status};
pub use headers::KeptHeaders;
pub use recording::CrawlRecordingSettings;
pub use redact::{Secret, redact};
pub use request::{HttpRequest, HttpResponse};
pub use settings::{AllowedBaseUrl, AppCredential, Credential, HttpSettings, RateLimit};
pub use usage::Usage;
