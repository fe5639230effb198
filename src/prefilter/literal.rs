//! One literal that a text must hold, and whether a word has to begin or end with it.
//!
//! Literals are normalized as the texts are in which they are looked for: in lower case they stand for every case of
//! their ASCII letters, and a space stands for every run of blanks. Expressions that need them are read in `literals`.

use super::frequency;
use super::reach::{is_word, seen};

/// The longest literal that is looked for, in bytes.
pub const LONGEST: usize = 16;

/// Knowledge about the byte beside a literal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum LiteralEdge {
    /// Nothing.
    #[default]
    Open,
    /// It is none of a word, or there is none.
    Blank,
    /// It and the literal's own are on different sides of a word's edge: `\b`.
    Word,
}

/// A literal with its edges.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Literal {
    bytes: Vec<u8>,
    before: LiteralEdge,
    after: LiteralEdge,
}

impl Literal {
    /// A text that stands anywhere.
    pub fn new(bytes: &[u8]) -> Self {
        let mut seen: Vec<u8> = bytes.iter().map(|byte| seen(*byte)).collect();
        seen.dedup_by(|byte, before| *byte == b' ' && *before == b' ');
        Self { bytes: seen, ..Self::default() }
    }

    /// No text at all, between bytes of which something is known.
    pub fn empty(edge: LiteralEdge) -> Self {
        Self { before: edge, after: edge, bytes: Vec::new() }
    }

    /// This one with another behind it.
    pub fn then(&self, other: &Self) -> Self {
        // Edges alone: what is known of both sides comes together, and the stricter holds.
        if self.bytes.is_empty() {
            let before = self.before.max(other.before);
            return if other.bytes.is_empty() { Self::empty(before) } else { Self { before, ..other.clone() } };
        }
        let after = if other.bytes.is_empty() { self.after.max(other.after) } else { other.after };
        let mut bytes = self.bytes.clone();
        // Two runs of blanks side by side are one.
        let is_one_run = bytes.ends_with(b" ") && other.bytes.starts_with(b" ");
        bytes.extend(other.bytes.iter().skip(usize::from(is_one_run)));
        Self { bytes, before: self.before, after }
    }

    /// True where it ends with a byte that is none of a word.
    pub fn ends_blank(&self) -> bool {
        self.bytes.last().is_some_and(|byte| !is_word(*byte))
    }

    /// Its beginning, as long as can be looked for, with edges of words alone: a blank is one beside a letter.
    pub fn settled(&self) -> Self {
        let (mut bytes, mut before, mut after) = (&self.bytes[..], self.before, self.after);
        if let [b' ', rest @ ..] = bytes
            && rest.first().is_some_and(|byte| is_word(*byte))
        {
            (bytes, before) = (rest, LiteralEdge::Blank);
        }
        // The search compares sixteen bytes at most: a beginning demands less, and never too much.
        if let Some((beginning, [next, ..])) = bytes.split_at_checked(LONGEST) {
            let is_edge = beginning.last().is_some_and(|last| is_word(*last) != is_word(*next));
            (bytes, after) = (beginning, if is_edge { LiteralEdge::Word } else { LiteralEdge::Open });
        }
        if let [rest @ .., b' '] = bytes
            && rest.last().is_some_and(|byte| is_word(*byte))
        {
            (bytes, after) = (rest, LiteralEdge::Blank);
        }
        let settle = |edge: LiteralEdge, beside: Option<&u8>| match edge {
            LiteralEdge::Blank if beside.is_some_and(|byte| is_word(*byte)) => LiteralEdge::Word,
            LiteralEdge::Blank => LiteralEdge::Open,
            other => other,
        };
        let (before, after) = (settle(before, bytes.first()), settle(after, bytes.last()));
        Self { bytes: bytes.to_vec(), before, after }
    }

    /// True where every text that holds this one holds another; both settled.
    pub fn holds(&self, other: &Self) -> bool {
        let is_edge = |at: usize| match (at.checked_sub(1).and_then(|at| self.bytes.get(at)), self.bytes.get(at)) {
            (None, _) => self.before == LiteralEdge::Word,
            (_, None) => self.after == LiteralEdge::Word,
            (Some(left), Some(right)) => is_word(*left) != is_word(*right),
        };
        let length = other.bytes.len();
        let mut windows = self.bytes.windows(length.max(1)).enumerate();
        windows.any(|(at, window)| {
            window == other.bytes
                && (!other.begins_word() || is_edge(at))
                && (!other.ends_word() || is_edge(at + length))
        })
    }

    /// True where it is worth looking for: a digit and one letter stand in every text, and two letters inside words.
    pub fn is_telling(&self) -> bool {
        let is_letter = |byte: &u8| byte.is_ascii_alphabetic() || byte.is_ascii_whitespace();
        match &self.bytes[..] {
            [] => false,
            [one] => !is_letter(one) && !one.is_ascii_digit(),
            // Two letters stand on every line of English, but are seldom a word by themselves.
            [_, _] => !self.bytes.iter().all(is_letter) || self.begins_word() && self.ends_word(),
            _ => true,
        }
    }

    /// The expected number of it in a million bytes.
    pub fn frequency(&self) -> f64 {
        let edges = [self.begins_word(), self.ends_word()].into_iter().filter(|is_edge| *is_edge);
        frequency::of(&self.bytes, edges.count())
    }

    /// Its bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// True where a word's edge has to stand before its first byte.
    pub fn begins_word(&self) -> bool {
        self.before == LiteralEdge::Word
    }

    /// True where a word's edge has to stand behind its last byte.
    pub fn ends_word(&self) -> bool {
        self.after == LiteralEdge::Word
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn literal(text: &str) -> Literal {
        let bare = Literal::new(text.trim_matches('·').as_bytes());
        let edge = |is_edge| Literal::empty(if is_edge { LiteralEdge::Word } else { LiteralEdge::Open });
        edge(text.starts_with('·')).then(&bare).then(&edge(text.ends_with('·'))).settled()
    }

    #[test]
    fn edges_stay_where_literals_are_joined() {
        let joined = literal("·se").then(&literal("nd·"));
        assert_eq!(joined, literal("·send·"));
        assert_eq!(literal("·send").then(&Literal::empty(LiteralEdge::Blank)).settled(), literal("·send·"));
        assert_eq!(literal("--").then(&Literal::empty(LiteralEdge::Blank)).settled(), literal("--"));
        assert_eq!(literal("·responsibilities·").as_bytes(), b"responsibilities");
        assert_eq!(literal("·responsibilities--").as_bytes(), b"responsibilities");
        assert!(literal("·responsibilities--").ends_word());
        assert!(!literal("·counterintelligence·").ends_word());
    }

    #[test]
    fn blanks_are_runs_of_them() {
        assert_eq!(literal("do \n not"), Literal::new(b"do\t").then(&Literal::new(b" not")).settled());
        assert_eq!(literal(" send "), literal("·send·"));
        assert_eq!(literal("instructions for all"), literal("instructions for·"));
        assert_eq!(literal(" --decode").as_bytes(), b" --decode");
    }

    #[test]
    fn what_is_held_needs_no_search_of_its_own() {
        assert!(literal("·keys·").holds(&literal("·key")));
        assert!(literal("a-key").holds(&literal("·key")));
        assert!(!literal("·keys·").holds(&literal("·key·")));
        assert!(!literal("keys").holds(&literal("·key")));
    }
}
