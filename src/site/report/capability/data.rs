//! The data of one capability's page, read from the store.
//!
//! Everything is bounded here, so that no page grows with what a stranger publishes.

use std::collections::BTreeMap;

use capdex_corpus::drift::Reach;
use capdex_db::{CapabilityRevision, CurrentCapability, DriftEvent, ListingState, Reader};
use capdex_model::appeal::Annotation;
use capdex_model::facts::SparseFacts;
use capdex_model::ids::ListingKey;
use capdex_model::listing::Listing;
use capdex_model::score::{Band, Score, Verdict};
use capdex_model::surface::SurfaceInventory;
use capdex_model::time::AsOf;
use capdex_rubrics::operator::OperatorVerdict;

use super::excerpt::{self, Excerpt};
use super::past::{self, Past};
use crate::report::site::{CapabilitySummary, Site};
use capdex_dataset::annotations;
use capdex_dataset::export::ranked_capability;
use capdex_dataset::judged::{self, JudgeWord};

/// Events of drift on one page, the newest.
const EVENTS: usize = 20;
/// Listings on one page.
const LISTINGS: u32 = 40;

/// A listing of the same thing.
#[derive(Clone, Debug)]
pub(crate) struct RelatedListing {
    /// The source and the name there; untrusted.
    pub(crate) key: ListingKey,
    /// Its state at the last visit; none where only the pass about identity joined it.
    pub(crate) state: Option<ListingState>,
    /// Why it is the same thing; untrusted.
    pub(crate) reasons: Vec<String>,
}

/// The data of the page.
pub(crate) struct CapabilityPageData {
    /// The capability as it stands.
    pub(crate) current: CurrentCapability,
    /// The outcomes of the rules.
    pub(crate) facts: SparseFacts,
    /// The scores of the rubrics.
    pub(crate) scores: Vec<Score>,
    /// The verdict over them.
    pub(crate) verdict: Verdict,
    /// The verdict by the operator's word; none where he has none.
    pub(crate) operator: Option<OperatorVerdict>,
    /// What a language model says of it; none where none was ever asked.
    pub(crate) judge: Option<JudgeWord>,
    /// What appeals about it come to.
    pub(crate) annotations: Vec<Annotation>,
    /// What a model reads of it; none where its scan did not list that.
    pub(crate) surfaces: Option<SurfaceInventory>,
    /// The hosts and permissions; none where its scan did not list them.
    pub(crate) reach: Option<Reach>,
    /// When the content that it has now was first met in it, since it last had another.
    pub(crate) content_since: AsOf,
    /// The scans after which a reader sees something else than before, oldest first.
    pub(crate) steps: Vec<Step>,
    /// The newest events of drift.
    pub(crate) drift: Vec<DriftEvent>,
    /// The number of older ones.
    pub(crate) drift_more: usize,
    /// The claims of the listing that speaks for it.
    pub(crate) listing: Option<Listing>,
    /// The listings of it, sorted.
    pub(crate) listed: Vec<RelatedListing>,
    /// Source around findings, by file and line.
    pub(crate) excerpts: BTreeMap<(String, u32), Excerpt>,
}

/// A scan of the history.
pub(crate) struct Step {
    pub(crate) scan: CapabilityRevision,
    /// The verdict of then, where that is known.
    pub(crate) band: Option<Band>,
}

