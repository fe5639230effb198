//! Conditions of data rules: what must, or must not, stand near a find.

use std::ops::Range;

use serde::Deserialize;

use capdex_evidence::context::{SENTENCE_REACH, sentence_around};
use capdex_prefilter::{Scope, Side};

use super::expression::Expression;

/// Something that stands near a find: any of the expressions.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Condition {
    any: Vec<Expression>,
    scope: Scope,
    #[serde(default)]
    side: Side,
}

impl Condition {
    /// True where it holds in a part of a text.
    pub(super) fn occurs_in(&self, part: &[u8]) -> bool {
        self.any.iter().any(|expression| expression.occurs_in(part))
    }

    /// The part of a text in which it looks for a find.
    pub(super) fn range(&self, text: &[u8], found: &Range<usize>) -> Range<usize> {
        let around = part_around(self.scope, text, found);
        // A find may reach beyond its own scope; then the part before or behind it is empty.
        match self.side {
            Side::Either => around,
            Side::Before => around.start..found.start,
            Side::After => found.end..around.end,
        }
    }

    /// True where it looks at the path of the file and not at its text.
    pub(super) fn is_of_path(&self) -> bool {
        self.scope == Scope::Path
    }

    /// True where it holds for every find in a text or for none.
    pub(super) fn is_the_same_everywhere(&self) -> bool {
        self.scope.is_the_same_everywhere(self.side)
    }

    /// Its expressions.
    #[cfg(test)]
    pub(super) fn expressions(&self) -> impl Iterator<Item = &Expression> {
        self.any.iter()
    }

    /// True where it would look at all of a text anew for every find.
    #[cfg(test)]
    pub(super) fn is_slow(&self) -> bool {
        self.scope == Scope::File && self.side != Side::Either
    }
}

/// The prefilter looks as far around a find as a sentence reaches.
const _: () = assert!(Scope::SENTENCE == SENTENCE_REACH, "one reach of a sentence");

/// The part of a text around a find in which a condition of some scope looks.
pub(super) fn part_around(scope: Scope, text: &[u8], found: &Range<usize>) -> Range<usize> {
    match scope {
        Scope::Sentence => sentence_around(text, found.clone()),
        Scope::Heading => heading_above(text, found.start, scope.bytes()),
        Scope::Line => between(text, found, b"\n", scope.bytes()),
        Scope::Paragraph => {
            // An empty line ends a paragraph in either kind of line ends.
            let (bare, returned) =
                (between(text, found, b"\n\n", scope.bytes()), between(text, found, b"\n\r\n", scope.bytes()));
            bare.start.max(returned.start)..bare.end.min(returned.end)
        }
        _ => found.start.saturating_sub(scope.bytes())..found.end.saturating_add(scope.bytes()).min(text.len()),
    }
}

/// The last line before a place that has the form of a heading; empty where there is none in reach.
fn heading_above(text: &[u8], place: usize, reach: usize) -> Range<usize> {
    // A heading stands before the find's own line.
    let mut end = text.get(..place).and_then(|before| before.iter().rposition(|byte| *byte == b'\n')).unwrap_or(0);
    let low = place.saturating_sub(reach);
    while end > low {
        let before = text.get(..end).unwrap_or_default();
        let start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        let line = text.get(start..end).unwrap_or_default();
        let level = line.iter().take_while(|byte| **byte == b'#').count();
        if (1..=3).contains(&level) && line.get(level).is_some_and(u8::is_ascii_whitespace) {
            return start..end;
        }
        end = start.saturating_sub(1);
    }
    place..place
}

/// The text around a find up to a mark on each side, or as far as allowed.
fn between(text: &[u8], found: &Range<usize>, mark: &[u8], reach: usize) -> Range<usize> {
    let low = found.start.saturating_sub(reach);
    let high = found.end.saturating_add(reach).min(text.len());
    // Bounded by `reach` as well: a file of one line must not be read anew for every find.
    let left = text.get(low..found.start).unwrap_or(&[]);
    let right = text.get(found.end..high).unwrap_or(&[]);
    let start = left.windows(mark.len()).rposition(|window| window == mark).map_or(low, |at| low + at + mark.len());
    let end = right.windows(mark.len()).position(|window| window == mark).map_or(high, |at| found.end + at);
    start..end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_heading_above_is_the_last_line_of_that_form() {
        let text = "# Notes\n\nOne.\n\n## Set up\n\nTwo, here\n#### Deep\nthere\n#no heading\nlast";
        let above = |word: &str| {
            let at = text.find(word).expect("there");
            let range = part_around(Scope::Heading, text.as_bytes(), &(at..at + word.len()));
            text.get(range)
        };
        assert_eq!(above("One"), Some("# Notes"));
        assert_eq!(
            (above("here"), above("there"), above("last")),
            (Some("## Set up"), Some("## Set up"), Some("## Set up"))
        );
        assert_eq!(above("Notes"), Some(""), "its own line is none");
        let far = format!("# Set up\n{}pip", "word\n".repeat(4_000));
        let at = far.len() - 3;
        assert!(part_around(Scope::Heading, far.as_bytes(), &(at..far.len())).is_empty(), "no further than 16 KiB");
    }

    #[test]
    fn a_paragraph_ends_at_an_empty_line_of_either_kind() {
        for text in ["one\n\ntwo here\n\nthree", "one\r\n\r\ntwo here\r\n\r\nthree"] {
            let at = text.find("here").expect("there");
            let range = part_around(Scope::Paragraph, text.as_bytes(), &(at..at + 4));
            assert_eq!(text.get(range).map(str::trim), Some("two here"), "{text:?}");
        }
    }
}
