//! Passages that act behind the user's back: several cues together, of which honest text has each alone.
//!
//! Must not know the words; they are in the table of cues.

use std::ops::Range;

use crate::evidence::context::{Context, sentence_around};
use crate::evidence::document::{Document, FileRole, Language};
use crate::evidence::zones::ZoneKind;
use crate::rules::pattern::Question;
use crate::rules::{FactSink, Subject};

use super::card_rule::card_rule;

mod concealed;
mod cues;
mod deeds;
mod presumed;
mod sharp;

use concealed::CONCEALED;
use cues::{CARE, Cue, FORBIDDEN, HANDED_OUT, LOGIN, Side};
use deeds::DEEDS;
use presumed::PRESUMED;
use sharp::SHARP;

card_rule!(
    /// Passages that act behind the user's back.
    CovertPassage,
    include_str!("covert_passage/meta.toml"),
    check
);

/// How much of a text is looked at, in bytes, and how many places of one cue.
const MAX_TEXT: usize = 256 * 1024;
const MAX_PLACES: usize = 8;
/// How far a passage reaches before and after the words that conceal, and around those that presume, in bytes.
const BEFORE: usize = 700;
const AFTER: usize = 500;
const AROUND: usize = 250;
/// What makes a passage covert: something is concealed, something grave is done, and together they weigh this. A single
/// rare concealment with one grave deed does, and so does a common one beside another cue of any kind.
const COVERT: u8 = 5;
/// What does where a deed finds the passage that honest text hardly ever has, and from which weight on it is one.
const RARE_DEED: u8 = 4;
const RARE: u8 = 3;
/// What does where nothing but presumed consent finds the passage, which honest text has often.
const EXCUSED: u8 = 6;
/// What more is asked where a document is about security or the words stand in a table.
const MENTIONED: u8 = 2;

fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    let read = |document: &&Document| {
        document.language == Language::Markdown && matches!(document.role, FileRole::Instruction | FileRole::Docs)
    };
    for document in subject.documents().filter(read) {
        if let Some(found) = anchors().find_map(|anchor| covert(document, anchor)) {
            let said = sentence_around(document.text.as_bytes(), found.clone());
            let shown = String::from_utf8_lossy(slice(document, said));
            facts.found(document.place(found.start), shown.trim());
        }
    }
}

/// The cues that find a passage.
fn anchors() -> impl Iterator<Item = &'static Cue> {
    CONCEALED.iter().chain(&SHARP).chain(&PRESUMED)
}

/// Every question that is asked of whole texts.
pub(super) fn questions() -> impl Iterator<Item = &'static Question> {
    anchors().chain(&DEEDS).map(|cue| &cue.question)
}

fn slice(document: &Document, range: Range<usize>) -> &[u8] {
    document.text.as_bytes().get(range).unwrap_or_default()
}

/// The first place of an anchor whose passage is covert.
fn covert(document: &Document, anchor: &Cue) -> Option<Range<usize>> {
    let places = anchor.question.all_in(document, MAX_TEXT, MAX_PLACES);
    places.into_iter().find(|found| {
        let context = Context::at(document, found.clone());
        let is_mention = context.quoted || context.defensive || is_revoked(document, found, anchor, &context);
        let more = if context.security_topic || context.tabulated { MENTIONED } else { 0 };
        !is_mention && Weights::of(document, &passage(document, found, anchor.side)).are_covert(anchor, more)
    })
}

/// Whether the words around an anchor take it back: it is forbidden, a secret is used for what it is there for, or what
/// is kept out of sight is a secret.
fn is_revoked(document: &Document, found: &Range<usize>, anchor: &Cue, context: &Context) -> bool {
    if anchor.side != Side::Concealed {
        // A description names what a text is about.
        let described = context.zone == ZoneKind::Frontmatter;
        return described
            || context.negated
            || (anchor.weight <= RARE && LOGIN.occurs_in(slice(document, found.clone())));
    }
    let said = slice(document, sentence_around(document.text.as_bytes(), found.clone()));
    let left = slice(document, found.start.saturating_sub(40)..found.start);
    FORBIDDEN.occurs_in(left) || (CARE.occurs_in(said) && !HANDED_OUT.occurs_in(said))
}

/// The text around an anchor that is read with it: within its section, and bounded.
fn passage(document: &Document, found: &Range<usize>, side: Side) -> Range<usize> {
    let (before, after) = if side == Side::Concealed { (BEFORE, AFTER) } else { (AROUND, AROUND) };
    let low = found.start.saturating_sub(before);
    let high = found.end.saturating_add(after).min(document.text.len());
    let heads = |part: &[u8]| part.windows(3).rposition(|mark| mark == b"\n##");
    let first = |part: &[u8]| part.windows(3).position(|mark| mark == b"\n##");
    let start = heads(slice(document, low..found.start)).map_or(low, |at| low + at);
    let end = first(slice(document, found.end..high)).map_or(high, |at| found.end + at);
    start..end
}

/// What the cues of a passage weigh, side by side.
#[derive(Clone, Copy, Debug, Default)]
struct Weights {
    concealed: u8,
    presumed: u8,
    grave: u8,
}

impl Weights {
    fn of(document: &Document, passage: &Range<usize>) -> Self {
        let mut weights = Self::default();
        let mut ways = 0;
        for cue in anchors().chain(&DEEDS).filter(|cue| cue.question.occurs_at(document, passage)) {
            match cue.side {
                // Ways of concealing the same are one concealment, which a second way makes surer.
                Side::Concealed => (weights.concealed, ways) = (weights.concealed.max(cue.weight), ways + 1),
                Side::Presumed => weights.presumed += cue.weight,
                Side::Grave => weights.grave += cue.weight,
            }
        }
        weights.concealed += u8::from(ways > 1);
        weights
    }

    /// Whether they are enough for an anchor of a side, where so much more is asked.
    fn are_covert(self, anchor: &Cue, more: u8) -> bool {
        let Self { concealed, presumed, grave } = self;
        match anchor.side {
            Side::Concealed => {
                let enough = COVERT + if anchor.weight == 1 { MENTIONED } else { 0 };
                grave >= 2 && concealed + presumed.min(1) + grave >= enough + more
            }
            Side::Grave => {
                let enough = if anchor.weight >= RARE { RARE_DEED } else { COVERT };
                grave >= 3 && concealed + presumed.min(2) + grave >= enough + more
            }
            Side::Presumed => grave >= 4 && concealed + presumed.min(2) + grave >= EXCUSED + more,
        }
    }
}
