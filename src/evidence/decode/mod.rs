//! Payloads found in text (base64, hex, percent, escapes, character codes, entities, compressed, split, rotated or
//! reversed text), decoded within a budget.
//!
//! The one in-text decoder: rules are given its payloads as text. Two levels of decoding together yield at most twice
//! as many bytes as the document has; compressed text yields at most a fixed number more.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::LazyLock;

use base64::Engine as _;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use regex::bytes::Regex;

use self::blocks::Blocks;
use super::bytes::first;
use capdex_model::digest::bytes_of_hex;

mod blocks;
mod inflate;
mod joined;
mod reversible_encodings;
mod split;
#[cfg(test)]
mod tests;

/// The depth to which an encoding inside an encoding is followed.
const DEPTH: u8 = 2;
/// Shorter runs are words, names and short hashes.
const BASE64_LEAST: usize = 24;
const HEX_LEAST: usize = 32;
/// The most bytes of compressed text that all runs of a document may yield: enough to see what it is.
const INFLATED_MOST: usize = 256 << 10;

/// The form in which a payload was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Encoding {
    /// Base64, of either alphabet, over lines or not.
    Base64,
    /// Pairs of hex digits.
    Hex,
    /// `%41`.
    Percent,
    /// `\x41` and `\u0041`.
    Escapes,
    /// Decimal character codes in a list.
    Codes,
    /// String literals joined by `+`, by a list or line by line, or a shell word broken by empty quotes.
    Split,
    /// Compressed, and then in base64 or hex.
    Compressed,
    /// Letters rotated by thirteen places.
    Rotated,
    /// Written backwards.
    Reversed,
    /// Letters with blanks between them.
    Spaced,
    /// Numeric HTML entities.
    Entities,
}

impl Encoding {
    /// The word for a person.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Base64 => "base64",
            Self::Hex => "hex",
            Self::Percent => "percent encoding",
            Self::Escapes => "character escapes",
            Self::Codes => "character codes",
            Self::Split => "split strings",
            Self::Compressed => "compressed text",
            Self::Rotated => "rot13",
            Self::Reversed => "reversed text",
            Self::Spaced => "spaced letters",
            Self::Entities => "HTML entities",
        }
    }
}

/// A stretch that decodes to text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Payload {
    /// The byte offset in the outermost text at which it stands.
    pub offset: usize,
    /// Its outermost encoding.
    pub encoding: Encoding,
    /// The decoded text.
    pub text: String,
}

/// A long run in an encoding's alphabet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EncodedRun {
    /// The bytes that it covers.
    pub span: Range<usize>,
    /// The encoding whose alphabet it uses.
    pub encoding: Encoding,
    /// The decoded text, where it is text.
    pub text: Option<String>,
}

/// The payloads in the runs of a text, in the order of their places, inner payloads after the one that holds them.
pub fn payloads(text: &str, runs: &[EncodedRun]) -> Vec<Payload> {
    let mut found = Vec::new();
    // In proportion to the text: decoding must cost no more than reading it twice again.
    let mut budget = text.len().saturating_mul(usize::from(DEPTH));
    let mut inflated = INFLATED_MOST;
    for run in runs {
        let Some(decoded) = run.text.clone() else { continue };
        if run.encoding == Encoding::Compressed {
            let taken = decoded.len().min(inflated);
            inflated -= taken;
            // Compressed text is longer than its stream, so its own allowance comes on top.
            budget = budget.saturating_add(taken);
        }
        collect(&mut found, decoded, run.span.start, run.encoding, 1, &mut budget);
    }
    found
}

fn collect(found: &mut Vec<Payload>, text: String, offset: usize, encoding: Encoding, depth: u8, budget: &mut usize) {
    // A payload is dropped whole: half of one reads as other text.
    if text.len() > *budget {
        return;
    }
    *budget -= text.len();
    // Each level reads all of the one above again, so that their number bounds the work.
    let inner = if depth < DEPTH { runs(&text) } else { Vec::new() };
    found.push(Payload { offset, encoding, text });
    for run in inner {
        if let Some(decoded) = run.text {
            collect(found, decoded, offset, encoding, depth + 1, budget);
        }
    }
}

static ESCAPED: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?:\\x[0-9a-f]{2}|\\u00[0-9a-f]{2}|\\u\{[0-9a-f]{1,6}\}|\\[01][0-7]{2}){4,}"));
static PERCENT: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?:%[0-9a-f]{2}[\w.~/+-]{0,3}){6,}"));
static CODES: LazyLock<Regex> = LazyLock::new(|| pattern(r"\b[0-9]{2,3}(?:[ \t\r\n]*,[ \t\r\n]*[0-9]{2,3}){7,}\b"));

fn pattern(text: &str) -> Regex {
    let mut builder = regex::bytes::RegexBuilder::new(text);
    builder.unicode(false).case_insensitive(true).build().expect("the pattern is valid")
}

