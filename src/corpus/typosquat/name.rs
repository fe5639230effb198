//! `Name`: a name as it is written and as it is compared.
//!
//! Everything by which a name is looked up is made here, once.

use super::drawn;
use super::index::ComparedName;
use super::reading::Reading;

/// Longer names are not compared: no registry gives them, and work grows with their length.
pub const MOST_LETTERS: usize = 256;

/// A name with everything under which it is looked up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// The name as written.
    pub text: String,
    /// In small Latin letters, as it looks.
    pub(super) latin: String,
    /// The same without what parts words.
    pub(super) key: String,
    /// The letters of the key.
    pub(super) compared: ComparedName,
}

impl Name {
    /// Reads a name; none where nothing of it can be compared, or it is longer than [`MOST_LETTERS`].
    pub fn read(text: &str) -> Option<Self> {
        // A letter has four bytes at most: a longer text is not counted through.
        if text.len() > MOST_LETTERS * 4 || text.chars().count() > MOST_LETTERS {
            return None;
        }
        // White space around a name is the list's and not the name's.
        let text = text.trim();
        let latin = drawn::latin(text);
        let (mut key, mut letters) = (String::with_capacity(latin.len()), Vec::with_capacity(latin.len()));
        let mut length = 0;
        for letter in latin.chars() {
            length += 1;
            if !is_separator(letter) {
                key.push(letter);
                letters.push(letter);
            }
        }
        let compared = ComparedName { letters: letters.into_boxed_slice(), length };
        (!key.is_empty()).then(|| Self { text: text.to_owned(), latin, key, compared })
    }

    /// The form that is compared for its distance.
    pub fn compared(&self) -> &ComparedName {
        &self.compared
    }

    /// True where it is written in letters that only look like those that it is read as.
    pub(super) fn is_disguised(&self) -> bool {
        // Most names are ASCII, and need no copy.
        if self.text.is_ascii() {
            !self.text.eq_ignore_ascii_case(&self.latin)
        } else {
            self.text.to_lowercase() != self.latin
        }
    }

    /// The sentence that a person is told of the letters it is written in, where they are not all of one kind.
    pub(super) fn oddity(&self) -> Option<&'static str> {
        if drawn::is_mixed(&self.text) {
            Some("letters of several scripts in one name")
        } else {
            self.is_disguised()
                .then_some("letters that only look like those of the other name, or are not shown at all")
        }
    }

    /// The words that it is made of.
    pub(super) fn words(&self) -> impl Iterator<Item = &str> {
        words(&self.latin)
    }

    /// Its scope and what stands after it, where it has one (`@scope/name`).
    pub(super) fn scoped(&self) -> Option<(&str, &str)> {
        self.latin.strip_prefix('@')?.split_once('/').filter(|(scope, name)| !scope.is_empty() && !name.is_empty())
    }

    /// The key without affixes and version, where that is another one and long enough to mean something.
    pub(super) fn core(&self) -> Option<String> {
        Reading::all(self).next().map(|reading| reading.core).filter(|core| *core != self.key)
    }

    /// Its words in their order in the alphabet, where it has several.
    pub(super) fn sorted_words(&self) -> Option<String> {
        let mut words: Vec<&str> = self.words().collect();
        words.sort_unstable();
        (words.len() > 1).then(|| words.join("-"))
    }
}

/// The words of a text in small Latin letters.
pub(super) fn words(latin: &str) -> impl Iterator<Item = &str> + Clone {
    latin.split(is_separator).filter(|word| !word.is_empty())
}

/// The characters that part words, and nothing else.
pub(super) const fn is_separator(letter: char) -> bool {
    matches!(letter, '-' | '_' | '.' | ' ' | '/' | '@' | ':' | '~')
}

/// Without digits at the end, where at least so many letters stay.
pub(super) fn without_digits(text: &str, least: usize) -> &str {
    let stem = text.trim_end_matches(|letter: char| letter.is_ascii_digit());
    if stem.chars().count() >= least { stem } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(text: &str) -> Name {
        Name::read(text).expect("a name")
    }

    #[test]
    fn affixes_and_versions_are_no_part_of_a_core() {
        let core = |text: &str| name(text).core().unwrap_or_default();
        assert_eq!(
            [core("node-mongoose-orm"), core("dizcordjs"), core("discord.js")],
            ["mongoose", "dizcord", "discord"]
        );
        assert_eq!(
            [core("beautifulsoup4"), core("mcp-server-x"), core("x"), core("mcp-server")],
            ["beautifulsoup", "", "", ""]
        );
        assert_eq!([core("mcp-server-stripe"), core("stripe-mcp-server")], ["stripe", "stripe"]);
    }

    #[test]
    fn scopes_are_read_and_long_or_empty_names_are_none() {
        assert_eq!(name("@Acme/x-y").scoped(), Some(("acme", "x-y")));
        assert_eq!(name("@acme").scoped(), None);
        assert_eq!(name("a/b").scoped(), None);
        assert_eq!(name("@acme/x-y").key, "acmexy");
        assert!(["", " ", "--", "\u{200B}"].iter().all(|text| Name::read(text).is_none()));
        assert!(Name::read(&"a".repeat(MOST_LETTERS)).is_some());
        assert!(Name::read(&"a".repeat(MOST_LETTERS + 1)).is_none());
        assert!(Name::read(&"日".repeat(10_000)).is_none());
    }

    #[test]
    fn disguises_are_seen_and_capitals_are_none() {
        assert!(name("pаypal").is_disguised());
        assert!(name("pay\u{200B}pal").is_disguised());
        assert!(name("PayPaI").is_disguised());
        assert!(!name("PayPal").is_disguised());
        assert!(!name("日本").is_disguised());
    }
}
