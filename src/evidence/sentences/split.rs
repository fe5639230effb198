//! The bounds of words and sentences in a text, and the marks on words that are quoted.
//!
//! One walk over the text; a quotation is followed over a bounded number of words.

use super::{Marks, SegmentedText};

/// The longest quotation, in words; what is not closed within it is no quotation.
const MAX_QUOTATION: usize = 40;

/// A run of text between white space.
#[derive(Clone, Copy)]
struct TextRun {
    start: usize,
    end: usize,
    /// True where a sentence cannot go on over what stands before it.
    breaks_before: bool,
    /// True where it is letters and digits of ASCII alone.
    is_bare: bool,
    quoted: bool,
}

/// Fills in the words and sentences of a text.
pub(super) fn split(text: &mut SegmentedText) {
    let (mut runs, marks) = runs(text.as_str());
    text.marks = text.marks.with_all(marks);
    // Marks were noted on the way, so that plain text needs no second walk.
    if text.marks.any(QUOTING) {
        mark_quotations(text.as_str(), &mut runs);
    }
    if text.marks.any(FENCING) {
        mark_fences(text.as_str(), &mut runs);
    }
    text.words.reserve_exact(runs.len());
    let mut open = Open { first_word: 0, begin: None, is_bare: true };
    for run in &runs {
        if run.breaks_before {
            open.finish(text, run.start);
        }
        open.begin.get_or_insert(run.start);
        let (mut word, mut ends) = (Some((run.start, run.end)), false);
        // A bare run is a word as it stands; marks are looked for in the others alone.
        if !run.is_bare {
            let raw = text.plain(run.start, run.end);
            word = trimmed(raw).map(|(start, end)| (run.start + start, run.start + end));
            ends = ends_sentence(raw);
        }
        if let Some((start, end)) = word {
            open.is_bare = open.is_bare && (run.is_bare || behind_letters(text.as_str(), start) >= end);
            text.push_word(start, end, run.quoted);
        }
        if ends {
            open.finish(text, run.end);
        }
    }
    let length = text.length();
    open.finish(text, length);
}

/// The sentence that is being put together.
struct Open {
    first_word: usize,
    begin: Option<usize>,
    is_bare: bool,
}

impl Open {
    fn finish(&mut self, text: &mut SegmentedText, end: usize) {
        let Some(start) = self.begin.take() else { return };
        let (first, last) = (self.first_word, text.words.len());
        // Punctuation alone makes no sentence.
        if first == last {
            return;
        }
        text.push_sentence(first, (start, end), self.is_bare);
        (self.first_word, self.is_bare) = (last, true);
    }
}

