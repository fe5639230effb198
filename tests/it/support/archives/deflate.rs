//! Deflate and gzip by hand: stored blocks, and zeros at the highest ratio that the format allows.
//!
//! Sources: RFC 1951, RFC 1952.

/// The CRC-32 of gzip and zip.
pub(crate) fn crc32(bytes: &[u8]) -> u32 {
    let step = |crc: u32| if crc & 1 == 1 { (crc >> 1) ^ 0xedb8_8320 } else { crc >> 1 };
    !bytes.iter().fold(!0, |crc, byte| (0..8).fold(crc ^ u32::from(*byte), |crc, _| step(crc)))
}

/// A deflate stream that holds `bytes` as they are.
pub(crate) fn deflate_stored(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut chunks = bytes.chunks(0xffff).peekable();
    if chunks.peek().is_none() {
        out.extend([1, 0, 0, 0xff, 0xff]);
    }
    while let Some(chunk) = chunks.next() {
        let length = u16::try_from(chunk.len()).expect("a chunk fits");
        out.push(u8::from(chunks.peek().is_none()));
        out.extend(length.to_le_bytes());
        out.extend((!length).to_le_bytes());
        out.extend(chunk);
    }
    out
}

/// A deflate stream of `1 + 258 * matches` zeros, two bits for each match: about 1,032 to 1.
pub(crate) fn deflate_zeros(matches: usize) -> Vec<u8> {
    let mut bits = Bits::default();
    // The last block, with its own codes: 286 literal or length codes, 1 distance code, 18 code length codes.
    bits.put(1, 1);
    bits.put(2, 2);
    bits.put(286 - 257, 5);
    bits.put(0, 5);
    bits.put(18 - 4, 4);
    // Lengths of the code length codes in the order 16 17 18 0 8 7 9 6 10 5 11 4 12 3 13 2 14 1: 17 and 18 get two bits,
    // 1 and 2 get two bits, and everything else none. In order of value: 1 is 00, 2 is 01, 17 is 10, 18 is 11.
    for symbol in [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1] {
        bits.put(if matches!(symbol, 1 | 2 | 17 | 18) { 2 } else { 0 }, 3);
    }
    let (one, two, repeat) = (0b00, 0b01, 0b11);
    // Literal 0 has two bits; 1 to 255 none (138 + 117 zeros); the end of block, 256, two; 257 to 284 none (28 zeros);
    // length 258, symbol 285, one bit. The one distance code has one bit.
    bits.put_code(two, 2);
    for zeros in [138, 117] {
        bits.put_code(repeat, 2);
        bits.put(zeros - 11, 7);
    }
    bits.put_code(two, 2);
    bits.put_code(repeat, 2);
    bits.put(28 - 11, 7);
    bits.put_code(one, 2);
    bits.put_code(one, 2);
    // Codes in order of length and symbol: 285 is 0, literal 0 is 10, the end of block is 11.
    bits.put_code(0b10, 2);
    for _ in 0..matches {
        bits.put(0, 2);
    }
    bits.put_code(0b11, 2);
    bits.finish()
}

/// Bits in the order of deflate: from the lowest of each byte, with Huffman codes from their highest.
#[derive(Default)]
struct Bits {
    out: Vec<u8>,
    current: u8,
    used: u32,
}

impl Bits {
    fn put(&mut self, value: u32, count: u32) {
        for bit in 0..count {
            self.bit(value >> bit & 1);
        }
    }

    fn put_code(&mut self, code: u32, count: u32) {
        for bit in (0..count).rev() {
            self.bit(code >> bit & 1);
        }
    }

    fn bit(&mut self, bit: u32) {
        self.current |= u8::try_from(bit).expect("a bit fits") << self.used;
        self.used += 1;
        if self.used == 8 {
            self.out.push(std::mem::take(&mut self.current));
            self.used = 0;
        }
    }

    fn finish(mut self) -> Vec<u8> {
        if self.used > 0 {
            self.out.push(self.current);
        }
        self.out
    }
}

/// A gzip stream with one member that holds `bytes` as they are.
pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
    member(None, &deflate_stored(bytes), crc32(bytes), bytes.len())
}

/// As [`gzip`], with a file name in the header.
pub(crate) fn gzip_named(name: &str, bytes: &[u8]) -> Vec<u8> {
    member(Some(name), &deflate_stored(bytes), crc32(bytes), bytes.len())
}

/// A gzip stream that expands to at least `expanded_bytes` zeros. Its checksum is wrong: no reader should come so far.
pub(crate) fn bomb(expanded_bytes: usize) -> Vec<u8> {
    let matches = expanded_bytes.div_ceil(258);
    member(None, &deflate_zeros(matches), 0, 1 + 258 * matches)
}

fn member(name: Option<&str>, deflated: &[u8], crc: u32, length: usize) -> Vec<u8> {
    let flags = if name.is_some() { 8 } else { 0 };
    let mut out = vec![0x1f, 0x8b, 8, flags, 0, 0, 0, 0, 0, 0xff];
    if let Some(name) = name {
        out.extend(name.bytes());
        out.push(0);
    }
    out.extend(deflated);
    out.extend(crc.to_le_bytes());
    out.extend(u32::try_from(length & 0xffff_ffff).expect("masked").to_le_bytes());
    out
}
