//! Context: whether a stretch of text is negated, quoted, defensive or documentary, so that talk about an attack is
//! told apart from the attack.
//!
//! Nothing is ever cut out of the text that is analysed: context only makes a finding milder. Code blocks count in
//! full, because agents run them. The windows are bounded, so each question costs the same.

use std::ops::Range;

use super::document::Document;
use super::file_role::FileRole;
use super::language::Language;
use super::voice::Voice;
use super::zones::ZoneKind;

mod aim;
#[cfg(test)]
mod tests;
mod vocabulary;

use vocabulary::{
    ASKS, ATTACK_HEADING, DEFENCE, DEFENCE_HEADING, GRADES, INSTALL_HEADING, MENTION, NEGATED_NEGATION, NEGATION,
    NO_REFUSAL, ORDER, ORDERED_BEFORE, REAL_OBJECT, REFUSAL, REPORTS, SAMPLES, SECURITY_HEADING, SECURITY_TOPIC, SHOWS,
    SPOKEN, STEPS, STRONG_DEFENCE,
};

/// The reach of a sentence to each side, in bytes.
pub const SENTENCE_REACH: usize = 400;
/// The distance to the left of a find from which a negation still governs it, in bytes.
const NEGATION_REACH: usize = 70;

/// The surroundings of a stretch of text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Context {
    /// The kind of zone that it stands in.
    pub zone: ZoneKind,
    /// A negation governs it: "never", "do not", "avoid", to its left in the same clause.
    pub negated: bool,
    /// It is quoted and named as such. It stands between quotation marks in running text after a word or mark that
    /// names it, or in a block quotation that something explains. The mark alone quotes nothing, and an order with an
    /// address or a file of the user's in it stays an order.
    pub quoted: bool,
    /// It stands in a table that lists things, not steps.
    pub tabulated: bool,
    /// It stands in a Markdown code span.
    pub code_span: bool,
    /// The sentence, the line that leads a list in, or a heading above speaks of detecting, preventing or explaining.
    pub defensive: bool,
    /// The file is documentation for people, or a test or sample that nothing loads.
    pub documentation: bool,
    /// A heading above it speaks of installing or setting up.
    pub install_section: bool,
    /// The document calls itself one about security.
    pub security_topic: bool,
    /// The nearest Markdown heading above it.
    pub heading: Option<String>,
}

impl Context {
    /// The context of a span of a document's own text.
    pub fn at(document: &Document, span: Range<usize>) -> Self {
        let origin = span.start;
        Self::within(document, &document.text, span, origin)
    }

    /// The context of a span of a text that was made from a document's (unescaped, folded or decoded). `origin` is the
    /// byte offset in the document from which the span's first byte comes.
    pub fn within(document: &Document, text: &str, span: Range<usize>, origin: usize) -> Self {
        let zone = document.zone_at(origin);
        let bytes = text.as_bytes();
        let sentence = sentence_around(bytes, span.clone());
        let heading = document.headings_at(origin).next().map(str::to_owned);
        let place = SentenceSpan { document, bytes, span: &span, sentence: &sentence, origin };
        let is_order = place.is_order();
        let defensive = place.is_defensive(is_order);
        let security_topic = is_about_security(document);
        // A real order is never explained away: an attacker would write "security check" above it.
        let explained = !is_order && (defensive || security_topic);
        // In code, quotation marks delimit literals and name nothing.
        let is_prose = matches!(
            zone,
            ZoneKind::Prose | ZoneKind::Table | ZoneKind::Quotation | ZoneKind::Comment | ZoneKind::Frontmatter
        ) || document.language == Language::Json;
        let between_marks = is_prose
            && !is_order
            && opening_mark(bytes, &span)
                .is_some_and(|open| explained || MENTION.is_match(slice(bytes, sentence.start.min(open)..open)));
        Self {
            zone,
            negated: is_negated(slice(bytes, sentence.start..span.start)),
            quoted: between_marks || (zone == ZoneKind::Quotation && explained),
            tabulated: match zone {
                ZoneKind::Table => explained || !(is_order || place.is_in_steps()),
                // A command in a table may be there to be run: the table must say that it shows samples.
                // A row that is a command alone orders nothing where the document explains attacks.
                ZoneKind::InlineCode => (!is_order || security_topic) && place.is_shown_in_table(),
                _ => false,
            },
            code_span: zone == ZoneKind::InlineCode,
            defensive,
            documentation: match document.voice {
                Voice::Human => true,
                // A table of values is no document.
                Voice::Data => document.role != FileRole::Data,
                Voice::Agent | Voice::Program => false,
            },
            install_section: document.headings_at(origin).any(|title| INSTALL_HEADING.is_match(title.as_bytes())),
            security_topic,
            heading,
        }
    }
}

