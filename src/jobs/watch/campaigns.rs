//! Campaigns: raises together what says the same and has no reason to.
//!
//! Reads what the pass `clones` stored: a text told twice counts once. Must not judge: core does.

use std::collections::{BTreeMap, BTreeSet};

use capdex_corpus::campaign::{Campaign, Item, Quote, Traits, campaigns};
use capdex_db::{CampaignRow, Reader, SnapshotId};
use capdex_model::alert::{Alert, reach_of};
use capdex_model::capability::Kind;
use capdex_model::digest::Digest;
use capdex_model::fact::Severity;
use capdex_model::ids::CapabilityId;

use super::standing::{Standing, digest_of, standing};
use super::{Context, StageReport};

/// Finds the campaigns and raises those that are new or have new members.
///
/// # Errors
/// What the store says.
pub(super) fn run(context: &Context) -> anyhow::Result<StageReport> {
    let reader = context.store.reader()?;
    let standing = standing(&reader)?;
    let found = found(context, &reader, &standing)?;
    let known: BTreeMap<String, CampaignRow> =
        reader.campaigns()?.into_iter().map(|(row, _)| (row.campaign.key.clone(), row)).collect();
    let by_id: BTreeMap<CapabilityId, &Standing> =
        standing.iter().map(|one| (one.current.capability.id, one)).collect();
    let at = context.as_of;
    let mut done = 0;
    for campaign in &found {
        let slug = |id: &CapabilityId| by_id.get(id).map(|one| one.current.capability.slug.clone());
        let slugs: Vec<String> = campaign.members.iter().filter_map(slug).collect();
        let row = CampaignRow { campaign: campaign.clone(), slugs };
        let before = known.get(&campaign.key);
        let alert = is_news(campaign, before).then(|| alert(&row, &by_id));
        if before == Some(&row) && alert.is_none() {
            continue;
        }
        done += context.store.write(move |writer| {
            writer.put_campaign(&row, at)?;
            alert.as_ref().map_or(Ok(0), |alert| Ok(u64::from(writer.raise(alert, at)?)))
        })?;
    }
    let keys: BTreeSet<&str> = found.iter().map(|campaign| campaign.key.as_str()).collect();
    let gone: Vec<String> = known.into_keys().filter(|key| !keys.contains(key.as_str())).collect();
    context.store.write(move |writer| gone.iter().try_for_each(|key| writer.drop_campaign(key)))?;
    Ok(StageReport { items: standing.len() as u64, done, ..StageReport::default() })
}

/// Whether somebody should look: it is bad enough, and new, worse than before, or has members that it had not.
fn is_news(campaign: &Campaign, before: Option<&CampaignRow>) -> bool {
    campaign.severity >= Severity::Medium
        && before.is_none_or(|before| {
            before.campaign.severity < campaign.severity
                || campaign.members.iter().any(|member| before.campaign.members.binary_search(member).is_err())
        })
}

fn found(context: &Context, reader: &Reader, standing: &[Standing]) -> anyhow::Result<Vec<Campaign>> {
    let traits = reader.traits()?;
    let families: BTreeMap<CapabilityId, CapabilityId> =
        reader.family_members()?.into_iter().map(|(member, _)| (member.capability, member.original)).collect();
    let bodies = bodies(standing);
    let none = Traits::default();
    let mut said: Vec<(Vec<Quote>, Severity)> = Vec::with_capacity(standing.len());
    for one in standing {
        let facts = capdex_dataset::export::ranked::facts(reader, &one.current)?;
        let worst = facts.findings_of_its_own().map(|fact| fact.severity).max().unwrap_or(Severity::Info);
        said.push((Quote::all_of(&facts), worst));
    }
    let items = standing.iter().zip(&said).map(|(one, (quotes, worst))| {
        let capability = &one.current.capability;
        Item {
            id: capability.id,
            slug: &capability.slug,
            family: families.get(&capability.id).or_else(|| bodies.get(&capability.id)).copied(),
            publishers: &one.publishers,
            first_seen: one.current.first_seen.0,
            created: one.created,
            popularity: one.popularity,
            traits: traits.get(&capability.content).unwrap_or(&none),
            quotes,
            worst: *worst,
        }
    });
    Ok(campaigns(&items.collect::<Vec<_>>(), context.as_of))
}

/// What a package's own documents say, its one capability says too: both are one text. Of each package the first capability
/// stands for the rest.
fn bodies(standing: &[Standing]) -> BTreeMap<CapabilityId, CapabilityId> {
    let is_rest = |kind: Kind| matches!(kind, Kind::Package | Kind::Plugin);
    let mut first: BTreeMap<SnapshotId, CapabilityId> = BTreeMap::new();
    for one in standing.iter().filter(|one| !is_rest(one.current.capability.kind)) {
        first.entry(one.current.snapshot).or_insert(one.current.capability.id);
    }
    let rest = standing.iter().filter(|one| is_rest(one.current.capability.kind));
    rest.filter_map(|one| Some((one.current.capability.id, *first.get(&one.current.snapshot)?))).collect()
}

/// One alert that names all members.
fn alert(row: &CampaignRow, by_id: &BTreeMap<CapabilityId, &Standing>) -> Alert {
    let campaign = &row.campaign;
    let members: Vec<Digest> = campaign.members.iter().map(|member| member.0).collect();
    let content = digest_of(&members);
    let what = campaign.shared.first().map(|shared| format!("{} {}", shared.what, shared.value)).unwrap_or_default();
    let shared = campaign
        .shared
        .iter()
        .map(|shared| format!("{} items share the {} {}: {}", shared.items, shared.what, shared.value, shared.quote));
    let mut slugs = row.slugs.clone();
    slugs.sort();
    let popularity = campaign.members.iter().filter_map(|id| by_id.get(id)?.popularity).max();
    Alert {
        key: format!("campaigns:{}:{}", campaign.key, content.hex().chars().take(16).collect::<String>()),
        pass: "campaigns".into(),
        class: "same_lure".into(),
        capability: None,
        subject: what.clone(),
        severity: campaign.severity,
        title: format!(
            "{} items of {} share the {what}",
            campaign.members.len(),
            capdex_dataset::escape::count(campaign.publishers, "publisher")
        ),
        why: "Each looks harmless alone. That they say the same and have no reason to is what gives a campaign away."
            .into(),
        fix: "Do not fetch what they ask for; look at one of them, and treat all alike.".into(),
        content: Some(content),
        details: campaign.reasons.iter().cloned().chain(shared).collect(),
        diff: Vec::new(),
        scores: Vec::new(),
        members: slugs,
        reproduce: format!("capdex campaigns {}", campaign.key),
        reach: reach_of(popularity),
    }
}
