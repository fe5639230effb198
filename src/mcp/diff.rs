//! The tool `diff`: what an agent could newly do with the second of two versions.

use capdex_corpus::drift::{Effect, Newly};
use capdex_dataset::bulk;
use capdex_model::time::AsOf;
use capdex_rubrics::operator::OperatorVerdict;
use serde_json::{Value, json};

use super::store::{refusal, target_of};
use super::tools::ToolAnswer;
use super::{McpServer, published_diff as published};
use crate::agent_verdict::FindingWords;
use crate::check;
use crate::check::target::CheckTarget;
use crate::config::Resolved;
use crate::diff::{self, DiffSide, side};
use crate::quotation::{NAME, PASSAGE, quoted};

/// Effects that are told.
pub(super) const EFFECTS: usize = 40;
/// New findings that are told.
const FINDINGS: usize = 10;

pub(super) fn answer(server: &McpServer, before: &str, after: &str) -> anyhow::Result<ToolAnswer> {
    let at = server.now();
    let resolved = server.resolved(at)?;
    let mut sides = Vec::new();
    for target in [target_of(before), target_of(after)] {
        match read(server, &target, &resolved, at)? {
            Ok(side) => sides.push(side),
            Err(why) => {
                if let Some(answer) = published::answer(server, before, after, &resolved, at)? {
                    return Ok(answer);
                }
                let text = format!("{} could not be read: {why}.", quoted(&target.name, NAME));
                let structured = json!({"schema": "capdex.mcp/1", "whole": false, "reason": text});
                return Ok(ToolAnswer { text, structured });
            }
        }
    }
    let [before, after] = sides.as_slice() else { anyhow::bail!("a comparison has two sides") };
    let policy = server.reader()?.map(|reader| reader.operator_policy()).transpose()?.unwrap_or_default();
    let difference = bulk::pool(server.threads)?.install(|| diff::compare(before, after, &policy, at));
    let newly = difference.newly();
    let found = difference.new_findings();
    let findings: Vec<FindingWords> = found.iter().take(FINDINGS).map(FindingWords::of).collect();
    let bands = difference.verdicts.each_ref().map(|verdict| verdict.band.as_str());
    let mut lines = vec![format!("{} -> {}: verdict {} -> {}", shown(before), shown(after), bands[0], bands[1])];
    if difference.operator.iter().any(Option::is_some) {
        let said =
            difference.operator.each_ref().map(|said| said.as_ref().map_or("no word", |said| said.band.as_str()));
        lines.push(format!("By the operator's word: {} -> {}", said[0], said[1]));
    }
    let effects = tell(&newly, &mut lines);
    lines.extend(findings.iter().map(|finding| format!("New finding: {}", finding.line())));
    if !difference.is_whole {
        lines.push("Not all of both sides could be looked at: more may be new.".to_owned());
    }
    let of = |side: &DiffSide, band: &str, said: &Option<OperatorVerdict>| {
        let version = side.version.as_deref().map(|text| quoted(text, NAME));
        let operator = said.as_ref().map(|said| json!({"band": said.band, "reason": quoted(&said.reason, PASSAGE)}));
        json!({"name": quoted(&side.name, NAME), "version": version, "band": band, "operator": operator})
    };
    let [word_before, word_after] = &difference.operator;
    let structured = json!({
        "schema": "capdex.mcp/1", "from": of(before, bands[0], word_before), "to": of(after, bands[1], word_after), "whole": difference.is_whole,
        "newly": effects, "newly_beyond": newly.len().saturating_sub(EFFECTS),
        "new_findings": findings, "new_findings_beyond": found.len().saturating_sub(FINDINGS),
    });
    Ok(ToolAnswer { text: lines.join("\n"), structured })
}

/// What an agent could newly do, in lines, and the same for programs.
pub(super) fn tell(newly: &[(Newly, &Effect)], lines: &mut Vec<String>) -> Vec<Value> {
    lines.push(match newly.len() {
        0 => "An agent could do nothing new.".to_owned(),
        _ => "An agent could newly:".to_owned(),
    });
    let mut effects: Vec<Value> = Vec::new();
    for (word, effect) in newly.iter().take(EFFECTS) {
        let (subject, detail) = (quoted(&effect.subject, PASSAGE), quoted(&effect.detail, PASSAGE));
        lines.push(format!("- {}: {} {detail} in {subject}", word.as_str(), effect.kind.title()));
        let severity = effect.severity.as_str();
        effects.push(
            json!({"what": word, "effect": effect.kind, "severity": severity, "subject": subject, "detail": detail}),
        );
    }
    effects
}

fn shown(side: &DiffSide) -> String {
    let version = side.version.as_deref().map(|version| format!(" {}", quoted(version, NAME))).unwrap_or_default();
    format!("{}{version}", quoted(&side.name, NAME))
}

/// One side from the store, else from its registry where that may be asked; else why there is none.
fn read(
    server: &McpServer,
    target: &CheckTarget,
    resolved: &Resolved,
    at: AsOf,
) -> anyhow::Result<Result<DiffSide, String>> {
    if let Some(why) = refusal(target) {
        return Ok(Err(quoted(why, PASSAGE)));
    }
    let question = check::question(resolved, &target.subject);
    if let (Ok(question), Some(store)) = (&question, server.stored(at)?)
        && question.commit.is_none()
        && let Some(package) = store.files(&question.key)?
    {
        return Ok(Ok(side::of_package(target, package)));
    }
    if !server.may_ask {
        return Ok(Err("the store does not hold its files, and no registry was asked".to_owned()));
    }
    Ok(side::fetched(target, resolved, at).map_err(|error| quoted(&format!("{error:#}"), PASSAGE)))
}
