//! `LocalJudge`: asks the operator's model about what a scan found. Nothing of it is kept, and nothing is sent without being asked for.

use std::time::Duration;

use capdex_dataset::judged::{AnsweredPart, JudgeRecord, PartAnswer, put_together};
use capdex_dataset::stopwatch::Stopwatch;
use capdex_db::{JudgeAnswer, JudgeSpent};
use capdex_evidence::Evidence;
use capdex_evidence::decompose::decompose_counted;
use capdex_evidence::subject::Subject;
use capdex_judge::Unanswered;
use capdex_judge::prompt::{Ballot, Prompt, PromptVersion};
use capdex_judge::unit::{JudgePart, JudgeUnit, parts};
use capdex_judge::wire::{AnswerFormat, JudgeModel, MAX_TOKENS};
use capdex_model::bundle::Bundle;
use capdex_model::capability::Kind;
use capdex_model::facts::SparseFacts;
use capdex_model::ids::CapabilityId;
use capdex_model::time::AsOf;
use tokio::runtime::Runtime;

use super::endpoint::JudgeEndpoint;
use super::run::sum;
use super::settings::JudgeSettings;
use crate::jobs::run::runtime;

/// The judge of one scan.
pub struct LocalJudge {
    settings: JudgeSettings,
    endpoint: JudgeEndpoint,
    runtime: Runtime,
    model: JudgeModel,
    at: AsOf,
    spent: JudgeSpent,
    in_a_row: u32,
    watch: Stopwatch,
}

/// What of a bundle is of some kinds, as units of the judge.
pub fn units(bundle: &Bundle, kinds: &[Kind]) -> Vec<(CapabilityId, Vec<JudgePart>)> {
    let evidence = Evidence::gather(bundle);
    let (capabilities, _) = decompose_counted(bundle, &evidence);
    let asked = capabilities.iter().filter(|capability| kinds.contains(&capability.kind));
    asked
        .map(|capability| {
            let subject = Subject { capability, evidence: &evidence, claims: &bundle.claims, gaps: &[] };
            (capability.id, parts(&subject, &bundle.identity))
        })
        .collect()
}

impl LocalJudge {
    /// Gets ready to ask. The limits of a day are those of the scan.
    ///
    /// # Errors
    /// A variable that should hold the key and is not set.
    pub fn open(settings: JudgeSettings, contact: &str, at: AsOf) -> anyhow::Result<Self> {
        let endpoint = JudgeEndpoint::open(&settings, contact)?;
        let model = settings.model.clone();
        let (spent, watch) = (JudgeSpent::default(), Stopwatch::start());
        Ok(Self { endpoint, runtime: runtime()?, model, at, spent, in_a_row: 0, watch, settings })
    }

    /// What it says of a capability; none where there is nothing to ask about.
    pub fn record(&mut self, kind: Kind, of: Vec<JudgePart>, facts: &SparseFacts) -> Option<JudgeRecord> {
        let judge = self.settings.to_use();
        let mut answered = Vec::new();
        for part in of {
            answered.push(match part {
                JudgePart::TooLong(place) => AnsweredPart { unit: None, places: vec![place], answers: Vec::new() },
                JudgePart::Unit(unit, places) => {
                    let answers = judge.ballots().iter().map(|ballot| Some(self.ask(&unit, *ballot))).collect();
                    AnsweredPart { unit: Some(unit), places, answers }
                }
            });
        }
        let mask = |line: &str| capdex_rules::INDEX.mask_line(line).into_owned();
        let word = put_together(&judge, answered, mask)?;
        Some(JudgeRecord { score: word.score(kind, facts), word })
    }

    /// Asks once; a second time where the endpoint rejects the schema of answers, and not again in this scan.
    fn ask(&mut self, unit: &JudgeUnit, ballot: Ballot) -> PartAnswer {
        let prompt = Prompt::of(unit, PromptVersion::CURRENT, ballot);
        let mut answer = self.once(&prompt);
        if answer.outcome == Err(Unanswered::Rejected) && self.model.format == AnswerFormat::JsonSchema {
            self.model.format = AnswerFormat::JsonObject;
            answer = self.once(&prompt);
        }
        let is_passing = answer.outcome.as_ref().is_err_and(|why| why.is_passing());
        self.in_a_row = if is_passing { self.in_a_row + 1 } else { 0 };
        PartAnswer { asked: self.at, answer: Some(answer) }
    }

    fn once(&mut self, prompt: &Prompt) -> JudgeAnswer {
        let body = self.model.request(prompt);
        // A token has a byte at least.
        let most = JudgeSpent { calls: 1, tokens_in: body.len() as u64, tokens_out: u64::from(MAX_TOKENS) };
        let limits = &self.settings.limits;
        let is_late = self.watch.elapsed() >= Duration::from_secs(limits.max_minutes.saturating_mul(60));
        if is_late || self.in_a_row >= limits.breaker || !self.settings.has_room(sum(self.spent, most)) {
            let is_broken = self.in_a_row >= limits.breaker;
            return JudgeAnswer::without(if is_broken { Unanswered::NotAsked } else { Unanswered::Budget });
        }
        let answer = self.runtime.block_on(self.endpoint.ask(&self.model, prompt, &body));
        let cost = JudgeSpent { calls: 1, tokens_in: answer.tokens_in, tokens_out: answer.tokens_out };
        self.spent = sum(self.spent, cost);
        answer
    }
}
