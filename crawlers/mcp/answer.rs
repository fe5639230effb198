//! Reading one answer of an endpoint: a JSON-RPC response as JSON or inside an event stream.
//!
//! Bodies are bounded before they come here. Sources: JSON-RPC 2.0; the WHATWG's format of event streams.

use serde_json::Value;

use crate::http::EventParser;
use crate::json;

/// The content of a response: a result or an error.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum JsonRpcReply {
    /// The result.
    Result(Value),
    /// An error of JSON-RPC: its code and message.
    Error(i64, String),
}

/// Reads the response with this id out of a body.
///
/// # Errors
/// The fault in the body, if no such response is in it.
pub(super) fn read(bytes: &[u8], content_type: Option<&str>, id: u64) -> Result<JsonRpcReply, String> {
    let is_stream = content_type.is_some_and(|text| text.to_ascii_lowercase().starts_with("text/event-stream"));
    if is_stream {
        let mut parser = EventParser::default();
        let mut events = parser.push(bytes);
        events.extend(parser.end());
        // Other events, such as reports of progress, may come before the response.
        let found = events.iter().find_map(|event| of_event(&event.data, id));
        return found.ok_or_else(|| "no event in the stream is the response".to_owned());
    }
    let value = json::parse(bytes, |_, _| false)?;
    // A batch of one is a response too: old servers send it.
    let value = match value {
        Value::Array(batch) => batch.into_iter().next().unwrap_or_default(),
        value => value,
    };
    response(value, id).ok_or_else(|| "it is not a JSON-RPC response to what was asked".to_owned())
}

/// The response with this id, where an event's data is it.
pub(super) fn of_event(data: &str, id: u64) -> Option<JsonRpcReply> {
    response(json::parse(data.as_bytes(), |_, _| false).ok()?, id)
}

fn response(mut value: Value, id: u64) -> Option<JsonRpcReply> {
    let object = value.as_object_mut()?;
    // Notifications have no id, and the answer to another question is not the one to this.
    if object.get("id")?.as_u64() != Some(id) {
        return None;
    }
    if let Some(result) = object.remove("result") {
        return Some(JsonRpcReply::Result(result));
    }
    let error = object.get("error")?;
    let message = error.get("message").and_then(Value::as_str).unwrap_or_default();
    // The message is a stranger's text and goes into a gap.
    Some(JsonRpcReply::Error(error.get("code")?.as_i64()?, message.chars().take(200).collect()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    const STREAM: Option<&str> = Some("text/event-stream; charset=utf-8");

    #[test]
    fn a_response_is_found_in_json_and_among_events() {
        let result = Ok(JsonRpcReply::Result(json!({"a": 1})));
        assert_eq!(read(br#"{"jsonrpc":"2.0","id":7,"result":{"a":1}}"#, None, 7), result);
        assert_eq!(read(br#"[{"jsonrpc":"2.0","id":7,"result":{"a":1}}]"#, None, 7), result);
        let stream = b": ping\n\nevent: message\ndata: {\"method\":\"notifications/message\"}\n\n\
                       data: {\"id\":7,\ndata: \"result\":{\"a\":1}}";
        assert_eq!(read(stream, STREAM, 7), result);
        let error = read(br#"{"id":7,"error":{"code":-32601,"message":"no such method"}}"#, None, 7);
        assert_eq!(error, Ok(JsonRpcReply::Error(-32601, "no such method".into())));
    }

    #[test]
    fn what_is_not_the_response_is_an_error() {
        for text in ["", "<html>", "{}", "[]", r#"{"id":8,"result":{}}"#, r#"{"id":7}"#, r#"{"id":7,"error":{}}"#] {
            assert!(read(text.as_bytes(), None, 7).is_err(), "{text}");
            assert!(read(text.as_bytes(), STREAM, 7).is_err(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_body_is_read_without_panic(body: Vec<u8>, is_stream: bool) {
            let _ = read(&body, is_stream.then_some("text/event-stream"), 1);
        }

        #[test]
        fn any_stream_is_read_without_panic(body in "(data: ?|event:|\n|\\{\"id\":1,|\"result\":1\\}|x){0,20}") {
            let _ = read(body.as_bytes(), STREAM, 1);
        }
    }
}
