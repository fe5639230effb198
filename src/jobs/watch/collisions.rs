//! Collisions: names of tools and listings that unlike entities share.
//!
//! Decisions are made by the pass in core. Texts of tools are read again only where two were described in the same words, and
//! once for each two: what their comparison gave is kept.

#[cfg(test)]
mod tests;

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use capdex_corpus::collision::{self, Collision, CollisionClass, CollisionCorpus, CollisionCue, Pair, Server, Widened};
use capdex_corpus::established::PopularityByEntity;
use capdex_db::{Offered, Reader, SnapshotId, ToolComparisons, ToolPair};
use capdex_evidence::Evidence;
use capdex_evidence::tools::Tool;
use capdex_model::alert::{Alert, AlertEvidence, reach_of};
use capdex_model::fact::Severity;
use capdex_model::release_line;
use tracing::warn;

use super::super::{JobContext, StageReport};

/// Packages whose texts are read again in one night to compare tools that were described in the same words.
const MAX_READ: usize = 2_000;
/// Version of what a comparison of two tools gives, beside the rules that tools are read with.
const COMPARISON_VERSION: u32 = 1;

/// Finds what collides now.
///
/// # Errors
/// Errors of the store.
pub(super) fn run(context: &JobContext) -> anyhow::Result<StageReport> {
    let reader = context.store.reader()?;
    let mut offered = reader.offered()?;
    // Facts that nobody has read for cues yet; the answer is stored with them, so that each is read once.
    let cues = look_for_cues(&reader, &mut offered)?;
    let snapshots: BTreeMap<String, SnapshotId> =
        offered.iter().map(|server| (server.slug.clone(), server.snapshot)).collect();
    let world = world(&reader, offered)?;
    let version = format!("{COMPARISON_VERSION}.{}", capdex_rules::INDEX.digest());
    let known = reader.tool_comparisons(&version)?;
    // The stored pins hold digests only; texts have to be gathered from the bytes again.
    let tools_of = |snapshot| Ok(Evidence::gather(&reader.bundle(snapshot)?).tools);
    let (widened, compared) = compare(collision::pairs_to_compare(&world), &snapshots, &known, tools_of)?;
    // Over the whole world at once, because a name may be shared by any two entities.
    let found = collision::find(&world, &widened);
    let alerts = alerts(&found, &world);
    let stored: BTreeMap<String, Collision> =
        reader.collisions()?.into_iter().map(|(collision, _)| (collision.key.clone(), collision)).collect();
    let items = u64::try_from(world.servers.len() + world.listings.len())?;
    let at = context.as_of;
    // One transaction: dropped, new and raised belong to one night.
    let done = context.store.write(move |writer| {
        for (facts, cues) in &cues {
            writer.keep_cues(facts, cues)?;
        }
        if compared != known {
            writer.replace_tool_comparisons(&version, &compared)?;
        }
        let keys: BTreeSet<&str> = found.iter().map(|collision| collision.key.as_str()).collect();
        // What no longer collides goes; an alert about it stays in the ledger.
        for key in stored.keys().filter(|key| !keys.contains(key.as_str())) {
            writer.drop_collision(key)?;
        }
        let mut done = 0;
        // Only what differs, so that a quiet night writes nothing.
        for collision in found.iter().filter(|collision| stored.get(&collision.key) != Some(collision)) {
            done += u64::from(writer.put_collision(collision, at)?);
        }
        for alert in &alerts {
            writer.raise(alert, at)?;
        }
        Ok(done)
    })?;
    Ok(StageReport { items, done, ..StageReport::default() })
}

/// Picks the cues out of facts in which nobody looked yet, and fills them in.
fn look_for_cues(
    reader: &Reader,
    offered: &mut [Offered],
) -> anyhow::Result<BTreeMap<capdex_model::digest::Digest, Vec<CollisionCue>>> {
    let mut picked = BTreeMap::new();
    for server in offered.iter_mut().filter(|server| server.cues.is_none()) {
        // Many servers share facts, and facts are the dear part.
        let cues = match picked.entry(server.facts) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => {
                new.insert(reader.facts(&server.facts)?.as_ref().map(CollisionCue::among).unwrap_or_default())
            }
        };
        server.cues = Some(cues.clone());
    }
    Ok(picked)
}

