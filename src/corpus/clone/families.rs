//! Families: capabilities whose texts are one text with changes, found without comparing all with all.
//!
//! Equal texts are one node. Nodes are taken by seniority, and each is compared with the representatives of the
//! families that share a bucket with it. It joins those that it is like, or is the first of a new one. A family has few
//! representatives: its first and members that differ from it, so that a family of any size costs each newcomer the
//! same. Whoever joins through a member must still be kin to the family's first: families do not chain. Publishers play
//! no part.

use super::index::SketchIndex;
use super::likeness::{Common, Likeness};
use super::sketch::{EMPTY, Sketch};
use capdex_model::capability::Kind;

/// Runs of words below which nothing is said that two could not say by themselves.
const LEAST_RUNS: u32 = 24;
/// Different texts in which a hash must stand to count as common.
const COMMON: usize = 32;
/// Representatives of one family.
const REPRESENTATIVES: usize = 8;
/// A member as like its family's first as this teaches nothing as a representative.
const SAME: f64 = 0.85;

/// One capability that is compared.
#[derive(Clone, Copy, Debug)]
pub struct SketchedCapability<'a, R> {
    /// Its kind: only equal kinds are compared.
    pub kind: Kind,
    /// The seniority: the least of all is taken first. No two may be equal.
    pub rank: R,
    /// The sketch of its content.
    pub sketch: &'a Sketch,
}

/// The families with at least two members, each by the places of its members among the items, by seniority. Families
/// are in the order of their first members. The order of the items makes no difference.
pub fn families<R: Ord>(items: &[SketchedCapability<'_, R>]) -> Vec<Vec<usize>> {
    let nodes = nodes(items);
    let sketches: Vec<(&Sketch, u8)> =
        nodes.iter().filter_map(|node| items.get(*node.first()?)).map(|item| (item.sketch, item.kind as u8)).collect();
    let mut families: Vec<Vec<usize>> = grouped(&sketches)
        .into_iter()
        .map(|family| {
            let mut members: Vec<usize> =
                family.iter().filter_map(|node| nodes.get(*node)).flatten().copied().collect();
            // Nodes gather equal texts of any age, so that members come out of order.
            members.sort_by(|a, b| rank(items, *a).cmp(&rank(items, *b)));
            members
        })
        .filter(|members| members.len() > 1)
        .collect();
    families.sort_by(|a, b| rank(items, *a.first().unwrap_or(&0)).cmp(&rank(items, *b.first().unwrap_or(&0))));
    families
}

fn rank<'a, R>(items: &'a [SketchedCapability<'_, R>], at: usize) -> Option<&'a R> {
    items.get(at).map(|item| &item.rank)
}

/// Items with equal texts together, by seniority of the first of each; those that say too little are left out.
fn nodes<R: Ord>(items: &[SketchedCapability<'_, R>]) -> Vec<Vec<usize>> {
    let mut order: Vec<usize> =
        // Templates and stubs are alike by accident.
        (0..items.len()).filter(|at| items.get(*at).is_some_and(|item| item.sketch.runs >= LEAST_RUNS)).collect();
    let text = |at: usize| items.get(at).map(|item| (item.kind, item.sketch.runs, &item.sketch.bins));
    order.sort_by(|a, b| text(*a).cmp(&text(*b)).then_with(|| rank(items, *a).cmp(&rank(items, *b))));
    let mut nodes: Vec<Vec<usize>> = order.chunk_by(|a, b| text(*a) == text(*b)).map(<[usize]>::to_vec).collect();
    // Seniority again: the sort by text has put the nodes out of order.
    nodes.sort_by(|a, b| rank(items, *a.first().unwrap_or(&0)).cmp(&rank(items, *b.first().unwrap_or(&0))));
    nodes
}

/// A text that newcomers are compared with.
struct FamilyRepresentative {
    node: usize,
    family: usize,
}

/// A family while it is put together.
struct Family {
    first: usize,
    representatives: usize,
    members: Vec<usize>,
    /// The family that it went into.
    into: Option<usize>,
}

/// Groups nodes, which are in the order of their seniority, into families.
fn grouped(sketches: &[(&Sketch, u8)]) -> Vec<Vec<usize>> {
    let common = common(sketches);
    let mut work = FamilyGrouping {
        sketches,
        common: &common,
        index: SketchIndex::of(sketches),
        representatives: Vec::new(),
        families: Vec::new(),
    };
    for node in 0..sketches.len() {
        work.take(node);
    }
    let mut families: Vec<Vec<usize>> = work.families.into_iter().map(|family| family.members).collect();
    families.retain(|members| !members.is_empty());
    families
}

/// For each node which of its hashes stand in many texts.
fn common(sketches: &[(&Sketch, u8)]) -> Vec<Common> {
    let mut common = vec![Common::default(); sketches.len()];
    // One list for all bins: a list of pairs for each would take 256 times the memory.
    let mut values: Vec<(u32, u32)> = Vec::with_capacity(sketches.len());
    for bin in 0..super::sketch::BINS {
        values.clear();
        let value =
            |(at, (sketch, _)): (usize, &(&Sketch, u8))| Some((*sketch.bins.get(bin)?, u32::try_from(at).ok()?));
        values.extend(sketches.iter().enumerate().filter_map(value).filter(|(value, _)| *value != EMPTY));
        values.sort_unstable();
        for same in values.chunk_by(|a, b| a.0 == b.0).filter(|same| same.len() >= COMMON) {
            for (_, at) in same {
                common.get_mut(*at as usize).into_iter().for_each(|common| common.mark(bin));
            }
        }
    }
    common
}

struct FamilyGrouping<'a> {
    sketches: &'a [(&'a Sketch, u8)],
    common: &'a [Common],
    index: SketchIndex,
    representatives: Vec<FamilyRepresentative>,
    families: Vec<Family>,
}

