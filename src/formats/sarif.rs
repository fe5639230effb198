//! `scan --format sarif`: SARIF 2.1.0, one run, every rule listed whether it fired or not.
//!
//! Messages hold our own words only; what strangers wrote stands in snippets and properties, which no viewer reads as
//! markup. Gaps are notifications, because a viewer takes an empty run for a clean one.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use capdex_model::appeal::AnnotationOutcome;
use capdex_model::fact::{Confidence, Severity};
use capdex_model::rule::RuleMeta;
use capdex_model::snapshot::{Completeness, Gap};
use serde_json::{Map, Value, json};

use super::{JudgedCapability, Level, Printer, ScanFormat, level};
use crate::output::Out;
use capdex_dataset::escape::escape;
use capdex_dataset::finding::BaselineStatus;
use capdex_dataset::finding::Finding;
use capdex_dataset::program::{self, Program, program};

pub(super) struct SarifFormat;

impl ScanFormat for SarifFormat {
    fn id(&self) -> &'static str {
        "sarif"
    }

    fn about(&self) -> &'static str {
        "SARIF 2.1.0, one run"
    }

    fn printer(&self) -> Box<dyn Printer> {
        program::prepare();
        Box::new(SarifPrinter::default())
    }
}

/// The name under which places are relative to the folder that the scan ran in.
const BASE: &str = "SRCROOT";

/// Results of one run that GitHub's code scanning takes; it refuses a file with more.
const MAX_RESULTS: usize = 25_000;

/// The one run, as it grows.
#[derive(Default)]
struct SarifPrinter {
    results: Vec<Value>,
    notifications: Vec<Value>,
    capabilities: Vec<Value>,
    /// Servers that a model was asked about, and those of which its answers count.
    asked: (u64, u64),
}

