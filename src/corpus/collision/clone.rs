//! Toolsets that have most of their rare names in common.

use std::collections::{BTreeMap, BTreeSet};

use super::index::CollisionIndex;

/// Rare names that two must have in common.
const MIN_COMMON: usize = 5;
/// The share of the later one's tools that they must be, in percent.
const MIN_PERCENT: usize = 60;

/// Two entities and the rare names that both have.
pub(super) struct Overlap<'a> {
    /// The entity that came later.
    pub(super) entity: &'a str,
    /// The one that was there long before.
    pub(super) target: &'a str,
    /// The number of rare names that both have, and the number of tools of the later one.
    pub(super) common: (usize, usize),
    /// Why the target counts as earlier.
    pub(super) why: String,
}

/// Every pair of a later entity and one that was there long before it, with enough in common, sorted. Linear in the
/// number of tools: a rare name is compared with few holders.
pub(super) fn overlaps<'a>(index: &CollisionIndex<'a>) -> Vec<Overlap<'a>> {
    let mut common: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    let mut sizes: BTreeMap<&str, usize> = BTreeMap::new();
    for (name, holders) in &index.tools {
        // Several servers of one entity may offer the same tool: it counts once.
        let entities: BTreeSet<&str> = holders.iter().map(|(server, _)| server.entity.as_str()).collect();
        for entity in &entities {
            *sizes.entry(entity).or_default() += 1;
        }
        // The oldest holders only; a name with a crowd of holders would cost the square of them.
        let targets: BTreeSet<&str> = index.targets(name).map(|(target, _)| target.entity.as_str()).collect();
        for one in entities.iter().filter(|one| entities.len() > 1 && index.is_rare_for(name, one)) {
            // Entities of one party share their tools for good reason.
            for other in targets.iter().filter(|other| index.party(one) != index.party(other)) {
                *common.entry((one, other)).or_default() += 1;
            }
        }
    }
    let size = |entity: &str| sizes.get(entity).copied().unwrap_or_default();
    let enough = common
        .into_iter()
        // Of the later one's tools: a small copy inside a large toolset is still mostly a copy.
        .filter(|((entity, _), count)| *count >= MIN_COMMON && *count * 100 >= size(entity) * MIN_PERCENT);
    let overlaps = enough.filter_map(|((entity, target), count)| {
        // Age is asked for last, as few pairs come this far.
        let why = index.precedes(target, entity)?;
        Some(Overlap { entity, target, common: (count, size(entity)), why })
    });
    overlaps.collect()
}
