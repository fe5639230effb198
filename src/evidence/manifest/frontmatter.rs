//! Front matter: the YAML at the head of Markdown files, read with budgets, and line by line where it is broken.
//!
//! About one skill in twenty has front matter that no YAML parser takes (measured on labelled skills, 2026-07). Mostly
//! it is a colon in an unquoted description: giving up would hide its name and description.

use serde_json::{Map, Value};

use crate::document::Document;
use capdex_model::snapshot::{Gap, GapReason};

use super::path::{folder_of, name_of};
use super::{Manifest, ManifestKind};

/// The closing line must come within this many bytes.
const MAX_BYTES: usize = 256 * 1024;

/// Reads a document's front matter. None where there is none; what is there and cannot be read is a gap in files
/// that agents load, and nothing in others.
pub(super) fn read(document: &Document, gaps: &mut Vec<Gap>) -> Option<Manifest> {
    let mut malformed = |detail: String| {
        if is_loaded(&document.path) {
            gaps.push(Gap::new(&document.path, GapReason::Malformed, detail));
        }
    };
    let yaml = match split(&document.text) {
        Split::None => return None,
        Split::Open => {
            malformed(format!("front matter without its closing line within {MAX_BYTES} bytes"));
            return None;
        }
        Split::Closed(yaml) => yaml,
    };
    let value = match parse(yaml) {
        Ok(value) => value,
        Err(message) => {
            // What agents still read of it must be seen: a broken line would otherwise hide the description.
            let lines = by_lines(yaml);
            // Cursor writes rules that are no YAML (`globs: *.ts`) and reads them all the same.
            if !(lines.plain && document.path.ends_with(".mdc")) {
                malformed(format!("front matter: {message}"));
            }
            (!lines.object.is_empty()).then_some(Value::Object(lines.object))?
        }
    };
    Some(Manifest::new(&document.path, ManifestKind::Frontmatter, value))
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
    /// The text between the two lines.
    Closed(&'a str),
}

/// Finds the front matter: a line `---` at the head, after a byte order mark and blank lines at most, up to the next.
fn split(text: &str) -> Split<'_> {
    // Agents skip these too, so that front matter behind them is loaded.
    let text = text.trim_start_matches('\u{feff}').trim_start();
    let Some(body) = text.strip_prefix("---") else { return Split::None };
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
            return Split::Closed(body.get(..at).unwrap_or_default());
        }
        at += line.len();
    }
    Split::Open
}

/// Parses YAML into an object, within budgets. An empty text is an empty object.
fn parse(yaml: &str) -> Result<Value, String> {
    // YAML can grow without end from a few lines, by aliases of aliases above all.
    let budget = serde_saphyr::budget! {
        max_depth: 32,
        flow_nesting_limit: 32,
        max_nodes: 20_000,
        max_events: 80_000,
        max_aliases: 100,
        max_anchors: 100,
        max_recorded_anchor_events: 20_000,
        max_documents: 1,
        max_inclusion_depth: 0,
        max_total_scalar_bytes: MAX_BYTES,
        max_merge_keys: 16,
    };
    let options = serde_saphyr::options! { budget: budget, with_snippet: false };
    match serde_saphyr::from_str_with_options::<Value>(yaml, options) {
        Ok(Value::Object(object)) => Ok(Value::Object(object)),
        Ok(Value::Null) => Ok(Value::Object(Map::new())),
        Ok(_) => Err("no mapping".to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

struct Lines {
    object: Map<String, Value>,
    /// True where every line was a key with a value, a part of a list, a comment or blank.
    plain: bool,
}

/// Reads `key: value` lines. Indented lines and list items belong to the key before them; of a doubled key the first
/// counts.
fn by_lines(yaml: &str) -> Lines {
    let mut lines = Lines { object: Map::new(), plain: true };
    let mut current: Option<(&str, Vec<&str>)> = None;
    for line in yaml.lines() {
        let trimmed = line.trim();
        if trimmed.is_empty() || (trimmed.starts_with('#') && !line.starts_with([' ', '\t'])) {
            continue;
        }
        // Neither indentation nor list items begin a key.
        let continues = line.starts_with([' ', '\t']) || trimmed.starts_with("- ");
        match key_and_rest(trimmed).filter(|_| !continues) {
            Some((key, rest)) => {
                keep(&mut lines.object, current.replace((key, vec![rest])));
            }
            None => {
                lines.plain &= continues && current.is_some();
                if let Some((_, parts)) = &mut current {
                    parts.push(trimmed);
                }
            }
        }
    }
    keep(&mut lines.object, current);
    lines
}

fn key_and_rest(line: &str) -> Option<(&str, &str)> {
    let (key, rest) = line.split_once(':')?;
    let key = key.trim().trim_matches(['"', '\'']);
    let named = !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte));
    (named && (rest.is_empty() || rest.starts_with([' ', '\t']))).then(|| (key, rest.trim()))
}

fn keep(object: &mut Map<String, Value>, entry: Option<(&str, Vec<&str>)>) {
    let Some((key, parts)) = entry else { return };
    // The first counts: a second `description` further down must not replace the one a person sees.
    if !object.contains_key(key) {
        object.insert(key.to_owned(), value_of(&parts));
    }
}

/// The value of a key's first line and those that continue it.
fn value_of(parts: &[&str]) -> Value {
    let (first, more) = parts.split_first().map_or(("", parts), |(first, more)| (*first, more));
    // The mark of a block says how lines are joined; they are joined by blanks here.
    let first = if matches!(first, "|" | ">" | "|-" | ">-" | "|+" | ">+") { "" } else { first };
    if first.is_empty() && !more.is_empty() && more.iter().all(|part| part.starts_with("- ")) {
        return more.iter().map(|part| scalar(part.trim_start_matches("- "))).collect();
    }
    if let Some(items) = first.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).filter(|_| more.is_empty()) {
        return items.split(',').map(|item| scalar(item.trim())).collect();
    }
    let text: Vec<&str> = std::iter::once(first).chain(more.iter().copied()).filter(|part| !part.is_empty()).collect();
    scalar(&text.join(" "))
}

fn scalar(text: &str) -> Value {
    let text = text.trim();
    match text {
        "true" => return Value::Bool(true),
        "false" => return Value::Bool(false),
        "" | "~" | "null" => return Value::Null,
        _ => {}
    }
    let unquoted = ['"', '\''].into_iter().find_map(|quote| text.strip_prefix(quote)?.strip_suffix(quote));
    Value::String(unquoted.unwrap_or(text).to_owned())
}
