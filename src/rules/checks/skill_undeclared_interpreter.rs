//! Skills that ask for an interpreter or shell though their text never needs one.

use serde_json::Value;

use crate::FactSink;
use capdex_evidence::manifest::{name_of, place_of};
use capdex_evidence::subject::Subject;

/// Programs that run whatever they are given.
const INTERPRETERS: [&str; 9] = ["bash", "sh", "zsh", "python", "python3", "node", "ruby", "perl", "pwsh"];

/// Words of a text that has a use for one; the list that SpiderRating publishes, with names of what is run.
const USES: [&str; 16] = [
    "shell", "terminal", "command", "execut", "script", "code", "run ", "bash", "python", "node", "ruby", "perl",
    "cli", "```", "npx", "install",
];

/// The deepest place in front matter where programs are asked for.
const DEPTH: usize = 4;

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    let capability = subject.capability;
    let is_skill = |path: &&String| name_of(path).eq_ignore_ascii_case("skill.md");
    let Some(path) = capability.files.iter().find(is_skill) else { return };
    let (Some(document), Some(front)) = (subject.evidence.documents.get(path), subject.evidence.manifests.get(path))
    else {
        return;
    };
    // Scripts beside the text are a use of their own.
    if capability.files.len() > 1 {
        return;
    }
    let Some((pointer, program)) = asked(&front.value, String::new(), 0) else { return };
    // Without its front matter, which would itself answer for the interpreter that it asks for.
    let (_, body) = document.text.trim_start_matches("---").split_once("\n---").unwrap_or(("", &document.text));
    let description = front.text("description").unwrap_or_default();
    let said = format!("{description} {body}").to_lowercase();
    if !USES.iter().any(|word| said.contains(word)) {
        facts.found(place_of(document, &pointer), &format!("asks for {program}"));
    }
}

/// The first interpreter among `bins` (with the pointer to the list), or the shell among the allowed tools.
fn asked(value: &Value, pointer: String, depth: usize) -> Option<(String, String)> {
    let fields = value.as_object().filter(|_| depth < DEPTH)?;
    fields.iter().find_map(|(key, field)| {
        let pointer = format!("{pointer}/{key}");
        match key.as_str() {
            // Where OpenClaw's format asks for programs, at whatever depth of `metadata`.
            "bins" | "anyBins" => {
                let names = field.as_array()?.iter().filter_map(Value::as_str);
                let found = names.into_iter().find(|name| INTERPRETERS.contains(name))?;
                Some((pointer, found.to_owned()))
            }
            "allowed-tools" => {
                let listed = match field {
                    Value::String(text) => text.split([',', ' ']).map(str::to_owned).collect::<Vec<_>>(),
                    Value::Array(tools) => tools.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
                    _ => Vec::new(),
                };
                // `Bash(git:*)` asks for one program and is no shell.
                let whole = |tool: &String| matches!(tool.as_str(), "Bash" | "Bash(*)" | "Bash(*:*)");
                listed.into_iter().find(whole).map(|tool| (pointer, tool))
            }
            _ => asked(field, pointer, depth + 1),
        }
    })
}
