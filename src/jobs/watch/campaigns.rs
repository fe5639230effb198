//! Campaigns: raises together what says the same and has no reason to.
//!
//! Reads what the pass `clones` stored: a text told twice counts once. Judging is left to the pass in core.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use capdex_corpus::campaign::{Campaign, CampaignCapability, CampaignWords, Shared, Traits, campaigns};
use capdex_dataset::escape;
use capdex_db::{CampaignRow, Reader, SnapshotId};
use capdex_model::alert::{Alert, AlertEvidence, reach_of};
use capdex_model::capability::Kind;
use capdex_model::corpus_signal::CAMPAIGNS;
use capdex_model::digest::Digest;
use capdex_model::fact::Severity;
use capdex_model::ids::CapabilityId;

use super::active_capabilities::{ActiveCapabilities, ActiveCapability, digest_of};
use super::{JobContext, StageReport};

/// The class of its alerts and of what is said of each item.
pub(super) const SAME_LURE: &str = "same_lure";

/// Finds the campaigns and raises those that are new or have new members.
///
/// # Errors
/// Errors of the store.
pub(super) fn run(context: &JobContext, active: &ActiveCapabilities) -> anyhow::Result<StageReport> {
    let reader = context.store.reader()?;
    let standing = active.all(&reader)?;
    let found = found(context, &reader, standing)?;
    // Kept campaigns are compared with tonight's, so that only what changed is written and raised.
    let known: BTreeMap<String, CampaignRow> =
        reader.campaigns()?.into_iter().map(|(row, _)| (row.campaign.key.clone(), row)).collect();
    let by_id: BTreeMap<CapabilityId, &ActiveCapability> = standing.iter().map(|one| (one.id, one)).collect();
    let at = context.as_of;
    let mut done = 0;
    for campaign in &found {
        // A member whose listing went away has no slug any more, and is left out of the row.
        let slug = |id: &CapabilityId| by_id.get(id).map(|one| one.slug.clone());
        let slugs: Vec<String> = campaign.members.iter().filter_map(slug).collect();
        let row = CampaignRow { campaign: campaign.clone(), slugs };
        let before = known.get(&campaign.key);
        // Decided before the row is written: afterwards every member is known.
        let alert = is_news(campaign, before).then(|| alert(&row, &by_id));
        // Nothing changed and nothing to tell: the row keeps the night that found it.
        if before == Some(&row) && alert.is_none() {
            continue;
        }
        // Row and alert in one transaction: a kill between them would make a campaign known and never raised.
        done += context.store.write(move |writer| {
            writer.put_campaign(&row, at)?;
            alert.as_ref().map_or(Ok(0), |alert| Ok(u64::from(writer.raise(alert, at)?)))
        })?;
    }
    let keys: BTreeSet<&str> = found.iter().map(|campaign| campaign.key.as_str()).collect();
    let gone: Vec<String> = known.into_keys().filter(|key| !keys.contains(key.as_str())).collect();
    // A campaign that dissolved goes, or its members would stay accused.
    context.store.write(move |writer| gone.iter().try_for_each(|key| writer.drop_campaign(key)))?;
    Ok(StageReport { items: standing.len() as u64, done, ..StageReport::default() })
}

/// True where somebody should look: it is bad enough, and new, worse than before, or has members that it had not.
fn is_news(campaign: &Campaign, before: Option<&CampaignRow>) -> bool {
    // Low severity is a lead for reports, and nothing to wake a person for.
    campaign.severity >= Severity::Medium
        && before.is_none_or(|before| {
            before.campaign.severity < campaign.severity
                || campaign.members.iter().any(|member| before.campaign.members.binary_search(member).is_err())
        })
}

fn found(context: &JobContext, reader: &Reader, standing: &[ActiveCapability]) -> anyhow::Result<Vec<Campaign>> {
    let traits = reader.traits()?;
    let families = reader.family_originals()?;
    let bodies = bodies(standing);
    let none = Traits::default();
    let words = words_of(context, reader, standing)?;
    let items = standing.iter().filter_map(|one| {
        Some(CampaignCapability {
            id: one.id,
            slug: &one.slug,
            // Copies of one text are one voice, by the families of the pass `clones` or by their package.
            family: families.get(&one.id).or_else(|| bodies.get(&one.id)).copied(),
            publishers: &one.publishers,
            first_seen: one.first_seen.0,
            created: one.created,
            published: one.published,
            popularity: one.popularity,
            traits: traits.get(&one.content).unwrap_or(&none),
            words: words.get(&one.facts)?,
        })
    });
    Ok(campaigns(&items.collect::<Vec<_>>(), context.as_of))
}

