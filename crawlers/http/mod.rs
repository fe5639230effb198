//! The only place where a request is made: one client, one rate limit per host, one retry policy, one address check.
//!
//! A test keeps the HTTP library out of every other part of the crawlers.

mod address;
mod app;
mod client;
mod clock;
mod connections;
mod credentials;
mod exchange;
mod limits;
mod pool;
mod rate;
mod redact;
mod retry;
mod settings;
mod tape;
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;

pub use address::host_of;
pub use client::{Answer, Http, Post, Request, origin_of};
pub use exchange::KeptHeaders;
pub(crate) use exchange::{innermost, is_status};
pub use redact::{Secret, redact};
pub use settings::{AppCredential, Credential, HttpSettings, Pace};
pub use tape::TapeSettings;
