//! `Differences`: what moved a score most, told once for all capabilities whose score is the same.
//!
//! It is told from terms and parts, which are most of a score's bytes and mostly those of many others.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};

use capdex_model::points::Points;
use capdex_model::score::{Score, ScoreText};
use capdex_rubrics::{opposites, why_it_says};

/// Causes that are kept: more are told each time anew, so that memory does not grow with the store.
const KEPT: usize = 1 << 14;

/// The rubric by its place among the scores, and the number of the breakdown.
type Key = (usize, u64);

/// What is known of the scores met so far.
#[derive(Default)]
pub(super) struct Differences(RwLock<BTreeMap<Key, Told>>);

/// A cause, and what it was told from beside the breakdown.
#[derive(Clone)]
struct Told {
    value: Option<Points>,
    grade: ScoreText,
    caps: Vec<ScoreText>,
    said: Arc<str>,
}

impl Differences {
    /// True where the breakdown of a score need not be read to tell the cause. What is known once stays known.
    pub(super) fn knows(&self, key: Key, score: &Score) -> bool {
        self.known(key, score).is_some()
    }

    fn known(&self, key: Key, score: &Score) -> Option<Arc<str>> {
        let told = self.0.read().unwrap_or_else(PoisonError::into_inner);
        // Terms and parts are those of the breakdown; of the rest nothing is taken for granted.
        let is_same = |told: &&Told| (told.value, &told.grade, &told.caps) == (score.value, &score.grade, &score.caps);
        told.get(&key).filter(is_same).map(|told| told.said.clone())
    }

    /// The strictest against the mildest rubric, as [`capdex_rubrics::why_they_differ`] tells it of scores with these breakdowns.
    /// The two that differ are whole, or known.
    pub(super) fn of(&self, scores: &[Score], breakdowns: &[u64]) -> Option<String> {
        let [strictest, mildest] = opposites(scores)?.map(|at| {
            let (score, breakdown) = (scores.get(at)?, *breakdowns.get(at)?);
            self.known((at, breakdown), score).or_else(|| self.told((at, breakdown), score))
        });
        Some(format!("{}; {}", strictest?, mildest?))
    }

    fn told(&self, key: Key, score: &Score) -> Option<Arc<str>> {
        let said: Arc<str> = why_it_says(score)?.into();
        let mut told = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if told.len() < KEPT {
            let (value, grade, caps) = (score.value, score.grade.clone(), score.caps.clone());
            told.entry(key).or_insert_with(|| Told { value, grade, caps, said: said.clone() });
        }
        Some(said)
    }
}