impl Printer for SarifPrinter {
    fn add(&mut self, judged: &JudgedCapability, _: &mut Out) -> anyhow::Result<()> {
        self.results.extend(judged.findings().iter().map(|finding| result(judged, finding)));
        self.notifications.extend(judged.gaps().iter().map(|gap| notification(judged, gap)));
        self.capabilities.push(capability(judged));
        if let Some(judge) = &judged.judge {
            self.asked.0 += 1;
            self.asked.1 += u64::from(judge.word.llm_judge_used);
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>, out: &mut Out) -> anyhow::Result<()> {
        // Before the document is made, because a reader that refuses the file shows nothing.
        self.cut();
        let is_judged = self.asked.0 > 0 && self.asked.0 == self.asked.1;
        let rules: Vec<Value> = capdex_rules::INDEX.all().iter().map(|meta| rule(meta)).collect();
        let Program { engine_version, program_sha256 } = program();
        let document = json!({
            "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
            "version": "2.1.0",
            "runs": [{
                "tool": { "driver": {
                    "name": "capdex",
                    "version": engine_version,
                    "semanticVersion": engine_version,
                    "rules": rules,
                    "properties": {
                        "engine_version": engine_version,
                        "program_sha256": program_sha256,
                        "ruleset_sha256": capdex_rules::INDEX.digest().hex(),
                    },
                } },
                "columnKind": "unicodeCodePoints",
                "originalUriBaseIds": {
                    BASE: { "description": { "text": "The folder that the scan ran in." } }
                },
                "invocations": [{
                    "executionSuccessful": true,
                    "toolExecutionNotifications": self.notifications,
                }],
                "results": self.results,
                // No model is asked but by `--judge`, and what it says is no result: rules alone find.
                "properties": { "capabilities": self.capabilities, "llm_judge_used": is_judged },
            }]
        });
        out.json_pretty(&document)
    }
}

impl SarifPrinter {
    /// Leaves the gravest results, in their order, where there are more than a reader takes, and says so.
    fn cut(&mut self) {
        let Some(left) = self.results.len().checked_sub(MAX_RESULTS).filter(|left| *left > 0) else { return };
        // What is suppressed goes first: nobody waits for it.
        let gravity = |result: &Value| {
            let is_accepted = |one: &Value| one["status"] != "underReview" && one["status"] != "rejected";
            let is_known = result["suppressions"].as_array().is_some_and(|known| known.iter().any(is_accepted));
            let severity: Option<Severity> = serde_json::from_value(result["properties"]["severity"].clone()).ok();
            (!is_known, severity)
        };
        let mut places: Vec<usize> = (0..self.results.len()).collect();
        places.sort_by_key(|at| self.results.get(*at).map(|result| Reverse(gravity(result))));
        let kept: BTreeSet<usize> = places.into_iter().take(MAX_RESULTS).collect();
        let all = std::mem::take(&mut self.results);
        // In their own order again: viewers follow the files.
        self.results = all.into_iter().enumerate().filter(|(at, _)| kept.contains(at)).map(|(_, one)| one).collect();
        let text = format!("{left} less grave findings are left out: code scanning takes {MAX_RESULTS} of a run.");
        let descriptor = json!({ "id": "results/left-out" });
        // Told as an error, since a cut list must not look complete.
        self.notifications.push(json!({ "level": "error", "descriptor": descriptor, "message": { "text": text } }));
    }
}

/// The description of a rule. Viewers show `help` beside a result; GitHub sorts by `security-severity`.
fn rule(meta: &RuleMeta) -> Value {
    let cites = if meta.cites.is_empty() { String::new() } else { format!("\n\nRests on: {}.", meta.cites.join(", ")) };
    let mut properties = Map::from_iter([
        ("tags".to_owned(), json!(["security", "agent-capability"])),
        ("precision".to_owned(), json!(meta.confidence.as_str())),
        ("cites".to_owned(), json!(meta.cites)),
        ("codes".to_owned(), json!(meta.codes)),
        ("cannot_see".to_owned(), json!(meta.cannot_see)),
    ]);
    if let Some(score) = security_severity(meta.severity) {
        properties.insert("security-severity".to_owned(), json!(score));
    }
    json!({
        "id": meta.id,
        "name": meta.id,
        "shortDescription": { "text": message(&meta.title) },
        "fullDescription": { "text": message(&meta.why) },
        "help": { "text": message(&format!("{}\n\nFix: {}\n\nIt cannot see: {}{cites}", meta.why, meta.fix, meta.cannot_see)) },
        "defaultConfiguration": { "level": level_word(meta.severity), "rank": rank(meta.confidence) },
        "properties": properties,
    })
}

fn result(judged: &JudgedCapability, finding: &Finding<'_>) -> Value {
    let meta = capdex_rules::INDEX.find(finding.rule);
    let fix = meta.map_or_else(String::new, |meta| format!(" Fix: {}", meta.fix));
    let mut result = json!({
        "ruleId": finding.rule,
        "level": level_word(finding.severity),
        "rank": rank(finding.confidence),
        "message": { "text": message(&format!("{}.{fix}", finding.title.trim_end_matches('.'))) },
        "locations": [location(judged, finding)],
        // Under a name of our own, so that GitHub follows a finding when lines move.
        "partialFingerprints": { "capdex/v1": finding.fingerprint },
        "properties": {
            "capability": escape(&judged.scanned.capability.slug),
            "severity": finding.severity,
            "confidence": finding.confidence,
            "pointer": escape(finding.pointer),
            "evidence": escape(finding.evidence),
            "cites": finding.citations,
            "codes": finding.codes,
        },
    });
    // A stored rule of another version has no place in the list of rules.
    if let Some(index) = meta.and_then(|meta| capdex_rules::INDEX.all().iter().position(|each| each.id == meta.id)) {
        result["ruleIndex"] = json!(index);
    }
    if let Some(standing) = finding.baseline {
        result["baselineState"] = json!(match standing {
            BaselineStatus::New => "new",
            BaselineStatus::Known => "unchanged",
            BaselineStatus::Changed | BaselineStatus::Expired => "updated",
        });
        result["properties"]["baseline"] = json!(standing);
        // An empty list says that somebody looked and suppressed nothing.
        let known = json!([{ "kind": "external", "status": "accepted", "justification": standing.words() }]);
        result["suppressions"] = if standing == BaselineStatus::Known { known } else { json!([]) };
    }
    if let Some(ruling) = finding.ruling {
        // The operator's words are no text of the target's, and still pass the gate.
        let aside = json!({ "kind": "external", "status": "accepted", "justification": message(&escape(&ruling.words())),
                            "properties": { "ruling": ruling.status.as_str(), "author": escape(&ruling.author) } });
        match result.get_mut("suppressions").and_then(Value::as_array_mut) {
            Some(suppressions) => suppressions.push(aside),
            None => result["suppressions"] = json!([aside]),
        }
    }
    for annotation in &finding.annotations {
        let status = match annotation.outcome {
            AnnotationOutcome::Overturned => "accepted",
            AnnotationOutcome::Disputed => "underReview",
            _ => "rejected",
        };
        // Our own words and a person's; the vendor's stand in the properties, which no viewer reads as markup.
        let said = json!({ "kind": "external", "status": status, "justification": message(&escape(&annotation.words())),
                           "properties": { "appeal": annotation.appeal, "outcome": annotation.outcome,
                                           "vendor": escape(&annotation.vendor) } });
        match result.get_mut("suppressions").and_then(Value::as_array_mut) {
            Some(suppressions) => suppressions.push(said),
            None => result["suppressions"] = json!([said]),
        }
    }
    result
}

fn location(judged: &JudgedCapability, finding: &Finding<'_>) -> Value {
    let mut place = json!({ "artifactLocation": artifact(judged, judged.file_of(finding)) });
    if finding.line > 0 {
        place["region"] = json!({ "startLine": finding.line, "startColumn": finding.column.max(1) });
        if !finding.evidence.is_empty() {
            // What is quoted is a sentence or a line, of which the region is a place.
            let snippet = json!({ "text": escape(finding.evidence) });
            place["contextRegion"] = json!({ "startLine": finding.line, "snippet": snippet });
        }
    }
    let slug = escape(&judged.scanned.capability.slug);
    json!({
        "physicalLocation": place,
        "logicalLocations": [{ "fullyQualifiedName": slug, "kind": judged.scanned.capability.kind }],
    })
}

fn artifact(judged: &JudgedCapability, file: &str) -> Value {
    match judged.place.uri(file) {
        (uri, true) => json!({ "uri": uri, "uriBaseId": BASE }),
        (uri, false) => json!({ "uri": uri }),
    }
}

fn notification(judged: &JudgedCapability, gap: &Gap) -> Value {
    // Nothing at all could be read, which is worse than a part.
    let is_nothing = matches!(judged.scanned.completeness, Completeness::NotAssessable(_));
    let text = format!("not looked at, so not known to be clean: {}", escape(&gap.to_string()));
    json!({
        "level": if is_nothing { "error" } else { "warning" },
        "descriptor": { "id": format!("gap/{}", gap.reason.as_str()) },
        "message": { "text": message(&text) },
        "locations": [{ "physicalLocation": { "artifactLocation": artifact(judged, "") } }],
        "properties": { "subject": escape(&gap.subject), "capability": escape(&judged.scanned.capability.slug) },
    })
}

/// One capability with its scores and its verdict, which SARIF has no place for but the property bag.
fn capability(judged: &JudgedCapability) -> Value {
    let capability = &judged.scanned.capability;
    let scores: Map<String, Value> = judged
        .scores
        .iter()
        .map(|score| {
            let view = json!({ "version": score.rubric.version, "value": score.value, "grade": score.grade,
                               "coverage": score.coverage.to_json() });
            (score.rubric.id.to_string(), view)
        })
        .collect();
    let mut told = json!({
        "slug": escape(&capability.slug),
        "kind": capability.kind,
        "uri": artifact(judged, &capability.path)["uri"],
        "content_sha256": capability.content.hex(),
        "completeness": judged.scanned.completeness.as_str(),
        "band": judged.verdict.band.as_str(),
        "reason": escape(&judged.verdict.reason),
        "disagreement": judged.verdict.disagreement.map_or(Value::Null, |share| share.to_json()),
        "scores": scores,
        "findings_not_shown": judged.not_shown(),
    });
    if let Some(said) = &judged.operator {
        told["operator"] = json!({ "band": said.band, "reason": escape(&said.reason) });
    }
    told
}

/// Plain text in which nothing is a link or a placeholder (SARIF 2.1.0, 3.11.5 and 3.11.6).
fn message(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '\\' | '[' | ']' => plain.extend(['\\', letter]),
            '{' | '}' => plain.extend([letter, letter]),
            other => plain.push(other),
        }
    }
    plain
}

