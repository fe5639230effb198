//! From a capability as the store holds it to its rows in the ranked tables, and what is counted on the way.
//!
//! Must not know formats or threads: rows of one capability depend on it alone.

use std::collections::{BTreeMap, BTreeSet};

use capdex_db::{
    BreakdownTexts, CurrentCapability, CurrentPlace, FactsId, PackedFacts, Reader, StoreError, StoredBreakdown,
};
use capdex_model::facts::SparseFacts;
use capdex_model::score::Score;
use capdex_model::snapshot::Completeness;
use capdex_model::time::AsOf;
use capdex_rubrics::saferskills::{self, Member};
use capdex_rubrics::{RUBRICS, opposites, verdict};

use super::best::{Best, Line};
use super::breakdowns::{Breakdowns, Named};
use super::cell::{Cell, Row};
use super::ranked::Ranked;
use super::ranking::Ranking;
use super::since::{Seen, Since};
use super::stream::Batch;
use super::tables::coverage::Asked;
use super::tables::findings::FindingRows;
use super::tables::{Layout, breakdowns, capabilities, facts, number, packages, scores};
use crate::finding::{self, Tally};
use crate::item::capability_tags;

/// A capability as the store holds it, so that another thread can read it.
pub(super) struct Packed {
    rank: u64,
    current: CurrentCapability,
    facts: PackedFacts,
    /// Whether no capability before it has the same facts.
    is_first: bool,
    /// Its scores, outlines mostly, and the numbers of their breakdowns.
    scores: Vec<Score>,
    numbers: Vec<u64>,
    /// Breakdowns that no capability before it has, with their numbers.
    breakdowns: Vec<(u64, StoredBreakdown)>,
    /// The rest of the scores of these places: what the reason for a disagreement is told from.
    rests: Vec<(usize, StoredBreakdown)>,
}

/// What was met on the way.
#[derive(Default)]
pub(super) struct Met {
    facts: BTreeSet<FactsId>,
    breakdowns: Breakdowns,
}

/// What a capability gives.
pub(super) struct Made {
    /// Each with the place of its table.
    pub(super) rows: Vec<(usize, Row)>,
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
    finding_rows: FindingRows,
    /// What stood before.
    pub(super) since: Since,
    ranked: Layout,
    tables: [usize; 6],
}

impl RowMaker {
    pub(super) fn new(as_of: AsOf, since: Since) -> Self {
        let tables = ["capabilities", "scores", "breakdowns", "findings", "changes", "facts"].map(number);
        let (finding_rows, ranked) = (FindingRows::default(), Layout::of(&capabilities::TABLE, true));
        Self { as_of, finding_rows, since, ranked, tables }
    }

    /// Reads what stands at a place. `met` holds what was met at all places before it.
    pub(super) fn read(
        &self,
        reader: &Reader,
        ranking: &Ranking,
        place: &CurrentPlace,
        rank: u64,
        met: &mut Met,
    ) -> Result<Packed, StoreError> {
        let unknown = || StoreError::Unknown { what: "facts", key: rank.to_string() };
        let stored = reader.stored_scores(place.facts, &ranking.rubrics, self.as_of.day())?;
        let mut breakdowns = Vec::new();
        let numbered = met.breakdowns.number(reader, &stored, &mut breakdowns)?;
        let (scores, named): (Vec<Score>, Vec<Named>) = numbered.into_iter().unzip();
        Ok(Packed {
            rank,
            current: reader.current_at(place)?,
            facts: reader.packed_facts(&[place.facts], capdex_rules::defaults())?.pop().ok_or_else(unknown)?,
            is_first: met.facts.insert(place.facts),
            rests: rests(reader, &scores, &named)?,
            numbers: named.into_iter().map(|named| named.number).collect(),
            scores,
            breakdowns,
        })
    }

    /// Makes the rows.
    pub(super) fn make(&self, mut packed: Packed) -> anyhow::Result<Made> {
        let (all, texts) = packed.facts.unpack_with_texts(capdex_rules::defaults())?;
        let (is_first, breakdowns) = (packed.is_first, std::mem::take(&mut packed.breakdowns));
        let numbers = std::mem::take(&mut packed.numbers);
        let ranked = ranked(packed, &all)?;
        let current = &ranked.current;
        let slug = Cell::text(&current.capability.slug);
        let id = Cell::text(current.capability.id.to_string());
        let [capability, score, breakdown, finding, change, fact] = self.tables;
        let row = capabilities::row(&ranked, &slug, &id)?;
        let changed = Seen::of(&self.ranked, &row).and_then(|(id, now)| self.since.row(&id, &now));
        let mut rows: Vec<(usize, Row)> = changed.into_iter().map(|row| (change, row)).collect();
        rows.push((capability, row));
        rows.extend(self.score_rows(&ranked, &numbers, &slug, &id)?.into_iter().map(|row| (score, row)));
        for (number, stored) in breakdowns {
            let BreakdownTexts { terms, parts } = stored.texts()?;
            rows.push((breakdown, breakdowns::row(number, terms.get(), parts.get())));
        }
        for found in finding::findings(&all) {
            rows.push((finding, self.finding_rows.row(&slug, &id, &found)?));
        }
        if is_first {
            rows.push((fact, facts::row(&current.facts.hex(), &all, texts)?));
        }
        let line = Line::of(&ranked);
        let counts = Counts {
            asked: asked(&ranked),
            id: *ranked.current.capability.id.0.as_bytes(),
            package: ranked.current.identity,
            member: ranked.member,
            line,
        };
        Ok(Made { rows, counts })
    }

    fn score_rows(&self, ranked: &Ranked, numbers: &[u64], slug: &Cell, id: &Cell) -> anyhow::Result<Vec<Row>> {
        let current = &ranked.current;
        let subject = [
            slug.clone(),
            id.clone(),
            Cell::text(current.capability.content.hex()),
            Cell::text(current.facts.hex()),
            Cell::text(current.ruleset.hex()),
            Cell::text(self.as_of.to_string()),
        ];
        let numbered = ranked.scores.iter().zip(numbers);
        numbered.map(|(score, number)| scores::row(&subject, score, *number)).collect()
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

/// The rests of the two scores that say why rubrics disagree.
fn rests(reader: &Reader, scores: &[Score], named: &[Named]) -> Result<Vec<(usize, StoredBreakdown)>, StoreError> {
    let rest = |at: usize| {
        let rest = named.get(at)?.rest?;
        Some(reader.breakdown(rest).map(|rest| (at, rest)))
    };
    opposites(scores).into_iter().flatten().filter_map(rest).collect()
}

fn ranked(packed: Packed, all: &SparseFacts) -> Result<Ranked, StoreError> {
    let mut scores = packed.scores;
    for (at, rest) in packed.rests {
        if let Some(score) = scores.get_mut(at) {
            *score = rest.fill(score.clone())?;
        }
    }
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
