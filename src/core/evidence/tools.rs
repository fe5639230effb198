//! MCP tools with their descriptions and schemas, from tools lists, manifests and source.
//!
//! Must not judge them.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::fact::Place;

use super::Evidence;

/// Where a tool's definition was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolOrigin {
    /// A recorded `tools/list` answer: complete.
    ToolsList,
    /// A manifest that lists tools: names and descriptions.
    Manifest,
    /// Source code: what is written as a literal.
    Source,
}

/// One MCP tool as its publisher describes it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tool {
    /// Its name.
    pub name: String,
    /// Its title for people.
    pub title: Option<String>,
    /// Its description for the model; none where there is none or it is not a literal.
    pub description: Option<String>,
    /// The schema of its arguments, where it is written as JSON or a literal.
    pub input_schema: Option<Value>,
    /// The schema of its result.
    pub output_schema: Option<Value>,
    /// Its annotations (`readOnlyHint` and so on), where they are written.
    pub annotations: Option<Value>,
    /// Where it was read.
    pub origin: ToolOrigin,
    /// Where it stands; `pointer` leads to it in a JSON file.
    pub place: Place,
}

/// All tools of a bundle: those of manifests and those that the source views hold, in the order of path, line and
/// name. A tool that is defined twice in one file under one name stands once.
pub fn collect(_evidence: &Evidence) -> Vec<Tool> {
    Vec::new()
}
