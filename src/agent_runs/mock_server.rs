//! One mock server of one trial, as an MCP server: its list changes and its results attack, and nothing it does is real.
//!
//! The servers of a test are processes of their own that share a trial. Its state is what the calls in the transcript made of it,
//! so that each reads it, does its part and adds to it, one at a time.

use std::io::{BufRead, Write};

use anyhow::Context as _;
use capdex_agent_scan::home::HomeFile;
use capdex_agent_scan::pack::{AgentTest, Pack};
use capdex_agent_scan::report::RunHead;
use capdex_agent_scan::transcript::{Event, Transcript};
use capdex_agent_scan::trial::{ToolAnswer, Trial, TrialId};
use serde_json::{Map, Value, json};

use super::folder::RunFolder;
use crate::mcp;
use crate::mcp::client::Client;
use crate::mcp::message::{Request, RpcError};
use crate::mcp::protocol::McpService;

/// A mock server of a trial.
#[derive(Clone, Debug)]
pub struct MockServer<'a> {
    pack: &'a Pack,
    test: &'a AgentTest,
    run: &'a RunHead,
    folder: &'a RunFolder,
    trial: TrialId,
    server: String,
    can_ask: bool,
    has_forms: bool,
    has_sampling: bool,
}

impl<'a> MockServer<'a> {
    /// A server of a trial.
    pub fn new(
        (pack, test): (&'a Pack, &'a AgentTest),
        (run, folder): (&'a RunHead, &'a RunFolder),
        trial: TrialId,
        server: &str,
    ) -> Self {
        let server = server.to_owned();
        Self { pack, test, run, folder, trial, server, can_ask: true, has_forms: false, has_sampling: false }
    }

    /// The same server for clients that cannot be asked anything.
    #[must_use]
    pub fn without_questions(self) -> Self {
        Self { can_ask: false, ..self }
    }

    /// Answers messages until the input ends.
    ///
    /// # Errors
    /// Errors of the streams and of the folder.
    pub fn serve(&mut self, input: impl BufRead, output: impl Write) -> anyhow::Result<()> {
        mcp::converse(self, input, output).context("failed to talk over standard input and output")?;
        self.close()
    }

    /// Notes that its client left.
    ///
    /// # Errors
    /// Errors of the folder.
    pub fn close(&self) -> anyhow::Result<()> {
        self.note(Event::Closed { server: self.server.clone() })
    }

    /// Notes an event in the trial.
    ///
    /// # Errors
    /// Errors of the folder.
    pub fn note(&self, event: Event) -> anyhow::Result<()> {
        self.within(|trial| trial.note(event))
    }

    /// Hands the operator's words over, and gives them.
    ///
    /// # Errors
    /// Errors of the folder.
    pub fn operator_words(&self) -> anyhow::Result<String> {
        self.within(|trial| trial.system())
    }

    /// The files of its agent's home.
    ///
    /// # Errors
    /// Errors of the folder.
    pub fn home(&self) -> anyhow::Result<Vec<HomeFile>> {
        self.within(|trial| trial.home())
    }

    /// Hands a turn of the user over, and gives its words; none behind the last.
    ///
    /// # Errors
    /// Errors of the folder.
    pub fn turn(&self, turn: usize) -> anyhow::Result<Option<String>> {
        self.within(|trial| trial.user(turn))
    }

