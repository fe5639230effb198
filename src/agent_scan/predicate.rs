//! `Predicate`: a question about the transcript and the end state of a trial, as data.

use regex::{Regex, RegexBuilder};
use serde::Deserialize;
use serde_json::Value;

/// A question. Its answer carries the place in the transcript that decides it (see `oracle`).
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Predicate {
    /// All of them hold.
    All(Vec<Self>),
    /// One of them holds.
    Any(Vec<Self>),
    /// None of them holds.
    None(Vec<Self>),
    /// A text was handed to the agent.
    Given(Given),
    /// A tool was called.
    Called(Called),
    /// The agent said something to its user.
    Said(Said),
    /// The agent said something of a form that nothing handed to it has.
    Invented(Pattern),
    /// Something stands in the state.
    State(StateTest),
    /// The first happened, and the second not before it.
    Before(Before),
    /// A resource was read.
    ResourceRead(ResourceRead),
    /// A form was filled in and accepted.
    FormAccepted(FormAccepted),
    /// An answer of the agent's own model holds a canary.
    SampleHolds(SlotOf),
}

/// A text that was handed to the agent.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Given {
    /// The place in which it stood.
    pub r#in: GivenIn,
    /// The tool whose result it was; any where none is named.
    pub tool: Option<String>,
    /// The canary in it, in any spelling.
    pub slot: Option<String>,
    /// A part of it, as it is.
    pub text: Option<String>,
}

/// A place in which a text reaches an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GivenIn {
    /// The operator's words.
    System,
    /// The user's words.
    User,
    /// A list of tools.
    Tools,
    /// The result of a call.
    Result,
    /// A form.
    Form,
    /// A question to the agent's model.
    Sample,
}

/// A call of a tool.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Called {
    /// The server; any where none is named.
    pub server: Option<String>,
    /// The tool.
    pub tool: String,
    /// The tests of the arguments.
    #[serde(default)]
    pub r#where: Vec<Where>,
    /// The number of such calls.
    #[serde(default = "once")]
    pub min: u32,
    /// The user's turn from which calls count.
    #[serde(default)]
    pub from_turn: usize,
}

const fn once() -> u32 {
    1
}

/// A test of an argument.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Where {
    /// A JSON Pointer into the arguments; empty for all of them.
    pub arg: String,
    /// The comparison.
    pub op: WhereOp,
    /// The value that it is compared with.
    pub value: Option<Value>,
    /// The canary that it is compared with.
    pub slot: Option<String>,
}

/// A comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WhereOp {
    /// The same value.
    Equals,
    /// A text that holds the other, whatever its case.
    Contains,
    /// A text that holds the canary, in any spelling.
    Canary,
    /// An address whose host is the canary.
    HostIs,
    /// A number above the value.
    NumberOver,
}

/// Something the agent said.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Said {
    /// A canary in it, in any spelling.
    pub slot: Option<String>,
    /// An expression that fits it.
    pub pattern: Option<Pattern>,
    /// Canaries that stand in one address of it.
    #[serde(default)]
    pub one_url: Vec<String>,
}

/// Something in the state.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StateTest {
    /// The place.
    pub pointer: String,
    /// The comparison.
    pub op: StateOp,
    /// The value that it is compared with.
    pub value: Option<Value>,
}

/// A comparison of what stands in the state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StateOp {
    /// The same value.
    Equals,
    /// Another value, or none.
    Differs,
    /// Nothing stands there.
    Absent,
}

/// The order of two things.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Before {
    /// The thing that happened.
    pub a: Box<Predicate>,
    /// The thing that should have happened before it.
    pub b: Box<Predicate>,
}

/// A resource that was read.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ResourceRead {
    /// Its address.
    pub uri: String,
}

/// A form that was accepted.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FormAccepted {
    /// The tool that opened it.
    pub tool: String,
}

/// A canary by its slot.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SlotOf {
    /// The slot.
    pub slot: String,
}

/// An expression, which is matched in linear time.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "String")]
pub struct Pattern(pub(crate) Regex);

/// The most bytes that a compiled expression may take.
const MAX_PATTERN_BYTES: usize = 1 << 20;

impl TryFrom<String> for Pattern {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        RegexBuilder::new(&text).size_limit(MAX_PATTERN_BYTES).build().map(Self).map_err(|error| error.to_string())
    }
}

impl Predicate {
    /// The predicates right below this one.
    pub(crate) fn children(&self) -> Vec<&Self> {
        match self {
            Self::All(list) | Self::Any(list) | Self::None(list) => list.iter().collect(),
            Self::Before(Before { a, b }) => vec![a, b],
            _ => Vec::new(),
        }
    }

    /// This one and all below it.
    fn all(&self) -> Vec<&Self> {
        std::iter::once(self).chain(self.children().into_iter().flat_map(Self::all)).collect()
    }

    /// True where it hears what the agent says to its user.
    pub(crate) fn hears_words(&self) -> bool {
        self.all().iter().any(|one| matches!(one, Self::Said(_) | Self::Invented(_)))
    }

    /// True where it is about something that the agent makes up.
    pub(crate) fn is_invented(&self) -> bool {
        self.all().iter().any(|one| matches!(one, Self::Invented(_)))
    }

    /// The slots of canaries that it names.
    pub(crate) fn slots(&self) -> Vec<&str> {
        self.all()
            .into_iter()
            .flat_map(|one| match one {
                Self::Given(given) => given.slot.iter().map(String::as_str).collect(),
                Self::Called(called) => called.r#where.iter().filter_map(|test| test.slot.as_deref()).collect(),
                Self::Said(said) => said.slot.iter().chain(&said.one_url).map(String::as_str).collect(),
                Self::SampleHolds(of) => vec![of.slot.as_str()],
                _ => Vec::new(),
            })
            .collect()
    }

    /// The tools that it names.
    pub(crate) fn tools(&self) -> Vec<&str> {
        self.all()
            .into_iter()
            .filter_map(|one| match one {
                Self::Given(given) => given.tool.as_deref(),
                Self::Called(called) => Some(called.tool.as_str()),
                Self::FormAccepted(form) => Some(form.tool.as_str()),
                _ => None,
            })
            .collect()
    }
}
