//! `capdex verify`: a dataset or a site with nothing but itself, or one stored capability by scanning its bytes again.

use std::path::Path;

use capdex_dataset::bulk;
use capdex_dataset::escape;
use capdex_dataset::signature::VerifyingKey;
use capdex_db::{CurrentCapability, Reader, StoreError};
use capdex_model::bundle::Bundle;
use capdex_model::digest::Digest;
use capdex_model::score::Score;
use capdex_rubrics::RUBRICS;

use super::keys;
use crate::analysis;
use crate::capability_lookup::{self, NameMatch};
use crate::cli::VerifyArgs;
use crate::exit::{Exit, usage};
use crate::options::Global;
use crate::output::Out;
use capdex_dataset::export::{manifest, ranked_capability, verify};
use capdex_dataset::output_folder;
use capdex_site::report::manifest as site;

/// Differences printed, and things that are unknown; more are counted.
const SHOWN: usize = 20;

pub(super) fn run(global: &Global, options: &VerifyArgs, out: &mut Out) -> anyhow::Result<Exit> {
    let path = Path::new(&options.target);
    // A folder is a dataset or a site; everything else is the name of a capability.
    if !path.is_dir() {
        return match &options.key {
            Some(key) if path.is_file() => one_file(path, key, out),
            Some(_) => Err(usage(format!(
                "{} is no folder and no file: --key is for a dataset, a site or a page that was signed",
                path.display()
            ))),
            None => capability(global, &options.target, out),
        };
    }
    let holds = |name: &str| path.join(name).is_file();
    let (name, max) = match (holds(manifest::NAME), holds(site::NAME)) {
        (true, _) => (manifest::NAME, manifest::MAX_BYTES),
        (false, true) => (site::NAME, output_folder::MAX_MANIFEST_BYTES),
        (false, false) => {
            let dir = path.display();
            return Err(usage(format!("{dir} holds no {}: it is not an export, nor a site of capdex", manifest::NAME)));
        }
    };
    // Before anything else of it is read: what a stranger wrote may be hostile.
    if let Some(key) = &options.key {
        match key.check_file(path, name, max)? {
            Err(fault) => {
                out.line(format_args!("refused: {name} {fault}"))?;
                return Ok(Exit::Threshold);
            }
            Ok(comment) => out.line(format_args!("signed by the key {}: {}", key.id(), escape::escape(&comment)))?,
        }
    }
    if name == manifest::NAME { dataset(global, path, out) } else { site_files(path, out) }
}

/// Checks one file against the signature beside it. What is in it is not looked at.
fn one_file(path: &Path, key: &VerifyingKey, out: &mut Out) -> anyhow::Result<Exit> {
    let (folder, name) = (path.parent().unwrap_or(Path::new("")), path.file_name().and_then(|name| name.to_str()));
    let name = name.ok_or_else(|| usage(format!("{} has a name that is no text", path.display())))?;
    Ok(match key.check_file(folder, name, keys::MAX_BYTES)? {
        Err(fault) => {
            out.line(format_args!("refused: {} {fault}", escape::escape(name)))?;
            Exit::Threshold
        }
        Ok(comment) => {
            out.line(format_args!("signed by the key {}: {}", key.id(), escape::escape(&comment)))?;
            Exit::Done
        }
    })
}

/// Checks every file of a site against the list of them.
fn site_files(dir: &Path, out: &mut Out) -> anyhow::Result<Exit> {
    let checked = output_folder::check(dir, &site::OUTPUT)?;
    told("differs", &checked.differences, out)?;
    if checked.is_unfinished {
        out.line(
            "A writing into this folder was cut short or goes on; the next `capdex report` into it completes it.",
        )?;
    }
    beside("site", &checked.beside, out)?;
    let is_same = checked.differences.is_empty();
    let found = match is_same {
        true => "no difference".into(),
        false => escape::count(checked.differences.len() as u64, "difference"),
    };
    out.line(format_args!("{} digested: {found}", escape::count(checked.files, "file")))?;
    Ok(Exit::of(!is_same, false))
}

