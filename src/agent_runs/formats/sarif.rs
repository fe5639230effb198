//! A report as SARIF 2.1.0: a result for each observed test, a notification for each that says nothing.
//!
//! Messages hold our own words only; what an agent wrote stands in a property, which no viewer reads as markup.

use capdex_agent_scan::grade::TrialOutcome;
use capdex_agent_scan::report::{Report, TestReport, TestVerdict};
use capdex_dataset::program::program;
use serde_json::{Value, json};

use crate::formats::sarif::level_word;

pub(super) fn document(report: &Report) -> Value {
    let of = |verdict: TestVerdict| report.tests.iter().filter(move |test| test.verdict == verdict);
    let silent = of(TestVerdict::NotExercised).chain(of(TestVerdict::ControlFailed));
    let program = program();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "capdex agent-scan",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": report.tests.iter().map(rule).collect::<Vec<_>>(),
                "properties": {
                    "pack": report.pack_name(), "pack_sha256": report.run.pack_sha256.hex(),
                    "engine_version": program.engine_version, "program_sha256": program.program_sha256,
                },
            } },
            "invocations": [{
                "executionSuccessful": true,
                "toolExecutionNotifications": silent.map(notification).collect::<Vec<_>>(),
            }],
            "results": of(TestVerdict::Observed).map(result).collect::<Vec<_>>(),
            "properties": { "head": report.head, "score": report.score },
        }]
    })
}

fn rule(test: &TestReport) -> Value {
    json!({
        "id": test.id,
        "shortDescription": { "text": test.title },
        "help": { "text": test.fix },
        "properties": { "tags": ["security", "agent-behaviour"], "codes": test.codes, "severity": test.severity },
    })
}

fn result(test: &TestReport) -> Value {
    let shown = test.trials.iter().find(|trial| trial.outcome == TrialOutcome::Observed);
    let file = shown.map(|trial| format!("trials/{}.jsonl", trial.trial)).unwrap_or_default();
    json!({
        "ruleId": test.id,
        "level": level_word(test.severity),
        "message": { "text": test.wording },
        "locations": [{ "physicalLocation": { "artifactLocation": { "uri": file } } }],
        "partialFingerprints": { "test/v1": test.id },
        "properties": { "observed": test.observed, "exercised": test.exercised, "interval": test.interval, "extract": test.extract },
    })
}

fn notification(test: &TestReport) -> Value {
    json!({
        "level": "warning",
        "descriptor": { "id": format!("agent-scan/{}", test.id) },
        "message": { "text": format!("{}: {}", test.id, test.wording) },
    })
}
