//! Strict YAML within budgets: a text as a JSON object, or why it is none.

use serde_json::{Map, Value};

use super::MAX_BYTES;

/// Why a text is no YAML object.
pub(super) struct Refusal {
    /// The parser's reason, as a fragment.
    pub(super) message: String,
    /// The line of the text at which it gave up, from 1; 1 where it names none.
    pub(super) line: u32,
    /// True where the text is larger than a budget, whatever its form.
    pub(super) over_budget: bool,
}

/// The most nodes that a text may have, also after its aliases are followed.
pub(super) const MAX_NODES: usize = 20_000;

/// Parses YAML into an object of at most `max_nodes` nodes. An empty text is an empty object. A key that stands twice
/// is refused.
pub(super) fn parse(yaml: &str, max_nodes: usize) -> Result<Map<String, Value>, Refusal> {
    // YAML can grow without end from a few lines, by aliases of aliases above all.
    let budget = serde_saphyr::budget! {
        max_depth: 32,
        flow_nesting_limit: 32,
        max_nodes: max_nodes,
        max_events: max_nodes.saturating_mul(4),
        max_aliases: 100,
        max_anchors: 100,
        max_recorded_anchor_events: max_nodes,
        max_documents: 1,
        max_inclusion_depth: 0,
        max_total_scalar_bytes: MAX_BYTES,
        max_merge_keys: 16,
    };
    // As the parsers of clients have it: `y` and `on` are texts.
    let options = serde_saphyr::options! { budget: budget, with_snippet: false, strict_booleans: true };
    match serde_saphyr::from_str_with_options::<Value>(yaml, options) {
        Ok(Value::Object(object)) => Ok(object),
        Ok(Value::Null) => Ok(Map::new()),
        Ok(_) => Err(Refusal { message: "no mapping".to_owned(), line: 1, over_budget: false }),
        Err(error) => {
            let line = error.location().map_or(1, |location| u32::try_from(location.line()).unwrap_or(u32::MAX));
            Err(Refusal { message: error.to_string(), line: line.max(1), over_budget: is_over_budget(&error) })
        }
    }
}

fn is_over_budget(error: &serde_saphyr::Error) -> bool {
    use serde_saphyr::Error;
    match error {
        Error::AliasError { error, .. } => is_over_budget(error),
        Error::Budget { .. }
        | Error::AliasReplayCounterOverflow { .. }
        | Error::AliasReplayLimitExceeded { .. }
        | Error::AliasExpansionLimitExceeded { .. }
        | Error::AliasReplayStackDepthExceeded { .. } => true,
        // The scanner tells its own bound of depth by its words alone.
        _ => error.to_string().contains("recursion limit"),
    }
}
