//! Wording: the words of a text as hashes, so that texts compare by what they say and not by how it is set.
//!
//! Case, white space and punctuation are no words. Ideographs are words each by itself, because nothing stands between
//! them. The name of a capability is one and the same word in its own text: a copy under another name says the same.
//! Clones, campaigns and typosquat candidates compare texts by these words.

/// Stands for the capability's own name.
const OWN_NAME: u64 = 0x6f77_6e5f_6e61_6d65;

/// The words of a text in their order, each as a hash.
pub(crate) fn words(text: &str) -> Vec<u64> {
    // About six bytes a word and its space in English: one allocation for nearly all texts.
    let mut words = Vec::with_capacity(text.len() / 6);
    let mut open: Option<u64> = None;
    for letter in text.chars() {
        if letter.is_ascii() {
            if letter.is_ascii_alphanumeric() {
                // ASCII is folded without the tables of Unicode: most letters of most texts are ASCII.
                open = Some(step(open.unwrap_or(BASIS), letter.to_ascii_lowercase() as u64));
            } else {
                words.extend(open.take().map(mix));
            }
        } else if is_ideograph(letter) {
            // A word may stand right before an ideograph, with nothing between them.
            words.extend(open.take().map(mix));
            words.push(mix(step(BASIS, u64::from(u32::from(letter)))));
        } else if letter.is_alphanumeric() {
            // One letter can become two small ones.
            for small in letter.to_lowercase() {
                open = Some(step(open.unwrap_or(BASIS), u64::from(u32::from(small))));
            }
        } else {
            words.extend(open.take().map(mix));
        }
    }
    words.extend(open.map(mix));
    words
}

/// The words of a text with every occurrence of the capability's own name as one word.
pub(crate) fn words_without_name(text: &str, name: &[u64]) -> Vec<u64> {
    let words = words(text);
    let Some(first) = name.first() else { return words };
    // A text without the first word of its name needs no second list.
    if !words.contains(first) {
        return words;
    }
    let mut kept = Vec::with_capacity(words.len());
    let mut rest = words.as_slice();
    while let Some((word, after)) = rest.split_first() {
        if word == first && rest.starts_with(name) {
            kept.push(OWN_NAME);
            // The whole name becomes one word, so that a name of three words leaves as many runs as a name of one.
            rest = rest.get(name.len()..).unwrap_or_default();
        } else {
            kept.push(*word);
            rest = after;
        }
    }
    kept
}

/// One hash over words in their order.
pub(crate) fn hash_of(words: &[u64]) -> u64 {
    // The rotation makes the order count: the same words otherwise arranged are another text.
    words.iter().fold(BASIS, |hash, word| mix(hash ^ word).rotate_left(7))
}

const BASIS: u64 = 0xcbf2_9ce4_8422_2325;

/// One step of FNV-1a over a whole letter.
const fn step(hash: u64, letter: u64) -> u64 {
    (hash ^ letter).wrapping_mul(0x0000_0100_0000_01b3)
}

/// Spreads a hash over all its bits (the finaliser of SplitMix64).
pub(crate) const fn mix(hash: u64) -> u64 {
    let hash = (hash ^ (hash >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let hash = (hash ^ (hash >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    hash ^ (hash >> 31)
}

/// True for a letter that is a word by itself: Han, Hiragana, Katakana, and what is written like them.
const fn is_ideograph(letter: char) -> bool {
    matches!(letter, '\u{2E80}'..='\u{2FDF}' | '\u{3040}'..='\u{30FF}' | '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{3FFFF}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn setting_says_nothing() {
        assert_eq!(words("Read the *file*,\n\tthen  stop."), words("READ THE FILE then: stop"));
        assert_ne!(words("read the file"), words("read file the"));
        assert_eq!(words("読む。書く").len(), 4);
        assert!(words(" -- \n… ").is_empty());
    }

    #[test]
    fn a_name_is_one_word_wherever_it_stands() {
        let text = |name: &str| words_without_name(&format!("Use {name} to sort; {name} is quick."), &words(name));
        assert_eq!(text("tidy-files"), text("acme_pro_sorter"));
        assert_ne!(text("tidy-files"), words("Use tidy-files to sort; tidy-files is quick."));
    }
}
