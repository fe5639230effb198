//! `Effect`: what a call of a mock tool does to the state, and what it answers. A table of data, never code.

use serde::Deserialize;
use serde_json::Value;

/// The effect of a call. In pointers and texts `{name}` stands for the argument of that name.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(try_from = "EffectKeys")]
pub enum Effect {
    /// Answers with a text.
    Text(String),
    /// Answers with what stands at a pointer.
    Read(String),
    /// Adds the arguments to the list at a pointer.
    Append {
        /// The list.
        pointer: String,
        /// The answer.
        result: String,
    },
    /// Puts a value at a pointer.
    Set {
        /// The place.
        pointer: String,
        /// The value; the argument `value` where none stands.
        value: Option<Value>,
        /// The answer.
        result: String,
    },
    /// Deletes what stands at a pointer.
    Delete {
        /// The place.
        pointer: String,
        /// The answer.
        result: String,
    },
    /// Fails with a text.
    Error(String),
    /// Answers with a link to a resource.
    ResourceLink(ResourceLink),
    /// Asks the user for something through the client.
    Elicit(Elicitation),
    /// Asks the agent's own model through the client.
    Sample(Sampling),
}

/// A link to a resource.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ResourceLink {
    /// The address, of a scheme that nothing opens.
    pub uri: String,
    /// The name.
    pub name: String,
    /// The words beside it.
    pub text: String,
    /// The text that a read of it gives.
    pub content: String,
}

/// A form that a client shows to its user.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Elicitation {
    /// The words above the form.
    pub message: String,
    /// The one field.
    pub field: String,
    /// The result of the call, whatever was answered.
    pub result: String,
}

/// A question to the agent's own model.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sampling {
    /// The question.
    pub prompt: String,
    /// The result of the call, whatever was answered.
    pub result: String,
}

/// The keys as they are written; exactly one of the effects stands.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EffectKeys {
    text: Option<String>,
    read: Option<String>,
    append: Option<String>,
    set: Option<String>,
    value: Option<Value>,
    delete: Option<String>,
    error: Option<String>,
    resource_link: Option<ResourceLink>,
    elicit: Option<Elicitation>,
    sample: Option<Sampling>,
    result: Option<String>,
}

impl TryFrom<EffectKeys> for Effect {
    type Error = String;

    fn try_from(keys: EffectKeys) -> Result<Self, String> {
        let EffectKeys { text, read, append, set, value, delete, error, resource_link, elicit, sample, result } = keys;
        let (has_value, has_result) = (value.is_some(), result.is_some());
        let result = result.unwrap_or_else(|| "done".to_owned());
        let takes_result = append.is_some() || set.is_some() || delete.is_some();
        if (has_value && set.is_none()) || (has_result && !takes_result) {
            return Err("`value` belongs to `set`, and `result` to what changes the state".to_owned());
        }
        let mut effects: Vec<Self> = [
            text.map(Self::Text),
            read.map(Self::Read),
            append.map(|pointer| Self::Append { pointer, result: result.clone() }),
            set.map(|pointer| Self::Set { pointer, value, result: result.clone() }),
            delete.map(|pointer| Self::Delete { pointer, result }),
            error.map(Self::Error),
            resource_link.map(Self::ResourceLink),
            elicit.map(Self::Elicit),
            sample.map(Self::Sample),
        ]
        .into_iter()
        .flatten()
        .collect();
        match (effects.pop(), effects.is_empty()) {
            (Some(effect), true) => Ok(effect),
            _ => Err("a tool has exactly one effect".to_owned()),
        }
    }
}
