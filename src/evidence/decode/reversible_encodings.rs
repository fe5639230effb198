//! Reversible encodings of text: rotated by thirteen, written backwards, spelt with spaces, or as numeric HTML entities.
//!
//! Only lines in which the turned form of telling words stands are undone, so that ordinary text costs one search and
//! gives nothing.

use std::ops::Range;
use std::sync::LazyLock;

use regex::bytes::Regex;

use super::blocks::{self, Blocks};
use super::{EncodedRun, Encoding, is_text, line_around, pattern};
use crate::bytes::first;
use crate::shell::rotate;

/// The distance around a telling word to which its line is undone, in bytes.
const REACH: usize = 1500;

/// Words of commands and instructions, rotated: `curl`, `wget`, `bash`, `instructions` and so on.
const ROTATED_WORDS: [&str; 26] = [
    "phey",
    "jtrg",
    "onfu",
    "onfr64",
    "fhocebprff",
    "vafgehpgvbaf",
    "cerivbhf",
    "vtaber",
    "qvfertneq",
    "perqragvnyf",
    "cnffjbeq",
    "riny",
    "rkrp",
    "flfgrz",
    "vzcbeg",
    "cnffjbeqf",
    "frperg",
    "frpergf",
    "hfre",
    "cebzcg",
    "fraq",
    "hcybnq",
    "gbxra",
    "nhgubevmrq_xrlf",
    "fqqu",
    "fqu",
];
/// Such words backwards.
const REVERSED_WORDS: [&str; 19] = [
    "lruc",
    "tegw",
    "hsab",
    "46esab",
    "ssecorpbus",
    "snoitcurtsni",
    "suoiverp",
    "erongi",
    "dragersid",
    "slaitnederc",
    "drowssap",
    "lave",
    "cexe",
    "metsys",
    "tropmi",
    "terces",
    "tpmorp",
    "daolpu",
    "nekot",
];
/// The beginnings of addresses and shells, in both.
const MARKS: [&str; 4] = ["uggc", "/ova/", "ptth", "/nib/"];

static ROTATED: LazyLock<Regex> =
    LazyLock::new(|| pattern(&format!(r"uggcf?://|/ova/(?:on)?fu\b|\b(?:{})\b", ROTATED_WORDS.join("|"))));
static REVERSED: LazyLock<Regex> =
    LazyLock::new(|| pattern(&format!(r"//:s?ptth\b|\bhs(?:ab)?/nib/|\b(?:{})\b", REVERSED_WORDS.join("|"))));
/// Either: almost no text holds one, and one search tells so.
static TURNED: LazyLock<Regex> = LazyLock::new(|| pattern(&format!("{}|{}", ROTATED.as_str(), REVERSED.as_str())));
/// The words of which every match of either holds one in lower case: plain letters are looked for many bytes at a time.
/// Those of less than four letters stand apart: among the others they would make every place look like the beginning of
/// one.
static PLAIN: LazyLock<[Regex; 2]> = LazyLock::new(|| {
    let words = MARKS.iter().chain(&ROTATED_WORDS).chain(&REVERSED_WORDS).copied();
    let (short, long): (Vec<&str>, Vec<&str>) = words.partition(|word| word.len() < 4);
    [short, long].map(|words| Regex::new(&words.join("|")).expect("words are a valid pattern"))
});
/// Letters with one blank, dot, dash or underscore between each; words apart by more.
static SPACED: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?:\b[a-z|/:.\-$~][ ]{1,3}){8,}[a-z]\b"));
static ENTITIES: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?:&#(?:x[0-9a-f]{2,5}|[0-9]{2,6});[ \t]?){4,}"));

/// The runs of all four forms.
pub(super) fn runs(bytes: &[u8], blocks: &Blocks, found: &mut Vec<EncodedRun>) {
    // One copy in lower case costs less than a search that ignores the case.
    let lower = bytes.to_ascii_lowercase();
    if PLAIN.iter().any(|words| words.is_match(&lower)) && TURNED.is_match(bytes) {
        lines_with(bytes, &ROTATED, Encoding::Rotated, found);
        lines_with(bytes, &REVERSED, Encoding::Reversed, found);
    }
    if may_be_spaced(bytes, blocks) {
        for spaced in SPACED.find_iter(bytes) {
            push(found, spaced.range(), Encoding::Spaced, despaced(spaced.as_bytes()));
        }
    }
    if first(bytes, |byte| byte == b'&').is_some() {
        for entities in ENTITIES.find_iter(bytes) {
            push(found, entities.range(), Encoding::Entities, characters(entities.as_bytes()));
        }
    }
}

