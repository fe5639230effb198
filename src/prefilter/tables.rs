//! The tables of a prefilter: what it looks for, and what each thing that it finds says of which expressions.
//!
//! They are worked out while the program is built, because reading a thousand expressions takes longer than scanning a
//! skill.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::literal::Literal;
use super::literals::{COMMON_BESIDE, LiteralPlan, LiteralSet};
use super::needs::RequiredLiterals;
use super::reach::MatchReach;
use super::search::LiteralTables;

/// Which expressions may match a text, by the literals that it holds.
#[derive(Debug, Serialize, Deserialize)]
pub struct PrefilterTables {
    /// For each thing that is told of a text, the demands that it meets.
    pub meets: Lists,
    /// For each demand, the expressions that need it.
    pub needed_by: Lists,
    /// The expressions, in the order of their numbers.
    pub expressions: Vec<Expected>,
    /// For each expression, how many sets of literals there are of each of which one must be there.
    pub demands: Vec<u8>,
    /// The expressions that need nothing.
    pub open: Vec<usize>,
    /// The sets of literals in plans.
    pub sets: Lists,
    /// Literals that must stand near matches: patterns of one rule ask for the same.
    pub near: Vec<LiteralPlan<usize>>,
}

/// The needs of one expression, by the numbers of sets of literals.
#[derive(Debug, Serialize, Deserialize)]
pub struct Expected {
    /// In every match.
    pub within: Option<LiteralPlan<usize>>,
    /// The longest match.
    pub reach: Option<MatchReach>,
    /// With which matches begin, where that costs little more to look for.
    pub begins: Option<usize>,
    /// Which of the plans near matches, and how near.
    pub near: Vec<(usize, usize)>,
}

impl PrefilterTables {
    /// The tables for expressions with such needs. `sample` is text of the kind that will be scanned: it tells which pieces
    /// of literals are rare.
    pub fn of(needs: &[RequiredLiterals], sample: &[&str]) -> (LiteralTables, Self) {
        let mut literals = BTreeSet::new();
        needs
            .iter()
            .flat_map(RequiredLiterals::plans)
            .for_each(|plan| plan.each(&mut |all| literals.extend(all.iter().cloned())));
        // Another edge of a text that is looked for anyway costs next to nothing.
        let texts: BTreeSet<Vec<u8>> = literals.iter().map(|known: &Literal| known.as_bytes().to_vec()).collect();
        let is_new = |literal: &&Literal| !texts.contains(literal.as_bytes());
        let cost = |begins: &LiteralSet| begins.iter().filter(is_new).map(Literal::frequency).sum::<f64>();
        let begins = needs.iter().map(|need| need.begins.as_ref().filter(|begins| cost(begins) <= COMMON_BESIDE));
        let begins: Vec<Option<&LiteralSet>> = begins.collect();
        begins.iter().flatten().for_each(|begins| literals.extend(begins.iter().cloned()));
        let literals: Vec<Literal> = literals.into_iter().collect();
        let (search, things) = LiteralTables::of(&literals, sample);
        let told = inverted(&things, literals.len());
        // The things of which each shows that one of some literals is there.
        let numbers = |demand: &LiteralSet| -> Vec<usize> {
            let literals = demand.iter().filter_map(|literal| literals.binary_search(literal).ok());
            let things: BTreeSet<usize> = literals.filter_map(|literal| told.get(literal)).flatten().copied().collect();
            things.into_iter().collect()
        };
        // Many expressions make the same demand.
        let mut needed_by: BTreeMap<Vec<usize>, Vec<usize>> = BTreeMap::new();
        let mut counts = Vec::with_capacity(needs.len());
        for (at, need) in needs.iter().enumerate() {
            let demands = need.plans().flat_map(LiteralPlan::demands).map(|demand| numbers(&demand));
            // Each demand once: `met` counts down by one for each that is met.
            let demands: BTreeSet<Vec<usize>> = demands.collect();
            counts.push(u8::try_from(demands.len()).unwrap_or(u8::MAX));
            demands.into_iter().for_each(|demand| needed_by.entry(demand).or_default().push(at));
        }
        let begins: Vec<Option<Vec<usize>>> = begins.into_iter().map(|begins| begins.map(numbers)).collect();
        let mut sets: BTreeMap<Vec<usize>, usize> = begins.iter().flatten().map(|set| (set.clone(), 0)).collect();
        needs.iter().flat_map(RequiredLiterals::plans).for_each(|plan| {
            plan.each(&mut |set| {
                sets.insert(numbers(set), 0);
            });
        });
        sets.values_mut().zip(0..).for_each(|(number, at)| *number = at);
        let named =
            |plan: &LiteralPlan| plan.with(&|set: &LiteralSet| sets.get(&numbers(set)).copied().unwrap_or(usize::MAX));
        let mut near = Vec::new();
        let mut place_of = |plan: LiteralPlan<usize>| {
            let known = near.iter().position(|other| *other == plan);
            known.unwrap_or_else(|| {
                near.push(plan);
                near.len() - 1
            })
        };
        let expressions = needs.iter().zip(begins).map(|(need, begins)| Expected {
            within: need.within.as_ref().map(named),
            reach: need.reach,
            begins: begins.and_then(|set| sets.get(&set).copied()),
            near: need.near.iter().map(|(plan, bytes)| (place_of(named(plan)), *bytes)).collect(),
        });
        let expressions = expressions.collect();
        let held: Vec<Vec<usize>> = sets.into_keys().collect();
        let (demands, needed_by): (Vec<Vec<usize>>, Vec<Vec<usize>>) = needed_by.into_iter().unzip();
        let tables = Self {
            meets: Lists::of(&inverted(&demands, things.len())),
            needed_by: Lists::of(&needed_by),
            expressions,
            sets: Lists::of(&held),
            near,
            open: counts.iter().enumerate().filter(|(_, count)| **count == 0).map(|(at, _)| at).collect(),
            demands: counts,
        };
        (search, tables)
    }
}

/// Many short lists in one place.
#[derive(Debug, Serialize, Deserialize)]
pub struct Lists {
    /// The begin of each, and the end of the last.
    starts: Vec<u32>,
    all: Vec<u32>,
}

impl Lists {
    fn of(lists: &[Vec<usize>]) -> Self {
        let number = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        let lengths = lists.iter().scan(0, |end, list| {
            *end += list.len();
            Some(number(*end))
        });
        let starts = std::iter::once(0).chain(lengths).collect();
        Self { starts, all: lists.iter().flatten().map(|each| number(*each)).collect() }
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.starts.len() - 1
    }

    /// One of them; empty where there is none of that number.
    pub fn list(&self, at: usize) -> &[u32] {
        let bound = |at: usize| self.starts.get(at).map_or(0, |start| *start as usize);
        self.all.get(bound(at)..bound(at.saturating_add(1))).unwrap_or(&[])
    }
}

/// For each of `count` things the numbers of the lists that hold it.
fn inverted(lists: &[Vec<usize>], count: usize) -> Vec<Vec<usize>> {
    let mut holders = vec![Vec::new(); count];
    for (at, list) in lists.iter().enumerate() {
        for each in list {
            holders.get_mut(*each).into_iter().for_each(|holders: &mut Vec<usize>| holders.push(at));
        }
    }
    holders
}
