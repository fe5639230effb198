//! Typosquat candidates: compares the names of all directories with those that are established, and keeps what is found.
//!
//! Likeness and severity are decided in `src/corpus/typosquat`. No request is sent.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::path::{Path, PathBuf};

use capdex_corpus::typosquat::list::{self, NameListLine};
use capdex_corpus::typosquat::night::{Conduct, Night, Suspect};
use capdex_corpus::typosquat::{Space, TyposquatCandidate};
use capdex_model::alert::{Alert, AlertEvidence, reach_of};
use capdex_model::digest::Digest;
use capdex_model::fact::Severity;
use capdex_model::ids::{CapabilityId, ListingKey};
use tracing::info;

use super::super::{JobContext, StageReport};
use crate::advice;
use crate::exit::usage;
use crate::progress::StageProgress;
use capdex_dataset::bulk;

/// Names compared between two looks at the clock of the progress bar.
const BATCH: usize = 4_096;
/// Candidates kept for one target: those that rank highest.
const FOR_ONE_TARGET: usize = 50;
/// A larger file is no list of popular names.
const MAX_BYTES: u64 = 256 << 20;

/// Finds, judges and keeps the typosquat candidates of the night; from `medium` on each raises an alert once.
///
/// # Errors
/// A list of popular names that cannot be read; what the store says.
pub(super) fn run(context: &JobContext) -> anyhow::Result<StageReport> {
    let reader = context.store.reader()?;
    let (corpus, inner) = (reader.corpus(&capdex_crawlers::roles())?, reader.inner_names()?);
    // One index over all established names; each newcomer is then looked up in it.
    let night = Night::new(&corpus, &inner, popular(&context.popular)?, context.as_of);
    // Numbers instead of names: the pool needs an index and the names stay where they are.
    let numbers: Vec<usize> = (0..night.newcomers()).collect();
    let progress = StageProgress::stage("watch", u64::try_from(numbers.len()).ok(), context.quiet);
    let mut candidates: BTreeMap<String, TyposquatCandidate> = BTreeMap::new();
    let mut conducts: BTreeMap<(ListingKey, Option<CapabilityId>), Conduct> = BTreeMap::new();
    let mut consider = |suspect: &Suspect<'_>| -> anyhow::Result<()> {
        // The listings of one thing come together, so that its first one stands for all.
        let Some(first) = suspect.listings.first() else { return Ok(()) };
        // Conduct reads facts from the store, so it is asked only for names that are suspects already.
        let of = ((*first).clone(), suspect.capability());
        let conduct = match conducts.entry(of) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(unknown) => unknown.insert(reader.conduct(&suspect.listings, suspect.capability())?),
        };
        let candidate = Night::candidate(suspect, conduct);
        // What speaks for the newcomer can clear it; such a candidate is worth no row.
        if candidate.severity == Severity::Info {
            return Ok(());
        }
        let key = key_of(&candidate);
        // Two suspects may give one key; the candidate that ranks higher stays.
        if candidates.get(&key).is_none_or(|known| candidate.order(known).is_lt()) {
            candidates.insert(key, candidate);
        }
        Ok(())
    };
    night.across_registries(&corpus).iter().try_for_each(&mut consider)?;
    bulk::ordered(
        &context.pool,
        &numbers,
        BATCH,
        |number| night.suspects(*number),
        |numbers, suspects| {
            suspects.iter().flatten().try_for_each(&mut consider)?;
            progress.advance(u64::try_from(numbers.len()).unwrap_or(0));
            Ok(())
        },
    )?;
    progress.finish();
    let found = candidates.len();
    // Bounded per target, because a famous name has thousands of neighbours.
    let candidates = highest(candidates);
    info!(names = numbers.len(), targets = night.targets(), found, kept = candidates.len(), "compared names");
    let items = u64::try_from(numbers.len()).unwrap_or(u64::MAX);
    let at = context.as_of;
    let done = context.store.write(move |writer| {
        let new = writer.put_typosquats(&candidates, at)?;
        // In the transaction of the candidates, so that readers never see one without the other.
        for (key, candidate) in candidates.iter().filter(|(_, candidate)| candidate.severity >= Severity::Medium) {
            writer.raise(&alert(key, candidate), at)?;
        }
        Ok(new)
    })?;
    Ok(StageReport { items, done, ..StageReport::default() })
}

/// The state of what the pass reads beside the store: changes with every byte of the lists.
///
/// # Errors
/// Wrong configuration where a file cannot be read.
pub(super) fn lists_state(files: &[PathBuf]) -> anyhow::Result<String> {
    // By content and not by time: a list that is copied again unchanged starts no pass.
    let digests: Vec<String> =
        files.iter().map(|file| Ok(Digest::of(&bytes_of(file)?).hex())).collect::<anyhow::Result<_>>()?;
    Ok(digests.iter().map(|digest| format!(".{digest}")).collect())
}

