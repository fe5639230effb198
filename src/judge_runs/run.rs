//! The loop: units that wait for an answer, in their order, asked within the limits of the day.
//!
//! A request stands in the store before it is sent. One without an answer was cut off by the end of the program; it counts at its
//! most, and is asked again another day.

use std::collections::{BTreeMap, VecDeque};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use capdex_dataset::stopwatch::Stopwatch;
use capdex_db::{Decisions, JudgeAnswer, JudgeCall, JudgeSpent, Reader, StoreError, StoredJudgement, UnitId};
use capdex_judge::prompt::{Ballot, Prompt, PromptVersion};
use capdex_judge::unit::JudgeUnit;
use capdex_judge::wire::{AnswerFormat, JudgeModel, MAX_TOKENS};
use capdex_judge::{Unanswered, key};
use capdex_model::digest::Digest;
use capdex_model::time::AsOf;
use tokio::task::JoinSet;
use tracing::{info, warn};

use super::endpoint::JudgeEndpoint;
use super::settings::JudgeSettings;
use crate::shutdown::ShutdownFlag;

/// How long a write waits for a run that is in the middle of one.
const PATIENCE: Duration = Duration::from_secs(60);

/// Which units are asked about.
#[derive(Clone, Debug, Default)]
pub struct JudgeScope {
    /// Only these; all that stand where it is empty.
    pub only: Vec<UnitId>,
    /// Requests of this run at most.
    pub max_calls: Option<u64>,
    /// Asks also where an answer that counts is there: an answer of before stays the one that counts.
    pub again: bool,
    /// Measures, and leaves whose answers count as it is.
    pub is_measured: bool,
}

/// What a run did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JudgeRunReport {
    /// Requests.
    pub calls: u64,
    /// Answers that count.
    pub used: u64,
    /// Findings in them.
    pub findings: u64,
    /// Units with an answer of before.
    pub known: u64,
    /// Why others have none, by reason.
    pub unanswered: BTreeMap<Unanswered, u64>,
    /// True where so many failed in a row that it ended.
    pub is_broken_off: bool,
    /// True where somebody asked to stop.
    pub is_interrupted: bool,
}

/// One question that may be asked.
struct Waiting {
    unit: Arc<JudgeUnit>,
    id: UnitId,
    ballot: Ballot,
}

/// Writes between two writes of a night that may be running.
///
/// # Errors
/// Errors of the store.
pub fn keep<T: Send + 'static>(
    path: &Path,
    work: impl FnOnce(&Decisions<'_>) -> Result<T, StoreError> + Send + 'static,
) -> anyhow::Result<T> {
    capdex_db::decide(path, &capdex_rules::INDEX, PATIENCE, &mut || {}, work)
        .with_context(|| format!("failed to write into the store {}", path.display()))
}

/// A run over a store.
pub struct JudgeRun<'a> {
    /// The store.
    pub path: &'a Path,
    /// The judge.
    pub settings: &'a JudgeSettings,
    /// The instant of the run; limits are those of its day.
    pub at: AsOf,
    /// Somebody's wish to stop: what is under way is awaited, since it is paid for.
    pub stop: ShutdownFlag,
}

impl JudgeRun<'_> {
    /// Asks about all units in scope that wait.
    ///
    /// # Errors
    /// Errors of the store.
    pub async fn ask(&self, endpoint: &JudgeEndpoint, scope: &JudgeScope) -> anyhow::Result<JudgeRunReport> {
        let reader = Reader::open(self.path, &capdex_rules::INDEX)
            .with_context(|| format!("failed to open the store {}", self.path.display()))?;
        let mut model = self.settings.model.clone();
        // An endpoint that rejected the schema once is not asked to reject it again.
        if let Some(before) = reader.judge_use()?.map(|of| of.model)
            && (before.kind, &before.name) == (model.kind, &model.name)
        {
            model.format = before.format;
        }
        if !scope.is_measured {
            let judge = capdex_db::JudgeUse { model: model.clone(), ..self.settings.to_use() };
            keep(self.path, move |decisions| decisions.set_judge_use(&judge))?;
        }
        let mut asking = Asking {
            run: self,
            reader,
            model,
            spent: JudgeSpent::default(),
            reserved: JudgeSpent::default(),
            watch: Stopwatch::start(),
            in_a_row: 0,
            is_measured: scope.is_measured,
            report: JudgeRunReport::default(),
        };
        asking.spent = asking.reader.judge_spent(AsOf(self.at.start_of_day()))?;
        asking.all(endpoint, scope).await?;
        Ok(asking.report)
    }
}

