//! Looking through bytes many at a time: what is asked of every byte of a chunk without a jump is asked of many at
//! once.
//!
//! Scans of text, such as lines, quotation marks and the prefilters of the decoders, are built on these.

/// So many bytes are looked at together where what is wanted is near, and where it is far.
const NEAR: usize = 16;
const FAR: usize = 128;

/// The place of the first byte that is wanted, where such bytes are rare.
pub fn first(bytes: &[u8], is_wanted: impl Fn(u8) -> bool) -> Option<usize> {
    // A fold looks at the whole chunk without an early exit, so that its bytes can be compared at once.
    let none = |chunk: &&[u8]| !chunk.iter().fold(false, |found, byte| found | is_wanted(*byte));
    let far = bytes.chunks_exact(FAR).take_while(none).count() * FAR;
    let rest = bytes.get(far..).unwrap_or(&[]);
    // Long steps stop before the first chunk with a find; short steps then leave few bytes to look at one by one.
    let near = far + rest.chunks_exact(NEAR).take_while(none).count() * NEAR;
    let rest = bytes.get(near..).unwrap_or(&[]);
    rest.iter().position(|byte| is_wanted(*byte)).map(|at| near + at)
}

/// True where so many wanted bytes stand in a row. Only one byte in so many has to be looked at: no row fits in
/// between.
pub fn has_run(bytes: &[u8], length: usize, is_wanted: impl Fn(u8) -> bool) -> bool {
    // Every run of `length` bytes covers one of the offsets looked at, so nothing between them can be missed.
    let mut at = length.saturating_sub(1);
    while let Some(byte) = bytes.get(at) {
        if is_wanted(*byte) {
            let (before, behind) = bytes.split_at(at);
            let before = before.iter().rev().take_while(|byte| is_wanted(**byte)).count();
            let behind = behind.iter().take_while(|byte| is_wanted(**byte)).count();
            if before + behind >= length {
                return true;
            }
            // The byte behind these is not wanted, so the next run can only begin after it.
            at += behind;
        }
        at += length;
    }
    false
}

/// One past the quotation mark that closes the one at `open`, or the end where none does. A backslash takes away the
/// meaning of the byte behind it.
pub(crate) fn end_of_quoted(bytes: &[u8], open: usize) -> usize {
    let rest = |from: usize| bytes.get(from..).unwrap_or(&[]);
    let tells = |byte: u8| u8::from(byte == b'"') | u8::from(byte == b'\\');
    let mut at = open + 1;
    loop {
        while rest(at)
            .first_chunk::<NEAR>()
            .is_some_and(|chunk| chunk.iter().fold(0, |told, byte| told | tells(*byte)) == 0)
        {
            at += NEAR;
        }
        let Some(next) = rest(at).iter().position(|byte| tells(*byte) != 0) else { return bytes.len() };
        at += next + 1;
        match bytes.get(at - 1) {
            Some(b'"') => return at,
            // A backslash takes the next byte with it, so that an escaped mark does not end the literal.
            _ => at += 1,
        }
    }
}

/// The number of bytes that one word has bits for.
pub const WORD: usize = 64;

/// One bit for each byte of a kind, the lowest for the first. The test for a kind must not jump.
pub fn places(bytes: &[u8; WORD], is: impl Fn(u8) -> bool) -> u64 {
    let mut flags = [0_u8; WORD];
    // One flag for each byte first: no step waits for the one before, so that many are done at once.
    flags.iter_mut().zip(bytes).for_each(|(flag, byte)| *flag = u8::from(is(*byte)));
    let (eights, _) = flags.as_chunks();
    eights.iter().rev().fold(0, |all, eight| all << 8 | gathered(u64::from_le_bytes(*eight)))
}

/// The places of the bits that are set, from the lowest on.
pub fn each_of(mut bits: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let place = (bits != 0).then(|| bits.trailing_zeros() as usize);
        // Clears the lowest bit that is set; wrapping, because nought has to stay nought.
        bits &= bits.wrapping_sub(1);
        place
    })
}

/// The place of the n-th of the bits that are set, from nought.
pub fn nth_of(bits: u64, mut nth: usize) -> usize {
    let mut place = 0;
    // Halving takes six steps; clearing one bit after another would take up to 63.
    for width in [32, 16, 8, 4, 2, 1] {
        let lower = bits >> place & (u64::MAX >> (WORD - width));
        let count = lower.count_ones() as usize;
        if nth >= count {
            nth -= count;
            place += width;
        }
    }
    place
}

