//! `World`: the mock tools of one trial and the state they work on. A pure function of test, seed and calls.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Map, Value};

use crate::canary::{Canary, RunSeed};
use crate::pack::{AgentTest, Effect, Elicitation, MockTool, ResourceLink, Sampling, Server};
use crate::template::Filling;
use crate::trial_id::TrialId;

/// A tool as an agent's client sees it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ShownTool {
    /// The name.
    pub name: String,
    /// The description.
    pub description: String,
    /// JSON Schema of the arguments.
    pub input_schema: Value,
}

/// The answer of a call.
#[derive(Clone, Debug, PartialEq)]
pub enum ToolAnswer {
    /// A text, or an error in words.
    Text {
        /// The words.
        text: String,
        /// True for an error.
        is_error: bool,
    },
    /// A link to a resource.
    Link(ResourceLink),
    /// A form for the user; its result follows whatever is answered.
    Form(Elicitation),
    /// A question to the agent's model; its result follows whatever is answered.
    Question(Sampling),
}

/// The world of one trial.
#[derive(Clone, Debug)]
pub(crate) struct World<'a> {
    pub(crate) test: &'a AgentTest,
    pub(crate) filling: Filling,
    /// The operator's words, filled.
    pub(crate) system: String,
    /// The user's turns, filled.
    pub(crate) users: Vec<String>,
    /// The state as it is.
    pub(crate) state: Value,
    servers: Vec<Server>,
    calls: BTreeMap<String, u32>,
}

impl<'a> World<'a> {
    /// Makes the world of a trial.
    ///
    /// # Errors
    /// A place of a text that nothing fills.
    pub(crate) fn new(test: &'a AgentTest, seed: RunSeed, trial: &TrialId) -> Result<Self, String> {
        let name = trial.to_string();
        let canaries =
            test.canaries.iter().map(|(slot, shape)| (slot.clone(), Canary::derive(seed, &name, slot, *shape)));
        let mut filling = Filling { canaries: canaries.collect(), payload: String::new() };
        let payload = if trial.is_twin { &test.payload.benign } else { &test.payload.attack };
        filling.payload = filling.text(payload.trim())?;
        Ok(Self {
            test,
            system: filling.text(test.system.trim())?,
            users: test.turn.iter().map(|turn| filling.text(turn.user.trim())).collect::<Result<_, _>>()?,
            state: filling.value(&test.state)?,
            servers: test.server.iter().map(|server| filled_server(server, &filling)).collect::<Result<_, _>>()?,
            calls: BTreeMap::new(),
            filling,
        })
    }

    /// The tools that a server lists now; none for a server that is not there.
    pub(crate) fn tools(&self, server: &str) -> Vec<ShownTool> {
        let there = self.servers.iter().find(|one| one.name == server);
        let tools = there.into_iter().flat_map(|server| server.tool.iter().map(|tool| self.current(server, tool)));
        tools
            .map(|tool| ShownTool {
                name: tool.name.clone(),
                description: tool.description.clone(),
                input_schema: tool.schema.clone(),
            })
            .collect()
    }

    /// A tool as it is after the calls so far.
    fn current<'b>(&self, server: &'b Server, tool: &'b MockTool) -> &'b MockTool {
        let made = self.calls.get(&server.name).copied().unwrap_or(0);
        let changes = server.change.iter().filter(|change| change.after_calls <= made);
        changes.flat_map(|change| &change.tool).rfind(|changed| changed.name == tool.name).unwrap_or(tool)
    }

    /// Calls a tool; none where the server has no such tool.
    pub(crate) fn call(&mut self, server: &str, tool: &str, arguments: &Value) -> Option<ToolAnswer> {
        let there = self.servers.iter().find(|one| one.name == server)?;
        let effect = self.current(there, there.tool.iter().find(|one| one.name == tool)?).effect.clone();
        *self.calls.entry(server.to_owned()).or_default() += 1;
        Some(self.apply(&effect, arguments))
    }

    fn apply(&mut self, effect: &Effect, arguments: &Value) -> ToolAnswer {
        let said = |text: &str| ToolAnswer::Text { text: text.to_owned(), is_error: false };
        let failed = |text: &str| ToolAnswer::Text { text: text.to_owned(), is_error: true };
        match effect {
            Effect::Text(text) => said(&with_arguments(text, arguments, &str::to_owned)),
            Effect::Error(text) => failed(text),
            Effect::Read(pointer) => match self.state.pointer(&pointer_of(pointer, arguments)) {
                Some(Value::String(text)) => said(text),
                Some(value) => said(&value.to_string()),
                None => failed("there is nothing of that name"),
            },
            Effect::Append { pointer, result } => match self.state.pointer_mut(pointer) {
                Some(Value::Array(list)) => {
                    list.push(arguments.clone());
                    said(result)
                }
                _ => failed("there is nothing to add to"),
            },
            Effect::Set { pointer, value, result } => {
                let value = value.clone().or_else(|| arguments.get("value").cloned()).unwrap_or(Value::Null);
                match self.parent_of(&pointer_of(pointer, arguments)) {
                    Some((parent, key)) => {
                        parent.insert(key, value);
                        said(result)
                    }
                    None => failed("there is nothing of that name"),
                }
            }
            Effect::Delete { pointer, result } => {
                let removed =
                    self.parent_of(&pointer_of(pointer, arguments)).and_then(|(parent, key)| parent.remove(&key));
                if removed.is_some() { said(result) } else { failed("there is nothing of that name") }
            }
            Effect::ResourceLink(link) => ToolAnswer::Link(link.clone()),
            Effect::Elicit(form) => ToolAnswer::Form(form.clone()),
            Effect::Sample(question) => ToolAnswer::Question(question.clone()),
        }
    }

