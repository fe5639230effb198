//! `TyposquatKind`: in what way one name is almost another.
//!
//! The kind follows from the two names alone, whoever stands behind them.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::name::{Name, words};
use super::words::Affixes;

/// In what way one name is almost another. Sorted by how much the way itself says, most first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TyposquatKind {
    /// The same name in another registry.
    Registry,
    /// Other letters that look the same: of other scripts, full-width, `rn` for `m`, `0` for `o`, with invisible ones between.
    Confusable,
    /// The same host but for letters that look the same.
    HostConfusable,
    /// A digit for the word that sounds like it.
    Homophone,
    /// Two neighbouring letters in the other order.
    Transposition,
    /// A letter twice.
    Repetition,
    /// The scope as part of the name, or the name under another scope.
    Scope,
    /// Other characters between the words.
    Delimiter,
    /// A letter left out.
    Omission,
    /// A letter more.
    Insertion,
    /// A letter for another.
    Replacement,
    /// The label of another domain, one or two edits away.
    HostEdit,
    /// The words in another order.
    WordOrder,
    /// Two edits of other kinds.
    Edits,
    /// With or without a word that says what it is made of or for.
    Affix,
    /// The brand with another word in one label.
    HostCombosquat,
    /// The brand as a label of a foreign domain.
    HostSubdomain,
    /// The same label under another public suffix.
    HostSuffix,
    /// The whole name with other words.
    Combosquat,
}

impl TyposquatKind {
    /// Every kind, in order.
    pub const ALL: [Self; 19] = [
        Self::Registry,
        Self::Confusable,
        Self::HostConfusable,
        Self::Homophone,
        Self::Transposition,
        Self::Repetition,
        Self::Scope,
        Self::Delimiter,
        Self::Omission,
        Self::Insertion,
        Self::Replacement,
        Self::HostEdit,
        Self::WordOrder,
        Self::Edits,
        Self::Affix,
        Self::HostCombosquat,
        Self::HostSubdomain,
        Self::HostSuffix,
        Self::Combosquat,
    ];

    /// The word that is stored and printed.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Registry => "registry",
            Self::Confusable => "confusable",
            Self::HostConfusable => "host_confusable",
            Self::Homophone => "homophone",
            Self::Transposition => "transposition",
            Self::Repetition => "repetition",
            Self::Scope => "scope",
            Self::Delimiter => "delimiter",
            Self::Omission => "omission",
            Self::Insertion => "insertion",
            Self::Replacement => "replacement",
            Self::HostEdit => "host_edit",
            Self::WordOrder => "word_order",
            Self::Edits => "edits",
            Self::Affix => "affix",
            Self::HostCombosquat => "host_combosquat",
            Self::HostSubdomain => "host_subdomain",
            Self::HostSuffix => "host_suffix",
            Self::Combosquat => "combosquat",
        }
    }

    /// The sentence that a person is told.
    pub const fn sentence(self) -> &'static str {
        match self {
            Self::Registry => "the same name in another registry",
            Self::Confusable | Self::HostConfusable => "the same to the eye, in other letters",
            Self::Homophone => "the same to the ear, spelled otherwise",
            Self::Transposition => "two letters in the other order",
            Self::Repetition => "a letter twice",
            Self::Scope => "the same name across a scope",
            Self::Delimiter => "the same words, parted otherwise",
            Self::Omission => "a letter left out",
            Self::Insertion => "a letter more",
            Self::Replacement => "a letter for another",
            Self::HostEdit => "the label of another domain, almost",
            Self::WordOrder => "the same words in another order",
            Self::Edits => "two edits away",
            Self::Affix => "the same name with or without a word that says what it is for",
            Self::HostCombosquat => "a brand with another word in a domain of somebody else",
            Self::HostSubdomain => "a brand as part of a domain of somebody else",
            Self::HostSuffix => "the same label under another public suffix",
            Self::Combosquat => "the whole name with other words",
        }
    }

    /// True where honest people rarely choose such a name by accident.
    pub const fn is_deceptive(self) -> bool {
        matches!(
            self,
            Self::Registry
                | Self::Confusable
                | Self::HostConfusable
                | Self::Homophone
                | Self::Transposition
                | Self::Repetition
        )
    }
}

/// The way in which the letters of a newcomer's key come from those of a target at a distance of one or two.
pub(super) fn of_edit(newcomer: &[char], target: &[char], distance: usize) -> TyposquatKind {
    if distance > 1 {
        return TyposquatKind::Edits;
    }
    // The bound is one edit: a shorter name can only lack a letter.
    if newcomer.len() < target.len() {
        return TyposquatKind::Omission;
    }
    let same = newcomer.iter().zip(target).take_while(|(one, other)| one == other).count();
    if newcomer.len() == target.len() {
        let is_swap = newcomer.get(same) == target.get(same + 1) && newcomer.get(same + 1) == target.get(same);
        return if is_swap { TyposquatKind::Transposition } else { TyposquatKind::Replacement };
    }
    let added = newcomer.get(same);
    // Of a doubled letter the walk stops behind the first, so that either neighbour may be its twin.
    let neighbours = [same.checked_sub(1).and_then(|at| newcomer.get(at)), newcomer.get(same + 1)];
    if neighbours.contains(&added) { TyposquatKind::Repetition } else { TyposquatKind::Insertion }
}

