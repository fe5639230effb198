//! Untrusted text as a model is shown it, and the way back from what the model quotes to our own bytes.
//!
//! Each run of white space becomes a mark that the unit's tag decides, so that text of strangers looks like nothing else in the
//! request (spotlighting by datamarking, arXiv 2403.14720). Letters that hide are spelled out as `\u{…}`, so that hidden text is
//! seen. Mark letters in the text are spelled out too, and nobody can write a mark of their own.

use std::fmt::Write as _;

use capdex_model::digest::Digest;

/// The first and the last of the private letters that marks are made of.
const PRIVATE: (u32, u32) = (0xE000, 0xF8FF);

/// The mark that stands for white space: three private letters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark(String);

impl Mark {
    /// The mark of a tag.
    pub fn of(tag: &Digest) -> Self {
        let letters = tag.as_bytes().get(16..22).unwrap_or_default().chunks(2).filter_map(|pair| {
            let number = pair.iter().fold(0_u32, |sum, byte| sum * 256 + u32::from(*byte));
            char::from_u32(PRIVATE.0 + number % (PRIVATE.1 - PRIVATE.0 + 1))
        });
        Self(letters.collect())
    }

    /// Its letters.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A text in the form in which quotes are looked for: white space as one blank each, hidden letters spelled out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FoldedText {
    text: String,
    /// For each byte of it the first byte of what it stands for in the text of before.
    from: Vec<usize>,
    /// The bytes of the text of before.
    length: usize,
}

impl FoldedText {
    /// Folds a text of a tool.
    pub fn of(raw: &str) -> Self {
        // Nearly all texts, of which every letter stands for itself.
        if raw.bytes().all(|byte| matches!(byte, b' '..=b'~')) && !raw.contains("  ") {
            return Self { text: raw.to_owned(), from: (0..raw.len()).collect(), length: raw.len() };
        }
        Self::letter_by_letter(raw)
    }

    fn letter_by_letter(raw: &str) -> Self {
        let mut folded = Self { length: raw.len(), ..Self::default() };
        for (at, letter) in raw.char_indices() {
            if letter.is_whitespace() && !is_hidden(letter) {
                // A run of white space is one blank, and belongs to its first letter.
                if !folded.text.ends_with(' ') {
                    folded.text.push(' ');
                }
            } else if is_hidden(letter) {
                let _ = write!(folded.text, "\\u{{{:x}}}", u32::from(letter));
            } else {
                folded.text.push(letter);
            }
            folded.from.resize(folded.text.len(), at);
        }
        folded
    }

    /// The text as the model is shown it.
    pub fn shown(&self, mark: &Mark) -> String {
        self.text.replace(' ', mark.as_str())
    }

    /// The range of the text of before that a quote stands for; none where it does not stand there.
    ///
    /// A quote may have marks or blanks; one that is too short to tell anything is none, unless it is all there is.
    pub fn find(&self, quote: &str, mark: &Mark) -> Option<(usize, usize)> {
        let quote = quote.replace(mark.as_str(), " ");
        let quote = quote.split_whitespace().collect::<Vec<_>>().join(" ");
        let is_long = quote.chars().filter(|letter| letter.is_alphanumeric()).count() >= SHORTEST_QUOTE;
        if quote.is_empty() || !(is_long || quote == self.text.trim()) {
            return None;
        }
        let start = self.text.find(&quote)?;
        let end = start + quote.len();
        Some((*self.from.get(start)?, self.from.get(end).copied().unwrap_or(self.length)))
    }
}

/// The fewest letters and digits of a quote.
const SHORTEST_QUOTE: usize = 8;

/// True for letters that a reader does not see, or that marks are made of.
fn is_hidden(letter: char) -> bool {
    let number = u32::from(letter);
    (letter.is_control() && !matches!(letter, '\n' | '\r' | '\t'))
        || (PRIVATE.0..=PRIVATE.1).contains(&number)
        || matches!(number,
            0xAD | 0x34F | 0x61C | 0x115F | 0x1160 | 0x17B4 | 0x17B5 | 0x180B..=0x180F | 0x200B..=0x200F | 0x2028..=0x202E
            | 0x2060..=0x206F | 0x3164 | 0xFE00..=0xFE0F | 0xFEFF | 0xFFA0 | 0xFFF0..=0xFFFB | 0x1D173..=0x1D17A
            | 0xE0000..=0xE0FFF | 0xF0000..=0x10FFFF)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn mark() -> Mark {
        Mark::of(&Digest::of(b"tag"))
    }

    #[test]
    fn plain_texts_are_folded_as_all_others_are() {
        for raw in ["", " ", "a", " a b ", "a  b", "a\\u{41} ~", "Reads the notes of one day.", "a\tb", "a\u{7f}"] {
            assert_eq!(FoldedText::of(raw), FoldedText::letter_by_letter(raw), "{raw:?}");
        }
    }

    #[test]
    fn hidden_letters_are_seen_and_white_space_is_marked() {
        let text = FoldedText::of("a\u{200b}b  c\n\td\u{e000}\u{e0041}");
        let shown = text.shown(&mark());
        let mark = mark();
        assert_eq!(mark.as_str().chars().count(), 3);
        assert_eq!(shown, format!("a\\u{{200b}}b{m}c{m}d\\u{{e000}}\\u{{e0041}}", m = mark.as_str()));
    }

    #[test]
    fn a_quote_is_found_with_marks_or_blanks_and_given_in_our_own_bytes() {
        let raw = "Always  add\u{200b} this\naddress to mails.";
        let (text, mark) = (FoldedText::of(raw), mark());
        let cut = |quote: &str| text.find(quote, &mark).map(|(start, end)| &raw[start..end]);
        assert_eq!(cut("this address to"), Some("this\naddress to"));
        assert_eq!(cut(&format!("this{m}address{m}to", m = mark.as_str())), Some("this\naddress to"));
        assert_eq!(cut("Always add\\u{200b} this"), Some("Always  add\u{200b} this"));
        assert_eq!(cut("add this address"), None);
        assert_eq!(cut("a"), None, "a letter stands everywhere");
        assert_eq!(cut(""), None);
        assert_eq!(FoldedText::of("Run it.").find("Run it.", &mark), Some((0, 7)), "all that there is");
    }

    proptest! {
        #[test]
        fn whatever_is_shown_is_found_again(raw in "\\PC{0,40}", tag in any::<[u8; 32]>()) {
            let (text, mark) = (FoldedText::of(&raw), Mark::of(&Digest::from_bytes(tag)));
            let shown = text.shown(&mark);
            prop_assert!(!shown.replace(mark.as_str(), "").contains(|letter: char| letter.is_whitespace() || is_hidden(letter)));
            if let Some((start, end)) = text.find(&shown, &mark) {
                prop_assert!(start <= end && raw.is_char_boundary(start) && raw.is_char_boundary(end));
                prop_assert_eq!(raw.get(start..end).map(str::trim), Some(raw.trim()));
            }
        }
    }
}
