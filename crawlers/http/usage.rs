//! The cost of requests: how many were sent, and what came back.

/// The cost of requests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Requests sent, retries and redirects included.
    pub requests: u64,
    /// Body bytes received.
    pub bytes: u64,
    /// Answers that said "not modified".
    pub not_modified: u64,
}
