//! `mcp`: capdex as an MCP server over standard input and output, for agents that ask before they install.
//!
//! It speaks JSON-RPC, one message a line, in the revisions of [`protocol`]. It answers from the store and a dataset alone, unless
//! it was started with leave to ask registries. It runs nothing, writes nothing, and reads no file that a caller names. Quotations pass
//! [`crate::quotation`].

mod check;
pub(crate) mod client;
mod diff;
mod explain;
pub(crate) mod lines;
pub(crate) mod message;
pub mod protocol;
mod published_diff;
mod search;
mod store;
pub mod tools;

use std::io::{self, BufRead, Write};
use std::path::PathBuf;

use capdex_dataset::signature::VerifyingKey;
use capdex_model::time::AsOf;
use serde_json::{Map, Value, json};

use crate::check::published::DatasetPlace;
use crate::cli::ApprovedArgs;
use crate::clock;
use crate::quotation::NOTICE;
use client::{Client, StreamClient};
use lines::InputLine;
use message::RpcError;
use protocol::McpService;

/// The most bytes of one message. The longest honest one asks about two dozen names.
pub(crate) const MAX_MESSAGE: usize = 1 << 20;

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
    pub dataset: Option<DatasetPlace>,
    /// The operator's own list of what may be used, in place of that of the schedule; none where it says nothing.
    pub approved: ApprovedArgs,
    /// The public key that must have signed the dataset; none where anybody may have written it.
    pub key: Option<VerifyingKey>,
}

impl McpServer {
    /// The instant of a call.
    fn now(&self) -> AsOf {
        self.as_of.unwrap_or_else(|| AsOf(clock::now()))
    }
}

/// Milliseconds for which the list of tools may be kept: it never changes while the server runs.
const KEPT_MS: u64 = 3_600_000;

/// The server as the protocol sees it.
struct StoreService<'a>(&'a McpServer);

impl McpService for StoreService<'_> {
    fn info(&self) -> Value {
        json!({"name": "capdex", "title": "capdex", "version": env!("CARGO_PKG_VERSION")})
    }

    fn instructions(&mut self) -> String {
        let asks = match (&self.0.dataset, self.0.may_ask) {
            (None, false) => "its store alone",
            (None, true) => "its store, and from registries for what that does not know",
            (Some(_), false) => "its store and a dataset alone",
            (Some(_), true) => "its store and a dataset, and from registries for what these do not know",
        };
        format!(
            "capdex tells what is known of MCP servers, skills and packages before they are installed. It answers from {asks}. {NOTICE}"
        )
    }

    fn kept_ms(&self) -> u64 {
        KEPT_MS
    }

    fn tools(&mut self) -> Value {
        tools::list(self.0.may_ask, self.0.dataset.is_some())
    }

    fn call(&mut self, params: &Map<String, Value>, _client: &mut dyn Client) -> Result<Value, RpcError> {
        tools::call(self.0, params)
    }
}

/// Answers messages about the store until the input ends.
///
/// # Errors
/// Errors of the streams.
pub fn serve(server: &McpServer, input: impl BufRead, output: impl Write) -> io::Result<()> {
    converse(&mut StoreService(server), input, output)
}

/// Answers one message of a client that can be asked and told nothing meanwhile; none where there is nothing to answer.
pub(crate) fn answer_alone(service: &mut dyn McpService, message: &[u8]) -> Option<Value> {
    message::answer(message, &mut |request| protocol::dispatch(service, request, &mut client::NoClient))
}

/// Answers messages until the input ends, one after the other. A message that is none, or is too long, is answered with an
/// error, and the next one is read.
///
/// # Errors
/// Errors of the streams. A reader of the output that has gone away ends it like the end of the input.
pub(crate) fn converse(
    service: &mut dyn McpService,
    mut input: impl BufRead,
    mut output: impl Write,
) -> io::Result<()> {
    let (mut line, mut asked) = (Vec::new(), 0);
    loop {
        let answer = match lines::next(&mut input, &mut line, MAX_MESSAGE)? {
            InputLine::End => return Ok(()),
            InputLine::TooLong => {
                Some(message::failed(None, RpcError::invalid(format!("a message has at most {MAX_MESSAGE} bytes"))))
            }
            InputLine::Whole => message::answer(&line, &mut |request| {
                let (input, output) = (&mut input, &mut output);
                let mut client = StreamClient { input, output, asked: &mut asked, most: MAX_MESSAGE };
                protocol::dispatch(service, request, &mut client)
            }),
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
