//! A text as the prefilter looks at it: in lower case, and with one space for every run of blanks.
//!
//! Expressions take in blanks by the run; so words that stand in a row are one literal, whatever stands between them.

use capdex_evidence::bytes::{WORD, each_of, nth_of, places};
use capdex_prefilter::{LONGEST, is_blank, seen};

/// The bytes around a text, so that every literal can be compared at every place: what no text holds.
const PAD: [u8; LONGEST] = [u8::MAX; LONGEST];

#[derive(Debug)]
pub(super) struct Normalized {
    padded: Vec<u8>,
    /// For each chunk of the text as it is written how many bytes are left of those before it, and which of its own are.
    chunks: Vec<(usize, u64)>,
    length: usize,
    longest_line: usize,
}

impl Normalized {
    /// The text as the prefilter sees it.
    pub(super) fn of(text: &[u8]) -> Self {
        let mut padded = Vec::with_capacity(text.len() + 2 * LONGEST);
        padded.extend_from_slice(&PAD);
        let mut chunks = Vec::with_capacity(text.len() / WORD + 1);
        // Where the last line begins, and whether the last byte was a blank.
        let (mut line, mut longest_line, mut is_behind_blank) = (0, 0, 0);
        for (chunk, at) in text.chunks(WORD).zip((0..).step_by(WORD)) {
            let mut bytes = [0; WORD];
            bytes.iter_mut().zip(chunk).for_each(|(own, byte)| *own = *byte);
            for end in each_of(places(&bytes, |byte| byte == b'\n')).map(|place| at + place) {
                longest_line = longest_line.max(end - line);
                line = end + 1;
            }
            let blanks = places(&bytes, is_blank);
            let seen = bytes.map(seen);
            // Every blank behind another one, also across the border of two chunks.
            let spare = blanks & (blanks << 1 | is_behind_blank);
            is_behind_blank = blanks >> (WORD - 1);
            let kept = !spare & (u64::MAX >> (WORD - chunk.len()));
            chunks.push((padded.len() - LONGEST, kept));
            // Most chunks hold no two blanks in a row and are copied whole.
            if spare == 0 {
                padded.extend_from_slice(seen.get(..chunk.len()).unwrap_or(&seen));
                continue;
            }
            for (start, last) in each_of(kept & !(kept << 1)).zip(each_of(kept & !(kept >> 1))) {
                padded.extend_from_slice(seen.get(start..=last).unwrap_or(&[]));
            }
        }
        longest_line = longest_line.max(text.len() - line);
        padded.extend_from_slice(&PAD);
        Self { padded, chunks, length: text.len(), longest_line }
    }

    /// Its bytes.
    pub(super) fn bytes(&self) -> &[u8] {
        self.padded.get(LONGEST..self.padded.len() - LONGEST).unwrap_or(&[])
    }

    /// Its bytes with as many before them and behind them as the longest literal has.
    pub(super) fn padded(&self) -> &[u8] {
        &self.padded
    }

    /// The length of the text as it is written.
    pub(super) fn length(&self) -> usize {
        self.length
    }

    /// The length of the longest line, as it is written.
    pub(super) fn longest_line(&self) -> usize {
        self.longest_line
    }

    /// The places of some of its bytes, in their order, in the text as it is written; of a run of blanks its begin.
    pub(super) fn written(&self, places: &mut [usize]) {
        let mut chunks = (0..).step_by(WORD).zip(&self.chunks).peekable();
        let (mut start, mut before, mut kept) = (0, 0, 0);
        for place in places {
            while let Some((at, (so_far, own))) = chunks.next_if(|(_, (so_far, _))| so_far <= place) {
                (start, before, kept) = (at, *so_far, *own);
            }
            // An empty text has no chunk.
            if kept != 0 {
                *place = start + nth_of(kept, *place - before);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn an_empty_text_begins_where_it_ends() {
        let mut places = [0];
        Normalized::of(b"").written(&mut places);
        assert_eq!(places, [0]);
    }

    proptest! {
        #[test]
        fn a_run_of_blanks_is_one_space(text in "(?:[aB.ä]{0,70}[ \n\t]{0,90}){0,6}") {
            let normalized = Normalized::of(text.as_bytes());
            let is_first = |at: &usize| !is_blank(text.as_bytes()[*at]) || *at == 0 || !is_blank(text.as_bytes()[at - 1]);
            let written: Vec<usize> = (0..text.len()).filter(is_first).collect();
            let seen: Vec<u8> = written.iter().map(|at| text.as_bytes()[*at].to_ascii_lowercase()).collect();
            let seen: Vec<u8> = seen.into_iter().map(|byte| if is_blank(byte) { b' ' } else { byte }).collect();
            prop_assert_eq!(normalized.bytes(), &seen[..]);
            let mut places: Vec<usize> = (0..seen.len()).collect();
            normalized.written(&mut places);
            prop_assert_eq!(places, written);
            prop_assert_eq!(normalized.longest_line(), text.split('\n').map(str::len).max().unwrap_or(0));
        }
    }
}
