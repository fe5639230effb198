//! `StandingVerdicts`: the verdict over an artifact as it stands in the store, which is the strictest over its capabilities.
//!
//! Scores that stand are read, and none is computed.

use capdex_db::{Reader, RubricIds, StoreError};
use capdex_model::ids::CapabilityId;
use capdex_model::score::{Score, Verdict};
use capdex_model::snapshot::Completeness;
use capdex_model::time::AsOf;
use capdex_rubrics::rank::place;
use capdex_rubrics::verdict::OwnVerdict;
use capdex_rubrics::{Rubric as _, verdict};

/// Reads verdicts of one night.
pub(super) struct StandingVerdicts<'a> {
    reader: &'a Reader,
    rubrics: RubricIds,
    day: i64,
}

/// The verdict over one artifact.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct StandingVerdict {
    /// The first of its strictest capabilities.
    pub(super) worst: JudgedMember,
    /// Its version, where it has one.
    pub(super) version: Option<String>,
    /// True where all of it was looked at.
    pub(super) is_whole: bool,
}

/// One capability of an artifact with its verdict.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct JudgedMember {
    /// Its id.
    pub(super) id: CapabilityId,
    /// Its verdict.
    pub(super) verdict: Verdict,
}

impl<'a> StandingVerdicts<'a> {
    /// Those of the night of an instant.
    ///
    /// # Errors
    /// Errors of the store.
    pub(super) fn new(reader: &'a Reader, at: AsOf) -> Result<Self, StoreError> {
        let rubrics = reader.rubric_ids(&[OwnVerdict.meta().rubric.clone()])?;
        Ok(Self { reader, rubrics, day: at.day() })
    }

    /// The verdict over the artifact of an identity; none where none of it was ever looked at.
    ///
    /// # Errors
    /// Errors of the store.
    pub(super) fn of(&self, identity: &str) -> Result<Option<StandingVerdict>, StoreError> {
        let Some(standing) = self.reader.standing_artifact(identity)? else { return Ok(None) };
        let is_whole = standing.capabilities.iter().all(|capability| capability.is_whole);
        let mut worst: Option<JudgedMember> = None;
        for capability in standing.capabilities {
            let stored = self.reader.stored_scores(capability.facts, &self.rubrics, self.day)?;
            let scores: Vec<Score> = stored.iter().map(|score| score.outline()).collect::<Result<_, _>>()?;
            let completeness =
                if capability.is_whole { Completeness::Analysed } else { Completeness::Partial(Vec::new()) };
            let judged = JudgedMember { id: capability.id, verdict: verdict(&scores, &completeness) };
            if worst.as_ref().is_none_or(|worst| place(worst.verdict.band) < place(judged.verdict.band)) {
                worst = Some(judged);
            }
        }
        Ok(worst.map(|worst| StandingVerdict { worst, version: standing.version, is_whole }))
    }
}