/// The runs of text between white space, and the marks in them.
fn runs(text: &str) -> (Vec<TextRun>, Marks) {
    // English has about five letters to a word.
    let mut runs = Vec::with_capacity(text.len() / 5 + 1);
    let (mut at, mut marks) = (0, Marks::default());
    loop {
        let (start, newlines) = behind_white(text, at);
        let letters = behind_letters(text, start);
        // Nearly every run is letters up to the next blank.
        let is_bare = text.as_bytes().get(letters).is_none_or(|byte| kind_of(*byte) == Byte::White);
        at = if is_bare { letters } else { behind_run(text, letters, &mut marks) };
        if start == at {
            return (runs, marks);
        }
        // Only at the beginning of a line is a dash a bullet.
        let bullet = newlines > 0 && !is_bare && is_bullet(text.get(start..at).unwrap_or_default());
        runs.push(TextRun { start, end: at, breaks_before: newlines > 1 || bullet, is_bare, quoted: false });
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Byte {
    White,
    /// An ASCII letter or digit.
    Letter,
    /// Any other ASCII.
    Mark,
    /// Part of a letter that only all of its bytes tell.
    Beyond,
}

static KINDS: [Byte; 256] = {
    let mut kinds = [Byte::Beyond; 256];
    let mut byte = 0_u8;
    while byte < 128 {
        kinds[byte as usize] = match byte {
            b' ' | b'\t'..=b'\r' => Byte::White,
            b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' => Byte::Letter,
            _ => Byte::Mark,
        };
        byte += 1;
    }
    kinds
};

fn kind_of(byte: u8) -> Byte {
    KINDS.get(usize::from(byte)).copied().unwrap_or(Byte::Beyond)
}

/// One past the white space that begins at an offset, and how many line ends are in it.
fn behind_white(text: &str, from: usize) -> (usize, usize) {
    let (mut at, mut newlines) = (from, 0);
    while let Some(byte) = text.as_bytes().get(at) {
        at += match kind_of(*byte) {
            Byte::White => 1,
            Byte::Letter | Byte::Mark => break,
            Byte::Beyond => match letter_at(text, at) {
                letter if letter.is_whitespace() => letter.len_utf8(),
                _ => break,
            },
        };
        newlines += usize::from(*byte == b'\n');
    }
    (at, newlines)
}

/// One past the ASCII letters and digits that begin at an offset.
fn behind_letters(text: &str, from: usize) -> usize {
    let rest = text.as_bytes().get(from..).unwrap_or_default();
    from + rest.iter().take_while(|byte| kind_of(**byte) == Byte::Letter).count()
}

/// One past what is no white space and begins at an offset; notes the marks in it.
fn behind_run(text: &str, from: usize, marks: &mut Marks) -> usize {
    let mut at = from;
    while let Some(byte) = text.as_bytes().get(at) {
        at += match kind_of(*byte) {
            Byte::White => break,
            Byte::Letter => 1,
            Byte::Mark => {
                *marks = marks.with(*byte);
                1
            }
            // A letter beyond ASCII is white or not as a whole.
            Byte::Beyond => match letter_at(text, at) {
                letter if letter.is_whitespace() => break,
                letter => letter.len_utf8(),
            },
        };
    }
    at
}

fn letter_at(text: &str, at: usize) -> char {
    text.get(at..).and_then(|rest| rest.chars().next()).unwrap_or_default()
}

/// True where a run is letters or digits at one end: almost all are at both, and then no mark has to be looked for.
fn is_plain(end: Option<&u8>) -> bool {
    end.is_some_and(u8::is_ascii_alphanumeric)
}

fn is_bullet(raw: &str) -> bool {
    let numbered = raw.trim_end_matches(['.', ')']);
    matches!(raw, "-" | "*" | "•" | "–" | "+")
        || raw.starts_with(['#', '<', '[', ':'])
        || (raw.ends_with(':') && raw.len() > 2)
        || (numbered.len() < raw.len() && numbered.len() <= 2 && numbered.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Marks before and behind a word that are no part of it.
const BEFORE: [char; 20] =
    ['"', '\'', '`', '“', '‘', '(', '[', '{', '*', ',', ';', ':', '!', '?', '-', '#', '<', '«', '>', '='];
const BEHIND: [char; 19] =
    ['"', '\'', '`', '”', ')', ']', '}', '*', ',', ';', ':', '!', '?', '.', '>', '»', '…', '。', '='];
/// Marks that may stand behind the one that ends a sentence.
const CLOSING: [char; 7] = ['"', '\'', '`', '”', ')', ']', '*'];
/// The mark of which fences are made.
const FENCING: Marks = Marks::of(&['`']);
/// Marks that may quote: those of ASCII, and any beyond.
const QUOTING: Marks = Marks::of(&['"', '\'', '`']).with_all(Marks::STRANGE);

/// The part of a run that is the word, as offsets into it; none where all of it is punctuation.
fn trimmed(raw: &str) -> Option<(usize, usize)> {
    if is_plain(raw.as_bytes().first()) && is_plain(raw.as_bytes().last()) {
        return Some((0, raw.len()));
    }
    let left = if raw.is_ascii() {
        const ASCII: Marks = Marks::of(&BEFORE);
        let marks = raw.bytes().take_while(|byte| ASCII.hold(*byte)).count();
        raw.get(marks..).unwrap_or_default()
    } else {
        raw.trim_start_matches(BEFORE)
    };
    let both = without(left, &BEHIND, const { Marks::of(&BEHIND) });
    let start = raw.len() - left.len();
    (!both.is_empty()).then_some((start, start + both.len()))
}

/// A run without some marks at its end. Most are ASCII, and so are the marks then: those are given once more.
fn without<'a>(raw: &'a str, marks: &[char], ascii: Marks) -> &'a str {
    if !raw.is_ascii() {
        return raw.trim_end_matches(marks);
    }
    let marks = raw.bytes().rev().take_while(|byte| ascii.hold(*byte)).count();
    raw.get(..raw.len() - marks).unwrap_or_default()
}

/// Shortened words whose full stop ends no sentence.
const SHORTENED: [&str; 6] = ["e.g.", "i.e.", "etc.", "vs.", "cf.", "approx."];

fn ends_sentence(raw: &str) -> bool {
    if is_plain(raw.as_bytes().last()) {
        return false;
    }
    // Lists that lost their line ends: "… 150 KB.- The maximum …".
    let raw = raw.strip_suffix('-').unwrap_or(raw);
    let bare = without(raw, &CLOSING, const { Marks::of(&CLOSING) });
    bare.ends_with(['.', '!', '?', '。', '！', '？'])
        && !SHORTENED.iter().any(|word| bare.trim_start_matches('(').eq_ignore_ascii_case(word))
}

/// Marks what stands within quotation marks or back-ticks that are closed again.
fn mark_quotations(text: &str, runs: &mut [TextRun]) {
    const PAIRS: [(char, char); 6] = [('"', '"'), ('“', '”'), ('`', '`'), ('\'', '\''), ('‘', '\''), ('«', '»')];
    let raw_of = |run: &TextRun| text.get(run.start..run.end).unwrap_or_default();
    let mut index = 0;
    while let Some(run) = runs.get(index) {
        // A run that begins with a letter opens no quotation.
        if is_plain(text.as_bytes().get(run.start)) {
            index += 1;
            continue;
        }
        let raw = raw_of(run);
        let opened = raw.trim_start_matches(['(', '[', '{', '=', ':', ',']);
        let pair = PAIRS.iter().find(|(open, _)| opened.starts_with(*open));
        let mut next = index + 1;
        if let Some((open, close)) = pair {
            let within = runs.iter().enumerate().skip(index).take(MAX_QUOTATION);
            // A quotation ends within its paragraph, or the mark was an apostrophe or an inch.
            let closing = within.take_while(|(at, run)| *at == index || !run.breaks_before).find(|(at, run)| {
                let raw = raw_of(run);
                // The opening mark must not be taken for the closing one: both look alike.
                let from = if *at == index { raw.find(*open).map_or(0, |at| at + open.len_utf8()) } else { 0 };
                raw.get(from..).is_some_and(|rest| {
                    rest.trim_end_matches(['.', ',', ';', ':', ')', ']', '}', '!', '?']).ends_with(*close)
                })
            });
            if let Some((last, _)) = closing {
                runs.iter_mut().take(last + 1).skip(index).for_each(|run| run.quoted = true);
                next = last + 1;
            }
        }
        index = next;
    }
}

/// Marks what stands in fenced blocks.
fn mark_fences(text: &str, runs: &mut [TextRun]) {
    let fences: Vec<usize> = text.match_indices("```").map(|(at, _)| at).collect();
    for pair in fences.chunks_exact(2) {
        if let [open, close] = pair {
            let first = runs.partition_point(|run| run.start < *open);
            let last = runs.partition_point(|run| run.start < *close);
            runs.iter_mut().take(last).skip(first).for_each(|run| run.quoted = true);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn ascii_is_trimmed_as_any_run_is(raw in "[a-b\"'`()*,:!?.#<>=-]{0,8}") {
            let left = raw.trim_start_matches(BEFORE);
            let start = raw.len() - left.len();
            let both = left.trim_end_matches(BEHIND);
            proptest::prop_assert_eq!(trimmed(&raw), (!both.is_empty()).then_some((start, start + both.len())));
            proptest::prop_assert_eq!(without(&raw, &CLOSING, Marks::of(&CLOSING)), raw.trim_end_matches(CLOSING));
        }
    }
}
