//! The second reading of front matter, for what strict YAML refuses and clients take all the same.
//!
//! Clients that fail to parse front matter try again with the values of its `key: value` lines as texts. This reading
//! does so key by key. What strict YAML takes of one key alone keeps its structure; a line that it does not take is the
//! text that was written. Source: the guide for clients of agentskills.io as of 2026-07, which asks for a second try
//! with quoted values.
//!
//! Its work is linear in the text: each key is parsed twice at most, and yields no more nodes than it has bytes.

use serde_json::{Map, Value};

use super::yaml;

/// The most keys at the top level; front matter has about ten.
pub(super) const MAX_KEYS: usize = 1_000;

/// What the second reading took.
pub(super) struct LenientReading {
    /// The values by their keys. Of a doubled key the first counts.
    pub(super) object: Map<String, Value>,
    /// True where every line has its place in it. False where clients may differ or read nothing: a line that belongs
    /// to no key, a doubled key, a nested block that no parser takes, more than [`MAX_KEYS`] keys.
    pub(super) complete: bool,
}

/// Reads the keys at the top level, each with the lines that belong to it. Never fails.
pub(super) fn read(yaml: &str) -> LenientReading {
    let (blocks, mut complete) = blocks_of(yaml);
    // Quotation marks round an alias would hide what it stands for.
    let may_mend = !has_anchor(yaml);
    let mut object = Map::new();
    for block in blocks {
        // The first counts: a second `description` further down must not replace the one a person sees.
        if object.contains_key(block.key) {
            complete = false;
            continue;
        }
        let (value, whole) = block.read(may_mend);
        complete &= whole;
        object.insert(block.key.to_owned(), value);
    }
    LenientReading { object, complete }
}

/// The key and the value of a line without its indentation; none where it is no such line.
pub(super) fn key_and_value(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.split_once(':')?;
    let key = key.trim().trim_matches(['"', '\'']);
    let named = !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte));
    (named && (value.is_empty() || value.starts_with([' ', '\t']))).then(|| (key, value.trim()))
}

/// A key at the top level.
struct Block<'a> {
    key: &'a str,
    /// What follows it on its line.
    value: &'a str,
    /// Its line, and all lines up to the next key.
    text: &'a str,
}

/// The keys in their order, and true where every line belongs to one of them.
fn blocks_of(yaml: &str) -> (Vec<Block<'_>>, bool) {
    let mut blocks: Vec<Block<'_>> = Vec::new();
    let (mut begun, mut at, mut complete) = (0, 0, true);
    for line in yaml.split_inclusive('\n') {
        let key = if continues(line) { None } else { key_and_value(line.trim()) };
        if let Some((key, value)) = key {
            if blocks.len() == MAX_KEYS {
                return (blocks, false);
            }
            begun = at;
            blocks.push(Block { key, value, text: "" });
        } else {
            complete &= is_blank(line) || (continues(line) && !blocks.is_empty());
        }
        at += line.len();
        if let Some(block) = blocks.last_mut() {
            block.text = yaml.get(begun..at).unwrap_or_default();
        }
    }
    (blocks, complete)
}

/// True for lines that begin no key: indented ones and list items.
fn continues(line: &str) -> bool {
    line.starts_with([' ', '\t', '-']) && !is_blank(line)
}

/// True where something in a text may have a name for an alias: `&a`, and not `this & that`.
fn has_anchor(text: &str) -> bool {
    text.as_bytes().windows(3).any(|three| match three {
        [before, b'&', name] => !before.is_ascii_alphanumeric() && !name.is_ascii_whitespace(),
        _ => false,
    })
}

fn is_blank(line: &str) -> bool {
    line.trim().is_empty() || line.starts_with('#')
}

