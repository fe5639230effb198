//! `mcp`: capdex as an MCP server over standard input and output, for agents that ask before they install.
//!
//! It speaks JSON-RPC, one message a line, in the revisions of [`protocol`]. It answers from the store and a dataset alone, unless
//! it was started with leave to ask registries. It runs nothing, writes nothing, and reads no file that a caller names. Quotations pass
//! [`crate::quotation`].

mod check;
mod diff;
mod explain;
mod lines;
mod message;
pub mod protocol;
mod search;
mod store;
pub mod tools;

use std::io::{self, BufRead, Write};
use std::path::PathBuf;

use capdex_model::time::AsOf;

use crate::clock;
use lines::InputLine;
use message::RpcError;

/// The most bytes of one message. The longest honest one asks about two dozen names.
const MAX_MESSAGE: usize = 1 << 20;

/// The means of the server's answers.
#[derive(Clone, Debug)]
pub struct McpServer {
    /// The store; none where none was named.
    pub db: Option<PathBuf>,
    /// Threads for scanning and scoring.
    pub threads: Option<u16>,
    /// The instant that ages are measured against; none for that of each call.
    pub as_of: Option<AsOf>,
    /// True where registries may be asked for what the store does not know.
    pub may_ask: bool,
    /// A schedule whose registries are asked.
    pub config: Option<PathBuf>,
    /// A dataset that is asked for what the store does not know.
    pub dataset: Option<PathBuf>,
}

impl McpServer {
    /// The instant of a call.
    fn now(&self) -> AsOf {
        self.as_of.unwrap_or_else(|| AsOf(clock::now()))
    }
}

/// Answers messages until the input ends, one after the other. A message that is none, or is too long, is answered with an
/// error, and the next one is read.
///
/// # Errors
/// Errors of the streams. A reader of the output that has gone away ends it like the end of the input.
pub fn serve(server: &McpServer, mut input: impl BufRead, mut output: impl Write) -> io::Result<()> {
    let mut line = Vec::new();
    loop {
        let answer = match lines::next(&mut input, &mut line, MAX_MESSAGE)? {
            InputLine::End => return Ok(()),
            InputLine::TooLong => {
                Some(message::failed(None, RpcError::invalid(format!("a message has at most {MAX_MESSAGE} bytes"))))
            }
            InputLine::Whole => message::answer(&line, &mut |request| protocol::dispatch(server, request)),
        };
        let Some(answer) = answer else { continue };
        let written = writeln!(output, "{answer}").and_then(|()| output.flush());
        match written {
            // Whoever asked is gone.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return Ok(()),
            outcome => outcome?,
        }
    }
}

#[cfg(test)]
mod tests;
