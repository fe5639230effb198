//! Listings that are not at their registry any more: taken down, or withdrawn without a word.
//!
//! Directories leave out what they please, so only a registry's own word counts. Nobody is told of a name of which the store
//! never held a listing.

use std::collections::{BTreeMap, BTreeSet};

use capdex_corpus::drift::{Change, DriftKind, Effect, EffectKind, ReleaseContext, VersionChange, judge, takedowns};
use capdex_db::{DepartedListing, DriftEvent, Writer};
use capdex_model::capability::Kind;
use capdex_model::corpus_signal::CorpusSignal;
use capdex_model::fact::Severity;
use capdex_model::ids::{CapabilityId, slug_of};
use capdex_model::snapshot::GapReason;
use capdex_model::source_role::Ecosystem;
use capdex_model::takedown::{self, PASS};
use capdex_model::time::{AsOf, Timestamp};
use tracing::warn;

use super::raise;
use crate::jobs::{JobContext, StageReport};

/// Days for which a departure is looked at: nights that died between the walk and this pass are made up for.
const DAYS: i64 = 7;

/// So many silent departures from one source are believed, whatever its size.
const ALWAYS_BELIEVED: u64 = 5;

/// The share that is believed beyond them of a source that is not in the schedule any more.
const DEFAULT_PERCENT: u64 = 10;

/// Records and raises each departure of the last days, once.
pub(super) fn run(context: &JobContext, report: &mut StageReport) -> anyhow::Result<()> {
    let at = context.as_of;
    let departed = believed(context, Some(recent(at)))?;
    let found: Vec<(DriftEvent, Option<u64>)> = departed
        .into_iter()
        .filter_map(|(departed, effect)| Some((event(&departed, effect, at)?, departed.popularity)))
        .collect();
    report.done += context.store.write(move |writer: &Writer<'_>| {
        let mut new = 0;
        for (event, popularity) in &found {
            // The key holds the instant of the departure, so that a later night adds and raises nothing.
            if writer.record_drift(event)? {
                new += 1;
                if let Some(alert) = raise::worst(std::slice::from_ref(event), *popularity) {
                    writer.raise(&alert, at)?;
                }
            }
        }
        Ok(new)
    })?;
    Ok(())
}

/// The instant from which on a departure is one of the last days.
fn recent(at: AsOf) -> AsOf {
    AsOf(Timestamp::from_unix_seconds(at.0.unix_seconds().saturating_sub(DAYS * 86_400)))
}

/// The departures that count, with their effects. Where a source says of so many names at once that they are not there,
/// it is more likely broken, or asked without its password, than empty: those wait until it is asked again.
fn believed(context: &JobContext, since: Option<AsOf>) -> anyhow::Result<Vec<(DepartedListing, Effect)>> {
    let reader = context.store.reader()?;
    let departed = reader.departed_listings(since)?.into_iter();
    let mut found: Vec<(DepartedListing, Effect)> =
        departed.filter_map(|departed| effect(context, &departed).map(|effect| (departed, effect))).collect();
    let is_silent = |departed: &DepartedListing, effect: &Effect| {
        effect.kind == EffectKind::Withdrawn && departed.since.0 >= recent(context.as_of).0
    };
    let mut silent: BTreeMap<String, u64> = BTreeMap::new();
    for (departed, _) in found.iter().filter(|(departed, effect)| is_silent(departed, effect)) {
        *silent.entry(departed.listing.key.source.clone()).or_default() += 1;
    }
    let mut doubted = BTreeSet::new();
    for (source, count) in silent {
        let (active, _) = reader.listing_counts(&source)?;
        let percent = context.sources.get(&source).map_or(DEFAULT_PERCENT, |run| u64::from(run.max_gone_percent));
        let allowed = ((active + count) * percent / 100).max(ALWAYS_BELIEVED);
        if count > allowed {
            warn!(source, count, allowed, "so many names are gone at once that nobody is told; ask the source again");
            doubted.insert(source);
        }
    }
    found.retain(|(departed, effect)| !(doubted.contains(&departed.listing.key.source) && is_silent(departed, effect)));
    Ok(found)
}