/// Reads what the page of a row needs; none where it does not stand any more.
///
/// # Errors
/// Errors of the store.
pub(crate) fn read(
    reader: &Reader,
    site: &Site,
    row: &CapabilitySummary,
) -> anyhow::Result<Option<CapabilityPageData>> {
    let Some(current) = reader.current_of(&row.id)? else { return Ok(None) };
    let facts = ranked_capability::facts(reader, &current)?;
    let (scores, verdict) = ranked_capability::scores(reader, &current, site.as_of)?;
    let mut drift = Vec::new();
    let heads: Vec<_> = site.watch.drift_of(&row.id).collect();
    // Heads are in memory; the events with their differences are read only for those that are shown.
    for head in heads.iter().take(EVENTS) {
        drift.extend(reader.drift_event(&head.key)?);
    }
    let history = reader.capability_history(&row.id)?;
    let content_since = content_since(&history, &current);
    let steps = steps(reader, history)?;
    Ok(Some(CapabilityPageData {
        annotations: annotations::of(reader, &current)?,
        judge: judged::of(reader, &row.id)?,
        surfaces: reader.surfaces(&row.id)?,
        reach: reader.current_pins(&row.id)?.and_then(|pins| pins.reach),
        content_since,
        steps,
        drift_more: heads.len().saturating_sub(EVENTS),
        drift,
        listing: reader.listing(&current.listing)?.and_then(|known| known.listing),
        listed: listed(reader, &current.identity, &current.listing)?,
        excerpts: excerpt::read(reader, &current, &facts)?,
        operator: ranked_capability::operator(reader, &current, &facts, (&scores, &verdict), site.as_of)?,
        current,
        facts,
        scores,
        verdict,
    }))
}

/// The listings that name a package, and those that the pass about identity joined with the one that speaks for it.
pub(crate) fn listed(reader: &Reader, identity: &str, listing: &ListingKey) -> anyhow::Result<Vec<RelatedListing>> {
    let naming = reader.listings_naming(identity, LISTINGS)?;
    let mut found: BTreeMap<ListingKey, RelatedListing> = naming
        .into_iter()
        .map(|of| {
            let reasons = vec![format!("names {identity}")];
            (of.key.clone(), RelatedListing { key: of.key, state: Some(of.state), reasons })
        })
        .collect();
    // Bounded again: a stranger can make any number of listings point at one thing.
    for of in reader.same_entity(listing)?.into_iter().take(LISTINGS as usize) {
        let joins = of.edges.iter().filter(|edge| edge.reason.joins());
        let reasons = joins.map(|edge| match edge.note.as_str() {
            "" => format!("{} {}", edge.reason.as_str(), edge.to),
            note => format!("{} {}: {note}", edge.reason.as_str(), edge.to),
        });
        let known = found.entry(of.listing.clone());
        let known =
            known.or_insert_with(|| RelatedListing { key: of.listing.clone(), state: None, reasons: Vec::new() });
        known.reasons.extend(reasons);
    }
    // Joined by identity alone, so their state was not among those that name the package.
    for of in found.values_mut().filter(|of| of.state.is_none()) {
        of.state = reader.listing_state(&of.key)?;
    }
    Ok(found.into_values().collect())
}

/// When the content that a capability has now was first met in it, since it last had another.
fn content_since(history: &[CapabilityRevision], current: &CurrentCapability) -> AsOf {
    let same = history.iter().rev().take_while(|scan| scan.content == current.capability.content);
    same.last().map_or(current.first_seen, |scan| scan.snapshot_as_of)
}

/// The scans after which a reader sees something else than before. A package is scanned as a whole: what is beside a capability
/// brings a scan of it without a change.
fn steps(reader: &Reader, mut scans: Vec<CapabilityRevision>) -> anyhow::Result<Vec<Step>> {
    // By the facts first: of what says the same again no verdict has to be worked out.
    scans.dedup_by(|scan, before| is_same(scan, before) && scan.facts == before.facts);
    // What was looked at once has no past, and nearly everything was.
    let past = if scans.len() > 1 { past::of_each(reader, &scans)? } else { vec![None] };
    let band = |then: Option<Past>| then.map(|then| then.verdict.band);
    let mut steps: Vec<Step> =
        scans.into_iter().zip(past).map(|(scan, then)| Step { scan, band: band(then) }).collect();
    steps.dedup_by(|step, before| is_same(&step.scan, &before.scan) && step.band == before.band);
    Ok(steps)
}

fn is_same(scan: &CapabilityRevision, before: &CapabilityRevision) -> bool {
    (scan.content, &scan.version, scan.ruleset) == (before.content, &before.version, before.ruleset)
}