impl Block<'_> {
    /// The value, and true where nothing of it was given up.
    fn read(&self, may_mend: bool) -> (Value, bool) {
        let over_budget = match self.parse(self.text) {
            Ok(value) => return (value, true),
            Err(over_budget) => over_budget,
        };
        let more: Vec<&str> = self.text.lines().skip(1).filter(|line| !is_blank(line)).map(str::trim).collect();
        if may_mend
            && !more.is_empty()
            && let Ok(value) = self.parse(&mended(self.text))
        {
            return (value, true);
        }
        let (value, whole) = self.as_text(&more);
        (value, whole && !over_budget)
    }

    /// The value by strict YAML, or true where a budget refused it.
    fn parse(&self, text: &str) -> Result<Value, bool> {
        // Aliases that grow need no more than a few lines, and a thousand keys may each have some.
        let max_nodes = text.len().clamp(16, yaml::MAX_NODES);
        let object = yaml::parse(text, max_nodes).map_err(|refusal| refusal.over_budget)?;
        let mut values = object.into_iter().map(|(_, value)| value);
        values.next().filter(|_| values.next().is_none()).ok_or(false)
    }

    /// The value as the text that was written, with lines joined by blanks, or as a list of texts. True where the text
    /// has no structure that got lost.
    fn as_text(&self, more: &[&str]) -> (Value, bool) {
        if more.is_empty() {
            return (list_on_line(self.value).unwrap_or_else(|| scalar(self.value)), true);
        }
        let is_item = |line: &&str| line.strip_prefix("- ").is_some_and(|item| key_and_value(item).is_none());
        if self.value.is_empty() && more.iter().all(is_item) {
            return (more.iter().map(|line| scalar(line.trim_start_matches("- "))).collect(), true);
        }
        // The mark of a block scalar says how its lines are joined.
        let is_marked = is_block_mark(self.value);
        let first = if is_marked { "" } else { self.value };
        let parts: Vec<&str> =
            [first].into_iter().chain(more.iter().copied()).filter(|part| !part.is_empty()).collect();
        let is_text = is_marked || !(first.is_empty() || first.starts_with(['[', '{', '&', '!']));
        (scalar(&parts.join(" ")), is_text)
    }
}

/// A block with what strict YAML refuses in it put right: tabs as indentation and after colons, values without the
/// quotation marks that they need.
fn mended(text: &str) -> String {
    let mut mended = String::with_capacity(text.len() + text.len() / 8);
    // The indentation of the key whose block scalar goes on: its lines are text, whatever they look like.
    let mut scalar: Option<usize> = None;
    for line in text.lines() {
        let body = line.trim_start();
        let indentation = line.get(..line.len() - body.len()).unwrap_or_default().replace('\t', "  ");
        mended.push_str(&indentation);
        let is_text = scalar.is_some_and(|key| body.is_empty() || indentation.len() > key);
        if is_text {
            mended.push_str(body);
        } else {
            let (marks, value) = mend_line(body, &mut mended);
            scalar = is_block_mark(value).then_some(indentation.len() + marks.len());
        }
        mended.push('\n');
    }
    mended
}

/// Writes a line without its indentation, with quotation marks where its value needs them. Returns the mark of a list
/// item, if it is one, and the value.
fn mend_line<'a>(line: &'a str, mended: &mut String) -> (&'a str, &'a str) {
    let item = line.strip_prefix('-').filter(|item| item.starts_with([' ', '\t']));
    let (marks, body) = item.map_or(("", line), |item| line.split_at(line.len() - item.trim_start().len()));
    // A tab after the mark of a list item is as much a blank as one before it.
    mended.push_str(&marks.replace('\t', " "));
    let value = match key_and_value(body) {
        Some((_, value)) => {
            mended.push_str(body.split_once(':').map_or("", |(key, _)| key));
            mended.push_str(": ");
            value
        }
        None => body,
    };
    if needs_quotes(value) {
        mended.push('\'');
        mended.push_str(&value.replace('\'', "''"));
        mended.push('\'');
    } else {
        mended.push_str(value);
    }
    (marks, value)
}

/// True for a plain text that strict YAML takes for something else.
fn needs_quotes(value: &str) -> bool {
    let is_structured = value.starts_with(['"', '\'', '[', '{', '|', '>', '&', '!', '#']);
    !is_structured && (value.starts_with(['*', '@', '`', '%']) || value.contains(": ") || value.ends_with(':'))
}

fn is_block_mark(value: &str) -> bool {
    matches!(value, "|" | ">" | "|-" | ">-" | "|+" | ">+")
}

/// The texts of a list on one line that is no YAML (`[*.ts, *.js]`); none where it is more than one pair of brackets,
/// as in hints of arguments.
fn list_on_line(value: &str) -> Option<Value> {
    let items = value.strip_prefix('[')?.strip_suffix(']')?;
    let is_flat = !items.contains(['[', ']', '{', '}', '"', '\'']);
    is_flat.then(|| items.split(',').map(|item| scalar(item.trim())).collect())
}

/// A text without the quotation marks around it, if it has any.
fn scalar(text: &str) -> Value {
    let text = text.trim();
    let unquoted = ['"', '\''].into_iter().find_map(|quote| text.strip_prefix(quote)?.strip_suffix(quote));
    Value::String(unquoted.unwrap_or(text).to_owned())
}
