//! Where words and sentences of a text begin and end, and which words are quoted.
//!
//! Must not know what words mean. One walk over the text; a quotation is followed over a bounded number of words.

use super::Text;

/// The longest quotation, in words; what is not closed within it is no quotation.
const MAX_QUOTATION: usize = 40;

/// What stands between white space.
#[derive(Clone, Copy)]
struct Run {
    start: usize,
    end: usize,
    /// Whether a sentence cannot go on over what stands before it.
    breaks_before: bool,
    /// Whether it is letters and digits of ASCII alone.
    is_bare: bool,
    quoted: bool,
}

/// Fills in the words and sentences of a text.
pub(super) fn split(text: &mut Text) {
    let mut runs = runs(&text.plain);
    mark_quotations(&text.plain, &mut runs);
    mark_fences(&text.plain, &mut runs);
    text.words.reserve_exact(runs.len());
    let mut open = Open { first_word: 0, begin: None };
    for run in &runs {
        if run.breaks_before {
            open.finish(text, run.start);
        }
        open.begin.get_or_insert(run.start);
        if run.is_bare {
            text.push_word(run.start, run.end, run.quoted);
            continue;
        }
        let raw = text.plain.get(run.start..run.end).unwrap_or_default();
        let (ends, word) = (ends_sentence(raw), trimmed(raw));
        if let Some((start, end)) = word {
            let (start, end) = (run.start + start, run.start + end);
            text.push_word(start, end, run.quoted);
        }
        if ends {
            open.finish(text, run.end);
        }
    }
    let length = text.plain.len();
    open.finish(text, length);
}

/// The sentence that is being put together.
struct Open {
    first_word: usize,
    begin: Option<usize>,
}

impl Open {
    fn finish(&mut self, text: &mut Text, end: usize) {
        let Some(start) = self.begin.take() else { return };
        let (first, last) = (self.first_word, text.words.len());
        if first == last {
            return;
        }
        self.first_word = last;
        text.push_sentence(first, (start, end));
    }
}

fn runs(text: &str) -> Vec<Run> {
    let mut runs = Vec::with_capacity(text.len() / 5 + 1);
    let mut at = 0;
    while at < text.len() {
        let start = end_of(text, at, true);
        // Most words have one blank before them.
        let white = text.as_bytes().get(at..start).unwrap_or_default();
        let newlines = if white == b" " { 0 } else { white.iter().filter(|byte| **byte == b'\n').count() };
        let letters = end_of_letters(text, start);
        let is_bare = text.as_bytes().get(letters).is_none_or(|byte| kind_of(*byte) == Byte::White);
        at = if is_bare { letters } else { end_of(text, letters, false) };
        if start < at {
            let bullet = newlines > 0 && !is_bare && is_bullet(text.get(start..at).unwrap_or_default());
            runs.push(Run { start, end: at, breaks_before: newlines > 1 || bullet, is_bare, quoted: false });
        }
    }
    runs
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

/// One past the ASCII letters and digits that begin at an offset.
fn end_of_letters(text: &str, from: usize) -> usize {
    let rest = text.as_bytes().get(from..).unwrap_or_default();
    from + rest.iter().take_while(|byte| kind_of(**byte) == Byte::Letter).count()
}

/// One past the white space, or past what is none, that begins at an offset.
fn end_of(text: &str, from: usize, white: bool) -> usize {
    let mut at = from;
    while let Some(byte) = text.as_bytes().get(at) {
        // A letter beyond ASCII is white or not as a whole.
        let (is_white, length) = match kind_of(*byte) {
            Byte::White => (true, 1),
            Byte::Letter | Byte::Mark => (false, 1),
            Byte::Beyond => {
                let letter = text.get(at..).and_then(|rest| rest.chars().next()).unwrap_or_default();
                (letter.is_whitespace(), letter.len_utf8())
            }
        };
        if is_white != white {
            break;
        }
        at += length;
    }
    at
}

/// Whether a run is letters or digits at one end: almost all are at both, and then no mark has to be looked for.
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

/// The part of a run that is the word, as offsets into it; none where all of it is punctuation.
fn trimmed(raw: &str) -> Option<(usize, usize)> {
    if is_plain(raw.as_bytes().first()) && is_plain(raw.as_bytes().last()) {
        return Some((0, raw.len()));
    }
    let left = raw.trim_start_matches([
        '"', '\'', '`', '“', '‘', '(', '[', '{', '*', ',', ';', ':', '!', '?', '-', '#', '<', '«', '>', '=',
    ]);
    let both = left.trim_end_matches([
        '"', '\'', '`', '”', ')', ']', '}', '*', ',', ';', ':', '!', '?', '.', '>', '»', '…', '。', '=',
    ]);
    let start = raw.len() - left.len();
    (!both.is_empty()).then_some((start, start + both.len()))
}

/// Shortened words whose full stop ends no sentence.
const SHORTENED: [&str; 6] = ["e.g.", "i.e.", "etc.", "vs.", "cf.", "approx."];

fn ends_sentence(raw: &str) -> bool {
    if is_plain(raw.as_bytes().last()) {
        return false;
    }
    let bare = raw.trim_end_matches(['"', '\'', '`', '”', ')', ']', '*']);
    bare.ends_with(['.', '!', '?', '。', '！', '？'])
        && !SHORTENED.iter().any(|word| bare.trim_start_matches('(').eq_ignore_ascii_case(word))
}

/// Marks what stands within quotation marks or back-ticks that are closed again.
fn mark_quotations(text: &str, runs: &mut [Run]) {
    const PAIRS: [(char, char); 6] = [('"', '"'), ('“', '”'), ('`', '`'), ('\'', '\''), ('‘', '\''), ('«', '»')];
    let raw_of = |run: &Run| text.get(run.start..run.end).unwrap_or_default();
    let mut index = 0;
    while let Some(run) = runs.get(index) {
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
            let closing = within.take_while(|(at, run)| *at == index || !run.breaks_before).find(|(at, run)| {
                let raw = raw_of(run);
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
fn mark_fences(text: &str, runs: &mut [Run]) {
    if !text.as_bytes().contains(&b'`') {
        return;
    }
    let fences: Vec<usize> = text.match_indices("```").map(|(at, _)| at).collect();
    for pair in fences.chunks_exact(2) {
        if let [open, close] = pair {
            let first = runs.partition_point(|run| run.start < *open);
            let last = runs.partition_point(|run| run.start < *close);
            runs.iter_mut().take(last).skip(first).for_each(|run| run.quoted = true);
        }
    }
}
