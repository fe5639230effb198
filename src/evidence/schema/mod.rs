//! The walker over JSON Schemas: every string in it with its JSON Pointer, references resolved, within a budget.
//!
//! References that leave the document are recorded, not followed. A work-list, no recursion; each value is visited
//! once, so that cycles end and the walk is linear. Limits: [`MAX_DEPTH`], [`MAX_NODES`], [`MAX_TEXT_BYTES`],
//! [`MAX_REFERENCES`]. Sources: JSON Schema 2020-12 and the older drafts' positions.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use serde_json::{Map, Value};

use super::manifest::escape;

/// The depth to which sub-schemas are followed.
pub const MAX_DEPTH: usize = 64;
/// The most sub-schemas that are visited.
pub const MAX_NODES: usize = 10_000;
/// The most bytes of strings and pointers that are given.
pub const MAX_TEXT_BYTES: usize = 1024 * 1024;
/// The most references that are resolved.
pub const MAX_REFERENCES: usize = 256;

/// The role of a string in a schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SchemaField {
    /// The name of a property.
    Name,
    /// `title`.
    Title,
    /// `description`.
    Description,
    /// `$comment`.
    Comment,
    /// A string in `default`.
    Default,
    /// A string in `examples` or `example`.
    Example,
    /// A string in `const`.
    Const,
    /// A string in `enum`.
    Enum,
    /// `pattern`, or the pattern by which `patternProperties` names properties.
    Pattern,
    /// A `format` that the standard does not know.
    Format,
    /// `contentMediaType` or `contentEncoding`.
    Media,
    /// `x-mcp-header`: the name of the header that carries the value.
    Header,
    /// A string under a key that the standard does not know: `x-…` and others.
    Extension,
}

/// One string of a schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaText<'a> {
    /// The range among the walk's pointers of the string's own, or of that of the property whose name it is.
    pub pointer: Range<usize>,
    /// Its role.
    pub field: SchemaField,
    /// The string.
    pub text: &'a str,
}

/// The result of the walk.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SchemaWalk<'a> {
    /// The strings: sub-schemas level by level, within each the keys in their order.
    pub texts: Vec<SchemaText<'a>>,
    /// JSON Pointers from the schema's root, one behind the other.
    pub pointers: String,
    /// References that leave the document or lead nowhere in it, sorted, each once.
    pub external: Vec<&'a str>,
    /// True where a budget ran out before everything was seen.
    pub exhausted: bool,
}

/// So many sub-schemas and strings most schemas have at most.
const FEW: usize = 12;

/// Keys whose value is one schema or a list of schemas.
const SCHEMAS: [&str; 18] = [
    "additionalItems",
    "additionalProperties",
    "allOf",
    "anyOf",
    "contains",
    "contentSchema",
    "else",
    "extends",
    "if",
    "items",
    "not",
    "oneOf",
    "prefixItems",
    "propertyNames",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
    "disallow",
];

/// Keys whose value is an object of schemas; those of the first two name properties.
const MAPS: [&str; 6] = ["properties", "patternProperties", "$defs", "definitions", "dependencies", "dependentSchemas"];

/// Keys of the standard that hold no text for a reader.
const SILENT: [&str; 11] = [
    "$schema",
    "$id",
    "id",
    "$anchor",
    "$dynamicAnchor",
    "$ref",
    "$dynamicRef",
    "$recursiveRef",
    "$vocabulary",
    "type",
    "required",
];

/// The formats that the standard and its usual clients know.
const FORMATS: [&str; 30] = [
    "date-time",
    "date",
    "time",
    "duration",
    "email",
    "idn-email",
    "hostname",
    "idn-hostname",
    "ipv4",
    "ipv6",
    "uri",
    "uri-reference",
    "iri",
    "iri-reference",
    "uuid",
    "uri-template",
    "json-pointer",
    "relative-json-pointer",
    "regex",
    "int32",
    "int64",
    "float",
    "double",
    "byte",
    "binary",
    "password",
    "uint32",
    "uint64",
    "url",
    "decimal",
];

/// Walks a schema.
pub fn walk(schema: &Value) -> SchemaWalk<'_> {
    let mut walker = Walker {
        root: schema,
        names: None,
        seen: BTreeSet::new(),
        queue: Vec::with_capacity(FEW),
        bytes_left: MAX_TEXT_BYTES,
        references: 0,
        out: SchemaWalk {
            texts: Vec::with_capacity(FEW),
            pointers: String::with_capacity(FEW * 32),
            ..SchemaWalk::default()
        },
    };
    walker.queue.push((schema, 0..0, 0));
    let mut next = 0;
    // A list instead of recursion, so that depth costs no stack.
    while let Some((value, pointer, depth)) = walker.queue.get(next).cloned() {
        walker.node(value, &pointer, depth);
        next += 1;
    }
    walker.out.external.sort_unstable();
    walker.out.external.dedup();
    walker.out
}

