//! A message as a letter: one line of subject, and plain text.
//!
//! The gate is that of terminals, so that a subject is one line whatever a title holds; headers are encoded where they are
//! sent.

use capdex_model::alert::message::Message;

use capdex_dataset::escape::{escape, shorten};
use capdex_dataset::note::{self, Room};

/// Letters of a subject.
const SUBJECT: usize = 150;

/// The subject of a message.
pub fn subject(message: &Message) -> String {
    format!("[capdex] {}", shorten(&escape(&message.headline()), SUBJECT))
}

/// Its text.
pub fn text(message: &Message) -> String {
    let mut text = note::of_message(message, Room::EMAIL).join("\n");
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use capdex_dataset::escape::is_dangerous;
    use capdex_model::alert::hostile::hostile_message;

    #[test]
    fn a_subject_is_one_line() {
        let subject = subject(&hostile_message());
        assert!(!subject.chars().any(is_dangerous), "{subject}");
        assert!(subject.starts_with("[capdex] high: "), "{subject}");
        assert!(subject.chars().count() <= SUBJECT + 9);
    }
}
