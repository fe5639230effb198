//! `HookEvent`: the call that a client asks about, read by the keys that its tools have in common.
//!
//! Clients call their tools differently and name the arguments alike: a command, or a path with a content or an edit. A tool of
//! an MCP server that runs commands or writes files is read by the same keys.

use std::path::PathBuf;

use serde_json::{Map, Value};

/// One call of a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HookEvent {
    /// The name of the event.
    pub name: String,
    /// The folder in which the agent works; none where the event does not say.
    pub folder: Option<PathBuf>,
    /// The actions of the call.
    pub actions: Vec<HookAction>,
}

/// One thing that a call does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HookAction {
    /// Runs a text as a shell does.
    Shell(String),
    /// Runs a program with these arguments.
    Program(Vec<String>),
    /// Writes a file.
    Write {
        /// Its path as the agent names it.
        path: String,
        /// Its content then.
        content: Content,
    },
}

/// The content of a file after a write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// This text.
    Whole(String),
    /// Its content of before, with each first text replaced by the second, in order.
    Edited(Vec<(String, String)>),
    /// Nobody can say here.
    Unknown,
}

const COMMANDS: [&str; 3] = ["command", "cmd", "script"];
const PATHS: [&str; 6] = ["file_path", "filePath", "path", "absolute_path", "target_file", "filename"];
const CONTENTS: [&str; 5] = ["content", "contents", "file_text", "text", "code_edit"];
const EDITS: [(&str, &str); 4] =
    [("old_string", "new_string"), ("oldString", "newString"), ("old_str", "new_str"), ("oldText", "newText")];
/// The first line of the patches that Codex applies.
const PATCH: &str = "*** Begin Patch";

impl HookEvent {
    /// Reads an event.
    ///
    /// # Errors
    /// The fault of an event that cannot be read.
    pub fn read(event: &Value) -> Result<Self, &'static str> {
        let object = event.as_object().ok_or("the event is no object")?;
        let text = |key: &str| object.get(key).and_then(Value::as_str);
        let name = text("hook_event_name").ok_or("the event has no name")?.to_owned();
        // Cursor's event of a command has no tool around it.
        let input = match object.get("tool_input") {
            None => object,
            Some(Value::Object(input)) => input,
            // Some clients write the arguments as text.
            Some(Value::String(input)) => {
                let parsed: Option<Value> = serde_json::from_str(input).ok();
                let Some(Value::Object(input)) = parsed else { return Err("the tool's arguments are no object") };
                return Ok(Self { name, folder: text("cwd").map(PathBuf::from), actions: actions(&input) });
            }
            Some(_) => return Err("the tool's arguments are no object"),
        };
        Ok(Self { name, folder: text("cwd").map(PathBuf::from), actions: actions(input) })
    }
}

fn actions(input: &Map<String, Value>) -> Vec<HookAction> {
    let text = |keys: &[&str]| keys.iter().find_map(|key| input.get(*key)?.as_str());
    if let Some(patch) = input.values().filter_map(Value::as_str).find(|text| text.trim_start().starts_with(PATCH)) {
        return patched(patch);
    }
    if let Some(path) = text(&PATHS) {
        let edit = |input: &Map<String, Value>| {
            let pair = |(old, new): &(&str, &str)| {
                Some((input.get(*old)?.as_str()?.to_owned(), input.get(*new)?.as_str()?.to_owned()))
            };
            EDITS.iter().find_map(pair)
        };
        let listed = input.get("edits").and_then(Value::as_array);
        let listed = listed.map(|edits| edits.iter().filter_map(|one| edit(one.as_object()?)).collect::<Vec<_>>());
        let content = match (text(&CONTENTS), edit(input), listed) {
            (Some(content), ..) => Some(Content::Whole(content.to_owned())),
            (None, Some(edit), _) => Some(Content::Edited(vec![edit])),
            (None, None, Some(edits)) if !edits.is_empty() => Some(Content::Edited(edits)),
            (None, None, Some(_)) => Some(Content::Unknown),
            // It only reads.
            (None, None, None) => None,
        };
        if let Some(content) = content {
            return vec![HookAction::Write { path: path.to_owned(), content }];
        }
    }
    if let Some(command) = text(&COMMANDS) {
        let arguments = input.get("args").and_then(Value::as_array);
        return match arguments {
            Some(arguments) => vec![HookAction::Program(program(Some(command), arguments))],
            None => vec![HookAction::Shell(command.to_owned())],
        };
    }
    let list = COMMANDS.iter().find_map(|key| input.get(*key)?.as_array());
    list.map(|words| HookAction::Program(program(None, words))).into_iter().collect()
}