/// The prefilter: true where nine letters stand in a row with spaces between them, of which the outer two may end
/// longer words. It is cheap, and never wrong where it says no.
fn may_be_spaced(bytes: &[u8], blocks: &Blocks) -> bool {
    let mut from = 0;
    while let Some(at) = blocks.next(blocks::SPACED, from) {
        // A block tells of eight bytes only; the stretch around it has to be counted out.
        let is_spaced = |pair: &&[u8]| pair.contains(&b' ');
        let before = bytes.get(from..=at).unwrap_or(&[]).windows(2).rev().take_while(is_spaced).count();
        let behind = bytes.get(at..).unwrap_or(&[]).windows(2).take_while(is_spaced).count();
        let stretch = bytes.get(at - before..=at + behind).unwrap_or(&[]);
        if stretch.split(|byte| *byte == b' ').filter(|word| !word.is_empty()).nth(8).is_some() {
            return true;
        }
        from = at + behind + 1;
    }
    false
}

/// Lines in which an address, or two different telling words, stand turned.
fn lines_with(bytes: &[u8], telling: &Regex, encoding: Encoding, found: &mut Vec<EncodedRun>) {
    let mut at = 0;
    while let Some(first) = telling.find_at(bytes, at) {
        let Range { start, end } = line_around(bytes, first.range(), at, REACH);
        // Past the whole line, so that each is undone once.
        at = end.max(first.end());
        let line = bytes.get(start..end).unwrap_or(&[]);
        let others = telling.find_iter(line).filter(|other| other.as_bytes() != first.as_bytes()).count();
        // One short word turned round occurs by chance in any language; two, or an address, do not.
        if others == 0 && !first.as_bytes().contains(&b':') {
            continue;
        }
        let text = String::from_utf8_lossy(line);
        let turned = if encoding == Encoding::Rotated {
            text.chars().map(rotate).collect()
        } else {
            text.chars().rev().collect()
        };
        push(found, start..end, encoding, turned);
    }
}

/// Single blanks removed, wider ones kept as one.
fn despaced(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    // Two blanks part words, one parts letters.
    let words: Vec<String> =
        text.split("  ").map(|word| word.chars().filter(|letter| *letter != ' ').collect()).collect();
    words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<String>>().join(" ")
}

fn characters(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let codes = text.split(';').filter_map(|entity| {
        let digits = entity.trim_start().strip_prefix("&#")?;
        let code = match digits.strip_prefix(['x', 'X']) {
            Some(hex) => u32::from_str_radix(hex, 16).ok()?,
            None => digits.parse().ok()?,
        };
        char::from_u32(code)
    });
    codes.collect()
}

fn push(found: &mut Vec<EncodedRun>, span: std::ops::Range<usize>, encoding: Encoding, text: String) {
    // Entities may spell anything, and control characters are no text to judge.
    if is_text(&text) {
        found.push(EncodedRun { span, encoding, text: Some(text) });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn no_spaced_text_is_overlooked(text in "([a-z|$] {1,3}|[a-z]{2,9}|[/.:-]| {1,40}|\n){0,60}") {
            let bytes = text.as_bytes();
            proptest::prop_assert!(!SPACED.is_match(bytes) || may_be_spaced(bytes, &Blocks::of(bytes)));
        }

        #[test]
        fn spaced_text_is_seen_wherever_it_stands(before in "[a-z ]{0,70}", spaced in "x( {1,3}[a-z]){8,12}", behind in "(| [a-z]{0,70})") {
            let text = format!("{before} {spaced}{behind}");
            proptest::prop_assert!(may_be_spaced(text.as_bytes(), &Blocks::of(text.as_bytes())));
        }
    }
}
