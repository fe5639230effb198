//! Texts of several messages: JSON lines, event streams, logs with a prefix before each message, and values one behind
//! the other, written on one line or on many.
//!
//! All work is linear in the text: what is tried in vain is counted, and the search ends at a multiple of the text.

use std::borrow::Cow;
use std::ops::Range;

use serde_json::Value;

use super::looks_recorded;
use crate::manifest::json;

/// The messages of one text.
#[derive(Debug, Default)]
pub(crate) struct Messages {
    /// The messages, in order.
    pub(crate) values: Vec<Value>,
    /// The byte range of each.
    pub(crate) ranges: Vec<Range<usize>>,
    /// The first key that stands twice in one object.
    pub(crate) doubled: Option<String>,
    /// The number of stretches that were meant to be messages and do not parse.
    pub(crate) broken: usize,
    /// True where the search ended before the text did.
    pub(crate) is_cut: bool,
}

/// The most places in one line at which a message is looked for.
const MAX_TRIES: usize = 16;
/// The bytes looked through in vain, as a multiple of the text, at which the search ends.
const MAX_WASTE: usize = 4;
/// Short texts may waste so many bytes all the same.
const FREE_WASTE: usize = 64 * 1024;

/// Reads the messages of a text.
pub(crate) fn read(text: &str) -> Messages {
    let text = plain(text);
    let mut found = Messages::default();
    let mut waste = FREE_WASTE + MAX_WASTE * text.len();
    let (mut at, mut tries) = (0, 0);
    while let Some(start) = next_open(&text, at) {
        tries = if text.get(at..start).is_some_and(|between| between.contains('\n')) { 0 } else { tries };
        let end = json::end_of_value(&text, start);
        let parsed = text.get(start..end).and_then(|part| json::parse_message(part).ok());
        match parsed.filter(|parsed| is_message(&parsed.value)) {
            Some(parsed) => {
                found.values.push(parsed.value);
                found.ranges.push(start..end);
                found.doubled = found.doubled.take().or(parsed.doubled);
                (at, tries) = (end, 0);
            }
            None => {
                tries += 1;
                let line =
                    text.get(start..).map_or(text.len(), |rest| rest.find('\n').map_or(text.len(), |end| start + end));
                let is_object = text.as_bytes().get(start) == Some(&b'{');
                // A message that breaks off is not the end of the others, and must be told.
                let is_broken = is_object && tries <= MAX_TRIES && text.get(start..line).is_some_and(looks_recorded);
                found.broken += usize::from(is_broken);
                at = if is_broken || tries >= MAX_TRIES { line } else { start + 1 };
                let Some(left) = waste.checked_sub(end.max(line) - start) else {
                    found.is_cut = true;
                    break;
                };
                waste = left;
            }
        }
    }
    found
}

/// The next byte at which a message may begin: the brace before a key, or the bracket before a brace.
fn next_open(text: &str, mut at: usize) -> Option<usize> {
    loop {
        let rest = text.as_bytes().get(at..)?;
        let open = at + rest.iter().position(|byte| matches!(byte, b'{' | b'['))?;
        let inside = text.as_bytes().get(open + 1..)?;
        let next = inside.iter().position(|byte| !byte.is_ascii_whitespace());
        // The brackets of a log's own words are passed over here, since each try costs as much as what follows it.
        match (text.as_bytes().get(open), next.and_then(|next| inside.get(next))) {
            (Some(b'{'), Some(b'"')) | (Some(b'['), Some(b'{')) => return Some(open),
            _ => at = open + 1 + next.unwrap_or(inside.len()),
        }
    }
}

/// Objects are messages and so are batches of them; `[info]` and `[1]` in a log are none.
fn is_message(value: &Value) -> bool {
    match value {
        Value::Object(object) => !object.is_empty(),
        Value::Array(items) => items.iter().any(Value::is_object),
        _ => false,
    }
}

/// A text with the field names of an event stream replaced by spaces, so that offsets stay. Other texts as they are.
pub(crate) fn plain(text: &str) -> Cow<'_, str> {
    if !is_event_stream(text) {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        // A message may go on over several `data` lines.
        let field = line.strip_prefix('\u{feff}').unwrap_or(line);
        let kept = field.strip_prefix("data:").unwrap_or_default();
        let kept = if kept.is_empty() && line.ends_with('\n') { "\n" } else { kept };
        plain.extend(std::iter::repeat_n(' ', line.len() - kept.len()));
        plain.push_str(kept);
    }
    Cow::Owned(plain)
}

/// True where the first line that is not blank is a field of an event stream, and one at least has data.
fn is_event_stream(text: &str) -> bool {
    const FIELDS: [&str; 5] = ["data:", "event:", "id:", "retry:", ":"];
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    FIELDS.iter().any(|field| first.starts_with(field)) && text.lines().any(|line| line.starts_with("data:"))
}