/// The lowest bit of each of eight bytes, side by side: the product moves that of the n-th byte into the highest eight.
const fn gathered(bytes: u64) -> u64 {
    bytes.wrapping_mul(0x0102_0408_1020_4080) >> 56
}

/// Tells the place of each byte of a kind, from the first on. The test for a kind must not jump.
pub(crate) fn each_place(bytes: &[u8], is: impl Fn(u8) -> bool, mut tell: impl FnMut(usize)) {
    let (chunks, rest) = bytes.as_chunks();
    for (chunk, from) in chunks.iter().zip((0..).step_by(WORD)) {
        each_of(places(chunk, &is)).for_each(|at| tell(from + at));
    }
    let last = (bytes.len() - rest.len()..).zip(rest).filter(|(_, byte)| is(**byte));
    last.for_each(|(at, _)| tell(at));
}

/// The offset at which each line begins.
pub(crate) fn line_starts(bytes: &[u8]) -> Vec<usize> {
    // A guess of 32 bytes a line: it saves most growth and takes a quarter of the text's size at most.
    let mut starts = Vec::with_capacity(1 + bytes.len() / 32);
    starts.push(0);
    each_place(bytes, |byte| byte == b'\n', |at| starts.push(at + 1));
    starts
}

/// The number of wanted bytes. Quick only where the question is without a jump.
pub fn count(bytes: &[u8], is_wanted: impl Fn(u8) -> bool) -> usize {
    // A chunk holds 128 bytes, so that a `u8` is wide enough for its count and many are added at once.
    let in_chunk = |chunk: &[u8]| chunk.iter().map(|byte| u8::from(is_wanted(*byte))).sum::<u8>();
    bytes.chunks(FAR).map(|chunk| usize::from(in_chunk(chunk))).sum()
}

/// The number of wanted pairs of neighbours. Quick only where the question is without a jump: `&` and `|`.
pub fn count_pairs(bytes: &[u8], is_wanted: impl Fn(u8, u8) -> bool) -> usize {
    let behind = bytes.get(1..).unwrap_or(&[]);
    let chunks = bytes.chunks(FAR).zip(behind.chunks(FAR));
    // As above, the count of one chunk fits a `u8`.
    let in_chunk = |(here, behind): (&[u8], &[u8])| {
        here.iter().zip(behind).map(|(here, behind)| u8::from(is_wanted(*here, *behind))).sum::<u8>()
    };
    chunks.map(|chunk| usize::from(in_chunk(chunk))).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quotation_ends_at_the_mark_that_no_backslash_stands_before() {
        let end = |text: &str| end_of_quoted(text.as_bytes(), 1);
        assert_eq!(end("x\"a\" b\""), 4);
        assert_eq!(end("x\"a\\\" b\\\\\"c"), 10);
        assert_eq!(end("x\"a\\"), 4);
        assert_eq!(end("x\""), 2);
    }

    #[test]
    fn a_long_quotation_ends_where_a_short_one_does() {
        for length in 0..3 * NEAR {
            for escape in 0..length {
                let mut text = vec![b'a'; length];
                text[escape] = b'\\';
                text.insert(0, b'"');
                text.extend(b"\" \"");
                let end = if escape + 1 == length { length + 4 } else { length + 2 };
                assert_eq!(end_of_quoted(&text, 0), end, "{length} {escape}");
            }
        }
    }

    #[test]
    fn every_place_and_every_pair_is_found_once() {
        for length in 0..2 * FAR + 2 {
            for at in 0..length {
                let mut bytes = vec![b'a'; length];
                bytes[at] = b'b';
                assert_eq!(first(&bytes, |byte| byte == b'b'), Some(at));
                for run in 1..5 {
                    assert_eq!(has_run(&bytes, run, |byte| byte == b'b'), run == 1);
                    assert_eq!(has_run(&bytes, run, |byte| byte == b'a'), at.max(length - at - 1) >= run);
                }
                bytes[at] = b'\n';
                assert_eq!(line_starts(&bytes), [0, at + 1]);
                bytes[at] = b'b';
                assert_eq!(count(&bytes, |byte| byte == b'a'), length - 1);
                assert_eq!(count_pairs(&bytes, |_, behind| behind == b'b'), usize::from(at > 0));
                assert_eq!(count_pairs(&bytes, |here, _| here == b'b'), usize::from(at + 1 < length));
            }
            assert_eq!(first(&vec![b'a'; length], |byte| byte == b'b'), None);
        }
    }
}
