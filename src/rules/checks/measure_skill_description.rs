//! `measure-skill-description`: the signals of a good SKILL.md.
//!
//! A rubric weighs them. Source: the public engine of SpiderRating, version 0.3.4.

use std::sync::LazyLock;

use regex::bytes::Regex;
use serde_json::{Map, Value, json};

use crate::FactSink;
use crate::pattern::Question;
use crate::questions;
use capdex_evidence::document::Document;
use capdex_evidence::subject::Subject;

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    match skill_text(subject) {
        Some(document) => facts.measured(signals(document)),
        None => facts.unavailable("no SKILL.md could be read"),
    }
}

/// The SKILL.md nearest to the root, the first in the order of paths among equals.
fn skill_text<'a>(subject: &Subject<'a>) -> Option<&'a Document> {
    let is_skill = |document: &&Document| {
        let name = document.path.rsplit('/').next().unwrap_or_default();
        // A file that is no text has an empty one: it is passed over for another.
        name.eq_ignore_ascii_case("skill.md") && !document.text.is_empty()
    };
    subject.documents().filter(is_skill).min_by_key(|document| document.path.matches('/').count())
}

fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("a compiled-in pattern, as tested")
}

/// The signals that are looked for in the whole text.
static SIGNALS: [(&str, &Question); 11] = [
    ("purpose", &questions::DESCRIPTION_PURPOSE),
    ("requirements", &questions::DESCRIPTION_REQUIREMENTS),
    ("binaries", &questions::DESCRIPTION_BINARIES),
    ("file_access", &questions::DESCRIPTION_FILE_ACCESS),
    ("effects", &questions::DESCRIPTION_EFFECTS),
    ("undo", &questions::DESCRIPTION_UNDO),
    ("examples", &questions::DESCRIPTION_EXAMPLES),
    ("limits", &questions::DESCRIPTION_LIMITS),
    ("steps", &questions::DESCRIPTION_STEPS),
    ("scope", &questions::DESCRIPTION_SCOPE),
    ("when", &questions::DESCRIPTION_WHEN),
];

/// The signal that is looked for in the beginning.
static VERB: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?i-u)\b(?:create|analyze|search|generate|debug|test|build|deploy|monitor|scan|fix)\b"));

fn signals(document: &Document) -> Value {
    let text = document.text.as_str();
    let body = text.trim();
    // A verb far down describes a step and not the skill: the reference reads ten lines.
    let beginning: Vec<&str> = body.lines().take(10).collect();
    let signal = |(name, question): &(&str, &Question)| ((*name).to_owned(), Value::Bool(question.occurs(document)));
    let mut signals: Map<String, Value> = SIGNALS.iter().map(signal).collect();
    signals.insert("title".to_owned(), json!(body.starts_with('#')));
    signals.insert("verb".to_owned(), json!(VERB.is_match(beginning.join("\n").as_bytes())));
    // The reference reads text with any line ends as one letter each, and no byte order mark.
    let form = text.matches("\r\n").count() + usize::from(text.starts_with('\u{feff}'));
    signals.insert("length".to_owned(), json!(text.chars().count() - form));
    Value::Object(signals)
}

#[cfg(test)]
mod tests {
    use super::super::measure_fixtures::{measured, outcome, silent};
    use super::*;
    use capdex_model::capability::Kind;
    use capdex_model::fact::Outcome;

    #[test]
    fn front_matter_hides_the_title_as_in_the_reference() {
        let value = measured("measure-skill-description", Kind::Skill, &[("a/SKILL.md", "---\nname: x\n---\n# X\n")]);
        assert_eq!(value["title"], false);
        let value =
            measured("measure-skill-description", Kind::Skill, &[("SKILL.md", "\n# X\nUse this when testing.\n")]);
        assert_eq!(&value["title"], &json!(true));
        assert_eq!(&value["when"], &json!(true));
        assert_eq!(&value["verb"], &json!(false));
    }

    #[test]
    fn the_skill_nearest_to_the_root_is_measured() {
        let files = [("a/b/SKILL.md", "undo"), ("a/skill.md", "caveat")];
        let value = measured("measure-skill-description", Kind::Skill, &files);
        assert_eq!(&value["undo"], &json!(false));
        assert_eq!(&value["limits"], &json!(true));
    }

    #[test]
    fn the_form_of_a_text_moves_no_signal() {
        let of = |text: &str| signals(&Document::read("SKILL.md", text.as_bytes(), &mut Vec::new()));
        let plain = of("# X\nUse this when testing.\n");
        assert_eq!(plain["length"], 27);
        assert_eq!(of("# X\r\nUse this when testing.\r\n"), plain);
        assert_eq!(of("\u{feff}# X\nUse this when testing.\n"), plain);
    }

    #[test]
    fn any_apostrophe_does() {
        for text in ["it doesn't work", "it doesn\u{2019}t work"] {
            assert_eq!(signals(&Document::read("SKILL.md", text.as_bytes(), &mut Vec::new()))["limits"], true);
        }
    }

    #[test]
    fn without_a_skill_text_it_is_unavailable() {
        assert_eq!(outcome("measure-skill-description", Kind::Skill, &[("README.md", "x")]), Outcome::Unavailable);
        assert!(silent("measure-skill-description", Kind::Skill, &[]));
    }
}
