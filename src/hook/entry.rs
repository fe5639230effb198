//! The entry of a client's settings that starts `capdex hook`, and the settings with it in them.
//!
//! The file is its user's: the entry is put into its text, and every other byte stays. Settings that are not what the client's
//! format says are refused and left alone.

use std::collections::BTreeMap;
use std::ops::Range;

use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::client::HookClient;

/// The levels of settings are indented by so many blanks where we write them.
const INDENT: &str = "  ";

/// The settings of one client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HookEntry {
    /// The client.
    pub client: HookClient,
    /// The command that it starts.
    pub command: String,
}

/// The settings after the entry was put in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Settings {
    /// The entry was there.
    AsBefore,
    /// The text to be written.
    Changed(String),
}

impl HookEntry {
    /// The settings file below a project or the home folder.
    pub const fn file(&self) -> &'static str {
        match self.client {
            HookClient::Claude => ".claude/settings.json",
            HookClient::Codex => ".codex/hooks.json",
            HookClient::Cursor => ".cursor/hooks.json",
            HookClient::Gemini => ".gemini/settings.json",
        }
    }

    /// The events with the entry of each.
    fn events(&self) -> Vec<(&'static str, Value)> {
        let command = &self.command;
        let started = json!({"type": "command", "command": command});
        match self.client {
            HookClient::Claude => {
                let tools = "Bash|Write|Edit|MultiEdit|mcp__.*";
                vec![("PreToolUse", json!({"matcher": tools, "hooks": [started]}))]
            }
            HookClient::Codex => vec![("PreToolUse", json!({"hooks": [started]}))],
            HookClient::Cursor => vec![
                ("beforeShellExecution", json!({"command": command})),
                ("preToolUse", json!({"command": command, "matcher": "Write"})),
            ],
            HookClient::Gemini => {
                let named = json!({"name": "capdex", "type": "command", "command": command});
                vec![(
                    "BeforeTool",
                    json!({"matcher": "run_shell_command|write_file|replace|mcp_.*", "hooks": [named]}),
                )]
            }
        }
    }

    /// Settings that hold nothing else.
    pub fn alone(&self) -> Value {
        let events: BTreeMap<&str, Value> =
            self.events().into_iter().map(|(event, entry)| (event, json!([entry]))).collect();
        match self.client {
            HookClient::Cursor => json!({"version": 1, "hooks": events}),
            _ => json!({"hooks": events}),
        }
    }

    /// Settings with the entry in them. One that another call wrote has its command replaced.
    ///
    /// # Errors
    /// A reason why the settings are not those of the client.
    pub fn put_into(&self, before: &str) -> Result<Settings, String> {
        if before.trim().is_empty() {
            return Ok(Settings::Changed(format!("{:#}\n", self.alone())));
        }
        if self.client == HookClient::Cursor && object(before)?.get("version").map(|version| version.get()) != Some("1")
        {
            return Err("it does not say \"version\": 1, the only format of hooks that is known".to_owned());
        }
        let mut text = before.to_owned();
        for (event, entry) in self.events() {
            text = self.with_entry(&text, event, &entry)?;
        }
        Ok(if text == before { Settings::AsBefore } else { Settings::Changed(text) })
    }

    fn with_entry(&self, text: &str, event: &str, entry: &Value) -> Result<String, String> {
        let root = object(text)?;
        let Some(hooks) = root.get("hooks") else {
            return Ok(put_first(text, 0..text.len(), &format!("\"hooks\": {}", json!({event: [entry]})), 1));
        };
        let events = object(hooks.get()).map_err(|_| "its hooks are no object".to_owned())?;
        let Some(list) = events.get(event) else {
            let member = format!("\"{event}\": {}", json!([entry]));
            return Ok(put_first(text, range(text, hooks), &member, 2));
        };
        let entries: Vec<&RawValue> =
            serde_json::from_str(list.get()).map_err(|_| format!("its {event} hooks are no list"))?;
        for command in entries.iter().flat_map(|entry| commands(entry.get())) {
            let written: String = serde_json::from_str(command.get()).unwrap_or_default();
            if self.is_ours(&written) {
                let mut after = text.to_owned();
                after.replace_range(range(text, command), &Value::from(self.command.as_str()).to_string());
                return Ok(after);
            }
        }
        Ok(put_first(text, range(text, list), &entry.to_string(), 3))
    }

    /// True for a command that an earlier call wrote.
    fn is_ours(&self, command: &str) -> bool {
        // Wherever the program lay then.
        let name = |command: &str| {
            let (program, rest) = command.split_once(" hook ")?;
            let program = program.trim_matches('\'').rsplit(['/', '\\']).next()?;
            Some((program.to_owned(), rest.split(' ').next()?.to_owned()))
        };
        name(command).is_some_and(|theirs| Some(theirs) == name(&self.command))
    }
}

/// The members of an object, each by its text.
fn object(text: &str) -> Result<BTreeMap<String, &RawValue>, String> {
    serde_json::from_str(text).map_err(|error| format!("it is no JSON object: {error}"))
}

