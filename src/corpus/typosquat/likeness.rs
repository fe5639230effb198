//! `Likeness`: how much it says that two names are alike in some way.
//!
//! It follows from the two names alone. Who stands behind them is judged elsewhere.

use super::kinds::{self, TyposquatKind};
use super::name::Name;

/// How much a likeness says by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Likeness {
    /// Names have it by accident: it is told only with a second signal.
    Accidental,
    /// It deserves a look, and weighs little beside a second signal.
    Loose,
    /// Few choose such a name without the other in mind.
    Close,
}

impl Likeness {
    /// The likeness of a newcomer's name to a target's, found in a way.
    pub fn of(kind: TyposquatKind, newcomer: &Name, target: &Name) -> Self {
        if !is_weak(kind, newcomer, target) {
            return Self::Close;
        }
        let (one, other) = (&newcomer.compared.letters, &target.compared.letters);
        let shorter = one.len().min(other.len());
        let is_near = one.first() == other.first() && kinds::is_near_word_by_word(newcomer, target);
        let is_told = match kind {
            // Two things for one vendor are no such match.
            TyposquatKind::Affix => true,
            TyposquatKind::Edits => shorter >= 6 && is_near,
            TyposquatKind::Omission | TyposquatKind::Insertion | TyposquatKind::Replacement => {
                (shorter >= 5 && is_near) || (shorter >= 4 && kinds::is_family(newcomer, target))
            }
            _ => false,
        };
        if is_told { Self::Loose } else { Self::Accidental }
    }
}

/// True where names have such a likeness often: short ones, two edits in less than ten letters, the first letter of a
/// short one, words that are near only as a whole, a whole name among other words, a name under a scope of one's own.
fn is_weak(kind: TyposquatKind, newcomer: &Name, target: &Name) -> bool {
    let (one, other) = (&newcomer.compared.letters, &target.compared.letters);
    let shorter = one.len().min(other.len());
    let differs_first = one.first() != other.first();
    match kind {
        TyposquatKind::Affix | TyposquatKind::Combosquat | TyposquatKind::HostSuffix | TyposquatKind::HostSubdomain => {
            true
        }
        TyposquatKind::Scope => newcomer.scoped().is_some(),
        // Nobody takes the same name elsewhere without a reason; which one it is, the marks tell.
        TyposquatKind::Registry => false,
        TyposquatKind::Confusable if newcomer.is_disguised() => false,
        TyposquatKind::Edits => shorter < 10 || !kinds::is_near_word_by_word(newcomer, target),
        TyposquatKind::Omission | TyposquatKind::Insertion | TyposquatKind::Replacement => {
            shorter < 6 || (differs_first && shorter < 8) || !kinds::is_near_word_by_word(newcomer, target)
        }
        TyposquatKind::HostEdit => shorter < 8,
        TyposquatKind::Transposition | TyposquatKind::Repetition => {
            shorter < 5 || !kinds::is_near_word_by_word(newcomer, target)
        }
        TyposquatKind::Confusable
        | TyposquatKind::HostConfusable
        | TyposquatKind::Homophone
        | TyposquatKind::Delimiter
        | TyposquatKind::WordOrder
        | TyposquatKind::HostCombosquat => shorter < 4,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn likeness(kind: TyposquatKind, one: &str, other: &str) -> Likeness {
        Likeness::of(kind, &Name::read(one).expect("a name"), &Name::read(other).expect("a name"))
    }

    #[test]
    fn likenesses_that_names_have_by_accident_are_weak() {
        assert_eq!(likeness(TyposquatKind::Edits, "pytest-salt", "pytest-split"), Likeness::Accidental);
        assert_eq!(likeness(TyposquatKind::Replacement, "chart", "smart"), Likeness::Accidental);
        assert_eq!(likeness(TyposquatKind::Scope, "@me/lodash", "lodash"), Likeness::Accidental);
        assert_eq!(likeness(TyposquatKind::Scope, "acme-x", "@acme/x"), Likeness::Close);
        assert_eq!(likeness(TyposquatKind::Omission, "reqests", "requests"), Likeness::Close);
        assert_eq!(likeness(TyposquatKind::Confusable, "ехрress", "express"), Likeness::Close);
    }

    #[test]
    fn what_deserves_a_look_and_no_more_is_loose() {
        for (kind, one, other) in [
            (TyposquatKind::Insertion, "postmark-mcp2", "postmark-mcp"),
            (TyposquatKind::Edits, "reqest", "requests"),
            (TyposquatKind::Replacement, "numoy", "numpy"),
            (TyposquatKind::Affix, "postmark-mcp-server", "postmark-mcp"),
        ] {
            assert_eq!(likeness(kind, one, other), Likeness::Loose, "{one} {other}");
        }
        assert_eq!(likeness(TyposquatKind::Transposition, "firecrawl-mpc", "firecrawl-mcp"), Likeness::Close);
    }
}
