//! Punycode (RFC 3492): from a label as DNS carries it to the letters that people are shown.
//!
//! `drawn` says what the letters look like.

const BASE: u32 = 36;
const LEAST: u32 = 1;
const MOST: u32 = 26;
const SKEW: u32 = 38;
const DAMP: u32 = 700;
/// A label of DNS has no more.
const MOST_LETTERS: usize = 63;

/// The letters of a label without its `xn--`; none where it is not one.
pub(super) fn decode(label: &str) -> Option<String> {
    if label.len() > MOST_LETTERS || !label.is_ascii() {
        return None;
    }
    let (plain, digits) = label.rsplit_once('-').unwrap_or(("", label));
    let mut letters: Vec<char> = plain.chars().collect();
    let (mut code, mut place, mut bias) = (128_u32, 0_u32, 72_u32);
    let mut digits = digits.bytes();
    while digits.len() > 0 {
        let (before, mut weight, mut threshold_at) = (place, 1_u32, BASE);
        loop {
            let digit = digit(digits.next()?)?;
            place = place.checked_add(digit.checked_mul(weight)?)?;
            let threshold = threshold_at.saturating_sub(bias).clamp(LEAST, MOST);
            if digit < threshold {
                break;
            }
            weight = weight.checked_mul(BASE - threshold)?;
            threshold_at += BASE;
        }
        let count = u32::try_from(letters.len()).ok()? + 1;
        bias = adapt(place - before, count, before == 0);
        code = code.checked_add(place / count)?;
        place %= count;
        letters.insert(usize::try_from(place).ok()?, char::from_u32(code)?);
        place += 1;
    }
    Some(letters.into_iter().collect())
}

fn digit(byte: u8) -> Option<u32> {
    match byte {
        b'a'..=b'z' => Some(u32::from(byte - b'a')),
        b'A'..=b'Z' => Some(u32::from(byte - b'A')),
        b'0'..=b'9' => Some(u32::from(byte - b'0') + 26),
        _ => None,
    }
}

const fn adapt(change: u32, count: u32, is_first: bool) -> u32 {
    let mut change = if is_first { change / DAMP } else { change / 2 };
    change += change / count;
    let mut bias = 0;
    while change > (BASE - LEAST) * MOST / 2 {
        change /= BASE - LEAST;
        bias += BASE;
    }
    bias + (BASE - LEAST + 1) * change / (change + SKEW)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_of_the_standard_are_read() {
        for (label, letters) in [
            ("bcher-kva", "bücher"),
            ("80ak6aa92e", "аррӏе"),
            ("ihqwcrb4cv8a8dqg056pqjye", "他们为什么不说中文"),
            ("strpe-p2e", "strіpe"),
        ] {
            let decoded = decode(label).unwrap_or_default();
            assert_eq!(decoded, letters, "{label}");
        }
        for odd in ["99999999", "a-*", &"a".repeat(64), "ü"] {
            assert_eq!(decode(odd), None, "{odd}");
        }
    }
}
