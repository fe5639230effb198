//! The only place where a request is made: one client, one rate limit per host, one retry policy, one address check.
//!
//! Must not know what is fetched or why.

/// The client. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Http {}
