//! Passages: what the running text of an instruction file has its reader do, sentence by sentence.
//!
//! Only text in the agent's voice is read: not what stands in a fence (a program, read as such), a heading or a document
//! for people. The rules that read passages judge them.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use capdex_evidence::context::Context;
use capdex_evidence::document::Document;
use capdex_evidence::file_role::FileRole;
use capdex_evidence::language::Language;
use capdex_evidence::lexicon::{CALL, CHANGE, DESTROY, READ, SEND, SET};
use capdex_evidence::sentences::{Sentence, Words};
use capdex_evidence::subject::Subject;
use capdex_evidence::words;
use capdex_evidence::zones::ZoneKind;

use super::tool_directives::obliges;

/// An expression in parts, compiled at its first use.
macro_rules! pattern {
    ($($part:expr),+ $(,)?) => {
        LazyLock::new(|| capdex_evidence::expression::of(concat!($($part),+)))
    };
}

pub(super) mod addressed;
pub(super) mod collected;
pub(super) mod harm;
pub(super) mod required;
pub(super) mod sent;
pub(super) mod unguarded;

/// The most matches of one question in one text that lead to passages. Decoys before an order must not hide it.
const PLACES: usize = 10_000;

/// The texts of a capability that an agent follows.
fn instructions<'a>(subject: &Subject<'a>) -> impl Iterator<Item = &'a Document> {
    let followed = |document: &&Document| document.role == FileRole::Instruction;
    subject.documents().filter(|document| document.language == Language::Markdown).filter(followed)
}

/// One sentence of running text.
struct Passage<'a> {
    document: &'a Document,
    sentence: Sentence<'a>,
    /// Its bytes in the document.
    bytes: Range<usize>,
}

/// The sentences of a document's running text, lists and tables, in order.
fn passages(document: &Document) -> Vec<Passage<'_>> {
    let text = document.sentences();
    let spoken = document.spoken.get_or_init(|| spoken(document));
    let read = |(number, bytes): &(usize, Range<usize>)| {
        Some(Passage { document, sentence: text.sentences().nth(*number)?, bytes: bytes.clone() })
    };
    spoken.iter().filter_map(read).collect()
}

/// The sentences of a document's running text, by their number, each with its bytes.
fn spoken(document: &Document) -> Vec<(usize, Range<usize>)> {
    let text = document.sentences();
    let speaks = |at: usize| match document.zone_at(at) {
        ZoneKind::CodeBlock => is_planted(document, at),
        zone => zone != ZoneKind::Frontmatter,
    };
    let bytes = |sentence: Sentence<'_>| {
        // Signs that nobody sees are taken out of what is read, and so is their length.
        let start = text.origin(sentence.start());
        start..text.origin(sentence.start() + sentence.as_str().len()).min(document.text.len())
    };
    text.sentences().map(bytes).enumerate().filter(|(_, bytes)| speaks(bytes.start)).collect()
}

/// The passages that some places of the document reach into, by their order; each once.
fn touched(passages: &[Passage<'_>], places: &[Range<usize>]) -> BTreeSet<usize> {
    let mut touched = BTreeSet::new();
    for place in places {
        let first = passages.partition_point(|passage| passage.bytes.end <= place.start);
        let reached = passages.iter().skip(first).take_while(|passage| passage.bytes.start < place.end);
        touched.extend((first..).zip(reached).map(|(at, _)| at));
    }
    touched
}

/// True in a block of running text that is to be written to a file which agents load: it speaks to every later one.
fn is_planted(document: &Document, at: usize) -> bool {
    static LOADED: LazyLock<Regex> = LazyLock::new(|| {
        capdex_evidence::expression::of(
            r"(?i)\b(?:CLAUDE(?:\.local)?|AGENTS?|GEMINI|SOUL|MEMORY|HEARTBEAT|IDENTITY|copilot-instructions)\.md\b|\.(?:cursor|windsurf|cline)rules\b|\.(?:cursor|claude|windsurf|clinerules|roo)/(?:rules|memory|agents)\b|\bsystem\s+prompt\b",
        )
    });
    /// How far above a block the file is named.
    const ABOVE: usize = 300;
    let Some((start, block)) = document.zone_text(at) else { return false };
    let fence = block.lines().next().unwrap_or_default();
    let language = fence.trim().trim_start_matches(['`', '~']).to_ascii_lowercase();
    let low = document.text.floor_char_boundary(start.saturating_sub(ABOVE));
    matches!(language.as_str(), "" | "markdown" | "md" | "text" | "txt")
        && document.text.get(low..start).is_some_and(|above| LOADED.is_match(above))
}

impl Passage<'_> {
    /// True where it orders something: a word of duty, or a verb in its plain form at the beginning of a clause.
    fn binds(&self) -> bool {
        obliges(&self.sentence) || self.begins_with_order()
    }

    fn begins_with_order(&self) -> bool {
        let verbs = SEND.with(READ).with(SET).with(CALL).with(CHANGE).with(DESTROY);
        let sentence = &self.sentence;
        let plain = |index: usize| {
            let word = sentence.word(index);
            sentence.is(index, verbs) && !word.ends_with('s') && !word.ends_with("ing") && !word.ends_with("ed")
        };
        const LEADS: Words = Words::of(&[
            "then",
            "please",
            "also",
            "always",
            "and",
            "first",
            "next",
            "finally",
            "silently",
            "quietly",
            "automatically",
            "to",
        ]);
        (0..sentence.words.len()).any(|index| {
            plain(index)
                && (index == 0
                    || sentence.ends_clause(index - 1)
                    || sentence.fits(index - 1, &LEADS)
                    // A number or a bullet before it.
                    || (index == 1 && sentence.word(0).bytes().all(|byte| !byte.is_ascii_alphabetic())))
        })
    }

    /// True where the text around it forbids, quotes or explains it, or asks a person.
    fn is_mention(&self) -> bool {
        let context = Context::at(self.document, self.bytes.clone());
        context.defensive || context.quoted || context.security_topic || self.asks_people()
    }

    /// True for headings and rows of tables, which name things.
    fn is_aside(&self) -> bool {
        let said = self.document.text.get(self.bytes.clone()).unwrap_or_default();
        let line = self
            .document
            .text
            .get(..self.bytes.start)
            .and_then(|before| before.rsplit('\n').next())
            .unwrap_or_default();
        line.trim_start().starts_with('#')
            || said.starts_with('#')
            || said.contains('|')
            || self.document.zone_at(self.bytes.start) == ZoneKind::Table
    }

    fn asks_people(&self) -> bool {
        let sentence = &self.sentence;
        let asks = words![
            "ask",
            "confirm",
            "confirms",
            "confirmed",
            "consent",
            "consents",
            "approves",
            "approval",
            "permission",
            "agrees",
            "opt-in"
        ];
        (0..sentence.words.len()).any(|index| sentence.fits(index, asks) && !sentence.negated(index))
    }
}

