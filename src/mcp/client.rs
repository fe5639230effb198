//! `Client`: who calls a server, as far as the server may ask it something or tell it something in the middle of a call.

use std::io::{BufRead, Write};

use serde_json::{Value, json};

use super::lines::{self, InputLine};

/// The most lines that are read past while an answer is waited for.
const MAX_LINES_BETWEEN: usize = 1000;

/// The other end of the line.
pub(crate) trait Client {
    /// Asks it, and gives its result; none where it answers with an error, or not at all.
    fn ask(&mut self, method: &str, params: Value) -> Option<Value>;
    /// Tells it something.
    fn tell(&mut self, method: &str);
}

/// A client that hears answers alone.
pub(super) struct NoClient;

impl Client for NoClient {
    fn ask(&mut self, _method: &str, _params: Value) -> Option<Value> {
        None
    }

    fn tell(&mut self, _method: &str) {}
}

/// The client at the other end of two streams.
pub(super) struct StreamClient<'a, Input, Output> {
    pub(super) input: &'a mut Input,
    pub(super) output: &'a mut Output,
    /// The requests that were sent.
    pub(super) asked: &'a mut u64,
    /// The most bytes of a line.
    pub(super) most: usize,
}

impl<Input: BufRead, Output: Write> StreamClient<'_, Input, Output> {
    /// A stream that fails here fails at the next message too, which ends the server.
    fn write(&mut self, message: &Value) -> Option<()> {
        writeln!(self.output, "{message}").and_then(|()| self.output.flush()).ok()
    }
}

impl<Input: BufRead, Output: Write> Client for StreamClient<'_, Input, Output> {
    fn ask(&mut self, method: &str, params: Value) -> Option<Value> {
        *self.asked += 1;
        let id = format!("capdex-{}", self.asked);
        self.write(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))?;
        let mut line = Vec::new();
        for _ in 0..MAX_LINES_BETWEEN {
            match lines::next(self.input, &mut line, self.most).ok()? {
                InputLine::End => return None,
                InputLine::TooLong => {}
                InputLine::Whole => {
                    let Ok(message) = serde_json::from_slice::<Value>(&line) else { continue };
                    if message.get("id").and_then(Value::as_str) == Some(&id) {
                        return message.get("result").cloned();
                    }
                }
            }
        }
        None
    }

    fn tell(&mut self, method: &str) {
        // As in `write`.
        let _ = self.write(&json!({"jsonrpc": "2.0", "method": method}));
    }
}
