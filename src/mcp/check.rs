//! The tool `check`: a verdict on each of some targets.

use capdex_rubrics::rank::place;
use serde_json::json;

use super::McpServer;
use super::store::target_of;
use super::tools::ToolAnswer;
use crate::agent_verdict::AgentVerdict;

/// The most targets of one call.
pub(super) const MAX_TARGETS: usize = 25;

pub(super) fn answer(server: &McpServer, targets: &[&str]) -> anyhow::Result<ToolAnswer> {
    let checked = server.check(targets.iter().map(|text| target_of(text)).collect())?;
    let mut verdicts: Vec<AgentVerdict> = checked.iter().map(AgentVerdict::of).collect();
    // A stable sort: equals stay in the order in which they were named.
    verdicts.sort_by_key(|verdict| std::cmp::Reverse(place(verdict.band())));
    let lines: Vec<String> = verdicts.iter().map(AgentVerdict::line).collect();
    Ok(ToolAnswer { text: lines.join("\n"), structured: json!({"schema": "capdex.mcp/1", "items": verdicts}) })
}
