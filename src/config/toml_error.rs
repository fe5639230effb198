//! What is wrong with a schedule, in words for who wrote it: the place with a caret, and the nearest of the keys that there are.

use std::ops::Range;

use toml::de::{DeTable, DeValue};

use crate::exit::PlacedUsageError;
use crate::nearest::nearest;

/// The error of a parser about a text that comes from `origin`.
pub(super) fn placed(error: &toml::de::Error, text: &str, origin: &str) -> PlacedUsageError {
    // A list of tables is read as the fields of one table, in their order, and the error is about the first of them.
    let is_list = error.message().starts_with("invalid type: map")
        && error.span().and_then(|span| text.get(span)).is_some_and(|part| part.starts_with("[["));
    let said = match text.trim_start().starts_with('{') {
        _ if is_list => format!("is not a schedule: {LIST_OF_TABLES}"),
        true => "is not a schedule: it is JSON, and a schedule is TOML, such as `name = \"mine\"`".to_owned(),
        false => format!("is not a schedule: {}", words(error.message())),
    };
    match error.span() {
        Some(span) => shown(text, origin, span, &said),
        None => PlacedUsageError { text: format!("{origin} {said}"), excerpt: String::new() },
    }
}

/// An error about the value of a key, or about a table, of a schedule that parses; `path` leads there, through lists by number from 0.
pub(super) fn at(text: &str, origin: &str, path: &[&str], why: &str) -> PlacedUsageError {
    let key = path.join(".");
    match span_of(text, path) {
        Some(span) => shown(text, origin, span, &format!("is wrong: {key}: {why}")),
        None => PlacedUsageError { text: format!("{origin}: {key}: {why}"), excerpt: String::new() },
    }
}

/// The place of a value that fits in a line, or of the key of a table.
fn span_of(text: &str, path: &[&str]) -> Option<Range<usize>> {
    let whole = DeTable::parse(text).ok()?;
    let (first, rest) = path.split_first()?;
    let (mut key, mut value) = whole.get_ref().get_key_value(*first)?;
    let mut name = key.span();
    for part in rest {
        match value.get_ref() {
            DeValue::Table(table) => {
                (key, value) = table.get_key_value(*part)?;
                name = key.span();
            }
            DeValue::Array(list) => {
                value = list.get(part.parse::<usize>().ok()?)?;
                name = value.span();
            }
            _ => return None,
        }
    }
    Some(if value.get_ref().is_table() { name } else { value.span() })
}

/// What is said of a span of the text, with the line and a caret under it.
fn shown(text: &str, origin: &str, span: Range<usize>, said: &str) -> PlacedUsageError {
    let (line, column) = place(text, span.start);
    let length = text.get(span).map_or(1, |part| first_line(part).chars().count().max(1));
    let number = line.to_string();
    let blank = " ".repeat(number.len());
    let quoted = text.lines().nth(line - 1).unwrap_or_default();
    // As far as the line goes: a value may have many.
    let room = quoted.chars().count().saturating_sub(column - 1).max(1);
    let caret = format!("{}{}", " ".repeat(column - 1), "^".repeat(length.min(room)));
    PlacedUsageError {
        text: format!("{origin}:{number}:{column} {said}"),
        // A tab is as wide as its caret's blank.
        excerpt: format!("{blank} |\n{number} | {}\n{blank} | {caret}", quoted.replace('\t', " ")),
    }
}

/// Line and column of a byte offset, from 1; the column in code points.
fn place(text: &str, offset: usize) -> (usize, usize) {
    let before = text.get(..offset).unwrap_or(text);
    let start = before.rfind('\n').map_or(0, |newline| newline + 1);
    let column = before.get(start..).unwrap_or_default().chars().count() + 1;
    (before.matches('\n').count() + 1, column)
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

/// What is wrong with `[[name]]` in the place of `[name]`.
const LIST_OF_TABLES: &str = "a list stands where a table belongs: write `[name]` and not `[[name]]`";

/// What serde calls a value, and what a person who writes TOML calls it.
const VALUES: [(&str, &str); 10] = [
    ("expected a sequence", "a list belongs here, in brackets: `[\"…\"]`"),
    ("expected path string", "a text belongs here, in quotes"),
    ("expected a string", "a text belongs here, in quotes"),
    ("expected a map", "a table belongs here: `{ key = … }`"),
    ("expected a boolean", "`true` or `false` belongs here, without quotes"),
    ("expected u8", "a whole number from 0 to 255 belongs here, without quotes"),
    ("expected u16", "a whole number from 0 to 65535 belongs here, without quotes"),
    ("expected u32", "a whole number belongs here, 0 or more, without quotes"),
    ("expected u64", "a whole number belongs here, 0 or more, without quotes"),
    ("expected usize", "a whole number belongs here, 0 or more, without quotes"),
];

/// The parser's words on one line. An unknown word has the nearest one behind it, before the list of all.
fn words(message: &str) -> String {
    let message = message.split_whitespace().collect::<Vec<_>>().join(" ");
    if message == "invalid type: sequence, expected a map" {
        return LIST_OF_TABLES.to_owned();
    }
    if let Some(unknown) = unknown("unknown field", &message) {
        return format!(
            "unknown key `{}`{} keys here are {}",
            unknown.word,
            unknown.lead("; the", "The"),
            unknown.all()
        );
    }
    if let Some(unknown) = unknown("unknown variant", &message) {
        let more = match unknown.known.contains(&"cloudevents") {
            true => "; docs/guides/alerts.md has one for Teams, Discord, PagerDuty, GitHub issues and Jira",
            false => "",
        };
        return format!(
            "unknown `{}`{} words here are {}{more}",
            unknown.word,
            unknown.lead("; the", "The"),
            unknown.all()
        );
    }
    match message.as_str() {
        "missing field `sources`" => {
            return "no source is named: add a table such as `[sources.folder]` with `paths = [\"skills\"]`".to_owned();
        }
        "missing field `name`" => return "it has no name: write `name = \"mine\"` above all tables".to_owned(),
        "duplicate key" => return "this key or table stands above already: make one of the two".to_owned(),
        _ => {}
    }
    let of_type = VALUES.iter().find_map(|(serde, own)| Some((message.strip_suffix(serde)?, own)));
    match of_type {
        Some((found, own)) => format!("{}: {own}", found.trim_end_matches([',', ' '])),
        None => message,
    }
}

/// A word that is none of those that may stand at its place.
struct UnknownWord<'a> {
    word: &'a str,
    known: Vec<&'a str>,
}

