//! One look at one text of a document: what rules ask about the text as a whole, answered once.

use std::cell::RefCell;
use std::ops::Range;

use capdex_evidence::document::Document;
use capdex_evidence::own_domains::OwnDomains;
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
    /// The sites of the package.
    pub(super) own: &'a OwnDomains,
    answers: RefCell<Vec<(*const Condition, bool)>>,
}

impl<'a> ScannedText<'a> {
    pub(super) fn new(document: &'a Document, view: &'a TextView<'a>, kind: Kind, own: &'a OwnDomains) -> Self {
        Self { document, view, text: view.text().as_bytes(), kind, own, answers: RefCell::new(Vec::new()) }
    }

    /// True where a condition holds around a find.
    pub(super) fn meets(&self, condition: &Condition, found: &Range<usize>) -> bool {
        // The same for every find: asked once for each text.
        if condition.is_the_same_everywhere() {
            let all = if condition.is_of_path() { self.document.path.as_bytes() } else { self.text };
            return self.once(condition, || condition.occurs_in(all));
        }
        condition.occurs_in(self.text.get(condition.range(self.text, found)).unwrap_or(&[]))
    }

    /// The answer to a condition that does not depend on the place of the find.
    fn once(&self, condition: &Condition, ask: impl FnOnce() -> bool) -> bool {
        let asked = self.answers.borrow().iter().find(|(other, _)| std::ptr::eq(*other, condition)).map(|(_, is)| *is);
        asked.unwrap_or_else(|| {
            let answer = ask();
            self.answers.borrow_mut().push((condition, answer));
            answer
        })
    }
}
