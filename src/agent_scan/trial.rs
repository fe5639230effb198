//! `Trial`: one run of one test, live: its world, and the transcript that grows.

use serde_json::Value;

use crate::home::{self, HomeFile};
use crate::pack::AgentTest;
use crate::transcript::{EndReason, Event, Transcript, TrialHead};
use crate::world::World;

pub use crate::trial_id::TrialId;
pub use crate::world::{ShownTool, ToolAnswer};

/// Why a transcript is of no trial of a pack.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("trial {trial}: {reason}")]
pub struct NotOfPack {
    /// The trial.
    pub trial: String,
    /// The part that does not fit.
    pub reason: String,
}

/// A trial that goes on.
#[derive(Clone, Debug)]
pub struct Trial<'a> {
    pub(crate) world: World<'a>,
    transcript: Transcript,
}

impl<'a> Trial<'a> {
    /// Begins a trial of a test, whose name the head holds.
    ///
    /// # Errors
    /// A test whose texts have a place that nothing fills, which no test of a pack that was read has.
    pub fn begin(test: &'a AgentTest, head: TrialHead) -> Result<Self, NotOfPack> {
        let world = World::new(test, head.seed, &head.trial)
            .map_err(|reason| NotOfPack { trial: head.trial.to_string(), reason })?;
        Ok(Self { world, transcript: Transcript { head, events: Vec::new() } })
    }

    /// Goes on with a trial: the state is what its calls made of it.
    ///
    /// # Errors
    /// The errors of [`Self::begin`].
    pub fn resume(test: &'a AgentTest, transcript: Transcript) -> Result<Self, NotOfPack> {
        let mut trial = Self::begin(test, transcript.head.clone())?;
        transcript.events.into_iter().for_each(|event| trial.take(event));
        Ok(trial)
    }

    /// Takes an event that somebody else wrote.
    pub fn take(&mut self, event: Event) {
        if let Event::Call { server, tool, arguments } = &event
            && let Ok(arguments) = serde_json::from_str::<Value>(arguments)
        {
            self.world.call(server, tool, &arguments);
        }
        self.transcript.events.push(event);
    }

    /// The test.
    pub const fn test(&self) -> &'a AgentTest {
        self.world.test
    }

    /// The transcript so far.
    pub const fn transcript(&self) -> &Transcript {
        &self.transcript
    }

    /// The transcript.
    pub fn into_transcript(self) -> Transcript {
        self.transcript
    }

    /// Hands the operator's words over, and gives them.
    pub fn system(&mut self) -> String {
        let text = self.world.system.clone();
        self.transcript.events.push(Event::System { text: text.clone() });
        text
    }

    /// Hands a turn of the user over, from 1, and gives its words; none behind the last.
    pub fn user(&mut self, turn: usize) -> Option<String> {
        let text = self.world.users.get(turn.checked_sub(1)?)?.clone();
        self.transcript.events.push(Event::User { turn, text: text.clone() });
        Some(text)
    }

    /// The files of its home, for an agent that is started in one.
    pub fn home(&self) -> Vec<HomeFile> {
        let TrialHead { seed, trial, .. } = &self.transcript.head;
        home::files(&self.world, *seed, &trial.to_string())
    }

    /// The operator's words and the user's turns, with nothing handed over.
    pub fn task(&self) -> (&str, &[String]) {
        (&self.world.system, &self.world.users)
    }

    /// A server's list as it is now, with nothing handed over.
    pub fn tools(&self, server: &str) -> Vec<ShownTool> {
        self.world.tools(server)
    }

    /// Hands a server's list over, and gives it. A list that is as it was last is not noted again.
    pub fn list(&mut self, server: &str) -> Vec<ShownTool> {
        let tools = self.world.tools(server);
        let shown = serde_json::to_value(&tools).unwrap_or_default();
        let last = self.transcript.events.iter().rev().find_map(|event| match event {
            Event::Tools { server: one, tools } if one == server => Some(tools),
            _ => None,
        });
        if last != Some(&shown) {
            self.transcript.events.push(Event::Tools { server: server.to_owned(), tools: shown });
        }
        tools
    }

    /// Calls a tool, with the arguments as they came. A form or a question is the transport's to put; [`Self::result`] ends it.
    pub fn call(&mut self, server: &str, tool: &str, arguments: &str) -> ToolAnswer {
        let failed = |text: &str| ToolAnswer::Text { text: text.to_owned(), is_error: true };
        let is_there = self.world.tools(server).iter().any(|one| one.name == tool);
        let answer = match serde_json::from_str::<Value>(arguments) {
            _ if !is_there => failed("there is no tool of that name"),
            Ok(arguments @ Value::Object(_)) => {
                self.world.call(server, tool, &arguments).unwrap_or_else(|| failed("there is no tool of that name"))
            }
            _ => failed("the arguments are no JSON object"),
        };
        let server = if is_there { server } else { "" };
        self.transcript.events.push(Event::Call {
            server: server.to_owned(),
            tool: tool.to_owned(),
            arguments: arguments.to_owned(),
        });
        match &answer {
            ToolAnswer::Text { text, is_error } => self.result(text, *is_error),
            ToolAnswer::Link(link) => self.result(&format!("{} ({})", link.text, link.uri), false),
            // They are handed over where the client can show them.
            ToolAnswer::Form(_) | ToolAnswer::Question(_) => {}
        }
        answer
    }

    /// Notes the result of the last call.
    pub fn result(&mut self, text: &str, is_error: bool) {
        self.transcript.events.push(Event::Result { text: text.to_owned(), is_error });
    }

    /// Reads a resource; none for an address that is not there.
    pub fn read_resource(&mut self, server: &str, uri: &str) -> Option<String> {
        self.transcript.events.push(Event::ResourceRead { uri: uri.to_owned() });
        let text = self.world.resource(server, uri)?.to_owned();
        self.result(&text, false);
        Some(text)
    }

    /// Notes an event of the transport.
    pub fn note(&mut self, event: Event) {
        self.transcript.events.push(event);
    }

    /// Ends the trial.
    pub fn end(&mut self, reason: EndReason, detail: &str) {
        self.transcript.events.push(Event::End { reason, detail: detail.to_owned() });
    }
}
