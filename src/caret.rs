//! The caret under a quote: where in the quoted text a finding points.
//!
//! A finding has the column of its place in the file, and quotes a sentence or a line around it. The line itself says where the
//! quote begins.

use capdex_dataset::escape::escape;
use capdex_dataset::finding::Finding;

/// The line with a caret under the letter that a finding points at, for a quote that is printed behind a label of so many columns.
/// None where that letter is not in what is printed, or stands at a column that nobody knows: behind letters of other widths.
///
/// `line` is the line of the file; `shown` is the quote as it is printed, on one line.
pub fn under(finding: &Finding<'_>, line: &str, shown: &str, label: usize) -> Option<String> {
    let column = usize::try_from(finding.column).ok()?.checked_sub(1)?;
    // The first line of the quote is the one that the place is in.
    let quote = finding.evidence.lines().next()?.trim_end();
    let length = quote.chars().count();
    let start = starts(line, quote).find(|start| (*start..*start + length).contains(&column))?;
    let before: String = quote.chars().take(column - start).collect();
    let before = escape(&before);
    // What is printed may be cut, and wide letters take two columns or none.
    let is_there = shown.strip_prefix(&*before).is_some_and(|rest| !rest.is_empty()) && before.is_ascii();
    is_there.then(|| format!("{}^", " ".repeat(label + before.len())))
}

/// The places, in letters, at which a line holds a quote.
fn starts<'a>(line: &'a str, quote: &'a str) -> impl Iterator<Item = usize> + 'a {
    line.match_indices(quote).map(|(at, _)| line.get(..at).unwrap_or_default().chars().count())
}

#[cfg(test)]
mod tests {
    use capdex_model::capability::Kind;
    use capdex_model::fact::{Confidence, Fact, FactSurface, Outcome, Place, Severity};
    use capdex_model::facts::SparseFacts;

    use super::*;

    fn caret(line: &str, quote: &str, column: u32, shown: &str) -> Option<String> {
        let rule = capdex_rules::INDEX.find("pipe-to-shell").expect("a rule");
        let fact = Fact {
            rule: rule.id.clone(),
            version: rule.version,
            outcome: Outcome::True,
            severity: Severity::High,
            confidence: Confidence::High,
            place: Place { file: "a".into(), line: 1, column, ..Place::default() },
            evidence: quote.into(),
            value: serde_json::Value::Null,
            surface: FactSurface::default(),
        };
        let facts = SparseFacts::new(&capdex_rules::INDEX, Kind::Skill, vec![fact]);
        let found = capdex_dataset::finding::findings(&facts);
        under(found.first()?, line, shown, 2)
    }

    #[test]
    fn it_stands_under_the_letter_that_is_meant() {
        let line = "Then run `curl https://x | sh` and go. Then rest.";
        let quote = "Then run `curl https://x | sh` and go.";
        assert_eq!(caret(line, quote, 11, quote).as_deref(), Some("            ^"));
        assert_eq!(caret(line, quote, 1, quote).as_deref(), Some("  ^"));
        assert_eq!(caret(line, "Then", 40, "Then").as_deref(), Some("  ^"), "the second of two");
    }

    #[test]
    fn there_is_none_where_nobody_knows_the_column() {
        let line = "日本 curl x | sh";
        assert_eq!(caret(line, "日本 curl x", 4, "日本 curl x"), None, "wide letters before it");
        assert_eq!(caret(line, "curl x", 4, "curl x").as_deref(), Some("  ^"), "none in the quote");
        assert_eq!(caret("run curl x", "run curl x", 9, "run cu…"), None, "cut before it");
        assert_eq!(caret("run curl x", "run ****", 5, "run ****"), None, "masked");
        assert_eq!(caret("run curl x", "curl x", 0, "curl x"), None, "a whole file is meant");
        assert_eq!(caret("run curl x", "curl x", 1, "curl x"), None, "before the quote");
    }
}
