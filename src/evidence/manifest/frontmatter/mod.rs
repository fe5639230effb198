//! Front matter: the YAML at the head of Markdown files, read strictly, and as clients read it where that fails.
//!
//! About one skill in twenty has front matter that no YAML parser takes (measured on labelled skills, 2026-07). Mostly
//! it is a colon in an unquoted description. Clients read it a second time with its values as texts, and load it; so
//! what they see must be seen here too.

use serde_json::{Map, Value};

use crate::bytes::count;
use crate::document::Document;
use capdex_model::snapshot::{Gap, GapReason};

use super::path::{folder_of, name_of};
use super::{Manifest, ManifestKind, StrictRefusal};

mod lenient;
#[cfg(test)]
mod tests;
mod yaml;

/// The closing line must come within this many bytes.
const MAX_BYTES: usize = 256 * 1024;

/// Keys whose value is a text, whatever YAML makes of it.
const TEXT_KEYS: [&str; 3] = ["name", "description", "version"];

/// Reads a document's front matter. None where there is none. In files that agents load, what neither reading takes is
/// a gap, and what only the second takes is marked ([`Manifest::strict_refusal`]); in others neither is told.
pub(super) fn read(document: &Document, gaps: &mut Vec<Gap>) -> Option<Manifest> {
    let mut malformed = |detail: String| {
        if is_loaded(&document.path) {
            gaps.push(Gap::new(&document.path, GapReason::Malformed, detail));
        }
    };
    let (yaml, line) = match split(&document.text) {
        Split::None => return None,
        Split::Open => {
            malformed(format!("front matter without its closing line within {MAX_BYTES} bytes"));
            return None;
        }
        Split::Closed { yaml, line } => (yaml, line),
    };
    let mut strict_refusal = None;
    let mut object = match yaml::parse(yaml, yaml::MAX_NODES) {
        Ok(object) => object,
        Err(refusal) => {
            let reading = lenient::read(yaml);
            if refusal.over_budget || !reading.complete || reading.object.is_empty() {
                malformed(format!("front matter: {}", refusal.message));
            } else if is_loaded(&document.path) && !document.path.ends_with(".mdc") {
                // Cursor writes rules that are no YAML (`globs: *.ts`), so in them it tells nothing.
                let line = line.saturating_add(refusal.line - 1);
                strict_refusal = Some(StrictRefusal { line, reason: refusal.message });
            }
            // Also in part: a broken line would otherwise hide the description.
            (!reading.object.is_empty()).then_some(reading.object)?
        }
    };
    keep_texts(&mut object, yaml);
    Some(Manifest { strict_refusal, ..Manifest::new(&document.path, ManifestKind::Frontmatter, Value::Object(object)) })
}

/// Reads a whole document of YAML as the equal JSON. What does not parse is a gap.
pub(super) fn yaml_of(document: &Document, gaps: &mut Vec<Gap>) -> Option<Value> {
    match yaml::parse(document.text.trim_start_matches('\u{feff}'), yaml::MAX_NODES) {
        Ok(object) => Some(Value::Object(object)),
        Err(refusal) => {
            // A name that others use as well promises no format.
            if crate::formats::of(&document.path).is_some_and(|format| format.certain) {
                let reason = if refusal.over_budget { GapReason::BudgetExhausted } else { GapReason::Malformed };
                gaps.push(Gap::new(&document.path, reason, refusal.message));
            }
            None
        }
    }
}

/// True where agents load a Markdown file, so that broken front matter matters.
fn is_loaded(path: &str) -> bool {
    let name = name_of(path);
    let folders = ["commands", "agents", "rules", "instructions", "prompts"];
    name.eq_ignore_ascii_case("skill.md")
        || [".mdc", ".agent.md", ".prompt.md", ".instructions.md"].iter().any(|end| name.ends_with(end))
        || folders.contains(&name_of(folder_of(path)))
}

enum Split<'a> {
    /// The text does not begin with front matter.
    None,
    /// It begins and does not end in time.
    Open,
    /// The text between the two lines, and the number of its first line.
    Closed { yaml: &'a str, line: u32 },
}

/// Finds the front matter: a line `---` at the head, after a byte order mark and blank lines at most, up to the next.
fn split(text: &str) -> Split<'_> {
    // Agents skip these too, so that front matter behind them is loaded.
    let head = text.trim_start_matches('\u{feff}').trim_start();
    let Some(body) = head.strip_prefix("---") else { return Split::None };
    let Some((rest, body)) = body.split_once('\n') else { return Split::None };
    if !rest.trim().is_empty() {
        return Split::None;
    }
    let mut at = 0;
    for line in body.split_inclusive('\n') {
        // Without a bound a rule of dashes in a long text would be looked for to its end.
        if at > MAX_BYTES {
            return Split::Open;
        }
        if line.trim_end() == "---" {
            let before = text.as_bytes().get(..text.len() - body.len()).unwrap_or_default();
            let line = u32::try_from(count(before, |byte| byte == b'\n') + 1).unwrap_or(u32::MAX);
            return Split::Closed { yaml: body.get(..at).unwrap_or_default(), line };
        }
        at += line.len();
    }
    Split::Open
}

/// Puts back the text that was written where YAML took a text for a number or a truth value: `name: 007` names 007.
fn keep_texts(object: &mut Map<String, Value>, yaml: &str) {
    for key in TEXT_KEYS {
        let Some(value @ (Value::Number(_) | Value::Bool(_))) = object.get_mut(key) else { continue };
        let mut top = yaml.lines().filter(|line| !line.starts_with([' ', '\t'])).filter_map(lenient::key_and_value);
        let Some((_, written)) = top.find(|(of, _)| *of == key) else { continue };
        let written = written.split_once(" #").map_or(written, |(before, _)| before).trim();
        // A tag or an anchor before the value is no part of it.
        if !written.is_empty() && !written.starts_with(['!', '&', '*']) {
            *value = Value::String(written.to_owned());
        }
    }
}
