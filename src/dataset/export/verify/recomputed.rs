//! The results of a dataset's facts, computed again: digests of scores and verdicts, and the ranks.
//!
//! Facts that have the same row in two formats are computed once.

use std::collections::BTreeMap;

use anyhow::Context as _;
use capdex_model::capability::Kind;
use capdex_model::digest::bytes_of_hex;
use capdex_model::facts::{DefaultRow, RuleDefaults};
use capdex_model::score::Score;
use capdex_model::snapshot::Completeness;
use capdex_rubrics::rank::{Merit, users};
use capdex_rubrics::saferskills::{self, RolledUpCapability};
use capdex_rubrics::{RUBRICS, verdict};

use super::{Dataset, Verified};
use crate::bulk;
use crate::export::print::{Print, print};
use crate::export::table_row::ReadRow as _;
use crate::export::tables::facts::{ReadFactsRow, WrittenFacts};
use crate::export::tables::rule_defaults::{self, ReadRuleDefaultRow};
use crate::export::tables::{capabilities, score_breakdowns, scores};

/// Rows of facts that are computed at once.
const PIECE: usize = 512;

/// The prints of a score.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct ScorePrint {
    /// The print of the score itself.
    pub(super) outline: Print,
    /// The print of its arithmetic.
    pub(super) breakdown: Print,
}

impl ScorePrint {
    fn of(score: &Score) -> anyhow::Result<Self> {
        let (outline, breakdown) = (scores::computed_cells(score)?, score_breakdowns::computed_cells(score)?);
        Ok(Self { outline: print(&outline), breakdown: print(&breakdown) })
    }
}

/// The results of some facts.
pub(super) struct Computed {
    /// The print of the row that they were read from.
    row: Print,
    /// The formats that hold them, a bit for each.
    formats: u8,
    is_whole: bool,
    /// The prints of each rubric's score, in their order.
    scores: Box<[ScorePrint]>,
    /// For the number of their package, where SaferSkills has one for them.
    pub(super) member: Option<RolledUpCapability>,
    /// The verdict for a whole look, and for an incomplete one.
    judged: [Judged; 2],
}

impl Computed {
    /// The prints of the score by the rubric at a place.
    pub(super) fn score(&self, rubric: usize) -> Option<&ScorePrint> {
        self.scores.get(rubric)
    }

    /// The verdict, and what ranks.
    pub(super) const fn judged(&self, is_analysed: bool) -> &Judged {
        let [analysed, other] = &self.judged;
        if is_analysed { analysed } else { other }
    }
}

/// A verdict computed again.
pub(super) struct Judged {
    /// The print of its cells.
    pub(super) print: Print,
    /// Its sentence, over an empty list of gaps.
    pub(super) reason: String,
    /// What the capability brings to the order.
    pub(super) merit: Merit,
}

/// The results of all facts, by the digest that is written beside them.
#[derive(Default)]
pub(super) struct Recomputed(BTreeMap<[u8; 32], Computed>);

impl Recomputed {
    /// The results of facts that a format holds.
    pub(super) fn of(&self, dataset: &Dataset<'_>, digest: &str) -> Option<&Computed> {
        // A format vouches only for its own rows: another one may hold facts that this one left out.
        self.0.get(&bytes(digest)?).filter(|computed| computed.formats & bit(dataset) != 0)
    }

    /// Checks the digest of all facts of a format and computes what they give.
    pub(super) fn take(
        &mut self,
        dataset: &Dataset<'_>,
        pool: &rayon::ThreadPool,
        verified: &mut Verified,
    ) -> anyhow::Result<()> {
        let written = defaults_of(dataset, verified)?;
        // This program's defaults are shared; those of another rule set are copied for each row.
        let ours = dataset.rules.defaults();
        let written = if written.gives_the_same_as(ours) { ours } else { &written };
        let (mut waiting, mut failed) = (Vec::with_capacity(PIECE), None);
        dataset.each(|row: ReadFactsRow| {
            waiting.push(FactsToCompute::of(&row));
            if waiting.len() == PIECE {
                // The first error is kept apart: one that the visitor returned would be told as a file that cannot be read.
                failed =
                    failed.take().or(self.add(dataset, written, std::mem::take(&mut waiting), pool, verified).err());
            }
            Ok(())
        })?;
        match failed {
            Some(error) => Err(error),
            None => self.add(dataset, written, waiting, pool, verified),
        }
    }

