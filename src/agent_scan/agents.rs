//! Agents that follow a script: the means by which a pack proves itself, with no model.

use std::collections::VecDeque;

use serde_json::Value;

use crate::chat::{ChatAnswer, ChatFault, ChatModel, ChatRequest, ToolCall};
use crate::pack::{PackHead, Step, Transport};
use crate::transcript::{EndReason, Event};
use crate::trial::{ToolAnswer, Trial};
use crate::{canary::RunSeed, chat};

/// A way to behave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Behaviour {
    /// Obeys whatever attacks it.
    Obedient,
    /// Does the user's task and nothing else.
    Careful,
    /// Says one sentence and calls nothing.
    Refusing,
    /// Says nothing and calls nothing.
    Silent,
    /// Is cut at its most tokens.
    Cut,
    /// Calls tools with arguments that are no JSON.
    Garbled,
    /// Calls tools that are not there.
    Lost,
    /// Does not answer in time.
    Hanging,
    /// Answers with an error.
    Failing,
    /// Repeats all that it reads.
    Echoing,
}

/// A scripted agent in one trial.
#[derive(Clone, Debug)]
pub struct ScriptedAgent {
    behaviour: Behaviour,
    steps: VecDeque<Step>,
    turn: usize,
    calls: u32,
}

impl ScriptedAgent {
    /// The agent for a trial. The twin has no attack that could be obeyed.
    pub fn new(behaviour: Behaviour, trial: &Trial<'_>) -> Self {
        let scripts = &trial.test().script;
        let harmless =
            || scripts.twin.as_ref().filter(|_| trial.transcript().head.trial.is_twin).unwrap_or(&scripts.safe);
        let steps = match behaviour {
            Behaviour::Obedient if !trial.transcript().head.trial.is_twin => &scripts.r#unsafe,
            Behaviour::Obedient | Behaviour::Careful | Behaviour::Garbled | Behaviour::Lost => harmless(),
            _ => &Vec::new(),
        };
        let filling = &trial.world.filling;
        let fill = |text: &String| filling.text(text).unwrap_or_default();
        let filled = steps.iter().flat_map(|step| {
            let args = filling.value(&step.args).unwrap_or_default();
            let (say, fill_in) = (step.say.as_ref().map(fill), step.fill.as_ref().map(fill));
            let (sample, read) = (step.sample.as_ref().map(fill), step.read.as_ref().map(fill));
            let step = Step { args, say, fill: fill_in, sample, read, ..step.clone() };
            std::iter::repeat_n(step.clone(), usize::try_from(step.times).unwrap_or(1))
        });
        Self { behaviour, steps: filled.collect(), turn: 0, calls: 0 }
    }

    /// The next step of the present turn.
    fn next(&mut self) -> Option<Step> {
        self.steps.pop_front_if(|step| step.turn <= self.turn)
    }

    fn call(&mut self, step: &Step, tools: &[Value]) -> ToolCall {
        self.calls += 1;
        let wanted = step.call.as_deref().unwrap_or_default();
        let names = tools.iter().filter_map(|tool| tool.pointer("/function/name")?.as_str());
        let is_it = |name: &&str| match name.split_once("__") {
            Some((server, tool)) => tool == wanted && step.server.as_deref().is_none_or(|one| one == server),
            None => false,
        };
        let name = names.into_iter().find(is_it).unwrap_or(wanted).to_owned();
        let mut call = ToolCall { id: format!("call_{}", self.calls), name, arguments: arguments(step) };
        match self.behaviour {
            Behaviour::Garbled => call.arguments = "{\"id\": ".to_owned(),
            Behaviour::Lost => call.name = "nowhere__nothing".to_owned(),
            _ => {}
        }
        call
    }
}

fn arguments(step: &Step) -> String {
    if step.args.is_null() { "{}".to_owned() } else { step.args.to_string() }
}

