//! Conditions of data rules: what must, or must not, stand near a find.

use std::ops::Range;

use serde::Deserialize;

use capdex_evidence::context::{SENTENCE_REACH, sentence_around};

use super::expression::Expression;
use super::literals::{LiteralPlan, Sight};
use super::prefilter::RequiredLiterals;

/// The distance around a find at which a condition looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum ConditionScope {
    /// The find itself.
    Match,
    /// Its sentence, list item or table row.
    Sentence,
    /// Its line, 400 bytes to each side at most.
    Line,
    /// The text between blank lines, 1,000 bytes to each side at most.
    Paragraph,
    /// 80 bytes to each side.
    Close,
    /// 250 bytes to each side.
    Window,
    /// The whole text.
    File,
    /// The path of the file.
    Path,
}

/// On which side of the find a condition looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum ConditionSide {
    /// Anywhere in the scope.
    #[default]
    Either,
    /// Only before the find.
    Before,
    /// Only after the find.
    After,
}

/// Something that stands near a find: any of the expressions.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Condition {
    any: Vec<Expression>,
    scope: ConditionScope,
    #[serde(default)]
    side: ConditionSide,
}

impl Condition {
    /// True where it holds in a part of a text.
    pub(super) fn occurs_in(&self, part: &[u8]) -> bool {
        self.any.iter().any(|expression| expression.occurs_in(part))
    }

    /// The part of a text in which it looks for a find.
    pub(super) fn range(&self, text: &[u8], found: &Range<usize>) -> Range<usize> {
        let around = self.scope.range(text, found);
        // A find may reach beyond its own scope; then the part before or behind it is empty.
        match self.side {
            ConditionSide::Either => around,
            ConditionSide::Before => around.start..found.start,
            ConditionSide::After => found.end..around.end,
        }
    }

    /// True where it looks at the path of the file and not at its text.
    pub(super) fn is_of_path(&self) -> bool {
        self.scope == ConditionScope::Path
    }

    /// True where it holds for every find in a text or for none.
    pub(super) fn is_the_same_everywhere(&self) -> bool {
        self.is_of_path() || (self.scope == ConditionScope::File && self.side == ConditionSide::Either)
    }

    /// The needs of a pattern, with those that a text must hold for the condition to hold, as far as that can be told.
    pub(super) fn added_to(&self, need: RequiredLiterals) -> RequiredLiterals {
        // What is asked of the whole text sees it whole; what is asked of a part may see half a word at its ends.
        let sight = if self.is_the_same_everywhere() { Sight::Whole } else { Sight::Part };
        // A condition that almost anything meets holds no text back.
        let Some(plan) = LiteralPlan::of_any(self.any.iter().map(Expression::text), sight) else { return need };
        match self.scope {
            // The prefilter sees texts alone.
            ConditionScope::Path => need,
            ConditionScope::File => need.beside(plan),
            local => need.near(plan, local.bytes()),
        }
    }

    /// Its expressions.
    #[cfg(test)]
    pub(super) fn expressions(&self) -> impl Iterator<Item = &Expression> {
        self.any.iter()
    }

    /// True where it would look at all of a text anew for every find.
    #[cfg(test)]
    pub(super) fn is_slow(&self) -> bool {
        self.scope == ConditionScope::File && self.side != ConditionSide::Either
    }
}

impl ConditionScope {
    /// The most bytes to each side.
    const fn bytes(self) -> usize {
        match self {
            Self::Match | Self::Path => 0,
            Self::Sentence => SENTENCE_REACH,
            Self::Line => 400,
            Self::Paragraph => 1000,
            Self::Close => 80,
            Self::Window => 250,
            Self::File => usize::MAX,
        }
    }

    pub(super) fn range(self, text: &[u8], found: &Range<usize>) -> Range<usize> {
        match self {
            Self::Sentence => sentence_around(text, found.clone()),
            Self::Line => between(text, found, b"\n", self.bytes()),
            Self::Paragraph => {
                // An empty line ends a paragraph in either kind of line ends.
                let (bare, returned) =
                    (between(text, found, b"\n\n", self.bytes()), between(text, found, b"\n\r\n", self.bytes()));
                bare.start.max(returned.start)..bare.end.min(returned.end)
            }
            _ => found.start.saturating_sub(self.bytes())..found.end.saturating_add(self.bytes()).min(text.len()),
        }
    }
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
    fn a_paragraph_ends_at_an_empty_line_of_either_kind() {
        for text in ["one\n\ntwo here\n\nthree", "one\r\n\r\ntwo here\r\n\r\nthree"] {
            let at = text.find("here").expect("there");
            let range = ConditionScope::Paragraph.range(text.as_bytes(), &(at..at + 4));
            assert_eq!(text.get(range).map(str::trim), Some("two here"), "{text:?}");
        }
    }
}
