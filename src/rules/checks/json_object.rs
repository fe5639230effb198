//! Objects of measured values, from keys and values.

use serde_json::Value;

/// An object of a measured value, its keys in their order.
pub(super) fn object<const LENGTH: usize>(members: [(&str, Value); LENGTH]) -> Value {
    Value::Object(members.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
}