/// A stretch of text with its sentence, in the text where it was found and in its document.
struct SentenceSpan<'a> {
    document: &'a Document,
    bytes: &'a [u8],
    span: &'a Range<usize>,
    sentence: &'a Range<usize>,
    origin: usize,
}

impl SentenceSpan<'_> {
    /// True where the sentence orders something with a real object: it begins with an action and holds an address or a
    /// file of the user's. Such a sentence does what it says, whatever marks stand around it.
    fn is_order(&self) -> bool {
        let sentence = slice(self.bytes, self.sentence.clone());
        ORDER.is_match(sentence) && REAL_OBJECT.is_match(sentence)
    }

    /// True where the sentence, the line that leads a list in, or a heading above speaks of what is not to be done. The
    /// words of a real order's own sentence are its author's excuse and prove nothing.
    fn is_defensive(&self, is_order: bool) -> bool {
        let before = self.sentence.start..self.span.start;
        let after = self.span.end..self.sentence.end;
        let zone = self.document.zone_at(self.origin);
        // A program that searches a list on its way does what the rest of its line says.
        let is_run = matches!(self.document.role, FileRole::Script | FileRole::Source) && zone != ZoneKind::Comment;
        let defends = |part: Range<usize>, in_front: bool| {
            STRONG_DEFENCE.find_iter(slice(self.bytes, part.clone())).any(|word| {
                let searches = word.as_bytes().eq_ignore_ascii_case(b"grep");
                // In a fence, where it takes what another command prints, and what is found is none of its own words.
                let is_filter = || {
                    let own = slice(self.bytes, part.start + word.end()..part.end);
                    slice(self.bytes, 0..part.start + word.start()).trim_ascii_end().ends_with(b"|")
                        && (!in_front || own.contains(&b'\n'))
                };
                !(searches && (is_run || (zone == ZoneKind::CodeBlock && is_filter())))
            })
        };
        let said = !is_order && (defends(before, true) || defends(after, false) || self.asks());
        said || self.is_reported()
            || lead_in(self.bytes, self.sentence.start).is_some_and(|line| {
                is_refusal(line) || if is_order { STRONG_DEFENCE.is_match(line) } else { DEFENCE.is_match(line) }
            })
            || self.document.headings_at(self.origin).any(|title| self.explains(title.as_bytes(), is_order))
    }

    /// True where a heading above names what is not to be done. Under "bad example" a sentence that tells its reader to do
    /// something is still one; only lists of attacks hold such sentences as their items.
    fn explains(&self, title: &[u8], is_order: bool) -> bool {
        let sentence = slice(self.bytes, self.sentence.clone());
        if !is_order {
            return DEFENCE_HEADING.is_match(title) || SECURITY_HEADING.is_match(title);
        }
        if SPOKEN.is_match(sentence) {
            // A remark in a block speaks of the lines below it.
            let is_remark = self.document.zone_at(self.origin) == ZoneKind::CodeBlock
                && sentence.trim_ascii_start().starts_with(b"#");
            let is_item = is_remark || begins_list_item(self.bytes, self.sentence.start);
            return is_item && ATTACK_HEADING.is_match(title);
        }
        DEFENCE_HEADING.is_match(title)
    }

    /// True where the sentence asks whether somebody else does what it names.
    fn asks(&self) -> bool {
        let sentence = slice(self.bytes, self.sentence.clone());
        sentence.trim_ascii_end().ends_with(b"?") && ASKS.is_match(sentence)
    }

    /// True where the line reports a finding, or gives the sample of a rule: nobody runs either.
    fn is_reported(&self) -> bool {
        /// How far from a rule's sample its grade may stand.
        const RULE: usize = 400;
        let low = self.span.start.saturating_sub(SENTENCE_REACH);
        let before = slice(self.bytes, low..self.span.start);
        let line = before.rsplit(|byte| *byte == b'\n').next().unwrap_or(before);
        REPORTS.is_match(line)
            || (SAMPLES.is_match(line) && {
                let near = self.span.start.saturating_sub(RULE)..(self.span.end + RULE).min(self.bytes.len());
                GRADES.is_match(slice(self.bytes, near))
            })
    }

    /// True in a row of a table whose heading row says that it shows samples.
    fn is_shown_in_table(&self) -> bool {
        let text = self.document.text.as_bytes();
        let head = slice(text, self.origin.saturating_sub(2000)..self.origin);
        let mut rows = head.split(|byte| *byte == b'\n').rev().map(<[u8]>::trim_ascii_start);
        // The row at hand must begin as one, and so must every line up to the first.
        let first = rows.by_ref().take_while(|row| row.starts_with(b"|")).last();
        first.is_some_and(|row| SHOWS.is_match(row) && !STEPS.is_match(row))
    }

    /// True where the table around it lists steps, or has no heading row within 2,000 bytes.
    fn is_in_steps(&self) -> bool {
        let zones = &self.document.zones;
        let index = zones.partition_point(|zone| zone.end <= self.origin);
        let start = zones.get(index).map_or(self.origin, |zone| zone.start);
        let head = slice(self.document.text.as_bytes(), start..self.origin.min(start + 2000));
        let row = head.split(|byte| *byte == b'\n').next().unwrap_or(head);
        // Without a heading row in sight nothing says that the table lists examples.
        row.len() == head.len() || STEPS.is_match(row)
    }
}