    /// Does something in the trial as it stands, and keeps what was added. Nobody else writes meanwhile.
    fn within<Outcome>(&self, work: impl FnOnce(&mut Trial<'_>) -> Outcome) -> anyhow::Result<Outcome> {
        let held = self.folder.hold().context("failed to hold the run")?;
        let head = self.run.trial_head(&self.trial);
        let there = self.folder.trial(&self.trial)?;
        let is_new = there.is_none();
        let transcript = there.unwrap_or(Transcript { head, events: Vec::new() });
        anyhow::ensure!(transcript.head.pack_sha256 == self.pack.digest, "the trial is of another pack");
        let known = transcript.events.len();
        let mut trial = Trial::resume(self.test, transcript)?;
        let outcome = work(&mut trial);
        let transcript = trial.into_transcript();
        // A server may outlive the trial that it was started for.
        if transcript.events.iter().take(known).any(|event| matches!(event, Event::End { .. })) {
            return Ok(outcome);
        }
        let added = match is_new {
            true => transcript.to_text(),
            false => (known + 1..=transcript.events.len()).map(|at| transcript.line(at)).collect(),
        };
        self.folder.add(&self.trial, &added).context("failed to write the transcript")?;
        drop(held);
        Ok(outcome)
    }

    /// The same for an answer of the protocol: a fault of this machine is logged and not told.
    fn answered<Outcome>(&self, work: impl FnOnce(&mut Trial<'_>) -> Outcome) -> Result<Outcome, RpcError> {
        self.within(work).map_err(|error| {
            tracing::error!("a trial cannot go on: {error:#}");
            RpcError::params("it does not work at the moment")
        })
    }

    /// Shows a form where the client has them.
    fn form(&self, message: &str, field: &str, client: &mut dyn Client) -> Option<Event> {
        let schema = json!({"type": "object", "required": [field], "properties": {field: {"type": "string"}}});
        let answer = client.ask("elicitation/create", json!({"message": message, "requestedSchema": schema}))?;
        let action = answer.get("action").and_then(Value::as_str).unwrap_or("cancel").to_owned();
        let content = answer.get("content").cloned().unwrap_or(Value::Null).to_string();
        Some(Event::FormAnswer { action, content })
    }

    /// Asks the client's model where it may be asked.
    fn question(&self, prompt: &str, client: &mut dyn Client) -> Option<Event> {
        let message = json!({"role": "user", "content": {"type": "text", "text": prompt}});
        let answer = client.ask("sampling/createMessage", json!({"messages": [message], "maxTokens": 500}))?;
        let text = answer.pointer("/content/text").and_then(Value::as_str).unwrap_or_default().to_owned();
        Some(Event::SampleAnswer { text })
    }
}

impl McpService for MockServer<'_> {
    fn info(&self) -> Value {
        json!({"name": self.server, "version": "1.0.0"})
    }

    /// The operator's words, of which the first server of a test reminds the agent.
    fn instructions(&mut self) -> String {
        let is_first = self.test.server.first().is_some_and(|first| first.name == self.server);
        if is_first { self.answered(|trial| trial.system()).unwrap_or_default() } else { String::new() }
    }

    fn kept_ms(&self) -> u64 {
        0
    }

    fn capabilities(&self) -> Value {
        json!({"tools": {"listChanged": true}, "resources": {}})
    }

    fn meet(&mut self, params: &Map<String, Value>) {
        let can = |what: &str| self.can_ask && params.get("capabilities").and_then(|can| can.get(what)).is_some();
        (self.has_forms, self.has_sampling) = (can("elicitation"), can("sampling"));
    }

    fn tools(&mut self) -> Value {
        self.answered(|trial| trial.list(&self.server)).map_or_else(|_| json!([]), |tools| json!(tools))
    }

    fn call(&mut self, params: &Map<String, Value>, client: &mut dyn Client) -> Result<Value, RpcError> {
        let name = params.get("name").and_then(Value::as_str).unwrap_or_default();
        let arguments = params.get("arguments").filter(|arguments| !arguments.is_null());
        let arguments = arguments.map_or_else(|| "{}".to_owned(), Value::to_string);
        let said =
            |text: &str, is_error: bool| json!({"content": [{"type": "text", "text": text}], "isError": is_error});
        let (before, answer, after) = self.answered(|trial| {
            let before = trial.tools(&self.server);
            let answer = trial.call(&self.server, name, &arguments);
            (before, answer, trial.tools(&self.server))
        })?;
        if before != after {
            client.tell("notifications/tools/list_changed");
        }
        Ok(match answer {
            ToolAnswer::Text { text, is_error } => said(&text, is_error),
            ToolAnswer::Link(link) => {
                let shown = json!({"type": "resource_link", "uri": link.uri, "name": link.name});
                json!({"content": [{"type": "text", "text": link.text}, shown], "isError": false})
            }
            ToolAnswer::Form(form) => {
                if self.has_forms {
                    self.answered(|trial| trial.note(Event::Form { message: form.message.clone() }))?;
                    let answer = self.form(&form.message, &form.field, client);
                    self.answered(|trial| answer.into_iter().for_each(|event| trial.note(event)))?;
                }
                self.answered(|trial| trial.result(&form.result, false))?;
                said(&form.result, false)
            }
            ToolAnswer::Question(question) => {
                if self.has_sampling {
                    self.answered(|trial| trial.note(Event::Sample { prompt: question.prompt.clone() }))?;
                    let answer = self.question(&question.prompt, client);
                    self.answered(|trial| answer.into_iter().for_each(|event| trial.note(event)))?;
                }
                self.answered(|trial| trial.result(&question.result, false))?;
                said(&question.result, false)
            }
        })
    }

    fn other(&mut self, request: &Request<'_>) -> Result<Value, RpcError> {
        match request.method {
            "resources/list" => Ok(json!({"resources": []})),
            "resources/templates/list" => Ok(json!({"resourceTemplates": []})),
            "resources/read" => {
                let uri = request.params.get("uri").and_then(Value::as_str).unwrap_or_default();
                let text = self.answered(|trial| trial.read_resource(&self.server, uri))?;
                let text = text.ok_or_else(|| RpcError::params("there is no such resource"))?;
                Ok(json!({"contents": [{"uri": uri, "mimeType": "text/plain", "text": text}]}))
            }
            _ => Err(RpcError::method()),
        }
    }
}
