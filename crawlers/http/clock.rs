//! `Clock`: the time that waits are measured with, passed in so that tests need not wait.
//!
//! The time of day plays no part: servers' dates are compared with each other.

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use tokio::time::Instant;

/// A wait that has begun.
pub(crate) type Wait<'a> = Pin<Box<dyn Future<Output = ()> + Send + 'a>>;

/// Gives a time that never runs backwards, and lets it pass.
pub(crate) trait Clock: Send + Sync {
    /// The time since the clock was made.
    fn now(&self) -> Duration;
    /// Lets `wait` pass.
    fn sleep(&self, wait: Duration) -> Wait<'_>;
}

/// The real time.
pub(crate) struct RealClock {
    start: Instant,
}

impl RealClock {
    /// Starts at 0.
    pub(crate) fn start() -> Self {
        Self { start: Instant::now() }
    }
}

impl Clock for RealClock {
    fn now(&self) -> Duration {
        self.start.elapsed()
    }

    fn sleep(&self, wait: Duration) -> Wait<'_> {
        Box::pin(tokio::time::sleep(wait))
    }
}