/// What the facts of each capability say, by facts. Those that nobody has read are read now, and kept.
fn words_of(
    context: &JobContext,
    reader: &Reader,
    standing: &[ActiveCapability],
) -> anyhow::Result<BTreeMap<Digest, CampaignWords>> {
    let mut words = reader.campaign_words()?;
    let mut new = Vec::new();
    for one in standing {
        if let Entry::Vacant(unread) = words.entry(one.facts) {
            let facts = one.all_facts(reader)?;
            new.push((one.facts, unread.insert(CampaignWords::of(&facts)).clone()));
        }
    }
    context
        .store
        .write(move |writer| new.iter().try_for_each(|(facts, words)| writer.keep_campaign_words(facts, words)))?;
    Ok(words)
}

/// Groups the capabilities of one package: what a package's own documents say, its one capability says too, and both are one
/// text. The first capability of each package stands for the rest.
fn bodies(standing: &[ActiveCapability]) -> BTreeMap<CapabilityId, CapabilityId> {
    let is_rest = |kind: Kind| matches!(kind, Kind::Package | Kind::Plugin);
    let mut first: BTreeMap<SnapshotId, CapabilityId> = BTreeMap::new();
    for one in standing.iter().filter(|one| !is_rest(one.kind)) {
        first.entry(one.snapshot).or_insert(one.id);
    }
    let rest = standing.iter().filter(|one| is_rest(one.kind));
    rest.filter_map(|one| Some((one.id, *first.get(&one.snapshot)?))).collect()
}

/// One alert that names all members.
fn alert(row: &CampaignRow, by_id: &BTreeMap<CapabilityId, &ActiveCapability>) -> Alert {
    let campaign = &row.campaign;
    let members: Vec<Digest> = campaign.members.iter().map(|member| member.0).collect();
    // The digest over all members is what an acknowledgement is bound to: another member opens the alert again.
    let content = digest_of(&members);
    let what = campaign.shared.first().map(|shared| format!("{} {}", shared.what, shared.value)).unwrap_or_default();
    let shared = campaign
        .shared
        .iter()
        .map(|shared| format!("{} items share the {} {}: {}", shared.items, shared.what, shared.value, shared.quote));
    let mut slugs = row.slugs.clone();
    // Sorted, so that the alert reads the same whatever order the pass met them in.
    slugs.sort();
    let popularity = campaign.members.iter().filter_map(|id| by_id.get(id)?.popularity).max();
    Alert {
        // The members are part of the key, so that growth raises a second alert.
        key: format!("campaigns:{}:{}", campaign.key, content.hex().chars().take(16).collect::<String>()),
        pass: CAMPAIGNS.into(),
        class: SAME_LURE.into(),
        capability: None,
        subject: what.clone(),
        severity: campaign.severity,
        title: format!(
            "{} items of {} share the {what}",
            campaign.members.len(),
            escape::count(campaign.publishers, "publisher")
        ),
        why: "Each looks harmless alone. That they say the same and have no reason to is what gives a campaign away."
            .into(),
        fix: "Do not fetch what they ask for; look at one of them, and treat all alike.".into(),
        content: Some(content),
        details: campaign.reasons.iter().cloned().chain(shared).collect(),
        evidence: campaign.shared.iter().map(evidence).collect(),
        diff: Vec::new(),
        scores: Vec::new(),
        members: slugs,
        reproduce: format!("capdex campaigns {}", campaign.key),
        reach: reach_of(popularity),
    }
}

/// A mark of a campaign as evidence: what kind it is, its particulars, and the passage where one item says it.
fn evidence(shared: &Shared) -> AlertEvidence {
    // The particulars of an order are the rule that found it.
    let rule = (shared.what == "order").then(|| shared.value.clone());
    AlertEvidence { rule, ..AlertEvidence::about(&shared.what, &shared.value, &shared.quote) }
}
