//! What is wrong with a schedule, in words for who wrote it: the place with a caret, and the nearest of the keys that there are.

use crate::exit::PlacedUsageError;

/// The error of a parser about a text that comes from `origin`.
pub(super) fn placed(error: &toml::de::Error, text: &str, origin: &str) -> PlacedUsageError {
    let Some((line, column)) = error.span().map(|span| place(text, span.start)) else {
        return PlacedUsageError {
            text: format!("{origin} is not a schedule: {}", words(error.message())),
            excerpt: String::new(),
        };
    };
    let length = error.span().and_then(|span| text.get(span)).map_or(1, |part| first_line(part).chars().count().max(1));
    let number = line.to_string();
    let blank = " ".repeat(number.len());
    let quoted = text.lines().nth(line - 1).unwrap_or_default();
    // As far as the line goes: a value may have many.
    let room = quoted.chars().count().saturating_sub(column - 1).max(1);
    let caret = format!("{}{}", " ".repeat(column - 1), "^".repeat(length.min(room)));
    PlacedUsageError {
        text: format!("{origin}:{number}:{column} is not a schedule: {}", words(error.message())),
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

/// The parser's words on one line. An unknown key has the nearest one behind it, before the list of all.
fn words(message: &str) -> String {
    let message = message.split_whitespace().collect::<Vec<_>>().join(" ");
    if message == "invalid type: sequence, expected a map" {
        return "a list stands where a table belongs: write `[name]` and not `[[name]]`".to_owned();
    }
    if message.starts_with("unknown variant") && message.contains("`cloudevents`") {
        return format!(
            "{message}; docs/guides/alerts.md has one for Teams, Discord, PagerDuty, GitHub issues and Jira"
        );
    }
    let Some((unknown, known)) = message.strip_prefix("unknown field `").and_then(|rest| rest.split_once('`')) else {
        return message;
    };
    let known: Vec<&str> = known.split('`').skip(1).step_by(2).collect();
    let lead = match nearest(unknown, known.iter().copied()) {
        Some(key) => format!(", did you mean `{key}`? The"),
        None => "; the".to_owned(),
    };
    let known = known.iter().map(|key| format!("`{key}`")).collect::<Vec<_>>().join(", ");
    format!("unknown key `{unknown}`{lead} keys here are {known}")
}

/// The one of some words that a mistyped one may be: with a third of its letters wrong at most.
pub(super) fn nearest<'a>(word: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let distance = |other: &str| strsim::damerau_levenshtein(word, other);
    let nearest = known.map(|other| (distance(other), other)).min()?;
    (nearest.0 <= (word.chars().count() / 3).max(1)).then_some(nearest.1)
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
        assert_eq!(error.text, "x.toml:2:12 is not a schedule: invalid type: integer `3`, expected a sequence");
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
    fn a_word_that_is_far_from_all_is_near_none() {
        assert_eq!(nearest("npn", ["npm", "pypi"].into_iter()), Some("npm"));
        assert_eq!(nearest("watchlits", ["watchlist", "packages"].into_iter()), Some("watchlist"));
        assert_eq!(nearest("xyz", ["npm", "pypi"].into_iter()), None);
        assert_eq!(nearest("x", std::iter::empty()), None);
    }
}