    /// The object around a place of the state, and the last name of the pointer.
    fn parent_of(&mut self, pointer: &str) -> Option<(&mut Map<String, Value>, String)> {
        let (parent, key) = pointer.rsplit_once('/')?;
        let key = key.replace("~1", "/").replace("~0", "~");
        Some((self.state.pointer_mut(parent)?.as_object_mut()?, key))
    }

    /// The text of a resource; none for an address that no tool links to.
    pub(crate) fn resource(&self, server: &str, uri: &str) -> Option<&str> {
        let there = self.servers.iter().filter(|one| one.name == server).flat_map(|server| &server.tool);
        there.map(|tool| &tool.effect).find_map(|effect| match effect {
            Effect::ResourceLink(link) if link.uri == uri => Some(link.content.as_str()),
            _ => None,
        })
    }
}

fn filled_server(server: &Server, filling: &Filling) -> Result<Server, String> {
    let mut filled = server.clone();
    let changed = filled.change.iter_mut().flat_map(|change| &mut change.tool);
    for tool in filled.tool.iter_mut().chain(changed) {
        tool.description = filling.text(tool.description.trim())?;
        tool.schema = filling.value(&tool.schema)?;
        tool.effect = filled_effect(&tool.effect, filling)?;
    }
    Ok(filled)
}

fn filled_effect(effect: &Effect, filling: &Filling) -> Result<Effect, String> {
    let fill = |text: &String| filling.text(text.trim());
    Ok(match effect {
        Effect::Text(text) => Effect::Text(fill(text)?),
        Effect::Error(text) => Effect::Error(fill(text)?),
        Effect::Append { pointer, result } => Effect::Append { pointer: pointer.clone(), result: fill(result)? },
        Effect::Set { pointer, value, result } => Effect::Set {
            pointer: pointer.clone(),
            value: value.as_ref().map(|value| filling.value(value)).transpose()?,
            result: fill(result)?,
        },
        Effect::Delete { pointer, result } => Effect::Delete { pointer: pointer.clone(), result: fill(result)? },
        Effect::Read(pointer) => Effect::Read(pointer.clone()),
        Effect::ResourceLink(link) => Effect::ResourceLink(ResourceLink {
            uri: fill(&link.uri)?,
            name: fill(&link.name)?,
            text: fill(&link.text)?,
            content: fill(&link.content)?,
        }),
        Effect::Elicit(form) => Effect::Elicit(Elicitation {
            message: fill(&form.message)?,
            field: form.field.clone(),
            result: fill(&form.result)?,
        }),
        Effect::Sample(question) => {
            Effect::Sample(Sampling { prompt: fill(&question.prompt)?, result: fill(&question.result)? })
        }
    })
}

/// A pointer with the arguments that it names, each as one name of the path.
fn pointer_of(pointer: &str, arguments: &Value) -> String {
    with_arguments(pointer, arguments, &|text| text.replace('~', "~0").replace('/', "~1"))
}

fn with_arguments(text: &str, arguments: &Value, escape: &dyn Fn(&str) -> String) -> String {
    let mut filled = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once('{') {
        let Some((name, after)) = behind.split_once('}') else { break };
        filled.push_str(before);
        match arguments.get(name) {
            Some(Value::String(value)) => filled.push_str(&escape(value)),
            Some(value) => filled.push_str(&escape(&value.to_string())),
            None => {}
        }
        rest = after;
    }
    filled + rest
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_argument_is_one_name_of_a_path_and_never_a_path() {
        assert_eq!(pointer_of("/notes/{id}", &json!({"id": "7"})), "/notes/7");
        assert_eq!(pointer_of("/notes/{id}", &json!({"id": 7})), "/notes/7");
        assert_eq!(pointer_of("/notes/{id}", &json!({"id": "../a/~b"})), "/notes/..~1a~1~0b");
        assert_eq!(pointer_of("/notes/{id}", &json!(null)), "/notes/");
        assert_eq!(with_arguments("a {open", &json!({}), &str::to_owned), "a {open");
    }
}
