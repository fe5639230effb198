//! The way of the rows. One thread reads the store in ranked order, the pool makes rows of it, and each format writes on
//! its own thread.
//!
//! All channels are short, so that memory does not grow with the store. They keep their order, so that the bytes are the
//! same whatever the number of threads.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use anyhow::Context as _;
use capdex_db::{Reader, StoreError};
use capdex_model::time::AsOf;

use super::ExportOptions;
use super::batch::Batch;
use super::cell::{Cell, Row};
use super::file::FileRow;
use super::format::TableWriter;
use super::print::RowsPrint;
use super::rank_order::{RankOrder, Standing};
use super::rows::{DatasetCounts, Met, Packed, RowMaker};
use super::table::{Emit, Layout, RowOrigin, Table};
use super::tables::TABLES;
use crate::bulk;

/// Capabilities on the way at once, in one piece.
const PIECE: usize = 64;
/// Pieces that may wait for the next step.
const WAITING: usize = 2;
/// Rows of the store's own tables in one piece, and about how many bytes of them.
const STORED: (usize, usize) = (512, 1 << 20);

/// The pieces that the reader hands over.
enum Piece {
    Capabilities(Vec<Packed>),
    Stored(Batch),
    /// All capabilities are on their way: what was counted is told.
    EndOfCapabilities,
}

/// What rows of capabilities are made of.
pub(super) struct Capabilities {
    pub(super) ranking: RankOrder,
    pub(super) maker: RowMaker,
    /// True where the nights of the history are written again; false where their files are taken over.
    pub(super) with_nights: bool,
}

/// The result of all rows.
pub(super) struct Streamed {
    /// Every file of every format, unsorted.
    pub(super) files: Vec<FileRow>,
    pub(super) counted: DatasetCounts,
    /// The number of rows of each layout.
    pub(super) rows: Vec<u64>,
    /// The print of each table that is compared with that of before; none of the others.
    pub(super) prints: Vec<Option<RowsPrint>>,
}

/// The tables of which rows are made, beside those that the store holds.
pub(super) struct Asked<'a> {
    /// Those of capabilities, where they are not taken over.
    pub(super) capabilities: Option<&'a Capabilities>,
    /// True for those of passes.
    pub(super) passed: bool,
    /// True where a dataset stands there that those of the store are compared with.
    pub(super) compared: bool,
}

/// Sends the rows of the tables that the store holds to every format, and the others that are asked for.
pub(super) fn run(
    reader: &Reader,
    asked: &Asked<'_>,
    layouts: &[Layout],
    sinks: Vec<Box<dyn TableWriter>>,
    options: &ExportOptions,
    pool: &rayon::ThreadPool,
) -> anyhow::Result<Streamed> {
    thread::scope(|scope| {
        let (mut senders, mut writers) = (Vec::new(), Vec::new());
        for sink in sinks {
            // Short channels: a slow format holds up the reader instead of filling the memory.
            let (sender, receiver) = sync_channel::<Arc<Vec<Batch>>>(WAITING);
            senders.push(sender);
            writers.push(scope.spawn(move || write(sink, layouts, &receiver)));
        }
        let (to_maker, pieces) = sync_channel::<Piece>(WAITING);
        let making = scope.spawn(move || make((asked, options.as_of), layouts, &pieces, &senders, pool));
        // On this thread, because the view of the store belongs to it.
        let read = read(reader, asked, options.with_transcripts, &to_maker);
        // The end of the channel is what tells the maker that no piece follows.
        drop(to_maker);
        let made = making.join().map_err(|_| anyhow::anyhow!("making rows was cut short"))?;
        let mut files = Vec::new();
        for writer in writers {
            // What a format says comes first: where it ended early, the steps before it only saw a closed channel.
            files.extend(writer.join().map_err(|_| anyhow::anyhow!("a format was cut short"))??);
        }
        // In the order of causes: a full disk makes the steps before it fail as well.
        let Made { counted, rows, prints } = made?;
        read?;
        Ok(Streamed { files, counted, rows, prints })
    })
}

const CLOSED: &str = "the rows are not taken any more";

fn write(
    mut sink: Box<dyn TableWriter>,
    layouts: &[Layout],
    batches: &Receiver<Arc<Vec<Batch>>>,
) -> anyhow::Result<Vec<FileRow>> {
    for batches in batches {
        for batch in batches.iter() {
            let name = || layouts.get(batch.table).map_or("?", |layout| &layout.file);
            sink.take(batch.table, &batch.rows).with_context(|| format!("failed to write {}", name()))?;
        }
    }
    sink.finish()
}

/// What was made of all pieces.
struct Made {
    counted: DatasetCounts,
    rows: Vec<u64>,
    prints: Vec<Option<RowsPrint>>,
}

