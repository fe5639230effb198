//! JSON-RPC 2.0 messages: what a line asks, and what is written back.
//!
//! Methods are the business of [`super::protocol`].

use serde_json::{Map, Value, json};

/// The most messages of one batch, which MCP had until its revision of June 2025.
const MAX_BATCH: usize = 50;

/// One request or notification.
pub(crate) struct Request<'a> {
    pub(crate) method: &'a str,
    pub(crate) params: &'a Map<String, Value>,
}

/// An error of the protocol.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RpcError {
    code: i64,
    message: String,
    data: Option<Value>,
}

impl RpcError {
    const fn new(code: i64, message: String) -> Self {
        Self { code, message, data: None }
    }

    /// A message that is no request.
    pub(crate) const fn invalid(message: String) -> Self {
        Self::new(-32600, message)
    }

    /// A method that is not known here.
    pub(crate) fn method() -> Self {
        Self::new(-32601, "this server has no such method".to_owned())
    }

    /// Parameters that do not fit the method.
    pub(crate) fn params(message: impl Into<String>) -> Self {
        Self::new(-32602, message.into())
    }

    /// A revision that is not spoken here.
    pub(crate) fn revision(supported: &[&str], requested: &str) -> Self {
        let requested: String = requested.chars().take(40).collect();
        let data = json!({"supported": supported, "requested": requested});
        Self { data: Some(data), ..Self::new(-32022, "this revision of the protocol is not spoken here".to_owned()) }
    }
}

/// The answer to one line; none where there is nothing to answer.
pub(crate) fn answer(line: &[u8], dispatch: &mut dyn FnMut(&Request<'_>) -> Result<Value, RpcError>) -> Option<Value> {
    if line.trim_ascii().is_empty() {
        return None;
    }
    match serde_json::from_slice::<Value>(line) {
        Err(_) => Some(failed(None, RpcError::new(-32700, "this is no JSON".to_owned()))),
        Ok(Value::Array(batch)) if batch.is_empty() || batch.len() > MAX_BATCH => {
            Some(failed(None, RpcError::invalid(format!("a batch has 1 to {MAX_BATCH} messages"))))
        }
        Ok(Value::Array(batch)) => {
            let answers: Vec<Value> = batch.iter().filter_map(|message| one(message, dispatch)).collect();
            (!answers.is_empty()).then_some(Value::Array(answers))
        }
        Ok(message) => one(&message, dispatch),
    }
}

fn one(message: &Value, dispatch: &mut dyn FnMut(&Request<'_>) -> Result<Value, RpcError>) -> Option<Value> {
    let none = Map::new();
    let Some(object) = message.as_object().filter(|object| object.get("jsonrpc") == Some(&json!("2.0"))) else {
        return Some(failed(None, RpcError::invalid("this is no JSON-RPC 2.0 message".to_owned())));
    };
    let id = object.get("id").filter(|id| id.is_string() || id.is_number());
    let Some(method) = object.get("method").and_then(Value::as_str) else {
        // This server asks nothing, so that an answer has no question.
        let is_answer = object.contains_key("result") || object.contains_key("error");
        return (!is_answer).then(|| failed(id, RpcError::invalid("a message needs a method".to_owned())));
    };
    let params = match object.get("params") {
        None | Some(Value::Null) => Ok(&none),
        Some(params) => params.as_object().ok_or_else(|| RpcError::params("parameters are an object")),
    };
    // A notification is told and never answered, not even with an error.
    if !object.contains_key("id") {
        return None;
    }
    let Some(id) = id else {
        return Some(failed(None, RpcError::invalid("an id is a text or a number".to_owned())));
    };
    match params.and_then(|params| dispatch(&Request { method, params })) {
        Ok(result) => Some(json!({"jsonrpc": "2.0", "id": id, "result": result})),
        Err(error) => Some(failed(Some(id), error)),
    }
}

/// An error as a message.
pub(crate) fn failed(id: Option<&Value>, error: RpcError) -> Value {
    let RpcError { code, message, data } = error;
    let mut body = json!({"code": code, "message": message});
    if let (Some(data), Some(body)) = (data, body.as_object_mut()) {
        body.insert("data".to_owned(), data);
    }
    json!({"jsonrpc": "2.0", "id": id, "error": body})
}
