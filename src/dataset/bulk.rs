//! The thread pool for scanning and scoring, ordered batches over it, and batches that overlap with their writing.
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
    // At least one: chunks of size 0 panic.
    for chunk in items.chunks(batch.max(1)) {
        // Collected first: the sink runs on the calling thread, where a reader or a file may be open.
        let results: Vec<O> = pool.install(|| chunk.par_iter().map(&work).collect());
        sink(chunk, results)?;
    }
    Ok(())
}

/// Applies `work` to every item on the pool; the results in the order of the items.
pub fn mapped<I: Send, O: Send>(
    pool: &rayon::ThreadPool,
    items: Vec<I>,
    work: impl Fn(I) -> O + Sync + Send,
) -> Vec<O> {
    pool.install(|| items.into_par_iter().map(work).collect())
}

/// Works on batches of `items` in three steps. `read` gives the input of `work` on the calling thread, the pool does the
/// work, and meanwhile `write` puts away the batch before. Batches are written in order, each with its results in the order
/// of the items.
///
/// # Errors
/// The first error of `read` or `write`. Earlier batches stay written.
pub fn overlapped<I, P, O>(
    pool: &rayon::ThreadPool,
    items: &[I],
    batch: usize,
    mut read: impl FnMut(&[I]) -> anyhow::Result<Option<Vec<P>>>,
    work: impl Fn(P) -> O + Sync + Send,
    mut write: impl FnMut(Vec<O>) -> anyhow::Result<()> + Send,
) -> anyhow::Result<()>
where
    P: Send,
    O: Send,
{
    let mut done: Option<Vec<O>> = None;
    for chunk in items.chunks(batch.max(1)) {
        // Reads on this thread, because a reader of the store cannot be shared.
        let Some(read) = read(chunk)? else { break };
        let before = done.take();
        let (results, written) = pool.install(|| {
            let work = || read.into_par_iter().map(&work).collect::<Vec<O>>();
            // The batch before is written while this one is worked on, which hides the time of the disk.
            rayon::join(work, || before.map_or(Ok(()), &mut write))
        });
        written?;
        done = Some(results);
    }
    // The last batch has nothing to overlap with.
    done.map_or(Ok(()), write)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overlapped_batches_are_written_in_order_whatever_the_threads() {
        for threads in [1, 2, 7] {
            let pool = pool(Some(threads)).expect("threads");
            let items: Vec<u32> = (0..103).collect();
            let mut written = Vec::new();
            let read = |items: &[u32]| Ok(Some(items.to_vec()));
            let write = |results: Vec<u32>| {
                written.push(results);
                Ok(())
            };
            overlapped(&pool, &items, 10, read, |item| item * 2, write).expect("no error");
            assert_eq!(written.len(), 11);
            assert_eq!(written.concat(), items.iter().map(|item| item * 2).collect::<Vec<_>>());
        }
    }

    #[test]
    fn what_was_read_before_a_stop_is_still_written() {
        let pool = pool(Some(2)).expect("threads");
        let mut written = 0;
        let read = |items: &[u32]| Ok((items.first() != Some(&4)).then(|| items.to_vec()));
        let write = |results: Vec<u32>| {
            written += results.len();
            Ok(())
        };
        overlapped(&pool, &[0, 1, 2, 3, 4, 5, 6], 2, read, |item| item, write).expect("no error");
        assert_eq!(written, 4);
    }

    #[test]
    fn the_first_error_ends_it() {
        let pool = pool(Some(2)).expect("threads");
        let read = |items: &[u32]| Ok(Some(items.to_vec()));
        let error =
            overlapped(&pool, &[1, 2, 3], 1, read, |item| item, |_| anyhow::bail!("full")).expect_err("an error");
        assert_eq!(error.to_string(), "full");
    }
}