fn program(first: Option<&str>, words: &[Value]) -> Vec<String> {
    first.into_iter().chain(words.iter().filter_map(Value::as_str)).map(str::to_owned).collect()
}

/// The files of a patch: of a new one the whole content stands in it.
fn patched(patch: &str) -> Vec<HookAction> {
    let mut actions = Vec::new();
    let mut lines = patch.lines().peekable();
    while let Some(line) = lines.next() {
        if let Some(path) = line.strip_prefix("*** Add File: ") {
            let mut content = String::new();
            while let Some(added) = lines.next_if(|line| line.starts_with('+')) {
                content.push_str(added.get(1..).unwrap_or_default());
                content.push('\n');
            }
            actions.push(HookAction::Write { path: path.trim().to_owned(), content: Content::Whole(content) });
        } else if let Some(path) = line.strip_prefix("*** Update File: ").or_else(|| line.strip_prefix("*** Move to: "))
        {
            actions.push(HookAction::Write { path: path.trim().to_owned(), content: Content::Unknown });
        }
    }
    actions
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(event: Value) -> Vec<HookAction> {
        HookEvent::read(&event).expect("an event").actions
    }

    fn of_tool(input: Value) -> Vec<HookAction> {
        read(json!({"hook_event_name": "PreToolUse", "cwd": "/w", "tool_name": "Any", "tool_input": input}))
    }

    #[test]
    fn commands_of_all_clients_are_read() {
        let shell = || vec![HookAction::Shell("npx kit".to_owned())];
        assert_eq!(of_tool(json!({"command": "npx kit", "description": "Run"})), shell());
        assert_eq!(of_tool(json!({"cmd": "npx kit"})), shell());
        assert_eq!(of_tool(Value::String("{\"command\": \"npx kit\"}".to_owned())), shell());
        assert_eq!(
            read(json!({"hook_event_name": "beforeShellExecution", "command": "npx kit", "cwd": "/w"})),
            shell()
        );
        let program = vec![HookAction::Program(["npx", "kit"].map(str::to_owned).to_vec())];
        assert_eq!(of_tool(json!({"command": ["npx", "kit"]})), program);
        assert_eq!(of_tool(json!({"command": "npx", "args": ["kit"]})), program);
    }

    #[test]
    fn writes_and_edits_of_all_clients_are_read_and_what_only_reads_is_none() {
        let write = |content: Content| vec![HookAction::Write { path: "a".to_owned(), content }];
        for input in [
            json!({"file_path": "a", "content": "x"}),
            json!({"path": "a", "contents": "x"}),
            json!({"path": "a", "file_text": "x", "command": "create"}),
        ] {
            assert_eq!(of_tool(input), write(Content::Whole("x".to_owned())));
        }
        let edit = || Content::Edited(vec![("x".to_owned(), "y".to_owned())]);
        assert_eq!(of_tool(json!({"file_path": "a", "old_string": "x", "new_string": "y"})), write(edit()));
        assert_eq!(
            of_tool(json!({"file_path": "a", "edits": [{"old_string": "x", "new_string": "y"}]})),
            write(edit())
        );
        assert_eq!(of_tool(json!({"file_path": "a"})), []);
        assert_eq!(of_tool(json!({"pattern": "npx"})), []);
    }

    #[test]
    fn the_files_of_a_patch_are_read() {
        let patch = "*** Begin Patch\n*** Add File: a\n+one\n+two\n*** Update File: b\n@@\n-x\n+y\n*** Delete File: c\n*** End Patch";
        let write = |path: &str, content| HookAction::Write { path: path.to_owned(), content };
        assert_eq!(
            of_tool(json!({"command": patch})),
            [write("a", Content::Whole("one\ntwo\n".to_owned())), write("b", Content::Unknown)]
        );
    }

    #[test]
    fn what_is_no_event_says_what_is_wrong() {
        for event in [json!([]), json!({}), json!({"hook_event_name": "PreToolUse", "tool_input": 7})] {
            assert!(HookEvent::read(&event).is_err(), "{event}");
        }
    }
}