/// The commands of an entry: its own, and those of the list in it.
fn commands(entry: &str) -> Vec<&RawValue> {
    let Ok(entry) = object(entry) else { return Vec::new() };
    let own = entry.get("command").copied();
    let listed: Vec<&RawValue> =
        entry.get("hooks").and_then(|hooks| serde_json::from_str(hooks.get()).ok()).unwrap_or_default();
    let listed = listed.into_iter().filter_map(|one| object(one.get()).ok()?.get("command").copied());
    own.into_iter().chain(listed).collect()
}

/// The place of a part of a text in it.
fn range(text: &str, part: &RawValue) -> Range<usize> {
    // A part borrows the text, so that their distance is its place.
    let start = part.get().as_ptr().addr().saturating_sub(text.as_ptr().addr());
    start..start + part.get().len()
}

/// A text with something put first into the object or list that stands in `within`, `depth` levels deep.
fn put_first(text: &str, within: Range<usize>, addition: &str, depth: usize) -> String {
    let start = within.start + text.get(within.clone()).and_then(|part| part.find(['{', '['])).unwrap_or(0) + 1;
    let inside = text.get(start..within.end).unwrap_or_default().trim_start();
    let indent = INDENT.repeat(depth);
    let end = if inside.starts_with(['}', ']']) { format!("\n{}", INDENT.repeat(depth - 1)) } else { ",".to_owned() };
    let mut after = text.to_owned();
    let rest = text.get(start..).unwrap_or_default();
    // An empty one may have been written with blanks inside.
    let blanks = if end == "," { 0 } else { rest.len() - rest.trim_start().len() };
    after.replace_range(start..start + blanks, &format!("\n{indent}{addition}{end}"));
    after
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLIENTS: [HookClient; 4] = [HookClient::Claude, HookClient::Codex, HookClient::Cursor, HookClient::Gemini];

    fn entry(client: HookClient, db: &str) -> HookEntry {
        HookEntry { client, command: format!("/opt/capdex hook {} --db {db}", client.word()) }
    }

    fn changed(entry: &HookEntry, before: &str) -> String {
        match entry.put_into(before).expect("settings") {
            Settings::Changed(text) => text,
            Settings::AsBefore => panic!("nothing was put into {before}"),
        }
    }

    fn value(text: &str) -> Value {
        serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
    }

    #[test]
    fn every_client_has_its_entry_once_and_a_second_call_changes_nothing() {
        for client in CLIENTS {
            let entry = entry(client, "a.db");
            for before in
                ["", "{}", "{ }", "{\n}\n", "{\"hooks\": {}}", "{\"hooks\":{\"PreToolUse\":[],\"BeforeTool\":[ ]}}"]
            {
                let before = match (client, before.split_once('{')) {
                    (HookClient::Cursor, Some((_, rest))) if rest.trim_start().starts_with('}') => {
                        "{\"version\": 1}".to_owned()
                    }
                    (HookClient::Cursor, Some((_, rest))) => format!("{{\"version\": 1, {rest}"),
                    _ => before.to_owned(),
                };
                let after = changed(&entry, &before);
                value(&after);
                assert_eq!(entry.put_into(&after), Ok(Settings::AsBefore), "{after}");
                let count = entry.events().len();
                assert_eq!(after.matches("/opt/capdex hook").count(), count, "{client:?}: {after}");
            }
        }
    }

    #[test]
    fn all_else_stays_as_it_was_byte_for_byte() {
        let before = "{\n    \"model\" : \"x\",\t\"z\":1.0e2,\n  \"hooks\":{ \"PreToolUse\" : [ {\"matcher\":\"Bash\",\"hooks\":[{\"type\":\"command\",\"command\":\"mine\"}]} ],\"Stop\":[]},\n\n \"a\": \"\\u00e9\"\n}\n";
        let after = changed(&entry(HookClient::Claude, "a.db"), before);
        let entry_text = entry(HookClient::Claude, "a.db").events()[0].1.to_string();
        assert_eq!(after.replace(&format!("\n      {entry_text},"), ""), before);
        let list = &value(&after)["hooks"]["PreToolUse"];
        assert_eq!((list.as_array().map(Vec::len), &list[1]["hooks"][0]["command"]), (Some(2), &json!("mine")));
    }

    #[test]
    fn an_entry_of_before_has_its_command_replaced_and_others_stay() {
        for client in CLIENTS {
            let old = changed(&entry(client, "old.db"), "");
            let new = changed(&entry(client, "new.db"), &old);
            assert_eq!(new, old.replace("old.db", "new.db"));
        }
        let other = "{\"hooks\":{\"PreToolUse\":[{\"hooks\":[{\"command\":\"/opt/other hook claude\"},{\"command\":\"/opt/capdex hook codex\"}]}]}}";
        let after = changed(&entry(HookClient::Claude, "a.db"), other);
        assert!(after.contains("/opt/other hook claude\"") && after.contains("/opt/capdex hook codex\""), "{after}");
    }

    #[test]
    fn what_is_not_the_client_s_format_is_refused() {
        for before in
            ["[]", "7", "{", "// mine\n{}", "{\"hooks\": []}", "{\"hooks\": {\"PreToolUse\": {}}}", "{\"hooks\": {}} x"]
        {
            assert!(entry(HookClient::Claude, "a.db").put_into(before).is_err(), "{before}");
        }
        for before in ["{}", "{\"version\": 2, \"hooks\": {}}"] {
            assert!(entry(HookClient::Cursor, "a.db").put_into(before).is_err(), "{before}");
        }
    }
}