/// The files beside what was checked, in one line.
fn beside(what: &str, files: &[String], out: &mut Out) -> anyhow::Result<()> {
    if files.is_empty() {
        return Ok(());
    }
    let names: Vec<String> = files.iter().take(SHOWN).map(|name| escape::escape(name).into_owned()).collect();
    let more = files.len().saturating_sub(SHOWN);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    Ok(out.line(format_args!("beside the {what}, and no part of it: {}{more}", names.join(", ")))?)
}

fn dataset(global: &Global, dir: &Path, out: &mut Out) -> anyhow::Result<Exit> {
    let verified = verify::verify(dir, &capdex_rules::INDEX, &bulk::pool(global.threads)?)?;
    told("differs", &verified.differences, out)?;
    told("unknown", &verified.unknown, out)?;
    if verified.is_unfinished {
        out.line(
            "A writing into this folder was cut short or goes on; the next `capdex export` into it completes it.",
        )?;
    }
    beside("dataset", &verified.beside, out)?;
    let (is_same, is_known) = (verified.differences.is_empty(), verified.unknown.is_empty());
    out.line(format_args!(
        "{} and {} digested, {} and {} computed again: {}",
        escape::count(verified.files, "file"),
        escape::count(verified.facts, "content"),
        escape::count(verified.scores, "score"),
        escape::count(verified.ranks, "rank"),
        match (is_same, is_known) {
            (true, true) => "no difference".into(),
            (true, false) => "not everything that should be there is".into(),
            (false, _) => escape::count(verified.differences.len() as u64, "difference"),
        }
    ))?;
    Ok(Exit::of(!is_same, !is_known))
}

/// Some of the differences, a line each, and the number of the others.
fn told(what: &str, found: &[String], out: &mut Out) -> anyhow::Result<()> {
    for one in found.iter().take(SHOWN) {
        out.line(format_args!("{what}: {}", escape::escape(one)))?;
    }
    let more = found.len().saturating_sub(SHOWN);
    if more > 0 {
        out.line(format_args!("… and {more} more"))?;
    }
    Ok(())
}

/// Scans the stored bytes of the capability's snapshot again and compares facts and scores byte for byte.
fn capability(global: &Global, name: &str, out: &mut Out) -> anyhow::Result<Exit> {
    if !global.db.exists() {
        let store = global.db.display();
        return Err(usage(format!(
            "{name:?} is no folder of a dataset or a site, and there is no store {store} to look it up in"
        )));
    }
    let reader = super::reader(global)?;
    let current = match capability_lookup::search(&reader, name)? {
        NameMatch::One(current) => current,
        // What stood once may still have its bytes, and is looked for under its exact name.
        NameMatch::None(error) => {
            let error = error.context(format!("{name:?} is no folder of a dataset or a site"));
            return former(&reader, name, error, out);
        }
        NameMatch::Several(several) => return Err(several.into()),
    };
    let bundle = match reader.bundle(current.snapshot) {
        // Pruned bytes are unknown and no difference: the operator chose to delete them.
        Err(error @ StoreError::Pruned { .. }) => return unknown(&current.capability.slug, &error.to_string(), out),
        other => other?,
    };
    let RescanComparison { differences, unscored, scores } = compare(global, &reader, &current, &bundle)?;
    // A chain that somebody altered is told here too, since all that it says stands beside this capability.
    let differences = match reader.appeals_about(&current.identity) {
        Err(StoreError::Corrupt { detail, .. }) => [differences, vec![format!("its appeals: {detail}")]].concat(),
        other => other.map(|_| differences)?,
    };
    for difference in &differences {
        out.line(format_args!("differs: {}", escape::escape(difference)))?;
    }
    for rubric in &unscored {
        out.line(format_args!("unknown: no score by {rubric} is stored for that day"))?;
    }
    let said = match (differences.is_empty(), unscored.is_empty()) {
        (true, true) => "no difference",
        (true, false) => "unknown",
        (false, _) => "differs",
    };
    out.line(format_args!(
        "{}: scanned again from {}, {} computed again: {said}",
        escape::escape(&current.capability.slug),
        escape::count(bundle.files.len() as u64, "stored file"),
        escape::count(scores, "score")
    ))?;
    Ok(Exit::of(!differences.is_empty(), !unscored.is_empty()))
}

