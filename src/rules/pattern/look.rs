//! One look at one text of a document: what rules ask about the text as a whole, answered once.

use std::cell::RefCell;

use capdex_evidence::document::Document;
use capdex_model::capability::Kind;

use super::condition::Condition;
use super::view::TextView;

/// One text of a document, for one kind of capability.
pub(super) struct ScannedText<'a> {
    pub(super) document: &'a Document,
    pub(super) view: &'a TextView<'a>,
    /// The bytes of the view.
    pub(super) text: &'a [u8],
    pub(super) kind: Kind,
    answers: RefCell<Vec<(*const Condition, bool)>>,
}

impl<'a> ScannedText<'a> {
    pub(super) fn new(document: &'a Document, view: &'a TextView<'a>, kind: Kind) -> Self {
        Self { document, view, text: view.text().as_bytes(), kind, answers: RefCell::new(Vec::new()) }
    }

    /// The answer to a condition that does not depend on the place of the find.
    pub(super) fn once(&self, condition: &Condition, ask: impl FnOnce() -> bool) -> bool {
        let asked = self.answers.borrow().iter().find(|(other, _)| std::ptr::eq(*other, condition)).map(|(_, is)| *is);
        asked.unwrap_or_else(|| {
            let answer = ask();
            self.answers.borrow_mut().push((condition, answer));
            answer
        })
    }
}
