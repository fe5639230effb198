//! The thread pool for scanning and scoring, and ordered batches over it.
//!
//! Results come back in the order of the input, whatever the number of threads.

use anyhow::Context as _;
use rayon::prelude::*;

/// A pool of so many threads (none given: one for each core).
///
/// # Errors
/// When the system gives no threads.
pub fn pool(threads: Option<u16>) -> anyhow::Result<rayon::ThreadPool> {
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads.map_or(0, usize::from))
        .thread_name(|index| format!("capdex-{index}"))
        .build()
        .context("failed to start the thread pool")
}

/// Applies `work` to batches of `items` on the pool and hands each batch's results to `sink` in order. `sink` runs on
/// the calling thread and may stop everything with an error.
///
/// # Errors
/// The first error of `sink`.
pub fn ordered<I, O>(
    pool: &rayon::ThreadPool,
    items: &[I],
    batch: usize,
    work: impl Fn(&I) -> O + Sync + Send,
    mut sink: impl FnMut(&[I], Vec<O>) -> anyhow::Result<()>,
) -> anyhow::Result<()>
where
    I: Sync,
    O: Send,
{
    for chunk in items.chunks(batch.max(1)) {
        let results: Vec<O> = pool.install(|| chunk.par_iter().map(&work).collect());
        sink(chunk, results)?;
    }
    Ok(())
}