impl FamilyGrouping<'_> {
    /// Takes the next node by seniority.
    fn take(&mut self, node: usize) {
        let joined = self.joinable(node);
        let Some(&(_, best)) = joined.first() else {
            let family = self.families.len();
            self.families.push(Family { first: node, representatives: 0, members: vec![node], into: None });
            self.represent(node, family);
            return;
        };
        for (_, other) in joined.iter().skip(1) {
            self.merge(best, *other);
        }
        let family = self.root(best);
        let first = self.families.get(family).map_or(node, |family| family.first);
        // Taken before the member is pushed, since it decides whether the member becomes a representative.
        let to_first = self.likeness(node, first).map_or(0.0, |likeness| likeness.whole);
        let mut teaches = false;
        if let Some(family) = self.families.get_mut(family) {
            family.members.push(node);
            // A member close to the first would be found by whatever finds the first.
            teaches = to_first < SAME && family.representatives < REPRESENTATIVES;
        }
        if teaches {
            self.represent(node, family);
        }
    }

    /// The families that a node is like, each once, the most alike first, elder ones before younger.
    fn joinable(&mut self, node: usize) -> Vec<(f64, usize)> {
        let mut joined: Vec<(f64, usize)> = Vec::new();
        for representative in self.index.near(node) {
            let Some((likeness, family)) = self.compare(node, representative) else { continue };
            match joined.iter_mut().find(|(_, known)| *known == family) {
                Some((known, _)) => *known = known.max(likeness),
                None => joined.push((likeness, family)),
            }
        }
        joined.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        joined
    }

    /// The likeness of a node to a representative, and the representative's family, where it may join that.
    fn compare(&self, node: usize, representative: u32) -> Option<(f64, usize)> {
        let representative = self.representatives.get(representative as usize)?;
        let likeness = self.likeness(node, representative.node)?;
        let senior = (self.sketches.get(representative.node)?.0, self.common.get(representative.node)?);
        let family = self.root(representative.family);
        let first = self.families.get(family)?.first;
        // Without this a chain of small steps would put texts into one family that have nothing in common.
        let is_kin = first == representative.node || self.likeness(node, first)?.is_kin();
        (likeness.is_copy(senior) && is_kin).then_some((likeness.whole, family))
    }

    fn likeness(&self, one: usize, other: usize) -> Option<Likeness> {
        let of = |node: usize| Some((self.sketches.get(node)?, self.common.get(node)?));
        let ((one, one_common), (other, other_common)) = (of(one)?, of(other)?);
        // A skill and a server with the same readme are two things.
        (one.1 == other.1).then(|| Likeness::of((one.0, one_common), (other.0, other_common)))
    }

    /// Makes two families one, where the first of each are kin.
    fn merge(&mut self, one: usize, other: usize) {
        let (one, other) = (self.root(one), self.root(other));
        let (elder, younger) = (one.min(other), one.max(other));
        let first = |family: usize| self.families.get(family).map(|family| family.first);
        let (Some(a), Some(b)) = (first(elder), first(younger)) else { return };
        // Two families may share one member and still be about different texts.
        if elder == younger || !self.likeness(a, b).is_some_and(|likeness| likeness.is_kin()) {
            return;
        }
        let Some(gone) = self.families.get_mut(younger) else { return };
        // The emptied family stays in its place, since representatives refer to families by place.
        gone.into = Some(elder);
        let (members, representatives) = (std::mem::take(&mut gone.members), gone.representatives);
        if let Some(family) = self.families.get_mut(elder) {
            family.members.extend(members);
            family.representatives += representatives;
        }
    }

    /// The family that a family is part of by now.
    fn root(&self, mut family: usize) -> usize {
        while let Some(into) = self.families.get(family).and_then(|family| family.into) {
            family = into;
        }
        family
    }

    fn represent(&mut self, node: usize, family: usize) {
        let representative = u32::try_from(self.representatives.len()).unwrap_or(u32::MAX);
        self.representatives.push(FamilyRepresentative { node, family });
        self.index.add(node, representative);
        self.families.get_mut(family).into_iter().for_each(|family| family.representatives += 1);
    }
}
