//! Tests of the lexicon: forms of words and their families.

use super::*;

fn classes_of(word: &str) -> Classes {
    super::classes_of(word, hash(word.as_bytes()))
}

#[test]
fn every_form_of_a_word_belongs_to_its_families() {
    for word in ["modify", "modifies", "modified", "modifying"] {
        assert!(classes_of(word).any(CHANGE), "{word}");
    }
    for word in ["swap", "swapped", "swapping", "replaced", "replacing", "overridden"] {
        assert!(classes_of(word).any(CHANGE), "{word}");
    }
    assert!(classes_of("queries").any(OPERATION));
    assert!(classes_of("addresses").any(ARGUMENT));
    assert!(classes_of("override").any(OVERRIDE));
    assert!(classes_of("override").any(CHANGE));
    assert_eq!(classes_of("weather"), Classes::NONE);
    assert_eq!(classes_of(&"x".repeat(1000)), Classes::NONE);
}