struct Walker<'a> {
    root: &'a Value,
    names: Option<SchemaNames<'a>>,
    /// The addresses of the values that were queued: one value, one visit, whatever leads to it.
    seen: BTreeSet<usize>,
    /// Values with their pointers and depths.
    queue: Vec<(&'a Value, Range<usize>, usize)>,
    bytes_left: usize,
    references: usize,
    out: SchemaWalk<'a>,
}

impl<'a> Walker<'a> {
    fn node(&mut self, value: &'a Value, pointer: &Range<usize>, depth: usize) {
        let Value::Object(map) = value else { return };
        for (key, value) in map {
            match key.as_str() {
                // Silent as others are, and by far the most.
                "type" | "required" => {}
                "$ref" | "$dynamicRef" | "$recursiveRef" => self.reference(value, depth),
                "title" => self.leaf(SchemaField::Title, value, pointer, key),
                "description" | "markdownDescription" => self.leaf(SchemaField::Description, value, pointer, key),
                "$comment" => self.leaf(SchemaField::Comment, value, pointer, key),
                "default" => self.leaf(SchemaField::Default, value, pointer, key),
                "examples" | "example" => self.leaf(SchemaField::Example, value, pointer, key),
                "const" => self.leaf(SchemaField::Const, value, pointer, key),
                "enum" => self.leaf(SchemaField::Enum, value, pointer, key),
                "pattern" => self.leaf(SchemaField::Pattern, value, pointer, key),
                "format" if value.as_str().is_some_and(|format| FORMATS.contains(&format)) => {}
                "format" => self.leaf(SchemaField::Format, value, pointer, key),
                "contentMediaType" | "contentEncoding" => self.leaf(SchemaField::Media, value, pointer, key),
                "x-mcp-header" => self.leaf(SchemaField::Header, value, pointer, key),
                key if SCHEMAS.contains(&key) => self.schemas(value, pointer, key, depth),
                key if MAPS.contains(&key) && value.is_object() => {
                    self.map(value.as_object(), pointer, key, depth);
                }
                key if SILENT.contains(&key) => {}
                key => self.leaf(SchemaField::Extension, value, pointer, key),
            }
        }
    }