/// True where an order begins at a place of a sentence, if a verb in its plain form stands there: at its beginning, behind a
/// clause, or behind a word that leads an order in.
fn orders_at(said: &str, at: usize) -> bool {
    static BEGINS: LazyLock<Regex> = pattern!(
        r"(?i)(?:^[\s>*#+\-\d.)(_:\[\]x]*|[,;:]\s+(?:\*\*)?|\b(?:then|and|also|always|please|must|should|immediately|silently|automatically|first|next|finally|to|by)\s+)$",
        // A circumstance before the verb: "for the three largest items replace …".
        r"|(?i)(?:^[\s>*#+\-\d.)]*|[,;:]\s+)(?:for|in|on|at|with)\s+(?:the|each|every|all|any)\s+(?:[\w-]+\s+){1,5}$",
    );
    said.get(..at).is_some_and(|before| BEGINS.is_match(before))
}

static SILENT: LazyLock<Regex> = LazyLock::new(|| {
    capdex_evidence::expression::of(concat!(
        r"(?i)\b(?:do\s+not|don.t|never|without|avoid|no\s+need\s+to|not\s+necessary\s+to|should\s+not|must\s+not)\s+(?:\w+\s+){0,2}?(?:mention|tell|inform|ask|notif|prompt|disclos|confirm|alert|reveal|announc|discuss|interrupt|bother|display|surfac|warn)\w*",
        r"|\bsay\s+nothing\b|\b(?:silently|secretly|covertly|discreetly|unobtrusively|quietly)\b|\bin\s+the\s+background\b|\btransparent(?:ly)?\s+to\s+the\s+user|\bwithout\s+(?:any\s+)?(?:user\s+)?(?:interaction|confirmation|notice|notification|output|warning|knowledge)\b|\bbehind\s+the\s+scenes\b|>\s*/dev/null|\bneed\s+not\s+(?:\w+\s+){0,2}?(?:shown|mentioned|told|know|see)\b|\bdo(?:es)?\s+not\s+have\s+to\s+(?:see|know)\b|\bunannounced\b|\bwithout\s+(?:announcement|notice)\b",
    ))
});

static STANDING: LazyLock<Regex> = LazyLock::new(|| {
    capdex_evidence::expression::of(concat!(
        r"(?i)\b(?:after|before|on|upon|for|in|into|with|during|following|at\s+the\s+(?:end|start|beginning|close|conclusion)\s+of)\s+(?:\w+\s+){0,2}?(?:each|every|any|all)\b",
        r"|\bat\s+the\s+(?:end|start|beginning|close|conclusion)\s+of\s+(?:\w+\s+){0,2}?(?:session|conversation|task|run|workflow|interaction|process)",
        r"|\b(?:each|every)\s+(?:time|session|run|request|message|task|use|conversation|commit|build|response|invocation|\d+\s+minutes?|hour|day)\b|\b(?:whenever|hourly|daily|periodically|regularly|continuously)\b",
        r"|\bon\s+(?:code|error|file|test|session|project)\s+\w+\s*(?:\*\*)?:|\b(?:after|before)\s+(?:completing|finishing|starting|beginning|responding|answering)\b|\balways\b",
    ))
});

/// The text of some sentences around one, as it is written.
fn around<'a>(passages: &[Passage<'a>], at: usize, reach: usize) -> &'a str {
    let first = passages.get(at.saturating_sub(reach));
    let last = passages.get((at + reach).min(passages.len().saturating_sub(1)));
    let (Some(first), Some(last)) = (first, last) else { return "" };
    first.document.text.get(first.bytes.start..last.bytes.end).unwrap_or_default()
}
