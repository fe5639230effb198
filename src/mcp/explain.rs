//! The tool `explain`: the findings behind the verdict on one stored capability, with reason and fix.

use capdex_dataset::export::ranked_capability;
use capdex_dataset::finding::findings;
use serde_json::json;

use super::McpServer;
use super::tools::ToolAnswer;
use crate::agent_verdict::{FindingWords, advice};
use crate::capability_lookup::{self, NameMatch};
use crate::exit::UsageError;
use crate::quotation::{NAME, PASSAGE, quoted};

/// Findings that are explained.
const FINDINGS: usize = 20;

fn no_single(error: &anyhow::Error) -> String {
    format!("No single capability has that name: {}", quoted(&format!("{error:#}"), 4 * PASSAGE))
}

pub(super) fn answer(server: &McpServer, name: &str) -> anyhow::Result<ToolAnswer> {
    let nothing = |text: String| ToolAnswer { text, structured: json!({"schema": "capdex.mcp/1", "items": []}) };
    let Some(reader) = server.reader()? else { return Ok(nothing("There is no store yet.".to_owned())) };
    let current = match capability_lookup::search(&reader, name) {
        Ok(NameMatch::One(current)) => *current,
        Err(error) if !error.is::<UsageError>() => return Err(error),
        Ok(NameMatch::None(error)) | Err(error) => return Ok(nothing(no_single(&error))),
        Ok(NameMatch::Several(several)) => return Ok(nothing(no_single(&several.into()))),
    };
    let as_of = ranked_capability::as_of(server.as_of, &reader)?;
    let facts = ranked_capability::facts(&reader, &current)?;
    let (scores, verdict) = ranked_capability::scores(&reader, &current, as_of)?;
    let operator = ranked_capability::operator(&reader, &current, &facts, (&scores, &verdict), as_of)?;
    let mut found = findings(&facts);
    found.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
    let explained: Vec<FindingWords> = found.iter().take(FINDINGS).map(FindingWords::explained).collect();
    let gaps: Vec<String> =
        current.completeness.gaps().iter().take(FINDINGS).map(|gap| quoted(&gap.to_string(), PASSAGE)).collect();
    let slug = quoted(&current.capability.slug, NAME);
    let mut lines = vec![format!(
        "{} {slug}: {}. Advice: {}.",
        current.capability.kind,
        verdict.band.as_str(),
        advice(verdict.band)
    )];
    if let Some(said) = &operator {
        let (band, reason) = (said.band.as_str(), quoted(&said.reason, PASSAGE));
        lines.push(format!("By the operator's word: {band}, because: {reason}. Advice: {}.", advice(said.band)));
    }
    for one in &explained {
        lines.push(format!("- {}", one.line()));
        lines.extend(one.advice_line().map(|line| format!("  {line}")));
    }
    let beyond = found.len().saturating_sub(explained.len());
    if beyond > 0 {
        lines.push(format!("{beyond} more findings are not shown."));
    }
    lines.extend(gaps.iter().map(|gap| format!("Not looked at: {gap}")));
    let item = json!({
        "slug": slug, "kind": current.capability.kind, "version": current.version.as_deref().map(|text| quoted(text, NAME)),
        "verdict": {"band": verdict.band.as_str(), "advice": advice(verdict.band)},
        "operator": operator.as_ref().map(|said| json!({"band": said.band, "reason": quoted(&said.reason, PASSAGE),
                                                         "advice": advice(said.band)})),
        "findings": explained, "findings_beyond": beyond, "not_looked_at": gaps, "as_of": as_of.to_string(),
    });
    Ok(ToolAnswer { text: lines.join("\n"), structured: json!({"schema": "capdex.mcp/1", "items": [item]}) })
}
