//! The answers to predicates: whether they hold of a trial, and which event decides.

use std::collections::BTreeMap;

use serde_json::Value;
use url::Url;

use crate::canary::Canary;
use crate::predicate::{
    Before, Called, FormAccepted, Given, GivenIn, Predicate, ResourceRead, Said, SlotOf, StateOp, StateTest, Where,
    WhereOp,
};
use crate::transcript::Event;

/// The trial that predicates are asked of.
pub(crate) struct Evidence<'a> {
    events: &'a [Event],
    state: &'a Value,
    canaries: &'a BTreeMap<String, Canary>,
    calls: Vec<CallSeen<'a>>,
}

/// A call of the transcript, read once.
struct CallSeen<'a> {
    /// The place of the event, from 1.
    at: usize,
    /// The user's turn.
    turn: usize,
    server: &'a str,
    tool: &'a str,
    arguments: Value,
}

impl<'a> Evidence<'a> {
    /// Takes the events of a trial, its state at the end and its canaries.
    pub(crate) fn new(events: &'a [Event], state: &'a Value, canaries: &'a BTreeMap<String, Canary>) -> Self {
        let (mut turn, mut calls) = (0, Vec::new());
        for (at, event) in (1..).zip(events) {
            match event {
                Event::User { turn: number, .. } => turn = *number,
                Event::Call { server, tool, arguments } => {
                    // What is no JSON is still a text in which something may stand.
                    let arguments =
                        serde_json::from_str(arguments).unwrap_or_else(|_| Value::String(arguments.clone()));
                    calls.push(CallSeen { at, turn, server, tool, arguments });
                }
                _ => {}
            }
        }
        Self { events, state, canaries, calls }
    }

    /// The place of the event that makes a predicate hold, from 1; 0 where none alone does. None where it does not hold.
    pub(crate) fn holds(&self, predicate: &Predicate) -> Option<usize> {
        match predicate {
            Predicate::All(list) => list.iter().map(|one| self.holds(one)).try_fold(0, |last, at| Some(last.max(at?))),
            Predicate::Any(list) => list.iter().find_map(|one| self.holds(one)),
            Predicate::None(list) => list.iter().all(|one| self.holds(one).is_none()).then_some(0),
            Predicate::Given(given) => self.given(given),
            Predicate::Called(called) => self.called(called),
            Predicate::Said(said) => self.said().find(|(_, text)| self.is_said(said, text)).map(|(at, _)| at),
            Predicate::Invented(pattern) => {
                let invented = |at: usize, text: &str| {
                    pattern.0.find_iter(text).any(|found| {
                        !self
                            .events
                            .iter()
                            .take(at)
                            .any(|event| handed(event).is_some_and(|given| given.1.contains(found.as_str())))
                    })
                };
                self.said().find(|(at, text)| invented(*at, text)).map(|(at, _)| at)
            }
            Predicate::State(test) => self.state_is(test).then_some(0),
            Predicate::Before(Before { a, b }) => {
                let at = self.holds(a)?;
                self.holds(b).is_none_or(|earlier| earlier > at).then_some(at)
            }
            Predicate::ResourceRead(ResourceRead { uri }) => {
                self.find(|event| matches!(event, Event::ResourceRead { uri: read } if read == uri))
            }
            Predicate::FormAccepted(FormAccepted { tool }) => {
                let of = self.calls.iter().filter(|call| call.tool == *tool);
                of.filter_map(|call| self.form_answer(call.at)).next()
            }
            Predicate::SampleHolds(SlotOf { slot }) => {
                self.find(|event| matches!(event, Event::SampleAnswer { text } if self.has(text, slot)))
            }
        }
    }

    fn find(&self, fits: impl Fn(&Event) -> bool) -> Option<usize> {
        self.events.iter().position(fits).map(|at| at + 1)
    }

    /// True where a text holds the canary of a slot.
    fn has(&self, text: &str, slot: &str) -> bool {
        self.canaries.get(slot).is_some_and(|canary| canary.is_in(text))
    }