/// The effect of a departure; none where it says nothing of what people have.
fn effect(context: &JobContext, departed: &DepartedListing) -> Option<Effect> {
    // A row without bytes is the past of another one.
    departed.listing.locators.first()?;
    // Nobody had it from here: it was away when it was first asked for.
    if takedown::is_notice(&departed.listing) {
        return None;
    }
    // A release line ends wherever a tag is taken away or leads to the latest version; what its registry says is said of the package.
    if departed.listing.release_line().is_some() {
        return None;
    }
    let source = capdex_crawlers::source(context.kind_of(&departed.listing.key.source));
    let ecosystem = source.and_then(|source| source.meta().role.ecosystem());
    let is_of_registry = matches!(ecosystem, Some(Ecosystem::Npm | Ecosystem::Pypi));
    let is_taken_down = departed.gap.as_ref().is_some_and(|gap| gap.reason == GapReason::TakenDown);
    (is_of_registry || is_taken_down).then(|| takedowns::of_departure(&departed.listing, departed.gap.as_ref()))
}

fn event(departed: &DepartedListing, effect: Effect, at: AsOf) -> Option<DriftEvent> {
    let listing = &departed.listing;
    let locator = listing.locators.first()?;
    let (identity, version) = (locator.identity(), locator.version().map(str::to_owned));
    let word = effect.kind.word();
    let mut effects = vec![effect];
    let (class, severity) = judge(&mut effects, ReleaseContext::default());
    Some(DriftEvent {
        key: format!("drift:{}:{word}:{}", listing.key, departed.since.0.unix_seconds()),
        capability: CapabilityId::of(&identity, Kind::Package, ""),
        slug: slug_of(&identity, Kind::Package, ""),
        kind: DriftKind::Listing,
        from: None,
        to: None,
        from_version: version,
        to_version: None,
        changes: effects.iter().map(|effect| Change::new("removed", &effect.subject, &effect.detail)).collect(),
        class,
        severity,
        effects,
        moved: VersionChange::Unversioned,
        scores: Vec::new(),
        diff: Vec::new(),
        at,
    })
}

/// What rules and rows are told for as long as a listing is away: of each package by its identity.
///
/// # Errors
/// Errors of the store.
pub(in crate::jobs::watch) fn corpus_signals(context: &JobContext) -> anyhow::Result<BTreeSet<(String, CorpusSignal)>> {
    let mut signals = BTreeSet::new();
    for (departed, effect) in believed(context, None)? {
        let Some(locator) = departed.listing.locators.first() else { continue };
        let signal = CorpusSignal {
            pass: PASS.to_owned(),
            class: effect.kind.word(),
            severity: effect.severity,
            capability: None,
            content: None,
            detail: format!("{}: {}: {}", departed.listing.key, effect.kind.title(), effect.detail),
        };
        signals.insert((locator.identity(), signal));
    }
    Ok(signals)
}

/// True for the class of an alert of which rows are told by [`corpus_signals`], or by the words in their own claims.
pub(in crate::jobs::watch) fn is_told_apart(class: &str) -> bool {
    [EffectKind::TakenDown, EffectKind::Withdrawn].iter().any(|kind| kind.word() == class)
}

/// The sentence that tells what a departure means to those who have the version.
pub(super) const fn why(kind: EffectKind, severity: Severity) -> Option<&'static str> {
    match (kind, severity) {
        (EffectKind::TakenDown, Severity::High | Severity::Critical) => {
            Some("Who installed the version before has it still, and its registry says that nobody should.")
        }
        (EffectKind::TakenDown, _) => {
            Some("Who installed the version before has it still, and its registry gives it no more.")
        }
        (EffectKind::Withdrawn, _) => Some(
            "Nobody can get it any more, and whoever takes the name next is installed by those who still ask for it.",
        ),
        _ => None,
    }
}