/// Reads serde's message of this kind.
fn unknown<'a>(kind: &str, message: &'a str) -> Option<UnknownWord<'a>> {
    let (word, known) = message.strip_prefix(kind)?.strip_prefix(" `")?.split_once('`')?;
    Some(UnknownWord { word, known: known.split('`').skip(1).step_by(2).collect() })
}

impl UnknownWord<'_> {
    /// What leads over to the list of all: the question for the nearest, or the words for a list without one.
    fn lead(&self, without: &str, behind: &str) -> String {
        match nearest(self.word, self.known.iter().copied()) {
            Some(near) => format!(", did you mean `{near}`? {behind}"),
            None => without.to_owned(),
        }
    }

    fn all(&self) -> String {
        self.known.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str) -> PlacedUsageError {
        #[derive(Debug, serde::Deserialize)]
        #[serde(deny_unknown_fields)]
        #[expect(dead_code, reason = "only its keys are of use")]
        struct Keys {
            name: Option<String>,
            packages: Option<Vec<String>>,
        }
        placed(&toml::from_str::<Keys>(text).expect_err("wrong"), text, "x.toml")
    }

    #[test]
    fn the_place_has_its_caret() {
        let error = told("name = \"é\"\npackages = 3 # three\n");
        assert_eq!(
            error.text,
            "x.toml:2:12 is not a schedule: invalid type: integer `3`: a list belongs here, in brackets: `[\"…\"]`"
        );
        assert_eq!(error.excerpt, "  |\n2 | packages = 3 # three\n  |            ^");
        let error = told("\tname = 3\n");
        assert_eq!(error.excerpt, "  |\n1 |  name = 3\n  |         ^", "a tab is as wide as its caret's blank");
        assert!(told("name = [\n").text.starts_with("x.toml:"), "an end that is missing has a place too");
    }

    #[test]
    fn an_unknown_key_has_the_nearest_and_all_behind_it() {
        let error = told("pakages = []\n");
        assert_eq!(
            error.text,
            "x.toml:1:1 is not a schedule: unknown key `pakages`, did you mean `packages`? The keys here are `name`, `packages`"
        );
        assert_eq!(error.excerpt, "  |\n1 | pakages = []\n  | ^^^^^^^");
        let error = told("cron = 1\n");
        assert!(error.text.ends_with("unknown key `cron`; the keys here are `name`, `packages`"), "{}", error.text);
    }

    #[test]
    fn a_value_of_a_schedule_that_parses_has_its_place() {
        let text =
            "name = \"x\"\n[sources.npmm]\n[sources.corp]\nbase_url = \"corp.test\"\n[[alerts.sinks]]\nurl = 1\n";
        let error = at(text, "x.toml", &["sources", "corp", "base_url"], "no address");
        assert_eq!(error.text, "x.toml:4:12 is wrong: sources.corp.base_url: no address");
        assert_eq!(error.excerpt, "  |\n4 | base_url = \"corp.test\"\n  |            ^^^^^^^^^^^");
        assert!(at(text, "x.toml", &["sources", "npmm"], "none").excerpt.ends_with("\n  |          ^^^^"));
        assert!(at(text, "x.toml", &["alerts", "sinks", "0", "url"], "none").text.starts_with("x.toml:6:7 "));
        let missing = at(text, "x.toml", &["alerts", "budget"], "none");
        assert_eq!((missing.text.as_str(), missing.excerpt.as_str()), ("x.toml: alerts.budget: none", ""));
    }

    #[test]
    fn words_of_serde_are_those_of_a_person() {
        assert_eq!(
            words("unknown variant `webhok`, expected `webhook` or `slack`"),
            "unknown `webhok`, did you mean `webhook`? The words here are `webhook`, `slack`"
        );
        assert!(words("missing field `sources`").contains("`[sources.folder]`"));
        assert!(words("invalid value: integer `-1`, expected u32").starts_with("invalid value: integer `-1`: a whole"));
        assert_eq!(words("expected  newline"), "expected newline");
    }
}