/// The level of a severity, as SARIF spells it.
pub(crate) const fn level_word(severity: Severity) -> &'static str {
    match level(severity) {
        Level::Error => "error",
        Level::Warning => "warning",
        Level::Note => "note",
    }
}

/// The confidence, as SARIF counts it from 0 to 100.
const fn rank(confidence: Confidence) -> f64 {
    match confidence {
        Confidence::Low => 25.0,
        Confidence::Medium => 50.0,
        Confidence::High => 90.0,
    }
}

/// The middle of the range that GitHub shows under the same word; nothing for what is merely worth knowing.
const fn security_severity(severity: Severity) -> Option<&'static str> {
    match severity {
        Severity::Critical => Some("9.5"),
        Severity::High => Some("8.0"),
        Severity::Medium => Some("5.5"),
        Severity::Low => Some("2.5"),
        Severity::Info => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_gravest_results_stay_and_what_is_left_out_is_told() {
        let result = |at: usize| {
            let severity = if matches!(at, 0 | 25_001) { "high" } else { "low" };
            let known = if at == 0 { json!([{ "kind": "external" }]) } else { json!([]) };
            json!({ "at": at, "properties": { "severity": severity }, "suppressions": known })
        };
        let mut run = SarifPrinter { results: (0..MAX_RESULTS + 2).map(result).collect(), ..SarifPrinter::default() };
        run.cut();
        assert_eq!(run.results.len(), MAX_RESULTS);
        let at = |one: Option<&Value>| one.map(|one| one["at"].clone());
        assert_eq!(at(run.results.first()), Some(json!(1)));
        assert_eq!(at(run.results.last()), Some(json!(25_001)));
        assert!(run.notifications[0]["message"]["text"].as_str().is_some_and(|text| text.starts_with("2 less")));
        run.cut();
        assert_eq!(run.notifications.len(), 1);
    }

    #[test]
    fn a_message_holds_no_link_and_no_placeholder() {
        assert_eq!(message("see [x](y) and {0} in a\\b"), "see \\[x\\](y) and {{0}} in a\\\\b");
    }
}