fn world(reader: &Reader, offered: Vec<Offered>) -> anyhow::Result<CollisionCorpus> {
    let corpus = reader.corpus(&capdex_crawlers::roles())?;
    let entity = |server: &Offered| {
        // A listing of no entity stands for itself.
        corpus.member(&server.listing).map_or_else(|| server.listing.to_string(), |member| member.entity.clone())
    };
    // The tools of a release line are its package's, and only the package has a place in the corpus.
    let is_line = |server: &Offered| {
        release_line::of_name(&server.listing.name).is_some() && corpus.member(&server.listing).is_none()
    };
    let servers = offered
        .into_iter()
        .filter(|server| !is_line(server))
        .map(|server| Server {
            entity: entity(&server),
            slug: server.slug,
            listing: server.listing,
            tools: server.pins.tools,
            cues: server.cues.unwrap_or_default(),
        })
        .collect();
    // Removed listings hold no name any more.
    let there = corpus.members().iter().filter(|member| member.is_active);
    Ok(CollisionCorpus {
        servers,
        listings: there.map(|member| (member.key.clone(), member.entity.clone())).collect(),
        claimed: collision::claimed(&reader.identified()?),
        popularity: PopularityByEntity::of(&corpus),
    })
}

/// The additional abilities of the later one of each pair, and all comparisons that they rest on. Tools are read for the
/// pairs alone of which nothing is known; the result is that of reading them for all.
fn compare(
    pairs: BTreeSet<Pair>,
    snapshots: &BTreeMap<String, SnapshotId>,
    known: &ToolComparisons,
    mut tools_of: impl FnMut(SnapshotId) -> anyhow::Result<Vec<Tool>>,
) -> anyhow::Result<(Widened, ToolComparisons)> {
    let mut met: BTreeSet<SnapshotId> = BTreeSet::new();
    let mut read: BTreeMap<SnapshotId, Vec<Tool>> = BTreeMap::new();
    let (mut widened, mut compared) = (Widened::new(), ToolComparisons::new());
    let all = pairs.len();
    for (at, pair) in pairs.into_iter().enumerate() {
        // Bounds a night against somebody who publishes thousands of tools with one description. What is known counts like
        // what is read, so that one night's bound is the other's.
        if met.len() >= MAX_READ {
            warn!(
                compared = at,
                left = all - at,
                "more tools share words than a night compares; the rest is left as it is"
            );
            break;
        }
        let (Some(later), Some(earlier)) = (snapshots.get(&pair.slug), snapshots.get(&pair.target_slug)) else {
            continue;
        };
        met.extend([*later, *earlier]);
        let of = ToolPair {
            later: *later,
            tool: pair.tool.clone(),
            earlier: *earlier,
            earlier_tool: pair.target_tool.clone(),
        };
        let more = match known.get(&of) {
            Some(more) => more.clone(),
            None => {
                let mut tool = |snapshot: SnapshotId, name: &str| -> anyhow::Result<Option<Tool>> {
                    let tools = match read.entry(snapshot) {
                        Entry::Occupied(known) => known.into_mut(),
                        Entry::Vacant(slot) => slot.insert(tools_of(snapshot)?),
                    };
                    Ok(tools.iter().find(|tool| tool.name == name).cloned())
                };
                let (target, tool) = (tool(*earlier, &pair.target_tool)?, tool(*later, &pair.tool)?);
                target.zip(tool).map(|(target, tool)| collision::widened(&target, &tool))
            }
        };
        // Where either text is missing nothing is known, and the pair is left out rather than called equal.
        if let Some(more) = &more {
            widened.insert(pair, more.clone());
        }
        compared.insert(of, more);
    }
    Ok((widened, compared))
}

