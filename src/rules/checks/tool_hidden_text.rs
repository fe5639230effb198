//! tool-hidden-text: a string of a tool holds text that a reader does not see.

use crate::FactSink;
use capdex_evidence::sentences::{Marks, SegmentedText, Words};
use capdex_evidence::subject::Subject;
use capdex_evidence::surfaces::{SurfacePart, SurfaceText};
use capdex_evidence::unicode::{self, Hidden, HiddenKind};
use capdex_model::fact::{Confidence, Severity};

use super::tool_texts::{below, place_of, quoted, surfaces};

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    for surface in surfaces(subject) {
        let name = unicode::hidden(&surface.name);
        // The name apart: it is what a user sees who is asked to approve a call.
        if let Some((severity, confidence)) = judgement(&name) {
            facts.found_as(severity, confidence, below(surface, "/name"), &quoted(surface, &describe(&name)));
        }
        for text in &surface.texts {
            // Plain ASCII hides nothing, and the marks of a text are known already.
            let is_strange = text.marks().any(Marks::STRANGE);
            let hidden = if is_strange { unicode::hidden(text.raw()) } else { Vec::new() };
            if let Some((severity, confidence)) = judgement(&hidden) {
                facts.found_as(severity, confidence, place_of(surface, text), &quoted(surface, &describe(&hidden)));
            } else if let Some(comment) = comment_in(text) {
                let severity = if gives_orders(comment) { Severity::High } else { Severity::Medium };
                facts.found_as(severity, Confidence::Medium, place_of(surface, text), &quoted(surface, comment));
            }
        }
    }
}

fn count(hidden: &[Hidden], kind: HiddenKind) -> usize {
    hidden.iter().filter(|run| run.kind == kind).map(|run| run.count).sum()
}

/// The hidden characters, by kind, and the text that they spell.
fn describe(hidden: &[Hidden]) -> String {
    const KINDS: [(HiddenKind, &str); 7] = [
        (HiddenKind::Bidi, "direction controls"),
        (HiddenKind::Control, "control characters"),
        (HiddenKind::Filler, "empty letters"),
        (HiddenKind::Mark, "direction marks"),
        (HiddenKind::Selector, "variation selectors"),
        (HiddenKind::Tag, "tag characters"),
        (HiddenKind::ZeroWidth, "zero-width characters"),
    ];
    let counts = KINDS.into_iter().map(|(kind, name)| (count(hidden, kind), name)).filter(|(count, _)| *count > 0);
    let mut parts: Vec<String> = counts.map(|(count, name)| format!("{count} {name}")).collect();
    let spelled: String = hidden.iter().map(|run| run.payload.as_str()).collect();
    if !spelled.is_empty() {
        parts.push(format!("that read: {spelled}"));
    }
    parts.join(", ")
}

/// Tags and what spells text are messages; direction controls and many or several kinds hide on purpose; a stray one is
/// an accident.
fn judgement(hidden: &[Hidden]) -> Option<(Severity, Confidence)> {
    let of = |kind| count(hidden, kind);
    let kinds = HIDING.into_iter().filter(|kind| of(*kind) > 0).count();
    if of(HiddenKind::Tag) > 0 || hidden.iter().any(|run| !run.payload.is_empty()) {
        return Some((Severity::Critical, Confidence::High));
    }
    // Eight zero-width characters can spell a byte: fewer are leftovers of copying.
    if of(HiddenKind::Bidi) > 0 || of(HiddenKind::ZeroWidth) > 7 || kinds > 2 {
        return Some((Severity::High, Confidence::Medium));
    }
    (!hidden.is_empty()).then_some((Severity::Low, Confidence::Medium))
}

/// The kinds of which three together are no accident.
const HIDING: [HiddenKind; 5] =
    [HiddenKind::Bidi, HiddenKind::ZeroWidth, HiddenKind::Filler, HiddenKind::Selector, HiddenKind::Control];

/// True where a comment speaks to a reader who acts.
fn gives_orders(comment: &str) -> bool {
    const ORDERS: Words = Words::of(&[
        "you",
        "must",
        "always",
        "never",
        "ignore",
        "read",
        "send",
        "call",
        "include",
        "instruction*",
        "system",
        "secret*",
        "do",
        "also",
        "before",
        "use",
    ]);
    SegmentedText::of(comment).sentences().any(|sentence| sentence.has(&ORDERS))
}

/// An HTML comment with words in it; in a pattern or an address it is something else.
fn comment_in(text: &SurfaceText) -> Option<&str> {
    const OPENING: Marks = Marks::of(&['<']);
    if matches!(text.part, SurfacePart::Meta | SurfacePart::Name) || !text.marks().any(OPENING) {
        return None;
    }
    let start = text.raw().find("<!--")?;
    let rest = text.raw().get(start..)?;
    // An unclosed comment hides all that follows.
    let end = rest.find("-->").map_or(rest.len(), |end| end + 3);
    let comment = rest.get(..end)?;
    (comment.chars().filter(|letter| letter.is_alphabetic()).count() > 3).then_some(comment)
}
