//! Tool texts: the strings of a tool with their places, and the words of its name.
//!
//! Must not judge them.

use crate::evidence::schema::{self, SchemaField};
use crate::evidence::tools::Tool;
use crate::fact::Place;

/// One string of a tool.
pub(super) struct ToolText<'a> {
    /// Which part: the pointer from the tool's object, such as `/description`.
    pub(super) pointer: String,
    /// Whether it stands in a schema.
    pub(super) field: Option<SchemaField>,
    /// The string.
    pub(super) text: &'a str,
}

/// The prose of a tool outside its schemas: title, description, the annotations' title.
pub(super) fn prose(tool: &Tool) -> Vec<ToolText<'_>> {
    let annotated =
        tool.annotations.as_ref().and_then(|annotations| annotations.get("title")).and_then(|title| title.as_str());
    let parts = [
        ("/description", tool.description.as_deref()),
        ("/title", tool.title.as_deref()),
        ("/annotations/title", annotated),
    ];
    parts
        .into_iter()
        .filter_map(|(pointer, text)| text.map(|text| ToolText { pointer: pointer.to_owned(), field: None, text }))
        .collect()
}

/// The strings of a tool's schemas.
pub(super) fn schema_texts(tool: &Tool) -> Vec<ToolText<'_>> {
    let mut texts = Vec::new();
    for (name, schema) in [("/inputSchema", &tool.input_schema), ("/outputSchema", &tool.output_schema)] {
        let Some(schema) = schema else { continue };
        for text in schema::walk(schema).texts {
            texts.push(ToolText {
                pointer: format!("{name}{}", text.pointer),
                field: Some(text.field),
                text: text.text,
            });
        }
    }
    texts
}

/// Prose and the schema strings that are prose: titles, descriptions, comments.
pub(super) fn all_prose(tool: &Tool) -> Vec<ToolText<'_>> {
    let mut texts = prose(tool);
    texts.extend(schema_texts(tool).into_iter().filter(|text| {
        matches!(
            text.field,
            Some(
                SchemaField::Title
                    | SchemaField::Description
                    | SchemaField::Comment
                    | SchemaField::Default
                    | SchemaField::Extension
            )
        )
    }));
    texts
}

/// The place of a string of a tool: exact in a tools list, that of the definition in source.
pub(super) fn place_of(tool: &Tool, text: &ToolText<'_>) -> Place {
    Place { pointer: format!("{}{}", tool.place.pointer, text.pointer), ..tool.place.clone() }
}

/// What a finding quotes: the tool's name and the sentence.
pub(super) fn quoted(tool: &Tool, sentence: &str) -> String {
    format!("{}: {}", tool.name, sentence.trim())
}

/// Whether a word is written as an identifier: with an underscore inside or a hump.
pub(super) fn is_identifier(raw: &str) -> bool {
    let inner = raw.get(1..raw.len().saturating_sub(1)).unwrap_or_default();
    let plain = raw.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'));
    let hump = raw
        .as_bytes()
        .windows(2)
        .any(|pair| matches!(pair, [low, high] if low.is_ascii_lowercase() && high.is_ascii_uppercase()));
    // Names of brands have humps too, but begin with a capital; hyphens join ordinary words.
    let begins_low = raw.bytes().next().is_some_and(|byte| byte.is_ascii_lowercase());
    plain && raw.bytes().any(|byte| byte.is_ascii_lowercase()) && (inner.contains('_') || (hump && begins_low))
}

/// A name without case and separators, so that variants of one name are one.
pub(super) fn folded_name(name: &str) -> String {
    name.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// A name as lower-case words, split at separators and humps.
pub(super) fn name_words(name: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut lower = false;
    for letter in name.chars() {
        let hump = letter.is_uppercase() && lower;
        if !letter.is_alphanumeric() || hump {
            words.extend((!word.is_empty()).then(|| std::mem::take(&mut word)));
        }
        if letter.is_alphanumeric() {
            word.extend(letter.to_lowercase());
        }
        lower = letter.is_lowercase() || letter.is_ascii_digit();
    }
    words.extend((!word.is_empty()).then_some(word));
    words
}
