//! `capdex prune`: deletes what is old and nothing needs, or says what that would be.

use capdex_dataset::escape;
use capdex_db::{Reader, Store};
use capdex_model::time::AsOf;
use serde_json::json;

use super::list_output;
use crate::cli::{ListFormat, PruneArgs};
use crate::clock;
use crate::exit::Exit;
use crate::jobs::prune::{self, TableReport};
use crate::jobs::run::open_store;
use crate::options::Global;
use crate::output::{self, Out};
use crate::shutdown::Shutdown;

/// The file is written anew where at least one byte in so many holds nothing.
const SHARE: u64 = 10;

pub(super) fn run(global: &Global, options: &PruneArgs, out: &mut Out) -> anyhow::Result<Exit> {
    let reader = super::reader(global)?;
    // The clock is checked against the last run, since a wrong clock would delete what is young.
    let as_of = prune::instant(&reader, global.as_of.unwrap_or_else(|| AsOf(clock::now())), 0)?;
    if options.plan {
        let (tables, snapshots) = prune::plan(&reader, prune::before(as_of, options.keep_days))?;
        print(&tables, options.format, out)?;
        if options.format == ListFormat::Table {
            let snapshots = escape::count(snapshots, "snapshot");
            out.line(format_args!("{snapshots} would lose bytes, and nothing else. Nothing was changed."))?;
        }
        return Ok(Exit::Done);
    }
    // The plan reads beside a night; deleting needs the store's lock.
    drop(reader);
    let store = open_store(global)?;
    let before = store.reader()?.pages()?;
    let shutdown = Shutdown::listen()?;
    let (tables, stage) = prune::run(&store, (as_of, options.keep_days), &shutdown.stop, global.quiet)?;
    if shutdown.stop.is_asked() {
        // On the standard error, so that the standard output stays parseable.
        output::say("stopped; what went is gone, and the next prune goes on");
        return Ok(Exit::Interrupted);
    }
    // After the deletions, which leave the pages free that a rewrite gives back.
    let exit = rewrite(&store)?;
    let db = global.db.clone();
    drop(store);
    print(&tables, options.format, out)?;
    if options.format == ListFormat::Table {
        let after = Reader::open(&db, &capdex_rules::INDEX)?.pages()?;
        out.line(format_args!(
            "{} lost bytes, and nothing else ({:.1} s). The store: {}, before {}.",
            escape::count(stage.items, "snapshot"),
            stage.wall_ms as f64 / 1000.0,
            escape::bytes(after.bytes),
            escape::bytes(before.bytes)
        ))?;
    }
    Ok(exit)
}

/// A store of before gives nothing back until it was written anew once.
fn rewrite(store: &Store) -> anyhow::Result<Exit> {
    let pages = store.reader()?.pages()?;
    // Copying the whole file pays only for a large share of free pages.
    if pages.is_incremental || pages.free_bytes * SHARE < pages.bytes {
        return Ok(Exit::Done);
    }
    match store.rewrite() {
        Ok(()) => Ok(Exit::Done),
        Err(error) => {
            let (free, room) = (escape::bytes(pages.free_bytes), escape::bytes(pages.bytes * 2));
            let error = anyhow::Error::from(error);
            output::say(format_args!(
                "the file keeps its size, {free} of it free for what comes: {error:#}. It is written anew where there is \
                 room for {room} and nobody reads"
            ));
            Ok(Exit::Incomplete)
        }
    }
}

fn print(tables: &[TableReport], format: ListFormat, out: &mut Out) -> anyhow::Result<()> {
    let items: Vec<_> =
        tables.iter().map(|table| json!({ "table": table.table, "rows": table.rows, "bytes": table.bytes })).collect();
    list_output::print(format, "capdex.prune/1", &items, out, |out| {
        for table in tables {
            let rows = escape::count(table.rows, "row");
            out.line(format_args!("{:>9}  {rows}, {}", table.table, escape::bytes(table.bytes)))?;
        }
        Ok(())
    })
}