/// A run under way.
struct Asking<'a> {
    run: &'a JudgeRun<'a>,
    reader: Reader,
    model: JudgeModel,
    /// What the day has cost, without what is under way.
    spent: JudgeSpent,
    /// The most that what is under way may cost.
    reserved: JudgeSpent,
    watch: Stopwatch,
    in_a_row: u32,
    is_measured: bool,
    report: JudgeRunReport,
}

/// A request that came to its end.
struct Done {
    number: i64,
    waiting: Waiting,
    reserved: JudgeSpent,
    format: AnswerFormat,
    answer: JudgeAnswer,
}

impl Asking<'_> {
    async fn all(&mut self, endpoint: &JudgeEndpoint, scope: &JudgeScope) -> anyhow::Result<()> {
        let ballots = self.run.settings.to_use();
        let units = match scope.only.as_slice() {
            [] => self.reader.standing_units(&self.run.settings.kinds)?.into_iter().map(|unit| unit.id).collect(),
            only => only.to_vec(),
        };
        let mut units: VecDeque<UnitId> = units.into();
        let mut ready: VecDeque<Waiting> = VecDeque::new();
        let mut under_way: JoinSet<Done> = JoinSet::new();
        loop {
            while under_way.len() < self.run.settings.limits.max_in_flight && !self.is_over() {
                // Units are read one by one: there may be a million.
                let Some(next) = ready.pop_front() else {
                    let Some(id) = units.pop_front() else { break };
                    let unit = Arc::new(self.reader.judge_unit(id)?);
                    for ballot in ballots.ballots() {
                        ready.push_back(Waiting { unit: Arc::clone(&unit), id, ballot: *ballot });
                    }
                    continue;
                };
                if scope.max_calls.is_some_and(|most| self.report.calls >= most) {
                    self.unanswered(Unanswered::Budget);
                    continue;
                }
                self.begin(next, endpoint, scope.again, &mut under_way)?;
            }
            let Some(done) = under_way.join_next().await else { break };
            let done = done.context("a request of the judge ended by a fault of ours")?;
            if let Some(again) = self.end(done)? {
                ready.push_front(again);
            }
        }
        // What was not come to any more has its reason too, so that nobody takes it for asked.
        if !units.is_empty() || !ready.is_empty() {
            let left = ready.len() as u64 + units.len() as u64 * ballots.ballots().len() as u64;
            let why = if self.is_out_of_time() { Unanswered::Budget } else { Unanswered::NotAsked };
            *self.report.unanswered.entry(why).or_default() += left;
        }
        Ok(())
    }

    /// True where no further request may begin.
    fn is_over(&mut self) -> bool {
        self.report.is_interrupted |= self.run.stop.is_asked();
        self.report.is_broken_off || self.report.is_interrupted || self.is_out_of_time()
    }

    fn is_out_of_time(&self) -> bool {
        self.watch.elapsed() >= Duration::from_secs(self.run.settings.limits.max_minutes.saturating_mul(60))
    }

    fn unanswered(&mut self, why: Unanswered) {
        *self.report.unanswered.entry(why).or_default() += 1;
    }

    /// Sends a request where there is no answer yet and the day has room for it.
    fn begin(
        &mut self,
        waiting: Waiting,
        endpoint: &JudgeEndpoint,
        again: bool,
        under_way: &mut JoinSet<Done>,
    ) -> anyhow::Result<()> {
        let key = key::key(&waiting.unit, PromptVersion::CURRENT, waiting.ballot, &self.model);
        let before = self.reader.judgement(&key)?;
        if let Some(before) = before.filter(|_| !again)
            && let Some(standing) = self.standing(&before)
        {
            match standing {
                None => self.report.known += 1,
                Some(why) => self.unanswered(why),
            }
            return Ok(());
        }
        let prompt = Prompt::of(&waiting.unit, PromptVersion::CURRENT, waiting.ballot);
        let body = self.model.request(&prompt);
        // A token has a byte at least.
        let reserved = JudgeSpent { calls: 1, tokens_in: body.len() as u64, tokens_out: u64::from(MAX_TOKENS) };
        if !self.has_room(reserved) {
            self.unanswered(Unanswered::Budget);
            return Ok(());
        }
        let call = JudgeCall {
            unit: waiting.id,
            key,
            at: self.run.at,
            prompt: PromptVersion::CURRENT,
            ballot: waiting.ballot,
            model: self.model.clone(),
            request: Digest::of(body.as_bytes()),
            reserved_in: reserved.tokens_in,
            reserved_out: reserved.tokens_out,
        };
        let number = keep(self.run.path, move |decisions| decisions.begin_judge_call(&call))?;
        self.reserved = sum(self.reserved, reserved);
        self.report.calls += 1;
        let (endpoint, model) = (endpoint.clone(), self.model.clone());
        under_way.spawn(async move {
            let answer = endpoint.ask(&model, &prompt, &body).await;
            Done { number, waiting, reserved, format: model.format, answer }
        });
        Ok(())
    }

    /// What a request of before means: none where it has to be asked again, else nothing more to do, and why where it does not count.
    fn standing(&self, before: &StoredJudgement) -> Option<Option<Unanswered>> {
        let is_today = before.call.at.day() >= self.run.at.day();
        let why = match before.answer.as_ref().map(|answer| &answer.outcome) {
            Some(Ok(_)) => return Some(None),
            Some(Err(why)) => *why,
            None => Unanswered::Interrupted,
        };
        // Failures of the way may be over by now; work that may have been done is not paid for twice in one day.
        let stays = !why.is_passing() || (why.may_have_cost() && is_today);
        stays.then_some(Some(why))
    }

    /// True where the day's limits allow the most that a request may cost.
    fn has_room(&self, more: JudgeSpent) -> bool {
        self.run.settings.has_room(sum(sum(self.spent, self.reserved), more))
    }

    /// Keeps what came; the question where it is to be asked in another form.
    fn end(&mut self, done: Done) -> anyhow::Result<Option<Waiting>> {
        let Done { number, waiting, reserved, format, answer } = done;
        self.reserved = JudgeSpent {
            calls: self.reserved.calls - 1,
            tokens_in: self.reserved.tokens_in - reserved.tokens_in,
            tokens_out: self.reserved.tokens_out - reserved.tokens_out,
        };
        let cost = JudgeSpent { calls: 1, tokens_in: answer.tokens_in, tokens_out: answer.tokens_out };
        self.spent = sum(self.spent, cost);
        let kept = answer.clone();
        keep(self.run.path, move |decisions| decisions.end_judge_call(number, &kept))?;
        // Never the text of either side: only how it ended.
        info!(call = number, ms = answer.latency_ms, outcome = outcome_word(&answer), "judge answered");
        match &answer.outcome {
            Ok(reading) => {
                self.report.used += 1;
                self.report.findings += reading.findings.len() as u64;
                self.in_a_row = 0;
            }
            Err(Unanswered::Rejected) if format == AnswerFormat::JsonSchema => {
                // Others may have been under way in the form that is given up now.
                if self.model.format == AnswerFormat::JsonObject {
                    return Ok(Some(waiting));
                }
                self.model.format = AnswerFormat::JsonObject;
                if !self.is_measured {
                    let judge = capdex_db::JudgeUse { model: self.model.clone(), ..self.run.settings.to_use() };
                    keep(self.run.path, move |decisions| decisions.set_judge_use(&judge))?;
                }
                warn!("the judge's endpoint rejects the schema of answers; it is asked for any object from now on");
                return Ok(Some(waiting));
            }
            Err(why) => {
                self.unanswered(*why);
                // An answer that does not count is an answer: the endpoint works.
                self.in_a_row = if why.is_passing() { self.in_a_row + 1 } else { 0 };
            }
        }
        if self.in_a_row >= self.run.settings.limits.breaker {
            self.report.is_broken_off = true;
        }
        Ok(None)
    }
}

fn outcome_word(answer: &JudgeAnswer) -> &'static str {
    answer.outcome.as_ref().err().map_or("used", |why| why.as_str())
}

pub(super) const fn sum(one: JudgeSpent, other: JudgeSpent) -> JudgeSpent {
    JudgeSpent {
        calls: one.calls + other.calls,
        tokens_in: one.tokens_in + other.tokens_in,
        tokens_out: one.tokens_out + other.tokens_out,
    }
}
