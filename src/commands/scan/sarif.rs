//! `scan --format sarif`: SARIF 2.1.0, one run, every rule listed whether it fired or not.

use capdex_core::fact::Severity;
use capdex_core::rules;
use capdex_core::snapshot::Completeness;
use serde_json::{Value, json};

use super::Judged;
use crate::finding::{Finding, findings};

/// The one run, as it grows.
#[derive(Default)]
pub(super) struct Run {
    results: Vec<Value>,
    notifications: Vec<Value>,
}

impl Run {
    pub(super) fn add(&mut self, judged: &Judged) {
        self.results.extend(findings(&judged.scanned.facts).iter().map(|finding| result(judged, finding)));
        if let Completeness::Partial(gaps) = &judged.scanned.completeness {
            self.notifications.extend(gaps.iter().map(|gap| notification(&gap.to_string())));
        } else if let Completeness::NotAssessable(gap) = &judged.scanned.completeness {
            self.notifications.push(notification(&gap.to_string()));
        }
    }

    pub(super) fn finish(self) -> Value {
        let rules: Vec<Value> = rules::all().iter().map(|meta| rule(meta)).collect();
        json!({
            "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
            "version": "2.1.0",
            "runs": [{
                "tool": { "driver": { "name": "capdex", "version": env!("CARGO_PKG_VERSION"), "rules": rules } },
                "columnKind": "unicodeCodePoints",
                "invocations": [{
                    "executionSuccessful": true,
                    "toolExecutionNotifications": self.notifications,
                }],
                "results": self.results,
            }]
        })
    }
}

fn notification(text: &str) -> Value {
    json!({ "level": "warning", "message": { "text": format!("not looked at: {text}") } })
}

fn rule(meta: &rules::RuleMeta) -> Value {
    json!({
        "id": meta.id,
        "shortDescription": { "text": meta.title },
        "fullDescription": { "text": meta.why },
        "help": { "text": meta.fix },
        "defaultConfiguration": { "level": level(meta.severity) },
        "properties": { "tags": meta.cites },
    })
}

fn result(judged: &Judged, finding: &Finding<'_>) -> Value {
    let file = if finding.file.is_empty() { &judged.scanned.capability.path } else { finding.file };
    let mut place = json!({ "artifactLocation": { "uri": uri(&judged.input, file) } });
    if finding.line > 0 {
        place["region"] = json!({ "startLine": finding.line, "startColumn": finding.column.max(1) });
    }
    json!({
        "ruleId": finding.rule,
        "level": level(finding.severity),
        "message": { "text": format!("{}: {}", finding.title, finding.evidence) },
        "locations": [{ "physicalLocation": place }],
        "partialFingerprints": { "capdex/v1": finding.fingerprint },
    })
}

/// A relative reference: the input's path and the file in it, with everything but unreserved characters escaped.
fn uri(input: &str, file: &str) -> String {
    let path = format!("{}/{file}", input.trim_end_matches('/'));
    path.trim_end_matches('/')
        .bytes()
        .map(|byte| match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => char::from(byte).to_string(),
            other => format!("%{other:02X}"),
        })
        .collect()
}

const fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Critical | Severity::High => "error",
        Severity::Medium => "warning",
        Severity::Low | Severity::Info => "note",
    }
}