fn slice(bytes: &[u8], range: Range<usize>) -> &[u8] {
    bytes.get(range).unwrap_or(&[])
}

/// True where a span of a document's own text stands in a command that names a host which somebody could really have: it is
/// no sample.
pub fn is_aimed(document: &Document, span: Range<usize>) -> bool {
    let bytes = document.text.as_bytes();
    matches!(document.zone_at(span.start), ZoneKind::CodeBlock | ZoneKind::InlineCode)
        && aim::at_real_host(slice(bytes, sentence_around(bytes, span)))
}

/// The sentence, list item or table row around a span, in bytes. It ends at a full stop, question or exclamation mark
/// before white space, an empty line, or the next list item. It reaches 400 bytes at most to each side.
pub fn sentence_around(text: &[u8], span: Range<usize>) -> Range<usize> {
    let low = span.start.saturating_sub(SENTENCE_REACH);
    let high = span.end.saturating_add(SENTENCE_REACH).min(text.len());
    // Nearly every byte ends no sentence: the few that can are found before anything is asked of them.
    let ends = |range: Range<usize>| {
        let bytes = slice(text, range.clone()).iter().enumerate();
        let marks = bytes.filter(|(_, byte)| matches!(byte, b'.' | b'!' | b'?' | b'\n'));
        marks.map(move |(index, _)| range.start + index + 1).filter(|at| breaks_before(text, *at))
    };
    let start = ends(low..span.start).next_back().unwrap_or(low);
    let end = ends(span.end.saturating_sub(1)..high.saturating_sub(1)).next().unwrap_or(high);
    start..end.max(span.end)
}

/// True where a sentence ends just before `at`.
fn breaks_before(bytes: &[u8], at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|index| bytes.get(index)).copied().unwrap_or(b' ');
    let here = bytes.get(at).copied().unwrap_or(b'\n');
    match before {
        b'.' | b'!' | b'?' => {
            // Neither an ellipsis nor `e.g.` ends a sentence.
            let is_ellipsis = slice(bytes, at.saturating_sub(3)..at) == b"...";
            here.is_ascii_whitespace()
                && !is_ellipsis
                && !slice(bytes, at.saturating_sub(4)..at).eq_ignore_ascii_case(b"e.g.")
        }
        b'\n' => match here {
            b'\n' | b'#' | b'|' | b'>' => true,
            // An empty line of the other kind of line ends.
            b'\r' => bytes.get(at + 1) == Some(&b'\n'),
            b'-' | b'*' | b'+' => bytes.get(at + 1) == Some(&b' '),
            b' ' | b'\t' => begins_list_item(bytes, at),
            digit if digit.is_ascii_digit() => matches!(bytes.get(at + 1), Some(b'.' | b')')),
            _ => false,
        },
        _ => false,
    }
}

fn begins_list_item(bytes: &[u8], at: usize) -> bool {
    let line = slice(bytes, at..(at + 12).min(bytes.len())).trim_ascii_start();
    match line {
        [b'-' | b'*' | b'+', b' ', ..] => true,
        [digit, b'.' | b')', ..] => digit.is_ascii_digit(),
        _ => false,
    }
}

/// True where a line leads in what is not done.
fn is_refusal(line: &[u8]) -> bool {
    REFUSAL.find(line).is_some_and(|found| {
        let before = slice(line, 0..found.start());
        !ORDERED_BEFORE.is_match(before) && !NO_REFUSAL.is_match(found.as_bytes())
    })
}

fn is_negated(left: &[u8]) -> bool {
    // A negation further to the left governs another clause.
    let left = slice(left, left.len().saturating_sub(NEGATION_REACH)..left.len());
    // "Do not hesitate to" orders what follows.
    NEGATION.find(left).is_some_and(|found| !NEGATED_NEGATION.is_match(found.as_bytes()))
}

