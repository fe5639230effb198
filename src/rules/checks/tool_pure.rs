//! Tools that work out a new value and change nothing: "adds two numbers".
//!
//! Their verbs are those of changes. What tells them apart is the object: a value that the call itself hands over, and no
//! place that something could be kept in.

use capdex_evidence::schema::SchemaField;
use capdex_evidence::sentences::{Sentence, is_one_of};
use capdex_evidence::surfaces::{Surface, SurfacePart, name_words};

use super::tool_texts::prose;

/// Verbs that make a new value of one as readily as they change a thing.
const VERBS: [&str; 8] = ["add", "append", "copy", "format", "insert", "merge", "remove", "replace"];

/// Values that a call hands over.
const VALUES: &[&str] = &[
    "number",
    "numbers",
    "integer",
    "integers",
    "fraction",
    "fractions",
    "decimal",
    "decimals",
    "date",
    "dates",
    "time",
    "times",
    "day",
    "days",
    "array",
    "arrays",
    "list",
    "lists",
    "text",
    "texts",
    "string",
    "strings",
    "substring",
    "substrings",
    "word",
    "words",
    "character",
    "characters",
    "letter",
    "letters",
    "whitespace",
    "vector",
    "vectors",
    "matrix",
    "matrices",
    "object",
    "objects",
    "dictionary",
    "dictionaries",
    "value",
    "values",
    "occurrence",
    "occurrences",
    "duplicate",
    "duplicates",
    "prefix",
    "suffix",
    "json",
];

/// Words around a value that name no thing.
const SMALL: &[&str] = &[
    "a", "an", "the", "one", "two", "three", "2", "3", "all", "any", "both", "each", "every", "several", "many",
    "more", "multiple", "some", "first", "last", "given", "another", "other", "new", "single", "sorted", "together",
    "of", "and", "or", "its", "their", "up",
];

/// Words that lead to where something goes or comes from.
const PLACING: &[&str] = &["to", "into", "in", "from", "on", "onto", "at", "within", "inside"];
/// Words behind an object that begin another thought.
const BEHIND: &[&str] = &["with", "by", "as", "for", "then"];

/// Parts of an argument's name that say where something is kept: what is changed lies there.
const KEPT: &[&str] = &[
    "id",
    "ids",
    "path",
    "file",
    "filename",
    "folder",
    "directory",
    "url",
    "uri",
    "document",
    "page",
    "user",
    "account",
    "table",
    "database",
    "bucket",
    "project",
    "repo",
    "repository",
    "channel",
    "board",
    "selector",
];

/// True where a tool works out a value by one of [`VERBS`], as its name, its description and its arguments have it. `by_name`
/// and `by_text` are the changing verbs with which its name and its description begin.
pub(super) fn is_pure(name: &str, surface: &Surface, by_name: Option<&str>, by_text: Option<&str>) -> bool {
    let is_one = |verb: Option<&str>| verb.is_none_or(|verb| VERBS.contains(&verb));
    if !(is_one(by_name) && is_one(by_text)) || keeps_somewhere(surface) {
        return false;
    }
    let named: Vec<String> = if by_name.is_some() { name_words(name).split_off(1) } else { Vec::new() };
    if !named.iter().all(|word| is_one_of(word, VALUES) || is_one_of(word, SMALL)) {
        return false;
    }
    let said = prose(surface).find(|text| text.is("/description"));
    let first = said.and_then(|text| text.text.sentences().next());
    let leads_away = first.as_ref().is_some_and(|sentence| !leads_to_values(sentence));
    let handed = match (by_text, &first) {
        (Some(_), Some(sentence)) => object_is_value(sentence),
        _ => named.iter().any(|word| is_one_of(word, VALUES)),
    };
    handed && !leads_away
}

/// True where an argument says where something is kept.
fn keeps_somewhere(surface: &Surface) -> bool {
    let names = surface.texts.iter().filter(|text| text.part == SurfacePart::Schema(SchemaField::Name));
    names.flat_map(|text| name_words(text.raw())).any(|word| KEPT.contains(&word.as_str()))
}

/// True where the object of the verb with which a sentence begins is values and nothing else.
fn object_is_value(sentence: &Sentence<'_>) -> bool {
    let mut has_value = false;
    for index in 1..sentence.words.len() {
        let word = sentence.word(index);
        if is_one_of(word, VALUES) {
            has_value = true;
        } else if !is_one_of(word, SMALL) {
            // "Adds two numbers and returns their sum": what follows is another verb's.
            let is_next = is_one_of(word, PLACING) || is_one_of(word, BEHIND) || sentence.word(index - 1) == "and";
            return has_value && is_next;
        }
        if sentence.ends_clause(index) {
            break;
        }
    }
    has_value
}

/// True where everything that a sentence leads to is a value: "in a text" and not "to the blocklist".
fn leads_to_values(sentence: &Sentence<'_>) -> bool {
    let places = (0..sentence.words.len()).filter(|index| is_one_of(sentence.word(*index), PLACING));
    places.into_iter().all(|index| {
        let mut behind = (index + 1..sentence.words.len()).map(|at| sentence.word(at));
        // One that is known already is kept somewhere: "the list".
        let is_known = sentence.word(index + 1) == "the";
        behind.find(|word| !is_one_of(word, SMALL)).is_none_or(|word| {
            is_one_of(word, VALUES) && !(is_known && is_one_of(word, &["list", "lists", "dictionary", "dictionaries"]))
        })
    })
}
