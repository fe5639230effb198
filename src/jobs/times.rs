//! When each stage of a run began and how long it took: for the ledger of runs, and as spans for whoever collects them.
//!
//! The spans are never entered, so that log lines read as they do without them.

use std::future::Future;

use capdex_dataset::stopwatch::Stopwatch;
use capdex_db::{RunId, RunStatus};
use capdex_model::time::{AsOf, Timestamp};
use serde_json::{Value, json};
use tracing::{Span, field, info_span};

use crate::clock;
use capdex_dataset::escape::escape;
use capdex_dataset::views::ledger::StageTime;

/// The stages of a run so far, in their order.
pub(super) struct Times {
    span: Span,
    stages: Vec<StageTime>,
}

/// A stage that is under way.
struct Begun {
    stage: &'static str,
    began: Timestamp,
    watch: Stopwatch,
    span: Span,
}

impl Times {
    /// A run that begins now.
    pub(super) fn of_run(run: RunId, name: &str, as_of: AsOf) -> Self {
        // The outcome is known only at the end, and a field has to be declared at the beginning.
        let span =
            info_span!("run", otel.name = name, run = run.0, schedule = name, as_of = %as_of, outcome = field::Empty);
        Self { span, stages: Vec::new() }
    }

    /// Does a stage.
    ///
    /// # Errors
    /// Errors of the stage; its time is noted all the same.
    pub(super) fn time<T>(
        &mut self,
        stage: &'static str,
        work: impl FnOnce() -> anyhow::Result<T>,
    ) -> anyhow::Result<T> {
        let begun = self.begin(stage);
        let result = work();
        self.end(begun, result)
    }

    /// Waits for a stage.
    ///
    /// # Errors
    /// Errors of the stage; its time is noted all the same.
    pub(super) async fn wait<T>(
        &mut self,
        stage: &'static str,
        work: impl Future<Output = anyhow::Result<T>>,
    ) -> anyhow::Result<T> {
        let begun = self.begin(stage);
        let result = work.await;
        self.end(begun, result)
    }

    fn begin(&self, stage: &'static str) -> Begun {
        // The parent is named, because the span of the run is never entered.
        let span = info_span!(
            parent: &self.span,
            "stage",
            otel.name = stage,
            stage,
            otel.status_code = field::Empty,
            error = field::Empty
        );
        Begun { stage, began: clock::now(), watch: Stopwatch::start(), span }
    }

    fn end<T>(&mut self, begun: Begun, result: anyhow::Result<T>) -> anyhow::Result<T> {
        if let Err(error) = &result {
            begun.span.record("otel.status_code", "ERROR");
            // The text may quote a stranger, and a collector's screen may be a terminal.
            begun.span.record("error", &*escape(&format!("{error:#}")));
        }
        let millis = u32::try_from(begun.watch.elapsed().as_millis()).unwrap_or(u32::MAX);
        self.stages.push(StageTime {
            began: begun.began,
            seconds: f64::from(millis) / 1000.0,
            stage: begun.stage.into(),
        });
        result
    }

    /// The run is over: adds its stages to what it says of itself.
    pub(super) fn close(self, status: RunStatus, mut summary: Value) -> Value {
        self.span.record("outcome", status.as_str());
        // A summary that is no object has no place for stages; every kind of report is one.
        if let Some(fields) = summary.as_object_mut() {
            fields.insert("stages".to_owned(), json!(self.stages));
        }
        summary
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stages_stand_in_their_order_also_one_that_failed() {
        let mut times = Times::of_run(RunId(1), "test", AsOf(Timestamp::from_unix_seconds(0)));
        assert_eq!(times.time("scan", || Ok(3)).expect("done"), 3);
        times.time::<()>("score", || anyhow::bail!("no")).expect_err("failed");
        let summary = times.close(RunStatus::Failed, json!({ "error": "no" }));
        let stages = summary["stages"].as_array().expect("stages");
        assert_eq!(stages.iter().map(|one| one["stage"].as_str()).collect::<Vec<_>>(), [Some("scan"), Some("score")]);
        assert!(stages.iter().all(|one| one["seconds"].is_f64() && one["began"].is_string()), "{summary}");
        assert_eq!(summary["error"], "no");
    }
}
