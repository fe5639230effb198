//! The queue of a coordinator: NATS where the schedule names one; else workers read the plan, and nobody is told anything.

use capdex_spread::Task;

use super::settings::SpreadSettings;

/// Tells workers what there is to do.
pub(super) trait Queue {
    /// Hands tasks out. `round` is another one where the same are handed out again.
    ///
    /// # Errors
    /// A queue that cannot be reached.
    fn publish(&self, tasks: &[Task], round: u64) -> anyhow::Result<()>;

    /// Tasks that were handed out and not ended; none where nobody knows.
    ///
    /// # Errors
    /// A queue that cannot be reached.
    fn waiting(&self) -> anyhow::Result<Option<u64>>;
}

/// Plans alone.
struct Unqueued;

impl Queue for Unqueued {
    fn publish(&self, _: &[Task], _: u64) -> anyhow::Result<()> {
        Ok(())
    }

    fn waiting(&self) -> anyhow::Result<Option<u64>> {
        Ok(None)
    }
}

/// The queue of some settings.
///
/// # Errors
/// A NATS server whose address is none, and one that this program was built without.
pub(super) fn open(settings: &SpreadSettings) -> anyhow::Result<Box<dyn Queue>> {
    settings.nats.as_deref().map_or_else(|| Ok(Box::new(Unqueued) as Box<dyn Queue>), open_nats)
}

#[cfg(feature = "spread")]
fn open_nats(url: &str) -> anyhow::Result<Box<dyn Queue>> {
    struct Nats(capdex_engines::TaskQueue);

    impl Queue for Nats {
        fn publish(&self, tasks: &[Task], round: u64) -> anyhow::Result<()> {
            Ok(self.0.publish(tasks, round)?)
        }

        fn waiting(&self) -> anyhow::Result<Option<u64>> {
            Ok(Some(self.0.waiting()?))
        }
    }
    Ok(Box::new(Nats(capdex_engines::TaskQueue::open(url)?)))
}

#[cfg(not(feature = "spread"))]
fn open_nats(url: &str) -> anyhow::Result<Box<dyn Queue>> {
    let host = url.rsplit('@').next().unwrap_or_default();
    Err(crate::exit::usage(format!("spread.nats: {host}: {}", crate::work::WITHOUT_FEATURE)))
}
