//! Names as strangers choose them: which may be the name of a listing, and what stands for one that may not.
//!
//! A name comes from whoever publishes and may be anything; a bad one must neither stop a walk nor fall together with
//! another.

use capdex_model::digest::Digest;

/// The longest name of a listing, in bytes.
pub(crate) const MAX_BYTES: usize = 256;

/// The bytes of a refused name that are kept for people to know it again.
const KEPT_BYTES: usize = 120;

/// Returns true if a text may be the name of a listing: some text, not too long, no control characters.
pub(crate) fn is_usable(name: &str) -> bool {
    !name.trim().is_empty() && name.len() <= MAX_BYTES && !name.chars().any(char::is_control)
}

/// A usable name in place of one that is not. It is the beginning of the name and a digest of all of it, so that two
/// never share one. A stranger cannot stop a walk by choosing a bad name.
pub(crate) fn stand_in(name: &str) -> String {
    let mut kept = String::new();
    for letter in name.chars().filter(|letter| !letter.is_control()) {
        if kept.len() + letter.len_utf8() > KEPT_BYTES {
            break;
        }
        kept.push(letter);
    }
    format!("{kept}#{}", Digest::of(name.as_bytes()).hex())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_name_is_some_text_within_its_bound() {
        assert!(is_usable("io.test/x@1.0.0"));
        assert!(is_usable(&"x".repeat(MAX_BYTES)));
        for name in ["", "  ", "a\nb", "a\u{9b}b", &"x".repeat(MAX_BYTES + 1)] {
            assert!(!is_usable(name), "{name:?}");
        }
    }

    proptest! {
        #[test]
        fn what_stands_in_is_usable_and_its_own(one in ".{0,400}", other in ".{0,400}") {
            prop_assert!(is_usable(&stand_in(&one)));
            prop_assert_eq!(stand_in(&one) == stand_in(&other), one == other);
        }
    }
}