/// The runs of a text that use an encoding's alphabet and are long enough to hold a payload, in order. Escapes, codes
/// and split strings are given only where they decode.
pub fn runs(text: &str) -> Vec<EncodedRun> {
    let mut found = Vec::new();
    let bytes = text.as_bytes();
    let blocks = Blocks::of(bytes);
    alphabet_runs(text, &blocks, &mut found);
    // One byte is looked for many at a time; the pattern then runs over few texts.
    if first(bytes, |byte| byte == b'\\').is_some() {
        found.extend(matching(&ESCAPED, bytes, Encoding::Escapes, unescape));
    }
    if first(bytes, |byte| byte == b'%').is_some() {
        found.extend(matching(&PERCENT, bytes, Encoding::Percent, unpercent));
    }
    if may_hold_codes(bytes, &blocks) {
        found.extend(matching(&CODES, bytes, Encoding::Codes, uncode));
    }
    split::runs(bytes, &blocks, &mut found);
    joined::runs(bytes, &blocks, &mut found);
    reversible_encodings::runs(bytes, &blocks, &mut found);
    found.sort_by_key(|run| run.span.start);
    found
}

/// True where seven commas stand among digits and blanks alone: cheap, and never wrong where it says no.
fn may_hold_codes(bytes: &[u8], blocks: &Blocks) -> bool {
    let is_wanted = |byte: u8| byte.is_ascii_digit() || matches!(byte, b',' | b' ' | b'\t' | b'\r' | b'\n');
    blocks.stretches(blocks::NUMBERS, bytes, is_wanted).any(|stretch| {
        let stretch = bytes.get(stretch).unwrap_or(&[]);
        // Eight codes are the least that the pattern takes, and they have seven commas.
        stretch.iter().filter(|byte| **byte == b',').nth(6).is_some()
    })
}

fn matching<'a>(
    pattern: &'a Regex,
    bytes: &'a [u8],
    encoding: Encoding,
    decode: fn(&[u8]) -> Option<String>,
) -> impl Iterator<Item = EncodedRun> + 'a {
    pattern.find_iter(bytes).filter_map(move |found| {
        // Damaged escapes and binary data are no payload that a rule could read.
        let text = decode(found.as_bytes()).filter(|text| is_text(text))?;
        Some(EncodedRun { span: found.range(), encoding, text: Some(text) })
    })
}

/// The line around a match, at most so many bytes to each side and none before `free`.
fn line_around(bytes: &[u8], found: Range<usize>, free: usize, reach: usize) -> Range<usize> {
    let low = found.start.saturating_sub(reach).max(free);
    let high = found.end.saturating_add(reach).min(bytes.len());
    let left = bytes.get(low..found.start).unwrap_or(&[]);
    let right = bytes.get(found.end..high).unwrap_or(&[]);
    let start = left.iter().rposition(|byte| *byte == b'\n').map_or(low, |at| low + at + 1);
    let end = right.iter().position(|byte| *byte == b'\n').map_or(high, |at| found.end + at);
    start..end
}

/// Collects runs of the base64 alphabet, of which runs of hex digits are a part.
fn alphabet_runs(text: &str, blocks: &Blocks, found: &mut Vec<EncodedRun>) {
    let bytes = text.as_bytes();
    let (mut free, mut inflated) = (0, INFLATED_MOST);
    for Range { start, end } in blocks.stretches(blocks::LETTERS, bytes, in_alphabet) {
        // A stretch before `free` was read as a line of the run before it.
        if start >= free && end - start >= BASE64_LEAST {
            free = end_over_lines(bytes, start, end);
            found.extend(run_of(text, start, free, &mut inflated));
        }
    }
}

/// The letters, digits and signs of either alphabet.
const ALPHABET: [bool; 256] = {
    let mut alphabet = [false; 256];
    let mut byte = 0_u8;
    while byte < 128 {
        alphabet[byte as usize] = byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'-' | b'_');
        byte += 1;
    }
    alphabet
};

fn in_alphabet(byte: u8) -> bool {
    ALPHABET.get(usize::from(byte)).is_some_and(|is_in| *is_in)
}

/// A run that fills its line goes on in the next: base64 is wrapped at 60 to 76 columns. Padding belongs to it.
fn end_over_lines(bytes: &[u8], start: usize, end: usize) -> usize {
    let mut end = end;
    let mut line = start;
    loop {
        // A short last line ends a wrapped run, and short words under each other are none.
        if end - line < 56 {
            break;
        }
        let rest = bytes.get(end..).unwrap_or(&[]);
        let gap = rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        let next = rest.iter().skip(gap).take_while(|byte| in_alphabet(**byte)).count();
        let is_line = rest.iter().take(gap).filter(|byte| **byte == b'\n').count() == 1;
        // The next line may not be longer, or what follows is text of its own.
        if !is_line || next < 4 || next > end - line {
            break;
        }
        line = end + gap;
        end = line + next;
    }
    end + bytes.get(end..).unwrap_or(&[]).iter().take(2).take_while(|byte| **byte == b'=').count()
}