    fn schemas(&mut self, value: &'a Value, pointer: &Range<usize>, key: &str, depth: usize) {
        match value {
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    self.enqueue(item, depth, |walker| walker.pointer(pointer, &[key, &index.to_string()], 0));
                }
            }
            other => self.enqueue(other, depth, |walker| walker.pointer(pointer, &[key], 0)),
        }
    }

    fn map(&mut self, map: Option<&'a Map<String, Value>>, pointer: &Range<usize>, key: &str, depth: usize) {
        for (name, value) in map.into_iter().flatten() {
            match key {
                "properties" => self.text(SchemaField::Name, name, pointer, &[key, name]),
                "patternProperties" => self.text(SchemaField::Pattern, name, pointer, &[key, name]),
                _ => {}
            }
            self.enqueue(value, depth, |walker| walker.pointer(pointer, &[key, name], 0));
        }
    }

    fn enqueue(&mut self, value: &'a Value, depth: usize, pointer: impl FnOnce(&mut Self) -> Option<Range<usize>>) {
        // By address: a schema that refers to itself has one value and is visited once.
        if !value.is_object() || !self.seen.insert(std::ptr::from_ref(value).addr()) {
            return;
        }
        match pointer(self) {
            Some(pointer) if depth < MAX_DEPTH && self.queue.len() < MAX_NODES => {
                self.queue.push((value, pointer, depth + 1));
            }
            // Told, because text past the budget is where an attacker would put it.
            _ => self.out.exhausted = true,
        }
    }

    /// Reports the string leaves of a value.
    fn leaf(&mut self, field: SchemaField, value: &'a Value, pointer: &Range<usize>, key: &str) {
        match value {
            Value::String(text) => return self.text(field, text, pointer, &[key]),
            Value::Array(_) | Value::Object(_) => {}
            Value::Null | Value::Bool(_) | Value::Number(_) => return,
        }
        // An extension may nest as deep as JSON goes, so again without recursion.
        let mut work = vec![(value, vec![key.to_owned()])];
        while let Some((value, path)) = work.pop() {
            let child = |token: String| path.iter().cloned().chain([token]).collect::<Vec<_>>();
            match value {
                Value::String(text) => {
                    let tokens: Vec<&str> = path.iter().map(String::as_str).collect();
                    self.text(field, text, pointer, &tokens);
                }
                Value::Array(items) if path.len() < MAX_DEPTH => {
                    // Backwards onto the stack, so that they come off in the order of the text.
                    let items = items.iter().take(MAX_NODES).enumerate().rev();
                    work.extend(items.map(|(index, item)| (item, child(index.to_string()))));
                }
                Value::Object(items) if path.len() < MAX_DEPTH => {
                    let items = items.iter().take(MAX_NODES).rev();
                    work.extend(items.map(|(key, item)| (item, child(key.clone()))));
                }
                Value::Array(_) | Value::Object(_) => self.out.exhausted = true,
                _ => {}
            }
            if self.bytes_left == 0 {
                return;
            }
        }
    }

    fn text(&mut self, field: SchemaField, text: &'a str, pointer: &Range<usize>, tokens: &[&str]) {
        match self.pointer(pointer, tokens, text.len()) {
            Some(pointer) => self.out.texts.push(SchemaText { pointer, field, text }),
            None => {
                self.out.exhausted = true;
                // Nothing more from here on: the result is a beginning of the whole, not a choice of its short strings.
                self.bytes_left = 0;
            }
        }
    }

    /// A pointer under another, charged to the budget together with `more` bytes.
    fn pointer(&mut self, base: &Range<usize>, tokens: &[&str], more: usize) -> Option<Range<usize>> {
        let length = base.len() + tokens.iter().map(|token| token.len() + 1).sum::<usize>();
        // Charged before it is built: pointers of deep values are longer than the values.
        self.bytes_left = self.bytes_left.checked_sub(length + more)?;
        let pointers = &mut self.out.pointers;
        let start = pointers.len();
        pointers.extend_from_within(base.clone());
        for token in tokens {
            pointers.push('/');
            pointers.push_str(&escape(token));
        }
        Some(start..pointers.len())
    }

    /// A pointer that was put together elsewhere, charged to the budget.
    fn known_pointer(&mut self, pointer: &str) -> Option<Range<usize>> {
        self.bytes_left = self.bytes_left.checked_sub(pointer.len())?;
        let start = self.out.pointers.len();
        self.out.pointers.push_str(pointer);
        Some(start..self.out.pointers.len())
    }

    fn reference(&mut self, value: &'a Value, depth: usize) {
        let Some(reference) = value.as_str() else { return };
        self.references += 1;
        // Each may search all names, which many references would make a product of.
        if self.references > MAX_REFERENCES {
            self.out.exhausted = true;
            return;
        }
        match self.resolve(reference) {
            Some((target, pointer)) => self.enqueue(target, depth, |walker| walker.known_pointer(&pointer)),
            None => self.out.external.push(reference),
        }
    }

    /// The value that a reference inside the document leads to, with a pointer that names it.
    fn resolve(&mut self, reference: &'a str) -> Option<(&'a Value, String)> {
        let (address, fragment) = reference.split_once('#').unwrap_or((reference, ""));
        let root = self.root;
        // Built at the first reference, since most schemas have none.
        let names = self.names.get_or_insert_with(|| SchemaNames::of(root));
        let (base, at) = if address.is_empty() {
            (root, String::new())
        } else {
            (names.document(root, address)?, address.to_owned())
        };
        let fragment = percent_decoded(fragment);
        if fragment.is_empty() {
            return Some((base, at));
        }
        // A fragment is a pointer or an anchor, told apart by the slash.
        if fragment.starts_with('/') {
            return base.pointer(&fragment).map(|value| (value, format!("{at}{fragment}")));
        }
        names.anchors.get(fragment.as_str()).map(|value| (*value, format!("{at}#{fragment}")))
    }
}

/// The names of a document's values in it: by anchor, and by `$id`. The first of equal ones counts, looked for in as
/// many values as the walk may visit.
#[derive(Default)]
struct SchemaNames<'a> {
    anchors: BTreeMap<&'a str, &'a Value>,
    ids: BTreeMap<&'a str, &'a Value>,
}

impl<'a> SchemaNames<'a> {
    fn of(root: &'a Value) -> Self {
        let mut names = Self::default();
        let mut queue = vec![root];
        let mut next = 0;
        while let Some(value) = queue.get(next).copied() {
            next += 1;
            let text = |key: &str| value.get(key).and_then(Value::as_str);
            for name in [text("$anchor"), text("$dynamicAnchor")].into_iter().flatten() {
                names.anchors.entry(name).or_insert(value);
            }
            if let Some(id) = text("$id") {
                names.ids.entry(id.trim_end_matches('#')).or_insert(value);
            }
            // Bounds memory before the queue grows, not after.
            let room = (4 * MAX_NODES).saturating_sub(queue.len());
            match value {
                Value::Object(map) => {
                    queue.extend(map.values().filter(|value| value.is_object() || value.is_array()).take(room));
                }
                Value::Array(items) => queue.extend(items.iter().filter(|value| value.is_object()).take(room)),
                _ => {}
            }
        }
        names
    }

    /// The schema whose `$id` an address is, as it stands or relative to the root's own.
    fn document(&self, root: &Value, address: &str) -> Option<&'a Value> {
        let base = root.get("$id").and_then(Value::as_str).unwrap_or_default();
        let folder = base.rfind('/').and_then(|at| base.get(..=at)).unwrap_or_default();
        let relative = format!("{folder}{address}");
        self.ids.get(address).or_else(|| self.ids.get(relative.as_str())).copied()
    }
}

fn percent_decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let hex = (*first == b'%').then(|| after.get(..2).and_then(|hex| std::str::from_utf8(hex).ok())).flatten();
        match hex.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = after.get(2..).unwrap_or_default();
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests;