/// The key of the alert that tells of a collision, the same for all of its class between the same two. None for one that
/// weighs nothing.
pub(super) fn key_of(collision: &Collision) -> Option<String> {
    // Collisions of generic names have no two sides, and so no key.
    let (entity, target) = (collision.entity.as_deref()?, collision.target.as_deref()?);
    Some(format!("collisions:{}:{entity}:{target}", collision.class.as_str()))
}

/// One alert for each class between the same two, with the names as its members.
fn alerts(found: &[Collision], world: &CollisionCorpus) -> Vec<Alert> {
    let mut together: BTreeMap<String, Vec<&Collision>> = BTreeMap::new();
    for one in found {
        if let Some(key) = key_of(one) {
            together.entry(key).or_default().push(one);
        }
    }
    let of_pair = |collisions: Vec<&Collision>| {
        // The first of the worst speaks for all.
        let worst = collisions.iter().rev().max_by_key(|one| one.severity)?;
        let mut alert = alert(worst, world)?;
        // A single name stays in the alert's own lines; two or more are listed as its members.
        if let [_, _, ..] = collisions.as_slice() {
            let members: BTreeSet<&str> = collisions.iter().map(|one| one.name.as_str()).collect();
            alert.members = members.into_iter().map(str::to_owned).collect();
            // Where not all are kept the last says how many there are.
            let more = collisions.last().into_iter().flat_map(|last| &last.reasons);
            let more: Vec<String> = more.filter(|reason| !alert.details.contains(reason)).cloned().collect();
            alert.details.extend(more);
        }
        Some(alert)
    };
    together.into_values().filter_map(of_pair).collect()
}

/// The alert for a person; none for what weighs nothing.
fn alert(collision: &Collision, world: &CollisionCorpus) -> Option<Alert> {
    if collision.severity < Severity::Medium {
        return None;
    }
    let (entity, target) = (collision.entity.as_deref()?, collision.target.as_deref()?);
    let (what, why) = match collision.class {
        CollisionClass::Shadow => {
            ("steers the model away from", "Text of one server decides how the model uses a tool of another.")
        }
        CollisionClass::LookAlike => {
            ("writes a name so that it looks like one of", "A person and a model take the one tool for the other.")
        }
        CollisionClass::Widening => {
            ("copies a tool, with more than it could, of", "Whoever takes it for the known tool grants it more.")
        }
        CollisionClass::Brand => (
            "claims a brand and has a tool in common with",
            "A borrowed name is how a copy of a trusted server gets installed.",
        ),
        CollisionClass::Clone => (
            "has most of the tools of",
            "A copy by somebody else gets the calls and the secrets meant for the original.",
        ),
        // These classes are facts without weight: derived names and names of many.
        CollisionClass::Derived | CollisionClass::Shared | CollisionClass::Generic => return None,
    };
    let standing = world.popularity.get(target);
    Some(Alert {
        key: key_of(collision)?,
        pass: "collisions".into(),
        class: collision.class.as_str().into(),
        capability: None,
        subject: collision.holder.clone().unwrap_or_else(|| entity.to_owned()),
        severity: collision.severity,
        title: format!("{entity} {what} {target}"),
        why: why.into(),
        fix: "Compare both before either is used; keep the established one, and name tools by their server in the client.".into(),
        content: None,
        evidence: vec![AlertEvidence {
            severity: Some(collision.severity),
            ..AlertEvidence::about(
                collision.class.as_str(),
                collision.holder.as_deref().unwrap_or(entity),
                &collision.name,
            )
        }],
        details: std::iter::once(format!("{}: {}", collision.of, collision.name)).chain(collision.reasons.clone()).collect(),
        diff: Vec::new(),
        scores: Vec::new(),
        members: Vec::new(),
        reproduce: "capdex collisions --format jsonl".into(),
        reach: reach_of(standing.and_then(|standing| standing.popularity)),
    })
}