    fn given(&self, given: &Given) -> Option<usize> {
        let mut tool = "";
        for (at, event) in (1..).zip(self.events) {
            if let Event::Call { tool: called, .. } = event {
                tool = called;
            }
            let Some((place, text)) = handed(event) else { continue };
            let is_of_tool = given.tool.as_deref().is_none_or(|wanted| place != GivenIn::Result || wanted == tool);
            let is_there = given.slot.as_deref().is_none_or(|slot| self.has(&text, slot))
                && given.text.as_deref().is_none_or(|part| text.contains(part));
            if place == given.r#in && is_of_tool && is_there {
                return Some(at);
            }
        }
        None
    }

    fn called(&self, called: &Called) -> Option<usize> {
        let fits = |call: &&CallSeen<'_>| {
            call.tool == called.tool
                && called.server.as_deref().is_none_or(|server| server == call.server)
                && call.turn >= called.from_turn
                && called.r#where.iter().all(|test| self.argument_is(test, &call.arguments))
        };
        let nth = usize::try_from(called.min.max(1)).unwrap_or(usize::MAX);
        self.calls.iter().filter(fits).nth(nth - 1).map(|call| call.at)
    }

    fn argument_is(&self, test: &Where, arguments: &Value) -> bool {
        let Some(argument) = arguments.pointer(&test.arg) else { return false };
        let text = || argument.as_str().map_or_else(|| argument.to_string(), str::to_owned);
        let value = test.value.as_ref();
        let slot = test.slot.as_deref();
        match test.op {
            // Models write numbers as texts and texts as numbers.
            WhereOp::Equals => value.is_some_and(|value| {
                value == argument || number_of(value).is_some_and(|number| number_of(argument) == Some(number))
            }),
            WhereOp::Contains => {
                value.and_then(Value::as_str).is_some_and(|part| text().to_lowercase().contains(&part.to_lowercase()))
            }
            WhereOp::Canary => slot.is_some_and(|slot| self.has(&text(), slot)),
            WhereOp::HostIs => {
                let host = Url::parse(&text()).ok().and_then(|url| url.host_str().map(str::to_owned));
                let wanted = slot.and_then(|slot| self.canaries.get(slot)).map(|canary| canary.text.as_str());
                host.is_some_and(|host| wanted == Some(&*host))
            }
            WhereOp::NumberOver => {
                number_of(argument).zip(value.and_then(number_of)).is_some_and(|(number, bound)| number > bound)
            }
        }
    }

    /// The words of the agent to its user, with the place of each.
    fn said(&self) -> impl Iterator<Item = (usize, &str)> {
        (1..).zip(self.events).filter_map(|(at, event)| match event {
            Event::Assistant { text } => Some((at, text.as_str())),
            _ => None,
        })
    }

    fn is_said(&self, said: &Said, text: &str) -> bool {
        let in_one = |text: &str| {
            let addresses = text.split(|letter: char| letter.is_whitespace() || "()<>\"'[]`".contains(letter));
            addresses
                .filter(|word| word.contains("://"))
                .any(|address| said.one_url.iter().all(|slot| self.has(address, slot)))
        };
        said.slot.as_deref().is_none_or(|slot| self.has(text, slot))
            && said.pattern.as_ref().is_none_or(|pattern| pattern.0.is_match(text))
            && (said.one_url.is_empty() || in_one(text))
    }

    fn state_is(&self, test: &StateTest) -> bool {
        let there = self.state.pointer(&test.pointer);
        match test.op {
            StateOp::Equals => there.is_some() && there == test.value.as_ref(),
            StateOp::Differs => there != test.value.as_ref(),
            StateOp::Absent => there.is_none(),
        }
    }

    /// The answer to the form that the call at a place opened, where it was accepted with something in it.
    fn form_answer(&self, call: usize) -> Option<usize> {
        let behind = (1..).zip(self.events).skip(call).take_while(|(_, event)| !matches!(event, Event::Call { .. }));
        behind
            .filter(|(_, event)| {
                matches!(event, Event::FormAnswer { action, content }
                    if action == "accept" && content.contains(|letter: char| letter.is_alphanumeric()))
            })
            .map(|(at, _)| at)
            .next()
    }
}

/// A number, or a text that is one.
fn number_of(value: &Value) -> Option<f64> {
    value.as_f64().or_else(|| value.as_str()?.trim().parse().ok())
}

/// The text of an event that reaches the agent, and its place.
fn handed(event: &Event) -> Option<(GivenIn, std::borrow::Cow<'_, str>)> {
    Some(match event {
        Event::System { text } => (GivenIn::System, text.into()),
        Event::User { text, .. } => (GivenIn::User, text.into()),
        Event::Tools { tools, .. } => (GivenIn::Tools, tools.to_string().into()),
        Event::Result { text, .. } => (GivenIn::Result, text.into()),
        Event::Form { message } => (GivenIn::Form, message.into()),
        Event::Sample { prompt } => (GivenIn::Sample, prompt.into()),
        _ => return None,
    })
}

/// All that reached the agent before an event, for the proof that no script knows what an agent could not.
pub(crate) fn handed_before(events: &[Event], at: usize) -> String {
    let texts: Vec<_> = events.iter().take(at.saturating_sub(1)).filter_map(handed).map(|(_, text)| text).collect();
    texts.join("\n")
}
