//! One look at one text of a document: what rules ask about the text as a whole, answered once.

use std::cell::{OnceCell, RefCell};
use std::ops::Range;

use capdex_evidence::document::Document;
use capdex_evidence::own_domains::OwnDomains;
use capdex_model::capability::Kind;

use super::condition::Condition;
use super::view::TextView;

/// Words that stand in any document's head and in many hosts.
const COMMON_WORDS: [&str; 14] = [
    "install", "setup", "skill", "agent", "tool", "tools", "code", "https", "http", "name", "with", "data", "download",
    "test",
];

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
    subject_words: OnceCell<Vec<Vec<u8>>>,
}

impl<'a> ScannedText<'a> {
    pub(super) fn new(document: &'a Document, view: &'a TextView<'a>, kind: Kind, own: &'a OwnDomains) -> Self {
        let (answers, subject_words) = (RefCell::new(Vec::new()), OnceCell::new());
        Self { document, view, text: view.text().as_bytes(), kind, own, answers, subject_words }
    }

    /// The words by which the document's head says what it is about, in lower case.
    pub(super) fn subject_words(&self) -> &[Vec<u8>] {
        self.subject_words.get_or_init(|| subject_words(self.document.text.as_bytes()))
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

/// The words of four letters or more in the first 700 bytes of a text, before its first address.
fn subject_words(text: &[u8]) -> Vec<Vec<u8>> {
    let head = text.get(..text.len().min(700)).unwrap_or(&[]).to_ascii_lowercase();
    // The address itself proves nothing: only what stands before the first one counts.
    let head =
        head.windows(4).position(|window| window == b"http").map_or(&head[..], |at| head.get(..at).unwrap_or(&[]));
    // Nor does a host that stands there without its scheme.
    let is_host = |token: &&[u8]| {
        token
            .windows(3)
            .any(|part| part[1] == b'.' && part[0].is_ascii_alphanumeric() && part[2].is_ascii_alphanumeric())
    };
    head.split(u8::is_ascii_whitespace)
        .filter(|token| !is_host(token))
        .flat_map(|token| token.split(|byte| !byte.is_ascii_alphanumeric()))
        .filter(|word| word.len() >= 4 && !COMMON_WORDS.iter().any(|common| common.as_bytes() == *word))
        .map(<[u8]>::to_vec)
        .collect()
}