fn run_of(text: &str, start: usize, end: usize, inflated: &mut usize) -> Option<EncodedRun> {
    let written = text.get(start..end)?;
    // Most runs stand on one line, and are not copied.
    let packed: Cow<'_, str> = if written.bytes().any(|byte| byte.is_ascii_whitespace()) {
        written.chars().filter(|letter| !letter.is_ascii_whitespace()).collect()
    } else {
        written.into()
    };
    let digits = packed.bytes().all(|byte| byte.is_ascii_hexdigit());
    // Hex first: its digits are in the alphabet of base64, which would read them as noise.
    if digits && packed.len() >= HEX_LEAST && packed.len().is_multiple_of(2) {
        return Some(run_with(start..end, Encoding::Hex, bytes_of_hex(&packed), inflated));
    }
    Some(run_with(start..end, Encoding::Base64, decode_base64(packed.trim_end_matches('=')), inflated))
}

/// The run of decoded bytes: text as it is, or what is compressed in them.
fn run_with(span: Range<usize>, encoding: Encoding, bytes: Option<Vec<u8>>, left: &mut usize) -> EncodedRun {
    let Some(bytes) = bytes else { return EncodedRun { span, encoding, text: None } };
    let inflated = inflate::inflate(&bytes, *left);
    // Shared by all runs of a text, so that many small bombs yield no more than one.
    *left = left.saturating_sub(inflated.as_ref().map_or(0, Vec::len));
    if let Some(text) = inflated.map(|out| String::from_utf8_lossy(&out).into_owned()).filter(|text| is_text(text)) {
        return EncodedRun { span, encoding: Encoding::Compressed, text: Some(text) };
    }
    EncodedRun { span, encoding, text: text_of(&bytes).filter(|text| is_text(text)) }
}

/// Decodes either alphabet; a last letter that stands for no whole byte is dropped.
fn decode_base64(packed: &str) -> Option<Vec<u8>> {
    const LENIENT: GeneralPurposeConfig = GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true);
    const STANDARD: GeneralPurpose = GeneralPurpose::new(&alphabet::STANDARD, LENIENT);
    const URL_SAFE: GeneralPurpose = GeneralPurpose::new(&alphabet::URL_SAFE, LENIENT);
    // One letter holds six bits and no byte; a payload that is cut there still has the rest.
    let whole = if packed.len() % 4 == 1 { packed.get(..packed.len() - 1)? } else { packed };
    let engine = if whole.contains(['-', '_']) { URL_SAFE } else { STANDARD };
    engine.decode(whole).ok()
}

/// Bytes as text: UTF-8, or UTF-16 little-endian as PowerShell's encoded commands use it.
fn text_of(bytes: &[u8]) -> Option<String> {
    // ASCII in UTF-16 has nought in every second byte; a sample of the beginning tells.
    let zeros = bytes.iter().skip(1).step_by(2).take(32).filter(|byte| **byte == 0).count();
    if bytes.len() >= 16 && zeros * 4 >= bytes.len().min(64) {
        let units = bytes.chunks_exact(2).filter_map(|pair| <[u8; 2]>::try_from(pair).ok()).map(u16::from_le_bytes);
        return char::decode_utf16(units).collect::<Result<String, _>>().ok();
    }
    std::str::from_utf8(bytes).ok().map(str::to_owned)
}

/// True where decoded bytes read as text: long enough, without control characters, and mostly ASCII.
fn is_text(text: &str) -> bool {
    // Random bytes nearly always hold a control character or letters beyond ASCII.
    let odd = text.chars().filter(|letter| letter.is_control() && !matches!(letter, '\n' | '\r' | '\t')).count();
    let ascii = text.bytes().filter(u8::is_ascii).count();
    text.len() >= 8 && odd == 0 && ascii * 10 >= text.len() * 9
}

fn unescape(bytes: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(bytes).ok()?;
    text.split('\\')
        .filter(|part| !part.is_empty())
        .map(|part| {
            let digits = part.trim_start_matches(['x', 'u', 'X', 'U', '{']).trim_end_matches('}');
            // Without a letter in front the escape is octal: `\101`.
            let radix = if digits.len() == part.len() { 8 } else { 16 };
            u32::from_str_radix(digits, radix).ok().and_then(char::from_u32)
        })
        .collect()
}

fn unpercent(bytes: &[u8]) -> Option<String> {
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let digits = bytes.get(at + 1..at + 3).filter(|_| *byte == b'%');
        match digits.and_then(|digits| std::str::from_utf8(digits).ok()).and_then(bytes_of_hex) {
            Some(pair) => {
                decoded.extend(pair);
                at += 3;
            }
            None => {
                decoded.push(*byte);
                at += 1;
            }
        }
    }
    String::from_utf8(decoded).ok()
}

fn uncode(bytes: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(bytes).ok()?;
    text.split(',').map(|code| code.trim().parse::<u8>().ok().filter(u8::is_ascii).map(char::from)).collect()
}
