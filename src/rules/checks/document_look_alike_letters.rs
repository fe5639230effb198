//! Words that mix Latin letters with letters of other scripts that are drawn like them.

use std::ops::Range;

use unicode_script::{Script, UnicodeScript};

use crate::FactSink;
use capdex_evidence::document::Document;
use capdex_evidence::file_role::FileRole;
use capdex_evidence::subject::Subject;
use capdex_evidence::unicode::beyond_ascii;

/// Letters of Cyrillic and Greek that are drawn like Latin ones.
const TWINS: &str = "аеорсухіјѕԁԛԝһАВЕКМНОРСТХІЅЈαορνΑΒΕΖΗΙΚΜΝΟΡΤΥΧ";

fn is_twin(letter: char) -> bool {
    // All are of the blocks from Greek to the supplement of Cyrillic.
    ('\u{370}'..='\u{52F}').contains(&letter) && TWINS.contains(letter)
}

/// Shorter words are units and symbols.
const SHORTEST: usize = 4;
/// The most words that are told of in one file.
const MOST: usize = 5;

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    for document in subject.documents().filter(|document| is_read(document)) {
        for (offset, word) in mixed(&document.text).take(MOST) {
            facts.found(document.place(offset), word);
        }
    }
}

fn is_read(document: &Document) -> bool {
    let role = matches!(document.role, FileRole::Instruction | FileRole::Docs | FileRole::Manifest | FileRole::Script);
    role && may_hold_twin(&document.text)
}

/// True where any letter begins as twins do in UTF-8. It looks at every byte, so that many are looked at at once.
fn may_hold_twin(text: &str) -> bool {
    text.bytes().fold(false, |found, byte| found | matches!(byte, 0xCD..=0xD4))
}

/// The words of a text that hold Latin letters and twins of them, and no other letter of another script.
pub(super) fn mixed(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut end = 0;
    beyond_ascii(text).filter_map(move |(offset, letter)| {
        // One word may hold many twins, and is looked at once.
        if offset < end || !is_twin(letter) {
            return None;
        }
        let word = word_around(text, offset);
        end = word.end;
        text.get(word.clone()).filter(|found| is_mixed(found)).map(|found| (word.start, found))
    })
}

/// The run of letters and digits around an offset.
fn word_around(text: &str, offset: usize) -> Range<usize> {
    let is_other = |letter: char| !letter.is_alphanumeric();
    let (left, right) = text.split_at(offset);
    let start = left.char_indices().rev().find(|(_, letter)| is_other(*letter));
    let start = start.map_or(0, |(at, letter)| at + letter.len_utf8());
    start..right.find(is_other).map_or(text.len(), |length| offset + length)
}

/// True where Latin letters go on after a twin: an ending in another script on a Latin name is how people write.
fn is_mixed(word: &str) -> bool {
    let (mut latin, mut twins, mut after, mut letters) = (0, 0, 0, 0);
    // A line without blanks may be megabytes long; no word that imitates another is.
    for letter in word.chars().take(64) {
        letters += 1;
        if is_twin(letter) {
            twins += 1;
        } else if letter.is_alphabetic() {
            match letter.script() {
                Script::Latin => {
                    latin += 1;
                    after += usize::from(twins > 0);
                }
                Script::Common | Script::Inherited => {}
                // A third script is a word of a language, or of mathematics, and no imitation.
                _ => return false,
            }
        }
    }
    letters >= SHORTEST && latin >= 2 && after >= 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_twin_is_one() {
        assert!(TWINS.chars().all(is_twin));
        assert!(!is_twin('a'));
        assert!(!is_twin('\u{431}'));
        assert!(TWINS.chars().all(|twin| may_hold_twin(&format!("a{twin}"))));
        assert!(!may_hold_twin("a – é 日本"));
    }
}