/// The result of scanning and scoring again.
#[derive(Default)]
struct RescanComparison {
    differences: Vec<String>,
    /// The rubrics of which no score is stored for the day: nothing can be said of what was told under them.
    unscored: Vec<&'static str>,
    /// Scores that were computed again.
    scores: u64,
}

fn compare(
    global: &Global,
    reader: &Reader,
    current: &CurrentCapability,
    bundle: &Bundle,
) -> anyhow::Result<RescanComparison> {
    let mut compared = RescanComparison::default();
    let differences = &mut compared.differences;
    let bytes = |score: &Score| Digest::of_json(score);
    // The bytes themselves first: with a damaged blob every later comparison is worthless.
    for (path, file) in &bundle.files {
        if Digest::of(&file.bytes) != file.digest {
            differences.push(format!("the stored bytes of {path} have another digest"));
        }
    }
    let again = analysis::scan(bundle).into_iter().find(|scanned| scanned.capability.id == current.capability.id);
    let Some(scanned) = again else {
        differences.push("it is no longer found in its stored bytes".into());
        return Ok(compared);
    };
    if scanned.capability.content != current.capability.content {
        differences.push("its stored bytes have another content digest".into());
    }
    // Told as the cause of what follows, or other facts would look like tampering.
    if current.ruleset != capdex_rules::INDEX.digest() {
        differences.push(format!("its facts were found under rule set {}", current.ruleset));
    }
    if scanned.facts.digest() != current.facts {
        differences.push(format!("rule set {} finds other facts in it", capdex_rules::INDEX.digest()));
    }
    // Scans of before listed none, and nothing is said of them.
    if reader.surfaces(&current.capability.id)?.is_some_and(|stored| stored != scanned.surfaces) {
        differences.push("its stored surfaces are not those in its stored bytes".into());
    }
    // The stored facts apart from the scan: somebody may have changed the database.
    if Digest::of_json(&ranked_capability::facts(reader, current)?) != current.facts {
        differences.push("its stored facts have another digest".into());
    }
    let as_of = ranked_capability::as_of(global.as_of, reader)?;
    let (stored, _) = ranked_capability::scores(reader, current, as_of)?;
    for score in &stored {
        let computed = analysis::score(&scanned.facts, Some(&score.rubric.id), as_of);
        // By digest of the canonical form, so that every term counts and not only the value.
        if computed.first().is_none_or(|computed| bytes(computed) != bytes(score)) {
            differences.push(format!("{} gives another score", score.rubric.id));
        }
    }
    // A day that was never scored has nothing to compare with.
    let lacks = |id: &&str| stored.iter().all(|score| score.rubric.id != *id);
    compared.unscored = RUBRICS.iter().map(|rubric| &*rubric.meta().rubric.id).filter(lacks).collect();
    compared.scores = stored.len() as u64;
    Ok(compared)
}

/// A capability that stood once: where its bytes were pruned, nothing can be said of them, and that is no difference.
fn former(reader: &Reader, name: &str, stands_not: anyhow::Error, out: &mut Out) -> anyhow::Result<Exit> {
    let (slug, digits) = capability_lookup::exact(name);
    let former = reader.former(&slug, &digits)?;
    // One, or the name says nothing: among several former ones nothing is guessed.
    let [one] = former.as_slice() else { return Err(stands_not) };
    match reader.bundle(one.snapshot) {
        Err(error @ StoreError::Pruned { .. }) => unknown(&one.slug, &error.to_string(), out),
        Err(error) => Err(error.into()),
        Ok(_) => Err(usage(format!(
            "{} is not in its package any more; what it was in version {} is stored, and `capdex drift` has when it left",
            one.slug,
            one.version.as_deref().unwrap_or("-")
        ))),
    }
}

fn unknown(slug: &str, why: &str, out: &mut Out) -> anyhow::Result<Exit> {
    out.line(format_args!(
        "{}: unknown, {}: what is stored of it stands and cannot be computed again",
        escape::escape(slug),
        escape::escape(why)
    ))?;
    Ok(Exit::Incomplete)
}
