//! `SharedJson`: a value inside another that both hold, so that what a tool says of itself is not copied out of its
//! manifest.
//!
//! The schemas and annotations of tools are such values.

use std::ops::Deref;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use super::manifest::value_at;

/// A value, mostly one inside another. It reads, compares and is written as the value alone.
#[derive(Clone, Debug)]
pub struct SharedJson {
    whole: Arc<Value>,
    /// The JSON Pointer to it.
    pointer: String,
}

impl SharedJson {
    /// The value that a JSON Pointer leads to inside another, wherever that is.
    pub fn new(whole: &Arc<Value>, pointer: String) -> Self {
        Self { whole: Arc::clone(whole), pointer }
    }
}

impl Deref for SharedJson {
    type Target = Value;

    /// The value; `null` where the pointer leads nowhere.
    fn deref(&self) -> &Value {
        value_at(&self.whole, &self.pointer).unwrap_or(&Value::Null)
    }
}

impl From<Value> for SharedJson {
    fn from(value: Value) -> Self {
        Self { whole: Arc::new(value), pointer: String::new() }
    }
}

impl PartialEq for SharedJson {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Serialize for SharedJson {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (**self).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for SharedJson {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Value::deserialize(deserializer).map(Self::from)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_shared_part_is_the_value_alone() {
        let whole = Arc::new(json!({"a/b": [{"c": 1}, null]}));
        let inner = SharedJson::new(&whole, "/a~1b/0".to_owned());
        assert_eq!(&*inner, &json!({"c": 1}));
        assert_eq!(&inner, &SharedJson::from(json!({"c": 1})));
        let written = serde_json::to_string(&inner).expect("a value can be written");
        assert_eq!(written, r#"{"c":1}"#);
        assert_eq!(serde_json::from_str::<SharedJson>(&written).expect("it was written"), inner);
        assert_eq!(*SharedJson::new(&whole, "/gone".to_owned()), Value::Null);
    }
}
