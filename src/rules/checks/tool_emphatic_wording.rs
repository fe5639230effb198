//! tool-emphatic-wording: a description leans on words of urgency and override.

use std::collections::BTreeSet;

use crate::FactSink;
use capdex_evidence::sentences::{Sentence, Words};
use capdex_evidence::subject::Subject;
use capdex_evidence::words;
use capdex_model::fact::{Confidence, Severity};

use super::tool_texts::{place_of, prose, quoted, surfaces};

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    for surface in surfaces(subject) {
        for text in prose(surface).filter(|text| text.text.sentences().any(|sentence| sentence.has(&WORDS))) {
            let mut seen = BTreeSet::new();
            let mut addressed = false;
            for sentence in text.text.sentences() {
                let said = (0..sentence.words.len()).filter(|index| sentence.fits(*index, &WORDS));
                seen.extend(said.map(|index| sentence.word(index)));
                addressed |= sentence.has(words!["you"]) && sentence.has(words!["must", "always", "never"]);
            }
            // One such word in a long text is style; two, or one with an order to the model, push it.
            if seen.len() > 1 || (seen.len() == 1 && addressed) {
                let words: Vec<&str> = seen.into_iter().collect();
                facts.found(place_of(surface, text), &quoted(surface, &words.join(", ")));
            } else if let Some(word) = text.text.sentences().find_map(|sentence| alone(&sentence)) {
                // Alone it is style. The method names these and asks for no second one.
                let place = place_of(surface, text);
                facts.found_as(Severity::Info, Confidence::Low, place, &quoted(surface, word));
            }
        }
    }
}

/// The words of the published list.
const WORDS: Words =
    Words::of(&["important", "crucial", "critical", "vital", "urgent", "ignore", "disregard", "override", "bypass"]);

/// The word of a sentence that the method's page prints as one that says enough alone.
fn alone<'a>(sentence: &Sentence<'a>) -> Option<&'a str> {
    let is_such = |index: &usize| {
        sentence.fits(*index, words!["important", "critical", "override"])
            || (sentence.fits(*index, words!["ignore"]) && sentence.fits(index + 1, words!["previous"]))
    };
    (0..sentence.words.len()).find(is_such).map(|index| sentence.word(index))
}
