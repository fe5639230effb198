//! Text turned around: rotated by thirteen, written backwards, spelt with spaces, or as numeric HTML entities.
//!
//! Only lines in which the turned form of telling words stands are undone, so that ordinary text costs one search and
//! gives nothing. Must not know what the text means.

use std::sync::LazyLock;

use regex::bytes::Regex;

use super::{Encoding, Run, is_text, pattern};
use crate::evidence::bytes::first;
use crate::evidence::shell::rotate;

/// How far around a telling word its line is undone, in bytes.
const REACH: usize = 1500;
/// So many bytes are looked at together for letters that stand alone: more than six of them take.
const CHUNK: usize = 64;

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
/// What every match of either holds in lower case: plain letters alone are looked for many bytes at a time. Those of less
/// than four letters stand apart: among the others they would make every place look like the beginning of one.
static PLAIN: LazyLock<[Regex; 2]> = LazyLock::new(|| {
    let words = MARKS.iter().chain(&ROTATED_WORDS).chain(&REVERSED_WORDS).copied();
    let (short, long): (Vec<&str>, Vec<&str>) = words.partition(|word| word.len() < 4);
    [short, long].map(|words| Regex::new(&words.join("|")).expect("words are a valid pattern"))
});
/// Letters with one blank, dot, dash or underscore between each; words apart by more.
static SPACED: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?:\b[a-z|/:.\-$~][ ]{1,3}){8,}[a-z]\b"));
static ENTITIES: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?:&#(?:x[0-9a-f]{2,5}|[0-9]{2,6});[ \t]?){4,}"));

/// The runs of all four forms.
pub(super) fn runs(bytes: &[u8], found: &mut Vec<Run>) {
    let lower = bytes.to_ascii_lowercase();
    if PLAIN.iter().any(|words| words.is_match(&lower)) && TURNED.is_match(bytes) {
        lines_with(bytes, &ROTATED, Encoding::Rotated, found);
        lines_with(bytes, &REVERSED, Encoding::Reversed, found);
    }
    if may_be_spaced(bytes) {
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

/// Whether seven single letters stand in a row, blanks between them: cheap, and never wrong where it says no. What is
/// before them may end a longer word.
fn may_be_spaced(bytes: &[u8]) -> bool {
    // Marks are none of them: behind a blank no word begins with one. All but the first have a blank to each side, and no
    // more than three blanks between them count: six such stand in two neighbouring chunks. They are counted without a jump.
    let (here, behind) = (bytes.get(1..).unwrap_or(&[]), bytes.get(2..).unwrap_or(&[]));
    let chunks = bytes.chunks(CHUNK).zip(here.chunks(CHUNK)).zip(behind.chunks(CHUNK));
    let alone = chunks.map(|((before, here), behind)| {
        let around = before.iter().zip(here).zip(behind);
        let alone =
            around.map(|((before, here), behind)| (*before == b' ') & here.is_ascii_alphabetic() & (*behind == b' '));
        alone.map(u8::from).sum::<u8>()
    });
    let mut last = 0;
    let mut is_close = |count| std::mem::replace(&mut last, count) + count >= 6;
    if !alone.into_iter().any(&mut is_close) {
        return false;
    }
    let (mut singles, mut word) = (0, 0);
    for byte in bytes {
        if *byte == b' ' {
            singles = match word {
                0 => singles,
                1 => singles + 1,
                _ => 0,
            };
            if singles >= 7 {
                return true;
            }
            word = 0;
        } else {
            word += 1;
        }
    }
    false
}

/// Lines in which an address, or two different telling words, stand turned.
fn lines_with(bytes: &[u8], telling: &Regex, encoding: Encoding, found: &mut Vec<Run>) {
    let mut at = 0;
    while let Some(first) = telling.find_at(bytes, at) {
        let low = first.start().saturating_sub(REACH).max(at);
        let high = first.end().saturating_add(REACH).min(bytes.len());
        let left = bytes.get(low..first.start()).unwrap_or(&[]);
        let right = bytes.get(first.end()..high).unwrap_or(&[]);
        let start = left.iter().rposition(|byte| *byte == b'\n').map_or(low, |at| low + at + 1);
        let end = right.iter().position(|byte| *byte == b'\n').map_or(high, |at| first.end() + at);
        at = end.max(first.end());
        let line = bytes.get(start..end).unwrap_or(&[]);
        let others = telling.find_iter(line).filter(|other| other.as_bytes() != first.as_bytes()).count();
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

fn push(found: &mut Vec<Run>, span: std::ops::Range<usize>, encoding: Encoding, text: String) {
    if is_text(&text) {
        found.push(Run { span, encoding, text: Some(text) });
    }
}
