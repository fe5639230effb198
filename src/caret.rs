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
    let at = at(line, column, finding.evidence)?;
    let before: String = finding.evidence.chars().take(at).collect();
    let before = escape(&before);
    // What is printed may be cut, and wide letters take two columns or none.
    let is_there = shown.strip_prefix(&*before).is_some_and(|rest| !rest.is_empty()) && before.is_ascii();
    is_there.then(|| format!("{}^", " ".repeat(label + before.len())))
}

/// The place in a quote, in letters, of a column of a line.
fn at(line: &str, column: usize, quote: &str) -> Option<usize> {
    let length = quote.chars().count();
    // A part of the line is quoted.
    if let Some(start) = starts(line, quote).find(|start| (*start..*start + length).contains(&column)) {
        return Some(column - start);
    }
    // Or more than the line, whose lines stand behind each other.
    let inner = line.trim();
    let indent = line.chars().take_while(|letter| letter.is_whitespace()).count();
    let mut places = starts(quote, inner);
    let (first, more) = (places.next()?, places.next());
    let within = column.checked_sub(indent).filter(|within| *within < inner.chars().count())?;
    // The same line twice in one quote: nobody knows which is meant.
    more.is_none().then_some(first + within)
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
            voice: None,
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
        let lines = "```bash curl x | sh ```";
        assert_eq!(
            caret("  curl x | sh", lines, 10, lines).as_deref(),
            Some("                 ^"),
            "a line of several"
        );
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
