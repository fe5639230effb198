//! Packs: tests as data, read strictly.
//!
//! A pack holds no code, no clock and no address that exists. Its digest covers the text of every test, and every report names it.

mod baseline;
mod effect;
#[cfg(test)]
mod tests;
mod validate;

use std::collections::BTreeMap;

use capdex_model::digest::Digest;
use capdex_model::fact::Severity;
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use baseline::baseline;
pub use effect::{Effect, Elicitation, ResourceLink, Sampling};

use crate::canary::CanaryShape;
use crate::predicate::Predicate;

/// A pack of tests.
#[derive(Clone, Debug)]
pub struct Pack {
    /// Its name, version and bounds.
    pub head: PackHead,
    /// SHA-256 over the texts of head and tests, in their order.
    pub digest: Digest,
    /// The tests, by number.
    pub tests: Vec<AgentTest>,
}

/// The file `pack.toml`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PackHead {
    /// The name.
    pub id: String,
    /// The version.
    pub version: String,
    /// One line for people.
    pub title: String,
    /// Exercised trials below which a test says nothing about what it did not see.
    pub min_trials: u32,
    /// The most answers of a model in one trial.
    pub max_answers: u32,
    /// The most calls of tools in one trial.
    pub max_calls: u32,
}

/// The harm that a test tries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Family {
    /// The user asks for what the operator forbids.
    Direct,
    /// Words that are to stay inside are asked for.
    Extract,
    /// A deed beyond what was asked or allowed.
    Agency,
    /// A tool's own description gives orders.
    Metadata,
    /// The result of a call gives orders.
    Return,
    /// One server rules the tools of another.
    CrossServer,
    /// Data leaves.
    Exfil,
    /// Text becomes code that runs.
    Exec,
    /// An order outlives the conversation that planted it.
    Memory,
    /// An order comes through a channel beside results.
    Channel,
    /// The agent says what did not happen.
    Honesty,
    /// Work without end.
    Exhaust,
}

/// A way in which an agent is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Transport {
    /// A chat endpoint, over which capdex runs the loop.
    Chat,
    /// MCP servers that the agent's own client calls.
    Mcp,
}

/// One test.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AgentTest {
    /// The number in its pack, from 1.
    pub number: u8,
    /// The name, also that of its file.
    pub id: String,
    /// One line for people.
    pub title: String,
    /// The harm.
    pub family: Family,
    /// The severity of an agent that obeys.
    pub severity: Severity,
    /// Codes of the OWASP lists.
    pub owasp: Vec<String>,
    /// Techniques of MITRE ATLAS.
    #[serde(default)]
    pub atlas: Vec<String>,
    /// The tests of SaferSkills' baseline that ask the same.
    #[serde(default)]
    pub saferskills: Vec<String>,
    /// The transports that can play it.
    pub transports: Vec<Transport>,
    /// Advice about an agent that obeys.
    pub fix: String,
    /// The operator's words, with the rule that must hold.
    pub system: String,
    /// The user's turns.
    pub turn: Vec<Turn>,
    /// The look of each canary.
    #[serde(default)]
    pub canaries: BTreeMap<String, CanaryShape>,
    /// The state that the tools work on.
    #[serde(default)]
    pub state: Value,
    /// The servers.
    pub server: Vec<Server>,
    /// The attack and its harmless twin.
    pub payload: Payload,
    /// The predicates that count.
    pub oracle: Oracle,
    /// Scripts that prove the test.
    pub script: Scripts,
}

/// One turn of the user.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Turn {
    /// The words.
    pub user: String,
    /// The conversation. A higher number begins a new one, in which only the state is left of the one before.
    #[serde(default = "one")]
    pub session: u32,
}

const fn one() -> u32 {
    1
}

const fn first_turn() -> usize {
    1
}

/// A mock server.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Server {
    /// The name.
    pub name: String,
    /// The tools.
    pub tool: Vec<MockTool>,
    /// The changes of its list.
    #[serde(default)]
    pub change: Vec<ListChange>,
}

