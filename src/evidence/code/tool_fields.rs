//! `tool`: a tool from the fields that source states of it, whatever the language.

use serde_json::{Map, Value};

use capdex_model::fact::Place;

use super::super::tools::{Tool, ToolOrigin, UnreadParts};
use super::literal::as_schema;

/// The longest name that is taken for a tool's.
const MAX_NAME: usize = 256;

/// A tool from its fields; `None` without a name that can be one.
pub(super) fn tool(fields: &Map<String, Value>, path: &str) -> Option<Tool> {
    let text = |key: &str| fields.get(key).and_then(Value::as_str).map(str::to_owned);
    // An empty name, or one with a line break, is prose in a property that happens to be called `name`.
    let name = text("name").filter(|name| !name.is_empty() && name.len() <= MAX_NAME && !name.contains('\n'))?;
    let schema =
        |keys: &[&str]| keys.iter().find_map(|key| fields.get(*key)).cloned().and_then(as_schema).map(Into::into);
    Some(Tool {
        name,
        title: text("title"),
        description: text("description"),
        input_schema: schema(&["inputSchema", "input_schema", "parameters", "paramsSchema"]),
        output_schema: schema(&["outputSchema", "output_schema"]),
        annotations: fields.get("annotations").filter(|value| value.is_object()).cloned().map(Into::into),
        unread: UnreadParts::default(),
        origin: ToolOrigin::Source,
        place: Place { file: path.to_owned(), ..Place::default() },
    })
}
