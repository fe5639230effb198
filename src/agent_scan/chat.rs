//! The loop over a chat endpoint: texts and tools to a model, its calls to the world, until it calls nothing more.
//!
//! A [`ChatModel`] carries the texts; the loop knows no network. Form of messages: Chat Completions with `tools`.

use serde_json::{Value, json};

use crate::pack::PackHead;
use crate::transcript::{EndReason, Event};
use crate::trial::{ShownTool, ToolAnswer, Trial};

/// Stands between server and tool in the names that a chat endpoint sees, so that two servers may have tools of one name.
const BETWEEN: &str = "__";

/// A request to a model.
#[derive(Clone, Copy, Debug)]
pub struct ChatRequest<'a> {
    /// The messages, the oldest first.
    pub messages: &'a [Value],
    /// The tools, as functions.
    pub tools: &'a [Value],
}

/// A call that a model asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolCall {
    /// The id that its result names.
    pub id: String,
    /// The name, with the server before it.
    pub name: String,
    /// The arguments as they came, JSON or not.
    pub arguments: String,
}

/// The answer of a model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChatAnswer {
    /// Its words.
    pub text: String,
    /// Its calls in their order.
    pub calls: Vec<ToolCall>,
    /// True where it was cut at its most tokens.
    pub is_cut: bool,
    /// The model that it names.
    pub model: String,
    /// The state of the system that it names.
    pub fingerprint: String,
    /// The tokens that it counts.
    pub tokens: u64,
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChatFault {
    /// It took too long.
    Timeout,
    /// It could not be reached, or answered with what is no answer.
    Transport(String),
    /// Somebody asked to stop: the trial is not over.
    Interrupted,
}

/// A model that answers.
pub trait ChatModel {
    /// Answers one request.
    ///
    /// # Errors
    /// No answer, and why.
    fn answer(&mut self, request: &ChatRequest<'_>) -> Result<ChatAnswer, ChatFault>;
}

impl ChatAnswer {
    /// Reads the body of an endpoint's answer.
    ///
    /// # Errors
    /// A body that is no chat completion with one choice.
    pub fn read(body: &[u8]) -> Result<Self, ChatFault> {
        let wrong = || ChatFault::Transport("the answer is no chat completion".to_owned());
        let body: Value = serde_json::from_slice(body).map_err(|_| wrong())?;
        let choice = body.pointer("/choices/0").ok_or_else(wrong)?;
        let message = choice.get("message").filter(|message| message.is_object()).ok_or_else(wrong)?;
        let text_of =
            |value: &Value, name: &str| value.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        let call = |call: &Value| {
            let function = call.get("function")?;
            let arguments = match function.get("arguments") {
                Some(Value::String(text)) => text.clone(),
                // Some endpoints send the object itself.
                Some(value) => value.to_string(),
                None => String::new(),
            };
            Some(ToolCall { id: text_of(call, "id"), name: text_of(function, "name"), arguments })
        };
        let calls = message.get("tool_calls").and_then(Value::as_array);
        Ok(Self {
            text: text_of(message, "content"),
            calls: calls.into_iter().flatten().map(call).collect::<Option<_>>().ok_or_else(wrong)?,
            is_cut: choice.get("finish_reason").and_then(Value::as_str) == Some("length"),
            model: text_of(&body, "model"),
            fingerprint: text_of(&body, "system_fingerprint"),
            tokens: body.pointer("/usage/total_tokens").and_then(Value::as_u64).unwrap_or(0),
        })
    }

