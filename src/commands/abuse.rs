//! `capdex abuse`: imports local lists of abuse and shows those that count.

use std::fs;
use std::path::Path;

use anyhow::Context as _;
use capdex_core::abuse::AbuseList;
use capdex_core::digest::Digest;
use capdex_core::time::AsOf;
use capdex_db::{ImportedList, Store, StoreError};
use serde_json::{Value, json};

use super::{listed, summary};
use crate::cli::{Abuse, Global, ListFormat};
use crate::clock;
use crate::exit::{Exit, usage};
use crate::output::{self, Out};

/// A larger file is no list.
const MAX_BYTES: u64 = 64 << 20;

pub(super) fn run(global: &Global, command: &Abuse, out: &mut Out) -> anyhow::Result<Exit> {
    match command {
        Abuse::Import { file } => import(global, file, out)?,
        Abuse::List { format } => list(global, *format, out)?,
    }
    Ok(Exit::Done)
}

fn import(global: &Global, file: &Path, out: &mut Out) -> anyhow::Result<()> {
    let shown = file.display();
    let size = fs::metadata(file).map_err(|error| usage(format!("cannot read {shown}: {error}")))?.len();
    if size > MAX_BYTES {
        return Err(usage(format!("{shown} has {size} bytes; a list has at most {MAX_BYTES}")));
    }
    let bytes = fs::read(file).map_err(|error| usage(format!("cannot read {shown}: {error}")))?;
    let list = AbuseList::parse(&bytes).map_err(|error| usage(format!("{shown}: {error}")))?;
    let digest = Digest::of(&bytes);
    let at = global.as_of.unwrap_or_else(|| AsOf(clock::now()));
    let store = Store::open(&global.db).with_context(|| format!("failed to open the store {}", global.db.display()))?;
    let taken = list.clone();
    let imported = match store.write(move |writer| writer.import_abuse_list(&taken, &digest, at)) {
        Err(error @ StoreError::Refused { .. }) => return Err(usage(format!("{shown}: {error}"))),
        other => other?,
    };
    let AbuseList { list: name, version, date, entries, .. } = list;
    match imported {
        None => out.line(format_args!("{name} version {version} of {date} is imported already; nothing changed"))?,
        Some(listings) => {
            let what = if entries.len() == 1 { "entry" } else { "entries" };
            out.line(format_args!(
                "{name} version {version} of {date}: {} {what}; the next night scans {} again",
                entries.len(),
                output::count(listings, "listing")
            ))?;
        }
    }
    Ok(())
}

fn list(global: &Global, format: ListFormat, out: &mut Out) -> anyhow::Result<()> {
    let lists = super::reader(global)?.abuse_lists()?;
    let items: Vec<Value> = lists.iter().map(row).collect();
    listed::print(format, "capdex.abuse/1", &items, out, |out| table(&lists, out))
}

fn table(lists: &[ImportedList], out: &mut Out) -> anyhow::Result<()> {
    if lists.is_empty() {
        out.line("No list of abuse was imported")?;
        return Ok(());
    }
    let mut table = summary::table();
    table.set_header(["list", "version", "date", "entries", "imported", "source", "file sha256"]);
    for ImportedList { list, digest, imported } in lists {
        let (version, entries) = (list.version.to_string(), list.entries.len().to_string());
        let source = output::escape(&list.source).into_owned();
        let (at, digest) = (imported.to_string(), digest.hex());
        table.add_row([list.list.clone(), version, list.date.clone(), entries, at, source, digest]);
    }
    out.line(table)?;
    Ok(())
}

fn row(imported: &ImportedList) -> Value {
    let ImportedList { list, digest, imported } = imported;
    json!({
        "schema": "capdex.abuse/1",
        "list": list.list,
        "version": list.version,
        "source": list.source,
        "date": list.date,
        "imported": imported,
        "file_sha256": digest.hex(),
        "entries": list.entries,
    })
}