/// The offset of the quotation mark that opens before the span and closes after it on one line. The quotes that delimit
/// a whole value (`description: "…"`) quote nothing.
fn opening_mark(bytes: &[u8], span: &Range<usize>) -> Option<usize> {
    let low = span.start.saturating_sub(200);
    let left = slice(bytes, low..span.start);
    let left = left.rsplit(|byte| *byte == b'\n').next().unwrap_or(left);
    let right = slice(bytes, span.end..(span.end + 200).min(bytes.len()));
    let right = right.split(|byte| *byte == b'\n').next().unwrap_or(right);
    // A straight mark looks the same at both ends; an odd count says that one is open.
    let odd = |mark: u8| left.iter().filter(|byte| **byte == mark).count() % 2 == 1;
    let straight = odd(b'"') && right.contains(&b'"') && !delimits_value(left, b'"');
    let single = opens_word(left, b'\'') && right.contains(&b'\'') && !delimits_value(left, b'\'');
    let last = |mark: u8| left.iter().rposition(|byte| *byte == mark);
    let marks = [
        straight.then(|| last(b'"')).flatten(),
        single.then(|| last(b'\'')).flatten(),
        opened(left, "\u{201c}", "\u{201d}"),
        opened(left, "\u{2018}", "\u{2019}"),
    ];
    let start = span.start - left.len();
    marks.into_iter().flatten().max().map(|at| start + at)
}

/// The offset of the last opening mark, where none closes after it.
fn opened(left: &[u8], open: &str, close: &str) -> Option<usize> {
    let last = |mark: &str| left.windows(mark.len()).rposition(|window| window == mark.as_bytes());
    last(open).filter(|open| last(close).is_none_or(|close| close < *open))
}

/// True where the last `mark` on the left stands at the beginning of a word, so that it is no apostrophe.
fn opens_word(left: &[u8], mark: u8) -> bool {
    left.iter().rposition(|byte| *byte == mark).is_some_and(|at| {
        let before = at.checked_sub(1).and_then(|index| left.get(index));
        before.is_none_or(|byte| byte.is_ascii_whitespace() || b"([:".contains(byte))
            && left.get(at + 1).is_none_or(|byte| !byte.is_ascii_whitespace())
    })
}

fn delimits_value(left: &[u8], mark: u8) -> bool {
    let Some(at) = left.iter().rposition(|byte| *byte == mark) else { return false };
    let before = slice(left, 0..at).trim_ascii_end();
    let key = before.strip_suffix(b":").or_else(|| before.strip_suffix(b"="));
    // A key is one word or quoted itself; a colon behind more words is running text.
    before.is_empty() || key.is_some_and(|key| !key.contains(&b' ') || key.ends_with(b"\""))
}

/// The last line above that ends with a colon and leads the list or block in, within 600 bytes.
fn lead_in(bytes: &[u8], sentence: usize) -> Option<&[u8]> {
    let above = slice(bytes, sentence.saturating_sub(600)..sentence);
    // Lines may end in either way.
    let lines = above.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii_end);
    // What stands above a heading leads in nothing below it. One mark may be a remark of a shell.
    let mut own = lines.rev().take_while(|line| !(line.starts_with(b"##") && line.contains(&b' ')));
    own.find(|line| line.ends_with(b":") || line.ends_with(b":**"))
}

/// True where the beginning of the document (front matter, first heading) names security as its subject.
fn is_about_security(document: &Document) -> bool {
    // The beginning alone: one word about security further down would excuse the whole document.
    let head = slice(document.text.as_bytes(), 0..document.text.len().min(700));
    document.language == Language::Markdown
        && SECURITY_TOPIC.find_iter(head).any(|found| !is_in_address(head, found.range()))
}

/// True where a word is a part of an address, a path or the name of a host: what somebody calls a machine is no topic.
fn is_in_address(text: &[u8], word: Range<usize>) -> bool {
    let ends = |byte: &u8| byte.is_ascii_whitespace() || b"`\"'()<>|,".contains(byte);
    let start = slice(text, 0..word.start).iter().rposition(ends).map_or(0, |at| at + 1);
    let end = slice(text, word.end..text.len()).iter().position(ends).map_or(text.len(), |at| word.end + at);
    let whole = slice(text, start..end);
    whole.windows(3).any(|part| part[1] == b'.' && part[0].is_ascii_alphanumeric() && part[2].is_ascii_alphanumeric())
        || whole.windows(3).any(|part| part == b"://")
}
