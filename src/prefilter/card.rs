//! What a card of a data rule asks of a text: its patterns, its marks, and what must stand near a match.

use serde::Deserialize;

use super::literals::{LiteralPlan, Sight};
use super::needs::RequiredLiterals;

/// The parts of a data rule's card that a prefilter reads; the others belong to the rule.
#[derive(Debug, Deserialize)]
pub struct CardNeeds {
    /// The id of the rule: cards are numbered in the order of their ids.
    pub id: String,
    lifecycle: String,
    /// The expressions of which any one begins a find.
    pub patterns: Vec<String>,
    /// Expressions of which one must occur in a text for the patterns to be tried.
    #[serde(default)]
    pub marks: Vec<String>,
    /// Conditions that must hold for a find.
    #[serde(default)]
    near: Vec<Neighbour>,
    /// True where a find is a secret.
    #[serde(default)]
    pub mask: bool,
}

/// Something that must stand near a find: any of some expressions.
#[derive(Debug, Deserialize)]
pub struct Neighbour {
    any: Vec<String>,
    scope: Scope,
    #[serde(default)]
    side: Side,
}

/// The distance around a find at which a condition looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
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
    /// 500 bytes to each side.
    Far,
    /// The nearest heading above, of Markdown's first three levels: 16 KiB before the find at most. A comment of a script has the
    /// form of one.
    Heading,
    /// The whole text.
    File,
    /// The path of the file.
    Path,
}

/// On which side of the find a condition looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    /// Anywhere in the scope.
    #[default]
    Either,
    /// Only before the find.
    Before,
    /// Only after the find.
    After,
}

impl Scope {
    /// How far a sentence reaches to each side of a find at most, in bytes.
    pub const SENTENCE: usize = 400;

    /// The most bytes to each side.
    pub const fn bytes(self) -> usize {
        match self {
            Self::Match | Self::Path => 0,
            Self::Sentence => Self::SENTENCE,
            Self::Line => 400,
            Self::Paragraph => 1000,
            Self::Close => 80,
            Self::Window => 250,
            Self::Far => 500,
            Self::Heading => 16 << 10,
            Self::File => usize::MAX,
        }
    }

    /// True where a condition holds for every find in a text or for none.
    pub fn is_the_same_everywhere(self, side: Side) -> bool {
        self == Self::Path || (self == Self::File && side == Side::Either)
    }
}

impl CardNeeds {
    /// False for a rule that no longer runs: its patterns are not looked for, though its marks keep their numbers.
    pub fn runs(&self) -> bool {
        self.lifecycle != "retired"
    }

    /// The literals without which a text gives no find, for each of the rule's patterns: those of the pattern, a mark,
    /// and every neighbour that is demanded.
    pub fn of_patterns(&self) -> impl Iterator<Item = RequiredLiterals> {
        // Conditions under `unless` demand nothing: a text without them gives more finds and not fewer.
        let around = self.near.iter().fold(RequiredLiterals::default(), |need, near| near.added_to(need));
        let around = match LiteralPlan::of_any(self.marks.iter().map(String::as_str), Sight::Whole) {
            Some(marked) => around.beside(marked),
            None => around,
        };
        self.patterns.iter().map(move |pattern| around.clone().with(RequiredLiterals::of(pattern)))
    }

    /// What the engine for data rules asks for, by number: the patterns of the cards that run, the marks of all, the
    /// questions of checks. The cards must be in the order of their ids.
    pub fn of_engine(cards: &[Self], questions: &[String]) -> Vec<RequiredLiterals> {
        let patterns = cards.iter().filter(|card| card.runs()).flat_map(Self::of_patterns);
        let alone = cards.iter().flat_map(|card| &card.marks).chain(questions);
        patterns.chain(alone.map(|text| RequiredLiterals::of(text))).collect()
    }

    /// What is asked for to mask secrets, by number: the patterns of the cards whose finds are secrets, by themselves.
    pub fn of_secrets(cards: &[Self]) -> Vec<RequiredLiterals> {
        let secrets = cards.iter().filter(|card| card.mask).flat_map(|card| &card.patterns);
        secrets.map(|text| RequiredLiterals::of(text)).collect()
    }
}

impl Neighbour {
    /// The needs of a pattern, with those that a text must hold for the condition to hold, as far as that can be told.
    fn added_to(&self, need: RequiredLiterals) -> RequiredLiterals {
        // What is asked of the whole text sees it whole; what is asked of a part may see half a word at its ends.
        let sight = if self.scope.is_the_same_everywhere(self.side) { Sight::Whole } else { Sight::Part };
        // A condition that almost anything meets holds no text back.
        let Some(plan) = LiteralPlan::of_any(self.any.iter().map(String::as_str), sight) else { return need };
        match self.scope {
            // The prefilter sees texts alone.
            Scope::Path => need,
            Scope::File => need.beside(plan),
            local => need.near(plan, local.bytes()),
        }
    }
}