/// True where both names are what one family gives on purpose: other digits or versions, a plural.
pub(crate) fn is_family(one: &Name, other: &Name) -> bool {
    // `reque5ts` has the stem of no family: its digit stands for a letter.
    one.key != other.key
        && stems(one).eq(stems(other))
        && stems(one).next().is_some()
        && !differs_in_letters_for_digits(one, other)
}

/// The words of a name without numbers, versions and plurals, which tell the members of one family apart.
fn stems(name: &Name) -> impl Iterator<Item = Cow<'_, str>> {
    name.words().map(without_any_digits).map(singular).filter(|word| !word.is_empty())
}

/// A word without the ending of a plural; nothing where only the letter of a version is left.
fn singular(word: Cow<'_, str>) -> Cow<'_, str> {
    let stem = word.strip_suffix('s').unwrap_or(&word);
    let stem = stem.strip_suffix('e').unwrap_or(stem);
    let length = if stem == "v" { 0 } else { stem.len() };
    match word {
        Cow::Borrowed(word) => Cow::Borrowed(word.get(..length).unwrap_or_default()),
        Cow::Owned(mut word) => {
            word.truncate(length);
            Cow::Owned(word)
        }
    }
}

fn without_any_digits(word: &str) -> Cow<'_, str> {
    if word.bytes().any(|byte| byte.is_ascii_digit()) {
        Cow::Owned(word.chars().filter(|letter| !letter.is_ascii_digit()).collect())
    } else {
        Cow::Borrowed(word)
    }
}

/// `reque5ts` and `requests`: a digit where the other has a letter.
fn differs_in_letters_for_digits(one: &Name, other: &Name) -> bool {
    let is_digit = |letter: char| letter.is_ascii_digit();
    one.key.chars().count() == other.key.chars().count()
        && one.key.chars().zip(other.key.chars()).any(|(one, other)| is_digit(one) != is_digit(other))
}

/// True where the words that differ are near enough by themselves: `pytest-salt` and `pytest-split` are two words of
/// four letters that have little in common. Names of other numbers of words are judged as a whole.
pub(super) fn is_near_word_by_word(newcomer: &Name, target: &Name) -> bool {
    let (one, other): (Vec<&str>, Vec<&str>) = (words(&newcomer.latin).collect(), words(&target.latin).collect());
    // With another number of words no word has a counterpart.
    if one.len() != other.len() || one.len() < 2 {
        return true;
    }
    one.iter().zip(&other).filter(|(one, other)| one != other).all(|(one, other)| {
        // Of the short words only those around a name are written for each other: `mpc` for `mcp`, and not `get` for `git`.
        if is_affix_in_another_order(one, other) {
            return true;
        }
        let (one, other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
        let most = super::distance::bound(one.len(), other.len());
        one.len().min(other.len()) >= 4 && super::distance::within(&one, &other, most).is_some()
    })
}

fn is_affix_in_another_order(one: &str, other: &str) -> bool {
    let sorted = |word: &str| {
        let mut letters: Vec<char> = word.chars().collect();
        letters.sort_unstable();
        letters
    };
    Affixes::has(other) && !Affixes::has(one) && sorted(one) == sorted(other)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(text: &str) -> Name {
        Name::read(text).expect("a name")
    }

    #[test]
    fn words_are_distinct_and_those_of_serde() {
        for kind in TyposquatKind::ALL {
            assert_eq!(serde_json::to_value(kind).expect("serialises"), kind.as_str());
        }
        assert!(TyposquatKind::ALL.is_sorted());
    }

    #[test]
    fn an_edit_is_named() {
        let kind = |one: &str, other: &str, distance| {
            of_edit(&one.chars().collect::<Vec<_>>(), &other.chars().collect::<Vec<_>>(), distance)
        };
        assert_eq!(kind("reqeusts", "requests", 1), TyposquatKind::Transposition);
        assert_eq!(kind("rrequests", "requests", 1), TyposquatKind::Repetition);
        assert_eq!(kind("rquests", "requests", 1), TyposquatKind::Omission);
        assert_eq!(kind("arequests", "requests", 1), TyposquatKind::Insertion);
        assert_eq!(kind("requezts", "requests", 1), TyposquatKind::Replacement);
        assert_eq!(kind("reqest", "requests", 2), TyposquatKind::Edits);
    }

    #[test]
    fn versions_and_plurals_are_families_and_drawn_digits_are_not() {
        let family = |one: &str, other: &str| is_family(&name(one), &name(other));
        assert!(family("detectron4", "detectron2"));
        assert!(family("importlib-resource", "importlib-resources"));
        assert!(family("urllib", "urllib3"));
        assert!(family("server-git-v2", "server-git"));
        assert!(!family("reque5ts", "requests"));
        assert!(!family("1odash", "lodash"));
        assert!(!family("flasl", "flask"));
    }

    #[test]
    fn words_of_a_family_must_be_near_by_themselves() {
        let near = |one: &str, other: &str| is_near_word_by_word(&name(one), &name(other));
        assert!(!near("pytest-salt", "pytest-split"));
        assert!(!near("mcp-server-git", "mcp-server-get"));
        assert!(near("mcp-server-filesystm", "mcp-server-filesystem"));
        assert!(near("crossenv", "cross-env"));
    }
}
