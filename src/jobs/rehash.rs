//! The re-hash: fetches artifacts again that claim to be unchanged, and hashes them. So other bytes under the same version,
//! commit or validator are seen even if nobody announces them.
//!
//! Must not disturb the fetch stage: it has no queue, keeps to each host's rate limit, and gives up at once. A failure is a
//! gap, never drift; bytes that differ are fetched a second time before they count.

use std::sync::Arc;

use capdex_corpus::drift::{Change, DriftClass, DriftKind, VersionChange};
use capdex_crawlers::CrawlError;
use capdex_crawlers::fetch::Fetched;
use capdex_dataset::stopwatch::Stopwatch;
use capdex_db::{DriftEvent, Rehashable, Writer};
use capdex_model::alert::{Alert, AlertEvidence};
use capdex_model::capability::Kind;
use capdex_model::digest::Digest;
use capdex_model::fact::Severity;
use capdex_model::ids::{CapabilityId, slug_of};
use capdex_model::snapshot::{Completeness, Gap, GapReason, Snapshot};
use futures_util::stream::{self, StreamExt as _};
use tokio::sync::Semaphore;
use tracing::warn;

use super::{JobContext, StageReport, fetch, slugs};
use crate::clock;
use crate::progress::StageProgress;

/// The stage's name in the ledger of gaps.
pub const STAGE: &str = "rehash";
/// Artifacts in memory at once.
const AT_ONCE: usize = 4;
/// Bytes that were fetched or hashed less than so many days ago are left alone in a night.
const REST_DAYS: i64 = 7;

/// The choice of artifacts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RehashScope {
    /// So many, other ones every day: a sample by the digest of day and artifact.
    Sample(usize),
    /// All.
    All,
}

/// The result of hashing one artifact again.
enum RehashResult {
    /// The bytes of before.
    Same,
    /// Others, twice.
    Other(Box<Snapshot>, Fetched),
    /// Bytes that do not have the published digest, twice.
    Refused(Gap),
    /// Nothing to compare.
    Failed(Gap),
    /// The run was stopped before.
    Stopped,
}

/// Fetches and hashes again. In the report, `done` counts what was not as before.
///
/// # Errors
/// Only what the store says.
pub async fn run(context: &JobContext, take: RehashScope) -> anyhow::Result<StageReport> {
    let watch = Stopwatch::start();
    let before = context.http.usage();
    let chosen = chosen(context, take)?;
    // Before anything is fetched, so that the open gaps are those of this run.
    forget_gaps(context)?;
    let mut report = StageReport::default();
    let progress = StageProgress::stage("rehash", u64::try_from(chosen.len()).ok(), context.quiet);
    let slots = Arc::new(Semaphore::new(AT_ONCE));
    let look = |one: Rehashable| {
        let slots = Arc::clone(&slots);
        async move {
            let found = look(context, &one, &slots).await;
            (one, found)
        }
    };
    // In the order of the choice, so that a run that is stopped has done the front of it.
    let mut found = stream::iter(chosen).map(look).buffered(AT_ONCE);
    while let Some((one, found)) = found.next().await {
        progress.advance(1);
        progress.show(context.http.usage().bytes, &one.locator.identity());
        // Never fetched: it counts as neither looked at nor failed.
        if matches!(found, RehashResult::Stopped) {
            continue;
        }
        report.items += 1;
        match &found {
            RehashResult::Same | RehashResult::Stopped => {}
            // Both are findings, and both are done work.
            RehashResult::Other(..) | RehashResult::Refused(_) => report.done += 1,
            RehashResult::Failed(_) => report.failed += 1,
        }
        save(context, one, found)?;
    }
    progress.finish();
    let after = context.http.usage();
    report.requests = after.requests - before.requests;
    report.bytes = after.bytes - before.bytes;
    report.wall_ms = u64::try_from(watch.elapsed().as_millis()).unwrap_or(u64::MAX);
    Ok(report)
}