    fn add(
        &mut self,
        dataset: &Dataset<'_>,
        defaults: &RuleDefaults,
        written: Vec<FactsToCompute>,
        pool: &rayon::ThreadPool,
        verified: &mut Verified,
    ) -> anyhow::Result<()> {
        let known = &self.0;
        let computed = bulk::mapped(pool, written, |written| {
            // The row has to be the same too: with its digest alone a forged row would take over the other's results.
            let known = written.key.and_then(|key| known.get(&key)).filter(|known| known.row == written.row);
            let computed = match known {
                Some(known) => Ok((None, known.is_whole)),
                None => written.compute(dataset, defaults).map(|computed| {
                    let is_whole = computed.is_whole;
                    (Some(computed), is_whole)
                }),
            };
            (written, computed)
        });
        let file = dataset.file::<ReadFactsRow>();
        for (written, computed) in computed {
            let digest = &written.written.digest;
            let (computed, is_whole) = computed.with_context(|| format!("{file}: the facts {digest} are damaged"))?;
            verified.facts += 1;
            // Told and not refused: the scores of the row are still compared with what its facts give.
            if !is_whole {
                verified.differs(format!("{file}: facts {digest} have another digest"));
            }
            // A text that is no digest names nothing, and its scores will be missing.
            let Some(key) = written.key else { continue };
            let formats = self.0.get(&key).map_or(0, |known| known.formats) | bit(dataset);
            if let Some(computed) = computed {
                self.0.insert(key, computed);
            }
            if let Some(known) = self.0.get_mut(&key) {
                known.formats = formats;
            }
        }
        Ok(())
    }
}

const fn bit(dataset: &Dataset<'_>) -> u8 {
    1 << dataset.number
}

/// 32 bytes in hex.
pub(super) fn bytes(hex: &str) -> Option<[u8; 32]> {
    bytes_of_hex(hex).and_then(|bytes| bytes.try_into().ok())
}

/// A row of the table of facts.
struct FactsToCompute {
    written: WrittenFacts,
    key: Option<[u8; 32]>,
    row: Print,
}

impl FactsToCompute {
    fn of(row: &ReadFactsRow) -> Self {
        let written = WrittenFacts::of(row);
        Self { key: bytes(&written.digest), row: print(row.cells()), written }
    }

    fn compute(&self, dataset: &Dataset<'_>, defaults: &RuleDefaults) -> anyhow::Result<Computed> {
        let (as_of, rank_by) = (dataset.manifest.as_of, &*dataset.manifest.rank_by);
        let facts = self.written.facts(defaults, dataset.rules)?;
        let all: Vec<Score> = RUBRICS.iter().map(|rubric| rubric.score(&facts, as_of)).collect();
        let judged = |completeness: Completeness| {
            let verdict = verdict(&all, &completeness);
            let print = print(&capabilities::verdict_cells(&all, &verdict)?);
            let merit = Merit::of(facts.kind, verdict.band, &all, rank_by).with_users(users(&facts));
            anyhow::Ok(Judged { print, reason: verdict.reason, merit })
        };
        Ok(Computed {
            row: self.row,
            // Set by whoever puts it under its key, where all formats are known.
            formats: 0,
            // The digest over the facts as read must be the one beside them, or the row was changed.
            is_whole: self.key.is_some_and(|key| key == *facts.digest().as_bytes()),
            scores: all.iter().map(ScorePrint::of).collect::<anyhow::Result<_>>()?,
            member: saferskills::member(&facts, &all),
            // Both cases, because completeness is a column of another table that is read later.
            judged: [judged(Completeness::Analysed)?, judged(Completeness::Partial(Vec::new()))?],
        })
    }
}

/// The rule defaults as a format has them. For this program's rule set they are known to the last row, and every format
/// must have just those. Scores of one format are not computed again for the next, and some kinds may have no facts at all
/// to show a difference.
pub(super) fn defaults_of(dataset: &Dataset<'_>, verified: &mut Verified) -> anyhow::Result<RuleDefaults> {
    let mut rows: Vec<(Kind, DefaultRow<'static>)> = Vec::new();
    dataset.each(|row: ReadRuleDefaultRow| {
        rows.push(rule_defaults::written(&row)?);
        Ok(())
    })?;
    let ours = dataset.rules.defaults();
    // Only under our own rules is it known what the answers must be.
    if dataset.manifest.ruleset_sha256 == dataset.rules.digest().hex() && !ours.rows().eq(rows.iter().cloned()) {
        verified.differs(format!(
            "{}: not what the rules answer where they find nothing",
            dataset.file::<ReadRuleDefaultRow>()
        ));
    }
    Ok(RuleDefaults::of_rows(rows))
}
