//! `capdex abuse`: imports local lists of abuse, shows those that count, and writes what an operator confirms as OSV records.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use anyhow::Context as _;
use capdex_dataset::escape;
use capdex_db::{Decisions, ImportedList, StoreError};
use capdex_model::abuse::{AbuseEntry, AbuseList};
use capdex_model::digest::Digest;
use capdex_model::time::AsOf;
use serde_json::{Value, json};

use super::{abuse_reports, list_output, summary};
use crate::advice;
use crate::cli::{AbuseCommand, ListFormat, WaitArgs};
use crate::exit::{Exit, usage};
use crate::options::Global;
use crate::output::Out;
use crate::{clock, files, osv};

/// A larger file is no list.
const MAX_BYTES: u64 = 64 << 20;
/// The most bytes of the records in a folder. The public collection of malicious packages had a few hundred megabytes.
const MAX_RECORDS_BYTES: u64 = 2 << 30;

pub(super) fn run(global: &Global, command: &AbuseCommand, out: &mut Out) -> anyhow::Result<Exit> {
    match command {
        AbuseCommand::Import { file, confirmed, waiting } => import(global, (file, *confirmed), waiting, out)?,
        AbuseCommand::Report { file, waiting } => abuse_reports::submit(global, file, waiting, out)?,
        AbuseCommand::Reports { format } => abuse_reports::list(global, *format, out)?,
        AbuseCommand::Moderate(options) => abuse_reports::moderate(global, options, out)?,
        AbuseCommand::List { format } => list(global, *format, out)?,
        AbuseCommand::ExportOsv { dir, list } => export_osv(global, dir, list, out)?,
    }
    Ok(Exit::Done)
}

fn import(global: &Global, (file, confirmed): (&Path, bool), waiting: &WaitArgs, out: &mut Out) -> anyhow::Result<()> {
    let shown = file.display();
    let (mut list, mut digest) = if file.is_dir() { records(file, out)? } else { one_list(file)? };
    if !file.is_dir() {
        // A list cannot vouch for itself: the operator's word counts, and not the file's.
        list.confirmed = confirmed;
    }
    if confirmed {
        // Of what counts now: the same file without the word is another import.
        digest = Digest::of_json(&list);
    }
    let at = global.as_of.unwrap_or_else(|| AsOf(clock::now()));
    let taken = list.clone();
    // A version older than the one held, or the same with other bytes, is a fault of the file.
    let import = move |decisions: &Decisions<'_>| decisions.import_abuse_list(&taken, &digest, at);
    let imported = match super::decide(global, waiting, import) {
        Err(error) => match error.downcast_ref::<StoreError>() {
            Some(refused @ StoreError::Refused { .. }) => return Err(usage(format!("{shown}: {refused}"))),
            _ => return Err(error),
        },
        Ok(imported) => imported,
    };
    let AbuseList { list: name, version, date, entries, .. } = list;
    match imported {
        None => out.line(format_args!("{name} version {version} of {date} is imported already; nothing changed"))?,
        Some(listings) => {
            let what = if entries.len() == 1 { "entry" } else { "entries" };
            out.line(format_args!(
                "{name} version {version} of {date}: {} {what}; the next night scans {} again",
                entries.len(),
                escape::count(listings, "listing")
            ))?;
        }
    }
    Ok(())
}

/// The list of a file.
fn one_list(file: &Path) -> anyhow::Result<(AbuseList, Digest)> {
    let shown = file.display();
    let size =
        fs::metadata(file).map_err(|error| usage(format!("cannot read {shown}: {}", advice::told(&error))))?.len();
    // Asked before reading, so that a wrong path does not fill the memory.
    if size > MAX_BYTES {
        return Err(usage(format!("{shown} has {size} bytes; a list has at most {MAX_BYTES}")));
    }
    let bytes = fs::read(file).map_err(|error| usage(format!("cannot read {shown}: {}", advice::told(&error))))?;
    // A list that cannot be read whole is refused whole: half of it would clear the other half.
    let list = AbuseList::parse(&bytes).map_err(|error| usage(format!("{shown}: {error}")))?;
    Ok((list, Digest::of(&bytes)))
}

/// The list that the OSV records in a folder make, whose name it takes.
fn records(folder: &Path, out: &mut Out) -> anyhow::Result<(AbuseList, Digest)> {
    let shown = folder.display();
    let (mut records, mut folders, mut bytes) = (Vec::new(), vec![folder.to_owned()], 0_u64);
    while let Some(next) = folders.pop() {
        let entries = fs::read_dir(&next)
            .map_err(|error| usage(format!("cannot read {}: {}", next.display(), advice::told(&error))))?;
        for entry in entries {
            let entry = entry.with_context(|| format!("failed to read {}", next.display()))?;
            // A link could lead anywhere, and so is none of the records.
            let kind = entry.file_type().with_context(|| format!("failed to read {}", entry.path().display()))?;
            let path = entry.path();
            if kind.is_dir() && entry.file_name() != ".git" {
                folders.push(path);
            } else if kind.is_file() && path.extension().is_some_and(|of| of == "json") {
                bytes += entry.metadata().map_or(0, |about| about.len());
                if bytes > MAX_RECORDS_BYTES {
                    return Err(usage(format!("{shown} has more than {MAX_RECORDS_BYTES} bytes of records")));
                }
                let read = fs::read(&path)
                    .map_err(|error| usage(format!("cannot read {}: {}", path.display(), advice::told(&error))))?;
                records.push((path.display().to_string(), read));
            }
        }
    }
    records.sort();
    let name = folder
        .canonicalize()
        .ok()
        .and_then(|folder| folder.file_name().map(|name| name.to_string_lossy().to_lowercase()));
    let name = name.unwrap_or_else(|| "osv".to_owned());
    let read = osv::list_of(&name, "OSV records of malicious packages", &records)
        .map_err(|error| usage(format!("{shown}: {error}")))?;
    out.line(format_args!(
        "{}: {} no report of malice or withdrawn, {} of registries or versions that it could not name",
        escape::count(u64::try_from(records.len())?, "record"),
        read.others,
        read.left_out
    ))?;
    let digest = Digest::of_json(&read.list);
    Ok((read.list, digest))
}

