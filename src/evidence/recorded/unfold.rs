//! JSON that a log or an inspector keeps as a text inside JSON: it is put in the place of the text.

use serde_json::Value;

/// The keys under which a whole message stands as a text.
const TEXTS: [&str; 7] = ["message", "response", "result", "data", "body", "payload", "params"];
/// The deepest level at which such texts are looked for.
const MAX_DEPTH: usize = 6;

/// Puts messages that stand as texts under the keys of wrappers in place of the texts. One level of each is undone, and
/// the texts inside a message stay as they are.
pub(crate) fn unfold(value: &mut Value) {
    unfold_at(value, 0);
}

fn unfold_at(value: &mut Value, depth: usize) {
    if depth > MAX_DEPTH {
        return;
    }
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| unfold_at(item, depth + 1)),
        Value::Object(object) => {
            for key in TEXTS {
                match object.get_mut(key) {
                    Some(member @ Value::String(_)) => {
                        if let Some(message) = member.as_str().and_then(message_of) {
                            *member = message;
                        }
                    }
                    Some(member) => unfold_at(member, depth + 1),
                    None => {}
                }
            }
        }
        _ => {}
    }
}

/// The message that a text is; none for any other text.
fn message_of(text: &str) -> Option<Value> {
    let text = text.trim();
    // Only an object is a message, and only one of a recording is worth parsing.
    if !text.starts_with('{') || !super::looks_recorded(text) {
        return None;
    }
    serde_json::from_str(text).ok()
}