    /// The same as a message, for the next request.
    fn message(&self) -> Value {
        let calls: Vec<Value> = self
            .calls
            .iter()
            .map(|call| {
                json!({"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}})
            })
            .collect();
        let mut message = json!({"role": "assistant", "content": self.text});
        if let (Some(message), false) = (message.as_object_mut(), calls.is_empty()) {
            message.insert("tool_calls".to_owned(), calls.into());
        }
        message
    }
}

/// Plays a trial to its end, all turns of it. The transcript has no end where the model was interrupted.
pub fn play(trial: &mut Trial<'_>, bounds: &PackHead, model: &mut dyn ChatModel) {
    if let Some((reason, detail)) = turns(trial, bounds, model) {
        trial.end(reason, &detail);
    }
}

/// Plays all turns. None where the model was interrupted.
fn turns(trial: &mut Trial<'_>, bounds: &PackHead, model: &mut dyn ChatModel) -> Option<(EndReason, String)> {
    let system = trial.system();
    let (mut messages, mut session) = (Vec::new(), 0);
    let mut left = Left { answers: bounds.max_answers, calls: bounds.max_calls, noted: (String::new(), String::new()) };
    let sessions: Vec<u32> = trial.test().turn.iter().map(|turn| turn.session).collect();
    for (turn, number) in (1..).zip(sessions) {
        if number != session {
            session = number;
            messages = vec![json!({"role": "system", "content": system})];
        }
        let Some(user) = trial.user(turn) else { break };
        messages.push(json!({"role": "user", "content": user}));
        match left.turn(trial, &mut messages, model) {
            Ok(()) => {}
            Err(Stopped::Interrupted) => return None,
            Err(Stopped::Ended(reason, detail)) => return Some((reason, detail)),
        }
    }
    Some((EndReason::Stop, String::new()))
}

/// Why a turn was not played to its end.
enum Stopped {
    Interrupted,
    Ended(EndReason, String),
}

impl From<EndReason> for Stopped {
    fn from(reason: EndReason) -> Self {
        Self::Ended(reason, String::new())
    }
}

/// The answers and calls that a trial may still use.
struct Left {
    answers: u32,
    calls: u32,
    /// Model and state of its system as they were noted last.
    noted: (String, String),
}

impl Left {
    /// Plays one turn, until an answer calls nothing.
    fn turn(
        &mut self,
        trial: &mut Trial<'_>,
        messages: &mut Vec<Value>,
        model: &mut dyn ChatModel,
    ) -> Result<(), Stopped> {
        loop {
            self.answers = self.answers.checked_sub(1).ok_or(EndReason::Answers)?;
            let tools = functions(trial);
            let answer = match model.answer(&ChatRequest { messages, tools: &tools }) {
                Ok(answer) => answer,
                Err(ChatFault::Interrupted) => return Err(Stopped::Interrupted),
                Err(ChatFault::Timeout) => return Err(EndReason::Timeout.into()),
                Err(ChatFault::Transport(why)) => return Err(Stopped::Ended(EndReason::Transport, why)),
            };
            self.note(trial, &answer);
            if !answer.text.is_empty() {
                trial.note(Event::Assistant { text: answer.text.clone() });
            }
            if answer.is_cut {
                return Err(EndReason::Tokens.into());
            }
            if answer.calls.is_empty() && answer.text.trim().is_empty() {
                return Err(EndReason::Empty.into());
            }
            messages.push(answer.message());
            if answer.calls.is_empty() {
                return Ok(());
            }
            for call in &answer.calls {
                self.calls = self.calls.checked_sub(1).ok_or(EndReason::Calls)?;
                let content = called(trial, call);
                messages.push(json!({"role": "tool", "tool_call_id": call.id, "content": content}));
            }
        }
    }

    /// Notes who answered.
    fn note(&mut self, trial: &mut Trial<'_>, answer: &ChatAnswer) {
        let ChatAnswer { model, fingerprint, tokens, .. } = answer;
        if *tokens > 0 || (model, fingerprint) != (&self.noted.0, &self.noted.1) {
            self.noted = (model.clone(), fingerprint.clone());
            trial.note(Event::Answered { model: model.clone(), fingerprint: fingerprint.clone(), tokens: *tokens });
        }
    }
}

/// The tools of all servers as functions.
fn functions(trial: &mut Trial<'_>) -> Vec<Value> {
    let servers: Vec<&str> = trial.test().server.iter().map(|server| server.name.as_str()).collect();
    let mut functions = Vec::new();
    for server in servers {
        for ShownTool { name, description, input_schema } in trial.list(server) {
            let name = format!("{server}{BETWEEN}{name}");
            functions.push(json!({"type": "function", "function": {"name": name, "description": description, "parameters": input_schema}}));
        }
    }
    functions
}

/// Makes a call, and gives the words of its result.
fn called(trial: &mut Trial<'_>, call: &ToolCall) -> String {
    let (server, tool) = call.name.split_once(BETWEEN).unwrap_or(("", &call.name));
    match trial.call(server, tool, &call.arguments) {
        ToolAnswer::Text { text, is_error: false } => text,
        ToolAnswer::Text { text, is_error: true } => format!("error: {text}"),
        ToolAnswer::Link(link) => format!("{} ({})", link.text, link.uri),
        // No test of a chat has them: a chat has no forms and asks no questions of its own.
        ToolAnswer::Form(_) | ToolAnswer::Question(_) => {
            let why = "the client cannot show this";
            trial.result(why, true);
            why.to_owned()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_read_with_its_calls_whether_their_arguments_are_a_text_or_an_object() {
        let body = json!({"model": "m", "system_fingerprint": "f", "usage": {"total_tokens": 7}, "choices": [{"finish_reason": "tool_calls",
            "message": {"content": null, "tool_calls": [
                {"id": "1", "function": {"name": "a__b", "arguments": "{\"x\":"}},
                {"id": "2", "function": {"name": "a__c", "arguments": {"x": 1}}}]}}]});
        let answer = ChatAnswer::read(body.to_string().as_bytes()).expect("an answer");
        assert_eq!((&*answer.model, &*answer.fingerprint, answer.tokens, answer.is_cut), ("m", "f", 7, false));
        let arguments: Vec<&str> = answer.calls.iter().map(|call| call.arguments.as_str()).collect();
        assert_eq!(arguments, ["{\"x\":", "{\"x\":1}"]);
    }

    #[test]
    fn what_is_no_completion_is_a_fault_of_the_transport() {
        let deep = format!("{{\"choices\":{}", "[".repeat(100_000));
        for body in ["", "{}", "[]", "{\"choices\":[]}", "{\"choices\":[{\"message\":\"x\"}]}", &deep] {
            assert!(matches!(ChatAnswer::read(body.as_bytes()), Err(ChatFault::Transport(_))));
        }
    }
}
