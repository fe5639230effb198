//! `capdex verify`: a dataset with nothing but itself, or one stored capability by scanning its bytes again.

use std::path::Path;

use capdex_core::digest::Digest;
use capdex_core::rules;
use capdex_core::score::Score;
use capdex_db::{Reader, StoreError};

use super::named::{self, Found};
use crate::cli::{Global, Verify};
use crate::exit::{Exit, usage};
use crate::export::{manifest, ranked, verify};
use crate::output::{self, Out};
use crate::{analysis, bulk};

/// Differences printed; more are counted.
const SHOWN: usize = 20;

pub(super) fn run(global: &Global, options: &Verify, out: &mut Out) -> anyhow::Result<Exit> {
    let path = Path::new(&options.target);
    if path.is_dir() {
        if !path.join(manifest::NAME).is_file() {
            return Err(usage(format!("{} holds no {}: it is not an export", path.display(), manifest::NAME)));
        }
        dataset(global, path, out)
    } else {
        capability(global, &options.target, out)
    }
}

fn dataset(global: &Global, dir: &Path, out: &mut Out) -> anyhow::Result<Exit> {
    let verified = verify::verify(dir, &bulk::pool(global.threads)?)?;
    for difference in verified.differences.iter().take(SHOWN) {
        out.line(format_args!("differs: {}", output::escape(difference)))?;
    }
    let more = verified.differences.len().saturating_sub(SHOWN);
    if more > 0 {
        out.line(format_args!("… and {more} more"))?;
    }
    out.line(format_args!(
        "{} and {} digested, {} and {} computed again: {}",
        output::count(verified.files, "file"),
        output::count(verified.facts, "content"),
        output::count(verified.scores, "score"),
        output::count(verified.ranks, "rank"),
        if verified.differences.is_empty() {
            "no difference".into()
        } else {
            output::count(verified.differences.len() as u64, "difference")
        }
    ))?;
    Ok(if verified.differences.is_empty() { Exit::Done } else { Exit::Threshold })
}

/// Scans the stored bytes of the capability's snapshot again and compares facts and scores byte for byte.
fn capability(global: &Global, name: &str, out: &mut Out) -> anyhow::Result<Exit> {
    let reader = super::reader(global)?;
    let current = match named::search(&reader, name)? {
        Found::One(current) => current,
        Found::None(error) => return former(&reader, name, error, out),
        Found::Several(error) => return Err(error),
    };
    let bundle = match reader.bundle(current.snapshot) {
        Err(error @ StoreError::Pruned { .. }) => return unknown(&current.capability.slug, &error.to_string(), out),
        other => other?,
    };
    let (mut differences, mut compared) = (Vec::new(), 0);
    let bytes = |score: &Score| Digest::of_json(score);
    for (path, file) in &bundle.files {
        if Digest::of(&file.bytes) != file.digest {
            differences.push(format!("the stored bytes of {path} have another digest"));
        }
    }
    let again = analysis::scan(&bundle).into_iter().find(|scanned| scanned.capability.id == current.capability.id);
    match again {
        None => differences.push("it is no longer found in its stored bytes".into()),
        Some(scanned) => {
            if scanned.capability.content != current.capability.content {
                differences.push("its stored bytes have another content digest".into());
            }
            if current.ruleset != rules::digest() {
                differences.push(format!("its facts were found under rule set {}", current.ruleset));
            }
            if scanned.facts.digest() != current.facts {
                differences.push(format!("rule set {} finds other facts in it", rules::digest()));
            }
            if Digest::of_json(&ranked::facts(&reader, &current)?) != current.facts {
                differences.push("its stored facts have another digest".into());
            }
            let as_of = ranked::as_of(global, &reader)?;
            let (stored, _) = ranked::scores(&reader, &current, as_of)?;
            compared = stored.len();
            for score in stored {
                let computed = analysis::score(&scanned.facts, Some(&score.rubric.id), as_of);
                if computed.first().is_none_or(|computed| bytes(computed) != bytes(&score)) {
                    differences.push(format!("{} gives another score", score.rubric.id));
                }
            }
        }
    }
    for difference in &differences {
        out.line(format_args!("differs: {}", output::escape(difference)))?;
    }
    let said = if differences.is_empty() { "no difference" } else { "differs" };
    out.line(format_args!(
        "{}: scanned again from {}, {} computed again: {said}",
        output::escape(&current.capability.slug),
        output::count(bundle.files.len() as u64, "stored file"),
        output::count(compared as u64, "score")
    ))?;
    Ok(if differences.is_empty() { Exit::Done } else { Exit::Threshold })
}

/// A capability that stood once: where its bytes were pruned, nothing can be said of them, and that is no difference.
fn former(reader: &Reader, name: &str, stands_not: anyhow::Error, out: &mut Out) -> anyhow::Result<Exit> {
    let (slug, digits) = named::exact(name);
    let former = reader.former(&slug, &digits)?;
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
        output::escape(slug),
        output::escape(why)
    ))?;
    Ok(Exit::Incomplete)
}
