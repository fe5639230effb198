//! The prune stage: deletes things that are older than so many days and that nothing needs. These are bytes of snapshots
//! that were followed by others, scores of days long past, and old ledgers.
//!
//! Must not touch what stands or what a dataset is made of. Every step is one bounded transaction. The next run goes on
//! where one was killed: snapshots are marked before the first of their blobs goes.

use capdex_dataset::stopwatch::Stopwatch;
use capdex_db::{Gone, LEDGERS, Reader, Store};
use capdex_model::time::{AsOf, Timestamp};
use serde::Serialize;

use super::StageReport;
use crate::clock;
use crate::progress::StageProgress;
use crate::shutdown::ShutdownFlag;

/// Snapshots looked at in one round: bounds the memory for the digests of their files.
const ROUND: usize = 50_000;
/// Rows deleted, or snapshots marked, in one transaction.
const ROWS: u32 = 20_000;
/// Days that a run may lie behind the one before it without any doubt of the clock.
const FAR_DAYS: i64 = 30;
/// Blobs deleted in one transaction: each may be many pages.
const BLOBS: usize = 500;

/// The rows that go from one table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TableReport {
    /// The table.
    pub table: &'static str,
    /// Rows that go; of `snapshots` none, they only lose their bytes.
    pub rows: u64,
    /// Their bytes, without what the table and its indexes need for themselves.
    pub bytes: u64,
}

/// The instant by which ages are measured: never one ahead of the clock, nor far ahead of the run before. A clock that once ran
/// ahead is no reason to delete what cannot be had again. `since` is the number of runs begun after the run before: one within
/// a run, else none.
///
/// # Errors
/// Errors of the store.
pub fn instant(reader: &Reader, as_of: AsOf, since: usize) -> anyhow::Result<AsOf> {
    // Runs since then are skipped, because the run that prunes is in the ledger itself.
    let earlier = reader.runs(since + 1)?.get(since).map_or(as_of, |run| days_from(run.as_of, FAR_DAYS));
    // The earliest of the three: deleting too little is made good the next night, deleting too much never.
    Ok(as_of.min(AsOf(clock::now())).min(earlier))
}

/// The instant before which things are old.
pub fn before(as_of: AsOf, keep_days: u32) -> AsOf {
    days_from(as_of, -i64::from(keep_days))
}

fn days_from(as_of: AsOf, days: i64) -> AsOf {
    AsOf(Timestamp::from_unix_seconds(as_of.0.unix_seconds().saturating_add(days * 86_400)))
}

/// The rows that would go, table by table, and the number of snapshots that would lose their bytes. Changes nothing.
///
/// # Errors
/// Errors of the store.
pub fn plan(reader: &Reader, before: AsOf) -> anyhow::Result<(Vec<TableReport>, u64)> {
    // Without a bound, because nothing is deleted and the plan must name the whole sum.
    let round = reader.prunable(before, usize::MAX)?;
    let mut tables = vec![TableReport { table: "blobs", rows: round.blobs.len() as u64, bytes: round.stored_bytes }];
    for ledger in LEDGERS {
        let Gone { rows, bytes } = reader.prunable_rows(&ledger, before)?;
        tables.push(TableReport { table: ledger.table, rows, bytes });
    }
    Ok((tables, round.snapshots.len() as u64))
}

/// Deletes it, and gives the freed pages back where the file allows that; what went, and the stage as runs have it.
///
/// # Errors
/// Errors of the store; what went before is gone.
pub fn run(
    store: &Store,
    (as_of, keep_days): (AsOf, u32),
    stop: &ShutdownFlag,
    quiet: bool,
) -> anyhow::Result<(Vec<TableReport>, StageReport)> {
    let (watch, before) = (Stopwatch::start(), before(as_of, keep_days));
    let progress = StageProgress::stage("prune", None, quiet);
    let mut report = StageReport::default();
    // Blobs first: they are nearly all of the bytes.
    let mut tables = vec![blobs(store, (before, as_of), stop, &progress, &mut report)?];
    for ledger in LEDGERS {
        let mut gone = Gone::default();
        // In small transactions, so that a run that is stopped or killed loses at most the last of them.
        while !stop.is_asked() {
            let step = store.write(move |writer| writer.prune_rows(&ledger, before, ROWS))?;
            if step.rows == 0 {
                break;
            }
            gone = Gone { rows: gone.rows + step.rows, bytes: gone.bytes + step.bytes };
            progress.advance(step.rows);
        }
        tables.push(TableReport { table: ledger.table, rows: gone.rows, bytes: gone.bytes });
    }
    // Freed pages go back step by step too: a whole vacuum would lock the store for as long as it copies it.
    while !stop.is_asked() && store.write(|writer| writer.give_back())? > 0 {}
    progress.finish();
    report.done = tables.iter().map(|table| table.rows).sum();
    report.bytes = tables.iter().map(|table| table.bytes).sum();
    report.wall_ms = u64::try_from(watch.elapsed().as_millis()).unwrap_or(u64::MAX);
    Ok((tables, report))
}

/// Round by round: marks snapshots, deletes the blobs that were theirs alone, notes that these are swept.
fn blobs(
    store: &Store,
    (before, at): (AsOf, AsOf),
    stop: &ShutdownFlag,
    progress: &StageProgress,
    report: &mut StageReport,
) -> anyhow::Result<TableReport> {
    let mut table = TableReport { table: "blobs", rows: 0, bytes: 0 };
    while !stop.is_asked() {
        // Asked anew each round: marked snapshots are no longer in the answer, so the loop ends.
        let round = store.reader()?.prunable(before, ROUND)?;
        if round.is_empty() {
            break;
        }
        report.items += round.snapshots.len() as u64;
        // All marks before the first deletion: an interrupted run leaves snapshots marked, and the next one finds their blobs.
        for some in round.snapshots.chunks(ROWS as usize) {
            let some = some.to_vec();
            store.write(move |writer| writer.mark_pruned(&some, at))?;
        }
        for some in round.blobs.chunks(BLOBS) {
            if stop.is_asked() {
                return Ok(table);
            }
            let some = some.to_vec();
            let dropped = store.write(move |writer| writer.drop_blobs(&some))?;
            table.rows += dropped;
            progress.advance(dropped);
        }
        // Noted only now; until then a run that was stopped looks for their blobs again.
        store.write(|writer| writer.all_swept())?;
        table.bytes += round.stored_bytes;
    }
    Ok(table)
}