impl ChatModel for ScriptedAgent {
    fn answer(&mut self, request: &ChatRequest<'_>) -> Result<ChatAnswer, ChatFault> {
        let is_users =
            request.messages.last().and_then(|last| last.get("role")).and_then(Value::as_str) == Some("user");
        self.turn += usize::from(is_users);
        let said = |text: &str| ChatAnswer { text: text.to_owned(), ..ChatAnswer::default() };
        match self.behaviour {
            Behaviour::Silent => return Ok(ChatAnswer::default()),
            Behaviour::Cut => return Ok(ChatAnswer { is_cut: true, ..said("I will first") }),
            Behaviour::Hanging => return Err(ChatFault::Timeout),
            Behaviour::Failing => return Err(ChatFault::Transport("status 500".to_owned())),
            Behaviour::Refusing => return Ok(said("I cannot help with that.")),
            Behaviour::Echoing => {
                let read = request.messages.iter().filter_map(|message| message.get("content")?.as_str());
                return Ok(said(&read.collect::<Vec<_>>().join("\n")));
            }
            _ => {}
        }
        Ok(match self.next() {
            None => said("Done."),
            Some(Step { say: Some(text), .. }) => said(&text),
            Some(step) => ChatAnswer { calls: vec![self.call(&step, request.tools)], ..ChatAnswer::default() },
        })
    }
}

/// Plays a trial with a scripted agent, over the chat where the test has it, else as a client of MCP would.
pub fn play(trial: &mut Trial<'_>, bounds: &PackHead, behaviour: Behaviour) {
    let mut agent = ScriptedAgent::new(behaviour, trial);
    if trial.test().transports.contains(&Transport::Chat) {
        chat::play(trial, bounds, &mut agent);
    } else {
        as_client(trial, &mut agent);
    }
}

fn as_client(trial: &mut Trial<'_>, agent: &mut ScriptedAgent) {
    trial.system();
    let servers: Vec<String> = trial.test().server.iter().map(|server| server.name.clone()).collect();
    for turn in 1..=trial.test().turn.len() {
        trial.user(turn);
        agent.turn = turn;
        for server in &servers {
            trial.list(server);
        }
        let mut last = "Done.".to_owned();
        while let Some(step) = agent.next() {
            match step {
                Step { say: Some(text), .. } => last = text,
                Step { read: Some(uri), .. } => servers.iter().for_each(|server| {
                    trial.read_resource(server, &uri);
                }),
                step => call_as_client(trial, agent, &servers, &step),
            }
        }
        trial.note(Event::Assistant { text: last });
    }
    trial.end(EndReason::Stop, "");
}

fn call_as_client(trial: &mut Trial<'_>, agent: &mut ScriptedAgent, servers: &[String], step: &Step) {
    let tool = step.call.clone().unwrap_or_default();
    let has = |server: &&String| {
        step.server.as_ref().is_none_or(|wanted| wanted == *server)
            && trial.world.tools(server).iter().any(|one| one.name == tool)
    };
    let server = servers.iter().find(has).cloned().unwrap_or_default();
    match trial.call(&server, &tool, &arguments(step)) {
        ToolAnswer::Form(form) => {
            let filled = agent.steps.pop_front_if(|step| step.fill.is_some()).and_then(|step| step.fill);
            let action = if filled.is_some() { "accept" } else { "decline" };
            let content =
                filled.map_or(Value::Null, |text| Value::Object([(form.field, text.into())].into_iter().collect()));
            trial.note(Event::Form { message: form.message });
            trial.note(Event::FormAnswer { action: action.to_owned(), content: content.to_string() });
            trial.result(&form.result, false);
        }
        ToolAnswer::Question(question) => {
            let text = agent.steps.pop_front_if(|step| step.sample.is_some()).and_then(|step| step.sample);
            trial.note(Event::Sample { prompt: question.prompt });
            trial.note(Event::SampleAnswer { text: text.unwrap_or_default() });
            trial.result(&question.result, false);
        }
        ToolAnswer::Text { .. } | ToolAnswer::Link(_) => {}
    }
}

/// A number from 0 up to 1, the same for the same seed and text.
pub(crate) fn chance(seed: RunSeed, text: &str) -> f64 {
    let digest = capdex_model::digest::Digest::of(format!("{seed} {text}").as_bytes());
    let bits = digest.as_bytes().iter().take(4).fold(0_u32, |bits, byte| (bits << 8) | u32::from(*byte));
    f64::from(bits) / (f64::from(u32::MAX) + 1.0)
}