/// The lines of lists of popular names.
///
/// # Errors
/// Wrong configuration where a file cannot be read.
fn popular(files: &[PathBuf]) -> anyhow::Result<Vec<NameListLine>> {
    let mut lines = Vec::new();
    for file in files {
        lines.extend(read_list(file)?);
    }
    Ok(lines)
}

/// The lines of one list.
///
/// # Errors
/// Wrong usage where the file cannot be read, is too large or is no text.
pub(crate) fn read_list(file: &Path) -> anyhow::Result<Vec<NameListLine>> {
    let text = String::from_utf8(bytes_of(file)?);
    let text = text.map_err(|_| usage(format!("{} is no text in UTF-8", file.display())))?;
    Ok(list::read(&text))
}

fn bytes_of(file: &Path) -> anyhow::Result<Vec<u8>> {
    let shown = file.display();
    let size =
        std::fs::metadata(file).map_err(|error| usage(format!("cannot read {shown}: {}", advice::told(&error))))?.len();
    // Checked before reading, so that a wrong path such as a disk image does not fill the memory.
    if size > MAX_BYTES {
        return Err(usage(format!("{shown} has {size} bytes; a list of names has at most {MAX_BYTES}")));
    }
    std::fs::read(file).map_err(|error| usage(format!("cannot read {shown}: {}", advice::told(&error))))
}

/// Stays over nights: what bears the name, the name, and what it is taken for.
pub(super) fn key_of(candidate: &TyposquatCandidate) -> String {
    let by = candidate.listing.as_deref().unwrap_or_default();
    // Who publishes a name is one however many listings he has.
    let by = if candidate.space == Space::Publisher { "" } else { by };
    // Case does not make another name.
    format!(
        "lookalikes:{}:{by}:{}:{}",
        candidate.space.as_str(),
        candidate.name.to_lowercase(),
        candidate.target.to_lowercase()
    )
}

/// For each target the candidates that rank highest, sorted by key.
fn highest(candidates: BTreeMap<String, TyposquatCandidate>) -> Vec<(String, TyposquatCandidate)> {
    let mut candidates: Vec<(String, TyposquatCandidate)> = candidates.into_iter().collect();
    // In the order of rank, so that the limit for each target keeps the worst.
    candidates.sort_by(|one, other| one.1.order(&other.1));
    let mut counts: BTreeMap<(Space, String), usize> = BTreeMap::new();
    candidates.retain(|(_, candidate)| {
        let count = counts.entry((candidate.space, candidate.target.clone())).or_default();
        *count += 1;
        *count <= FOR_ONE_TARGET
    });
    // By key again: the order of writing must not depend on ranks that tie.
    candidates.sort_by(|one, other| one.0.cmp(&other.0));
    candidates
}

fn alert(key: &str, candidate: &TyposquatCandidate) -> Alert {
    let listing = candidate.listing.clone().unwrap_or_else(|| candidate.name.clone());
    let mut details: Vec<String> = candidate.reasons.clone();
    details.push(format!("kind {}, distance {}, rank {}", candidate.kind.as_str(), candidate.distance, candidate.rank));
    // What nobody knows is no reason to suspect anybody, and so is not told.
    if let (Some(few), Some(many)) = (candidate.popularity, candidate.target_popularity) {
        details.push(format!("users: {few} against {many}"));
    }
    let owners = [&candidate.owners, &candidate.target_owners];
    if owners.iter().all(|owners| !owners.is_empty()) {
        details.push(format!("owners: {}", owners.map(|owners| owners.join(", ")).join(" against ")));
    }
    Alert {
        key: key.to_owned(),
        pass: "lookalikes".into(),
        class: candidate.kind.as_str().into(),
        capability: candidate.capability,
        subject: listing.clone(),
        severity: candidate.severity,
        title: format!("{} {} is almost {}", candidate.space.as_str(), candidate.name, candidate.target),
        why: "Who types or picks the wrong one of two names gets the other's code; beside the name, more speaks for intent here."
            .into(),
        fix: format!("Compare the two before anybody installs {listing}; report it to its registry if it poses as the other."),
        content: None,
        details,
        evidence: evidence(candidate),
        diff: Vec::new(),
        scores: Vec::new(),
        members: [Some(listing), candidate.target_listing.clone()].into_iter().flatten().collect(),
        reproduce: "capdex lookalikes --format jsonl".into(),
        reach: reach_of(candidate.target_popularity),
    }
}

/// The likeness first, then what else speaks for intent.
fn evidence(candidate: &TyposquatCandidate) -> Vec<AlertEvidence> {
    let names = format!("{} ~ {}", candidate.name, candidate.target);
    let likeness = AlertEvidence::about(candidate.kind.as_str(), &candidate.target, &names);
    let by = candidate.listing.as_deref().unwrap_or(&candidate.name);
    let signals = candidate.signals.iter().map(|signal| AlertEvidence::about(signal.as_str(), by, ""));
    std::iter::once(likeness).chain(signals).collect()
}