/// Makes rows of pieces, in their order, and hands them to every format.
fn make(
    (asked, as_of): (&Asked<'_>, AsOf),
    layouts: &[Layout],
    pieces: &Receiver<Piece>,
    senders: &[SyncSender<Arc<Vec<Batch>>>],
    pool: &rayon::ThreadPool,
) -> anyhow::Result<Made> {
    // Where a pass ran, what it keeps is hardly ever the same, and comparing it costs more than writing it.
    let is_stored = |table: &Table| matches!(table.rows, RowOrigin::Stored(_) | RowOrigin::Transcripts(_));
    let mut prints: Vec<Option<RowsPrint>> =
        TABLES.iter().map(|table| (asked.compared && is_stored(table)).then(RowsPrint::default)).collect();
    let maker = asked.capabilities.map(|all| &all.maker);
    let (mut counted, mut rows) = (DatasetCounts::default(), vec![0; layouts.len()]);
    let mut hand_on = |mut batches: Vec<Batch>| {
        for batch in &mut batches {
            // Private columns are dropped here, before any format sees them.
            let (Some(layout), Some(rows)) = (layouts.get(batch.table), rows.get_mut(batch.table)) else { continue };
            *rows += batch.rows.len() as u64;
            batch.rows = std::mem::take(&mut batch.rows).into_iter().map(|row| layout.keep(row, as_of)).collect();
            if let Some(Some(print)) = prints.get_mut(batch.table) {
                batch.rows.iter().for_each(|row| print.add(layout.unstamped(row)));
            }
        }
        // Shared among the formats, and not copied for each.
        let batches = Arc::new(batches);
        // A closed channel is a format that ended early; its own error is told instead.
        senders.iter().try_for_each(|sender| sender.send(batches.clone()).ok().context(CLOSED))
    };
    for piece in pieces {
        match piece {
            Piece::Capabilities(packed) => {
                let maker = maker.context("capabilities are read that nobody makes rows of")?;
                // One list for each table, so that a batch goes to one table in each file.
                let mut tables: Vec<Vec<Row>> = vec![Vec::new(); TABLES.len()];
                // Results come in the order of the input, which keeps the bytes independent of threads.
                for made in bulk::mapped(pool, packed, |packed| maker.make(packed)) {
                    let made = made?;
                    counted.add(made.counts);
                    for (table, row) in made.rows.0 {
                        if let Some(rows) = tables.get_mut(table) {
                            rows.push(row);
                        }
                    }
                }
                let batch = |(table, rows)| Batch { table, rows };
                hand_on(tables.into_iter().enumerate().filter(|(_, rows)| !rows.is_empty()).map(batch).collect())?;
            }
            Piece::Stored(batch) => hand_on(vec![batch])?,
            // Counted tables need all capabilities, and come in the place where those end.
            Piece::EndOfCapabilities => {
                let maker = maker.context("capabilities were read that nobody makes rows of")?;
                counted.each_batch(&maker.since, as_of, &mut |batch| hand_on(vec![batch]))?;
            }
        }
    }
    Ok(Made { counted, rows, prints })
}

fn read(reader: &Reader, asked: &Asked<'_>, with_transcripts: bool, to: &SyncSender<Piece>) -> anyhow::Result<()> {
    if let Some(capabilities) = asked.capabilities {
        read_capabilities(reader, capabilities, to)?;
    }
    for (number, table) in TABLES.iter().enumerate() {
        let rows = match table.rows {
            RowOrigin::Stored(rows) => rows,
            RowOrigin::Passed(rows) if asked.passed => rows,
            RowOrigin::Transcripts(rows) if with_transcripts => rows,
            _ => continue,
        };
        in_pieces(to, number, |emit| rows(reader, emit)).with_context(|| format!("failed to read {}", table.name))?;
    }
    Ok(())
}

fn read_capabilities(reader: &Reader, of: &Capabilities, to: &SyncSender<Piece>) -> anyhow::Result<()> {
    let Capabilities { ranking, maker, with_nights } = of;
    let mut met = Met::default();
    for (places, standings) in ranking.places.chunks(PIECE).zip(ranking.standing_of.chunks(PIECE)) {
        let packed = |(place, standing): (&_, &Standing)| maker.read(reader, ranking, place, *standing, &mut met);
        let packed = places.iter().zip(standings).map(packed).collect::<Result<Vec<_>, StoreError>>()?;
        to.send(Piece::Capabilities(packed)).ok().context(CLOSED)?;
    }
    to.send(Piece::EndOfCapabilities).ok().context(CLOSED)?;
    let history = &maker.since.history;
    for (place, night) in history.nights.iter().enumerate().filter(|_| *with_nights) {
        in_pieces(to, TABLES.len() + place, |emit| history.each(*night, emit))
            .with_context(|| format!("failed to read the history of {night}"))?;
    }
    Ok(())
}

/// Sends rows of a table on, some at a time.
fn in_pieces(
    to: &SyncSender<Piece>,
    table: usize,
    rows: impl FnOnce(Emit<'_>) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let (mut waiting, mut bytes) = (Vec::new(), 0);
    rows(&mut |row: Row| {
        // By bytes too, because rows of the store hold descriptions and differences of any length.
        bytes += row.iter().map(Cell::size).sum::<usize>();
        waiting.push(row);
        if waiting.len() < STORED.0 && bytes < STORED.1 {
            return Ok(());
        }
        bytes = 0;
        to.send(Piece::Stored(Batch { table, rows: std::mem::take(&mut waiting) })).ok().context(CLOSED)
    })?;
    // The rest, which may be empty and then adds nothing.
    to.send(Piece::Stored(Batch { table, rows: waiting })).ok().context(CLOSED)
}
