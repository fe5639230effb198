//! From a capability as the store holds it to its rows in the ranked tables, and what is counted on the way.
//!
//! Must not know formats or threads: rows of one capability depend on it alone.

use std::collections::{BTreeMap, BTreeSet};

use capdex_core::fact::Facts;
use capdex_core::rubrics::saferskills::{self, Member};
use capdex_core::rubrics::{RUBRICS, verdict};
use capdex_core::score::Score;
use capdex_core::snapshot::Completeness;
use capdex_core::time::AsOf;
use capdex_db::{CurrentCapability, CurrentPlace, FactsId, PackedFacts, Reader, StoreError, StoredScore};

use super::best::{Best, Line};
use super::cell::{Cell, Row};
use super::ranked::Ranked;
use super::ranking::Ranking;
use super::since::{Seen, Since};
use super::stream::Batch;
use super::tables::coverage::Asked;
use super::tables::{Layout, capabilities, facts, findings, number, packages, scores};
use super::told::Usual;
use crate::finding::{self, Tally};
use crate::item::capability_tags;

/// A capability as the store holds it, so that another thread can read it.
pub(super) struct Packed {
    rank: u64,
    current: CurrentCapability,
    facts: PackedFacts,
    /// Whether no capability before it has the same facts.
    is_first: bool,
    scores: Vec<StoredScore>,
}

/// What a capability gives.
pub(super) struct Made {
    pub(super) batches: Vec<Batch>,
    pub(super) counts: Counts,
}

/// What is counted of one capability.
pub(super) struct Counts {
    package: String,
    member: Option<Member>,
    line: Option<Line>,
    id: [u8; 32],
    asked: Vec<((&'static str, &'static str), Asked)>,
}

/// What was counted of all.
#[derive(Default)]
pub(super) struct Counted {
    members: BTreeMap<String, Vec<Member>>,
    /// By rubric and kind.
    asked: BTreeMap<(&'static str, &'static str), Asked>,
    there: BTreeSet<[u8; 32]>,
    /// What is shown of the order.
    pub(super) best: Best,
}

impl Counted {
    pub(super) fn add(&mut self, counts: Counts) {
        self.members.entry(counts.package).or_default().extend(counts.member);
        self.best.add(counts.line);
        self.there.insert(counts.id);
        for (of, asked) in counts.asked {
            self.asked.entry(of).or_default().join(asked);
        }
    }

    /// The rows of the tables that count, and of what is not there any more.
    pub(super) fn batches(&mut self, since: &Since) -> Vec<Batch> {
        let asked = std::mem::take(&mut self.asked);
        let asked = asked.into_iter().map(|((rubric, kind), asked)| asked.row(rubric, kind)).collect();
        let gone = since.gone(&std::mem::take(&mut self.there));
        let members = std::mem::take(&mut self.members);
        let rows = members.into_iter().map(|(package, members)| packages::row(&package, &members)).collect();
        vec![
            Batch { table: number("packages"), rows },
            Batch { table: number("coverage"), rows: asked },
            Batch { table: number("changes"), rows: gone },
        ]
    }
}

/// What making rows needs.
pub(super) struct RowMaker {
    as_of: AsOf,
    usual: Usual,
    /// What stood before.
    pub(super) since: Since,
    ranked: Layout,
    tables: [usize; 5],
}

impl RowMaker {
    pub(super) fn new(as_of: AsOf, since: Since) -> Self {
        let tables = ["capabilities", "scores", "findings", "changes", "facts"].map(number);
        Self { as_of, usual: Usual::of_this_program(), since, ranked: Layout::of(&capabilities::TABLE, true), tables }
    }

    /// Reads what stands at a place. `met` holds the facts of all places before it.
    pub(super) fn read(
        &self,
        reader: &Reader,
        ranking: &Ranking,
        place: &CurrentPlace,
        rank: u64,
        met: &mut BTreeSet<FactsId>,
    ) -> Result<Packed, StoreError> {
        let unknown = || StoreError::Unknown { what: "facts", key: rank.to_string() };
        Ok(Packed {
            rank,
            current: reader.current_at(place)?,
            facts: reader.packed_facts(&[place.facts])?.pop().ok_or_else(unknown)?,
            is_first: met.insert(place.facts),
            scores: reader.stored_scores(place.facts, &ranking.rubrics, self.as_of.day())?,
        })
    }

    /// Makes the rows.
    pub(super) fn make(&self, packed: Packed) -> anyhow::Result<Made> {
        let all = packed.facts.unpack()?;
        let is_first = packed.is_first;
        let ranked = ranked(packed, &all)?;
        let current = &ranked.current;
        let slug = Cell::text(&current.capability.slug);
        let id = Cell::text(current.capability.id.to_string());
        let [capability, score, finding, change, fact] = self.tables;
        let found = finding::findings(&all);
        let found = found.iter().map(|finding| findings::row(&slug, &id, finding)).collect::<anyhow::Result<_>>()?;
        let row = capabilities::row(&ranked, &slug, &id)?;
        let changed = Seen::of(&self.ranked, &row).and_then(|(id, now)| self.since.row(&id, &now));
        let mut batches = vec![
            Batch { table: change, rows: changed.into_iter().collect() },
            Batch { table: capability, rows: vec![row] },
            Batch { table: score, rows: self.score_rows(&ranked, &slug, &id)? },
            Batch { table: finding, rows: found },
        ];
        if is_first {
            let row = facts::row(&current.facts.hex(), &self.usual.short(&all))?;
            batches.push(Batch { table: fact, rows: vec![row] });
        }
        let line = Line::of(&ranked);
        let counts = Counts {
            asked: asked(&ranked),
            id: *ranked.current.capability.id.0.as_bytes(),
            package: ranked.current.identity,
            member: ranked.member,
            line,
        };
        Ok(Made { batches, counts })
    }

    fn score_rows(&self, ranked: &Ranked, slug: &Cell, id: &Cell) -> anyhow::Result<Vec<Row>> {
        let current = &ranked.current;
        let subject = [
            slug.clone(),
            id.clone(),
            Cell::text(current.capability.content.hex()),
            Cell::text(current.facts.hex()),
            Cell::text(current.ruleset.hex()),
            Cell::text(self.as_of.to_string()),
        ];
        ranked.scores.iter().map(|score| scores::row(&subject, score)).collect()
    }
}

/// What is counted of the scores, by rubric and kind.
fn asked(ranked: &Ranked) -> Vec<((&'static str, &'static str), Asked)> {
    let kind = ranked.current.capability.kind.as_str();
    let is_analysed = ranked.current.completeness == Completeness::Analysed;
    let of = |score: &Score| {
        let rubric = RUBRICS.iter().map(|rubric| &*rubric.meta().rubric.id).find(|id| *id == score.rubric.id)?;
        let mut asked = Asked::default();
        asked.add(score, is_analysed);
        Some(((rubric, kind), asked))
    };
    ranked.scores.iter().filter_map(of).collect()
}

fn ranked(packed: Packed, all: &Facts) -> Result<Ranked, StoreError> {
    let scores: Vec<Score> = packed.scores.iter().map(StoredScore::unpack).collect::<Result<_, _>>()?;
    Ok(Ranked {
        rank: packed.rank,
        verdict: verdict(&scores, &packed.current.completeness),
        member: saferskills::member(all, &scores),
        findings: Tally::of(all),
        tags: capability_tags(all),
        current: packed.current,
        scores,
    })
}