/// The gaps of a re-hash are those of the last one: the next may not take the same artifacts again.
fn forget_gaps(context: &JobContext) -> anyhow::Result<()> {
    let open = context.store.reader()?.gaps(true)?.into_iter().filter(|gap| gap.stage == STAGE);
    let subjects: Vec<String> = open.map(|gap| gap.subject).collect();
    let at = context.as_of;
    // No empty transaction: most nights leave no gap of this stage.
    if !subjects.is_empty() {
        context.store.write(move |writer: &Writer<'_>| {
            subjects.iter().try_for_each(|subject| writer.resolve_gaps(STAGE, subject, at))
        })?;
    }
    Ok(())
}

/// The artifacts, in the order of the digest of day and artifact. `RehashScope::All` puts those hashed longest ago first,
/// so that the next run goes on where one was stopped.
fn chosen(context: &JobContext, take: RehashScope) -> anyhow::Result<Vec<Rehashable>> {
    // Zero turns it off, before the store reads its list of artifacts.
    if take == RehashScope::Sample(0) {
        return Ok(Vec::new());
    }
    let day = context.as_of.day();
    // The day in the digest gives another sample each night, and the same one where a night is repeated.
    let order = |one: &Rehashable| {
        let (identity, artifact) = (one.locator.identity(), one.locator.artifact());
        Digest::of_fields([day.to_string().as_bytes(), identity.as_bytes(), artifact.as_bytes()])
    };
    let mut all = context.store.reader()?.rehashable()?;
    match take {
        RehashScope::All => all.sort_by_cached_key(|one| (one.hashed, order(one))),
        RehashScope::Sample(most) => {
            // What was fetched or hashed a few days ago tells little that is new; the sample is spent on the rest.
            all.retain(|one| day - one.hashed.unwrap_or(one.fetched).max(one.fetched).day() >= REST_DAYS);
            all.sort_by_cached_key(order);
            all.truncate(most);
        }
    }
    Ok(all)
}

/// Fetches one artifact, and where its bytes are not those of before, once more.
async fn look(context: &JobContext, one: &Rehashable, slots: &Semaphore) -> RehashResult {
    let first = once(context, one, slots).await;
    if !matches!(first, RehashResult::Other(..) | RehashResult::Refused(_)) {
        return first;
    }
    // A second request: a cache in the middle of a refresh may answer once with old or torn bytes.
    let second = once(context, one, slots).await;
    match (&first, &second) {
        // Twice the same other bytes is a change; twice different ones is a host that answers by chance.
        (RehashResult::Other(a, _), RehashResult::Other(b, _)) if a.tree == b.tree => second,
        (RehashResult::Refused(_), RehashResult::Refused(_))
        | (_, RehashResult::Same | RehashResult::Failed(_) | RehashResult::Stopped) => second,
        _ => RehashResult::Failed(Gap::new(
            one.key.to_string(),
            GapReason::BadAnswer,
            "its bytes differ from one request to the next",
        )),
    }
}

async fn once(context: &JobContext, one: &Rehashable, slots: &Semaphore) -> RehashResult {
    // The same credential as in the fetch stage, so that the host has no reason to answer otherwise.
    let http = context.http.acting_for(one.key.source.as_str(), context.kind_of(&one.locator.ecosystem()));
    let fetched = fetch::fetch_one(&http, &one.locator, &context.limits, slots, &context.requests).await;
    let fetched = match fetched {
        None => return RehashResult::Stopped,
        // The one error that is itself a finding: the registry's digest and its bytes disagree.
        Some(Err(CrawlError::Malformed { subject, reason: GapReason::DigestMismatch, detail })) => {
            return RehashResult::Refused(Gap::new(subject, GapReason::DigestMismatch, detail));
        }
        Some(Err(error)) => return RehashResult::Failed(error.to_gap()),
        Some(Ok(fetched)) => fetched,
    };
    let snapshot = fetch::snapshot(&one.locator, &fetched.files, fetched.gaps.clone(), clock::now());
    if snapshot.tree == one.tree {
        RehashResult::Same
    // Read as far as before, so the difference lies in the bytes.
    } else if snapshot.completeness.as_str() == one.state {
        RehashResult::Other(Box::new(snapshot), fetched)
    } else {
        // More or less of it could be read than before: that says nothing about the bytes.
        let gap = match &snapshot.completeness {
            Completeness::NotAssessable(gaps) => gaps.first().cloned(),
            Completeness::Analysed | Completeness::Partial(_) => None,
        };
        let less = || Gap::new(one.key.to_string(), GapReason::BadAnswer, "it could not be read as far as before");
        RehashResult::Failed(gap.unwrap_or_else(less))
    }
}