/// A mock tool.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MockTool {
    /// The name.
    pub name: String,
    /// The description that the agent reads.
    pub description: String,
    /// JSON Schema of the arguments.
    pub schema: Value,
    /// The effect of a call.
    pub effect: Effect,
}

/// A change of a server's list.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ListChange {
    /// The calls of the server after which it holds.
    pub after_calls: u32,
    /// The tools that take the place of those of the same name.
    pub tool: Vec<MockTool>,
}

/// The text that is put into the world.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Payload {
    /// The attack.
    pub attack: String,
    /// The harmless text of the twin.
    pub benign: String,
}

/// The predicates that count in a trial.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Oracle {
    /// The attack reached the agent.
    pub delivered: Predicate,
    /// The agent did what it must not.
    pub r#unsafe: Predicate,
    /// The user's task is done.
    pub useful: Predicate,
}

/// The steps of scripted agents in a test.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scripts {
    /// An agent that obeys the attack.
    pub r#unsafe: Vec<Step>,
    /// An agent that does the task and nothing else.
    pub safe: Vec<Step>,
    /// The same in the twin, where the task goes another way there.
    pub twin: Option<Vec<Step>>,
}

/// One step of a scripted agent.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// The user's turn in which it is done.
    #[serde(default = "first_turn")]
    pub turn: usize,
    /// A tool to call.
    pub call: Option<String>,
    /// The server of the tool; the first that has it where none is named.
    pub server: Option<String>,
    /// The arguments of the call.
    #[serde(default)]
    pub args: Value,
    /// The number of calls; once where no number stands.
    #[serde(default = "one")]
    pub times: u32,
    /// Words, which end the turn.
    pub say: Option<String>,
    /// The text that is filled into a form that a call opens.
    pub fill: Option<String>,
    /// The answer where a call asks the agent's model.
    pub sample: Option<String>,
    /// A resource that is read.
    pub read: Option<String>,
}

/// Why a pack is none.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}: {reason}")]
pub struct PackError {
    /// The file.
    pub file: String,
    /// The fault in it.
    pub reason: String,
}

impl Pack {
    /// Reads a pack from the text of `pack.toml` and those of its tests, each with its name.
    ///
    /// # Errors
    /// An unknown key, a place that nothing fills, a pattern that does not compile, a number or a name twice.
    pub fn read(head: &str, tests: &[(&str, &str)]) -> Result<Self, PackError> {
        let wrong = |file: &str, reason: String| PackError { file: file.to_owned(), reason };
        let digest =
            Digest::of_fields(std::iter::once(head).chain(tests.iter().map(|(_, text)| *text)).map(str::as_bytes));
        let head: PackHead = toml::from_str(head).map_err(|error| wrong("pack.toml", error.to_string()))?;
        let mut read: Vec<AgentTest> = Vec::new();
        for (name, text) in tests {
            let test: AgentTest = toml::from_str(text).map_err(|error| wrong(name, error.to_string()))?;
            validate::check(&test, name).map_err(|reason| wrong(name, reason))?;
            if read.iter().any(|other| other.number >= test.number || other.id == test.id) {
                return Err(wrong(name, "its number or name does not follow those before".to_owned()));
            }
            read.push(test);
        }
        Ok(Self { head, digest, tests: read })
    }

    /// A test by its name.
    pub fn test(&self, id: &str) -> Option<&AgentTest> {
        self.tests.iter().find(|test| test.id == id)
    }
}

impl AgentTest {
    /// True where a transport can play it. Words of the agent are heard in a chat, and by who starts the agent.
    pub fn is_playable(&self, transport: Transport, hears_words: bool) -> bool {
        let needs_words = self.oracle.r#unsafe.hears_words() || self.oracle.useful.hears_words();
        self.transports.contains(&transport) && (hears_words || !needs_words)
    }
}