fn list(global: &Global, format: ListFormat, out: &mut Out) -> anyhow::Result<()> {
    let lists = super::reader(global)?.abuse_lists()?;
    let items: Vec<Value> = lists.iter().map(row).collect();
    list_output::print(format, "capdex.abuse/1", &items, out, |out| table(&lists, out))
}

fn export_osv(global: &Global, dir: &Path, confirmed: &[String], out: &mut Out) -> anyhow::Result<()> {
    let lists = super::reader(global)?.abuse_lists()?;
    let known: Vec<&str> = lists.iter().map(|imported| imported.list.list.as_str()).collect();
    // Named one by one on purpose: publishing an accusation is a decision of the operator's.
    if let Some(name) = confirmed.iter().find(|name| !known.contains(&name.as_str())) {
        return Err(usage(format!("no list {name:?} was imported; those that were: {}", known.join(", "))));
    }
    fs::create_dir_all(dir).with_context(|| format!("failed to create {}", dir.display()))?;
    for ImportedList { list, .. } in lists.iter().filter(|imported| confirmed.contains(&imported.list.list)) {
        let records: BTreeMap<String, Value> =
            list.entries.iter().filter_map(|entry| Some((osv::id(list, entry), osv::record(list, entry)?))).collect();
        // Withdrawn before new ones are written, so that a stop in between accuses nobody wrongly.
        let withdrawn = withdraw(dir, list, &records)?;
        for (id, record) in &records {
            write_record(dir, id, record)?;
        }
        // Several entries may speak of one subject, which is one record.
        let subjects: BTreeSet<String> = list.entries.iter().map(AbuseEntry::subject).collect();
        let (written, left_out) = (records.len(), subjects.len() - records.len());
        out.line(format_args!(
            "{} version {}: {}, {withdrawn} withdrawn, {left_out} of registries that OSV has no name for",
            list.list,
            list.version,
            escape::count(u64::try_from(written)?, "record")
        ))?;
    }
    Ok(())
}

/// Marks the records of a list as withdrawn that stand for what it names no more; gives their number.
fn withdraw(dir: &Path, list: &AbuseList, records: &BTreeMap<String, Value>) -> anyhow::Result<u64> {
    let mut withdrawn = 0;
    for entry in fs::read_dir(dir).with_context(|| format!("failed to read {}", dir.display()))? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        let Some(id) = name.strip_suffix(".json") else { continue };
        // A list's name may begin with another's.
        let is_its_own = id.strip_prefix(&osv::prefix(&list.list)).is_some_and(|rest| rest.len() == osv::DIGITS);
        if !is_its_own || records.contains_key(id) {
            continue;
        }
        // Marked and kept: whoever has read the record before learns only so that it is withdrawn.
        let bytes = fs::read(dir.join(&name)).with_context(|| format!("failed to read {name}"))?;
        let record: Value = serde_json::from_slice(&bytes).with_context(|| format!("{name} is no record"))?;
        // A record keeps the day on which it was withdrawn first.
        if record.get("withdrawn").is_none() {
            write_record(dir, id, &osv::withdrawn(record, list))?;
            withdrawn += 1;
        }
    }
    Ok(withdrawn)
}

fn write_record(dir: &Path, id: &str, record: &Value) -> anyhow::Result<()> {
    let path = dir.join(format!("{id}.json"));
    files::replace(&path, format!("{record:#}\n").as_bytes())
        .with_context(|| format!("failed to write {}", path.display()))
}

fn table(lists: &[ImportedList], out: &mut Out) -> anyhow::Result<()> {
    if lists.is_empty() {
        out.line("No list of abuse was imported")?;
        return Ok(());
    }
    let mut table = summary::table();
    table.set_header(["list", "version", "date", "entries", "confirmed", "imported", "source", "file sha256"]);
    for ImportedList { list, digest, imported } in lists {
        let (version, entries) = (list.version.to_string(), list.entries.len().to_string());
        // The source is text of the file, and a terminal would act on control sequences in it.
        let source = escape::escape(&list.source).into_owned();
        let (at, digest) = (imported.to_string(), digest.hex());
        let confirmed = if list.confirmed { "yes" } else { "no" }.to_owned();
        table.add_row([list.list.clone(), version, list.date.clone(), entries, confirmed, at, source, digest]);
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
        "confirmed": list.confirmed,
        "imported": imported,
        "file_sha256": digest.hex(),
        "entries": list.entries,
    })
}