/// Other bytes are a snapshot, which the drift pass compares. A refusal by a published digest is an event at once, because
/// there is nothing to compare.
fn save(context: &JobContext, one: Rehashable, found: RehashResult) -> anyhow::Result<()> {
    let at = context.as_of;
    let refused = match &found {
        RehashResult::Refused(gap) => {
            let mut event = event(&one, gap, at);
            slugs::settle(&context.store.reader()?, &mut event)?;
            Some(event)
        }
        _ => None,
    };
    context.store.write(move |writer: &Writer<'_>| {
        let subject = one.key.to_string();
        match found {
            // The time of hashing is kept, which is what rests an artifact for a week.
            RehashResult::Same => writer.rehashed(one.id, at),
            RehashResult::Other(snapshot, fetched) => {
                warn!(artifact = %one.key, "other bytes than before came back");
                for file in fetched.files.values() {
                    writer.put_blob(&file.digest, &file.bytes)?;
                }
                let id = writer.record_snapshot(&one.key, &snapshot, at)?;
                writer.rehashed(id, at)
            }
            RehashResult::Refused(gap) => {
                writer.record_gap(STAGE, &subject, &gap, at)?;
                // The key is made of artifact and capability, so a mirror that stays wrong raises one alert.
                if let Some(event) = &refused
                    && writer.record_drift(event)?
                {
                    writer.raise(&alert(event), at)?;
                }
                writer.rehashed(one.id, at)
            }
            RehashResult::Failed(gap) => writer.record_gap(STAGE, &subject, &gap, at),
            RehashResult::Stopped => Ok(()),
        }
    })?;
    Ok(())
}

/// The event of bytes that were refused: the package's, since nothing inside them was looked at.
fn event(one: &Rehashable, gap: &Gap, at: capdex_model::time::AsOf) -> DriftEvent {
    let identity = one.locator.identity();
    let version = one.locator.version().map(str::to_owned);
    let capability = CapabilityId::of(&identity, Kind::Package, "");
    DriftEvent {
        key: format!("drift:{capability}:refused:{}", Digest::of(one.locator.artifact().as_bytes())),
        capability,
        slug: slug_of(&identity, Kind::Package, ""),
        kind: DriftKind::ChangedSameVersion,
        from: Some(one.tree),
        to: None,
        from_version: version.clone(),
        to_version: version,
        changes: vec![Change::new("changed", "artifact", &gap.detail)],
        class: DriftClass::SameVersion,
        severity: Severity::High,
        effects: Vec::new(),
        moved: VersionChange::No,
        scores: Vec::new(),
        diff: Vec::new(),
        at,
    }
}

fn alert(event: &DriftEvent) -> Alert {
    Alert {
        key: event.key.clone(),
        pass: "drift".into(),
        class: event.class.as_str().into(),
        capability: Some(event.capability),
        subject: event.slug.clone(),
        severity: event.severity,
        title: format!("{} is served with bytes that do not have its published digest", event.slug),
        why:
            "A registry or mirror that serves other bytes than it announces was changed, or somebody stands in between."
                .into(),
        fix: "Compare with another mirror; install only with the digest checked.".into(),
        content: event.from,
        details: event.changes.iter().map(|change| change.subject.clone()).collect(),
        evidence: event
            .changes
            .iter()
            .map(|change| AlertEvidence::about(event.class.as_str(), &event.slug, &change.subject))
            .collect(),
        diff: Vec::new(),
        scores: Vec::new(),
        members: Vec::new(),
        reproduce: format!("capdex drift --since {}", event.at),
        reach: 0,
    }
}
