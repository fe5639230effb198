//! `Shape`: what a file's bytes are, whatever its name says: programs, pictures and where they end, Python bytecode.
//!
//! Only headers are read. Sources: the PNG, JPEG, GIF89a and Mach-O specifications, the ELF and PE headers, CPython's
//! `importlib/_bootstrap_external.py` (the header of a `.pyc`, PEP 552).

/// The kind of a file's bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Shape {
    /// Text.
    #[default]
    Text,
    /// A program for a processor; the name of its format.
    Program(&'static str),
    /// Compiled Python.
    Bytecode(Bytecode),
    /// A picture of a known format.
    Picture {
        /// The name of its format.
        format: &'static str,
        /// The length of the picture itself, where bytes follow it.
        ends: Option<usize>,
    },
    /// Bytes of any other kind.
    Other,
}

/// The header of compiled Python, which tells of the source that it was made from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bytecode {
    /// The length of the source in bytes, where the header holds it rather than a hash.
    pub source_length: Option<u32>,
}

/// The shape of some bytes; `is_text` where they were decoded as such.
pub fn of(bytes: &[u8], is_text: bool) -> Shape {
    // Text first: a script that begins with `MZ` is no program for a processor.
    if is_text {
        return Shape::Text;
    }
    if let Some(format) = program(bytes) {
        return Shape::Program(format);
    }
    if let Some(bytecode) = bytecode(bytes) {
        return Shape::Bytecode(bytecode);
    }
    match picture(bytes) {
        Some((format, end)) => Shape::Picture { format, ends: end.filter(|end| *end < bytes.len()) },
        None => Shape::Other,
    }
}

fn program(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0x7F, b'E', b'L', b'F', ..] => Some("ELF"),
        [0xFE, 0xED, 0xFA, 0xCE | 0xCF, ..] | [0xCE | 0xCF, 0xFA, 0xED, 0xFE, ..] => Some("Mach-O"),
        // Java's class files begin alike; a universal program holds few architectures.
        [0xCA, 0xFE, 0xBA, 0xBE, 0, 0, 0, 1..=20, ..] => Some("Mach-O"),
        [b'M', b'Z', ..] => {
            // `MZ` alone is two letters; the header it points to makes it a program.
            let at = bytes.get(0x3C..0x40).and_then(|four| <[u8; 4]>::try_from(four).ok()).map(u32::from_le_bytes)?;
            let at = usize::try_from(at).ok()?;
            (bytes.get(at..at.checked_add(4)?) == Some(b"PE\0\0")).then_some("PE")
        }
        _ => None,
    }
}

/// The header: a number that names the version, `\r\n`, flags, then a time and a length or a hash.
fn bytecode(bytes: &[u8]) -> Option<Bytecode> {
    let [_, version, b'\r', b'\n', flags, 0, 0, 0, rest @ ..] = bytes else { return None };
    // The numbers of Python 3: without them any four bytes with a line end would fit.
    if !(0x0B..=0x0F).contains(version) || *flags > 3 {
        return None;
    }
    let length = rest.get(4..8).and_then(|four| <[u8; 4]>::try_from(four).ok()).map(u32::from_le_bytes)?;
    Some(Bytecode { source_length: (*flags == 0).then_some(length) })
}

/// The format of a picture, and where it ends, where that can be told.
fn picture(bytes: &[u8]) -> Option<(&'static str, Option<usize>)> {
    if bytes.starts_with(b"\x89PNG\r\n\x1a\n") {
        return Some(("PNG", end_of_png(bytes)));
    }
    if bytes.starts_with(b"\xFF\xD8\xFF") {
        return Some(("JPEG", end_of_jpeg(bytes)));
    }
    if bytes.starts_with(b"GIF87a") || bytes.starts_with(b"GIF89a") {
        return Some(("GIF", end_of_gif(bytes)));
    }
    None
}

/// Chunks of length, type, data and checksum up to IEND.
fn end_of_png(bytes: &[u8]) -> Option<usize> {
    let mut at: usize = 8;
    loop {
        let length = bytes.get(at..at.checked_add(4)?).and_then(|four| <[u8; 4]>::try_from(four).ok())?;
        let length = usize::try_from(u32::from_be_bytes(length)).ok()?;
        let kind = bytes.get(at + 4..at + 8)?;
        // A length is the author's word, and may not wrap round.
        at = at.checked_add(length)?.checked_add(12)?;
        if kind == b"IEND" {
            // A picture that is cut has no end, and nothing is hidden behind it.
            return (at <= bytes.len()).then_some(at);
        }
    }
}

/// Segments with lengths up to the scan, then entropy-coded data in which FF is followed by 00 or a restart mark.
fn end_of_jpeg(bytes: &[u8]) -> Option<usize> {
    let mut at = 2;
    loop {
        let (mark, kind) = (*bytes.get(at)?, *bytes.get(at + 1)?);
        if mark != 0xFF {
            return None;
        }
        match kind {
            0xD9 => return Some(at + 2),
            // Marks may be filled up with more of the same byte.
            0xFF => at += 1,
            0x01 | 0xD0..=0xD7 => at += 2,
            _ => {
                let length = u16::from_be_bytes([*bytes.get(at + 2)?, *bytes.get(at + 3)?]);
                at += 2 + usize::from(length);
                if kind == 0xDA {
                    let data = bytes.get(at..)?;
                    let marks = data
                        .windows(2)
                        .position(|pair| matches!(pair, [0xFF, kind] if !matches!(kind, 0x00 | 0xD0..=0xD7 | 0xFF)))?;
                    at += marks;
                }
            }
        }
    }
}

/// Blocks up to the trailer.
fn end_of_gif(bytes: &[u8]) -> Option<usize> {
    // The colour table is optional, and its size a power of two in three bits.
    let table = |flags: u8| if flags & 0x80 == 0 { 0 } else { 3 << ((flags & 7) + 1) };
    let mut at = 13 + table(*bytes.get(10)?);
    loop {
        match *bytes.get(at)? {
            0x3B => return Some(at + 1),
            0x21 => at = end_of_blocks(bytes, at + 2)?,
            0x2C => at = end_of_blocks(bytes, at + 11 + table(*bytes.get(at + 9)?))?,
            _ => return None,
        }
    }
}

/// Sub-blocks, each behind its length, up to an empty one.
fn end_of_blocks(bytes: &[u8], at: usize) -> Option<usize> {
    let mut at = at;
    loop {
        let length = usize::from(*bytes.get(at)?);
        at += 1 + length;
        if length == 0 {
            return Some(at);
        }
    }
}

/// The path of the source that compiled Python is made from.
pub fn source_of_bytecode(path: &str) -> Option<String> {
    let stem = path.strip_suffix(".pyc").or_else(|| path.strip_suffix(".pyo"))?;
    let (folder, name) = stem.rsplit_once('/').unwrap_or(("", stem));
    let Some(around) = folder.strip_suffix("__pycache__") else { return Some(format!("{stem}.py")) };
    // `module.cpython-312.pyc` is compiled from `module.py`.
    let name = name.split('.').next().unwrap_or(name);
    Some(format!("{around}{name}.py"))
}

/// Shorter runs of letters in bytecode are opcodes and names.
const SHORTEST_STRING: usize = 8;

/// The strings in compiled Python, a line each: what it calls and says is there as text. None for anything else.
pub fn strings(shape: &Shape, bytes: &[u8]) -> Option<String> {
    if !matches!(shape, Shape::Bytecode(_)) {
        return None;
    }
    let mut text = String::new();
    for run in bytes.split(|byte| !matches!(byte, b' '..=b'~' | b'\t' | b'\n')) {
        if run.len() >= SHORTEST_STRING {
            text.push_str(&String::from_utf8_lossy(run));
            text.push('\n');
        }
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn png(tail: &[u8]) -> Vec<u8> {
        let mut bytes = b"\x89PNG\r\n\x1a\n".to_vec();
        bytes.extend(b"\0\0\0\x02IHDR\x01\x02\xAA\xBB\xCC\xDD");
        bytes.extend(b"\0\0\0\0IEND\xAE\x42\x60\x82");
        bytes.extend(tail);
        bytes
    }

    #[test]
    fn pictures_end_where_they_say() {
        let whole = png(b"");
        assert_eq!(of(&whole, false), Shape::Picture { format: "PNG", ends: None });
        assert_eq!(of(&png(b"tail"), false), Shape::Picture { format: "PNG", ends: Some(whole.len()) });
        let gif = b"GIF89a\x01\0\x01\0\0\0\0\x21\xFE\x02hi\0\x2C\0\0\0\0\x01\0\x01\0\0\x02\x02\x44\x01\0\x3Btail";
        assert_eq!(of(gif, false), Shape::Picture { format: "GIF", ends: Some(gif.len() - 4) });
        let jpeg = b"\xFF\xD8\xFF\xE0\0\x04ab\xFF\xDA\0\x02\x01\xFF\0\x02\xFF\xD9tail";
        assert_eq!(of(jpeg, false), Shape::Picture { format: "JPEG", ends: Some(jpeg.len() - 4) });
        for cut in 0..whole.len() {
            let _ = of(whole.get(..cut).expect("in range"), false);
        }
    }

    #[test]
    fn programs_and_bytecode_are_told_by_their_headers() {
        let mut pe = vec![0; 0x44];
        pe.splice(0..2, *b"MZ");
        pe.splice(0x3C..0x44, *b"\x40\0\0\0PE\0\0");
        assert_eq!(of(b"\x7FELF\x02\x01\x01", false), Shape::Program("ELF"));
        assert_eq!(of(&pe, false), Shape::Program("PE"));
        assert_eq!(of(b"MZ is how it begins\0", false), Shape::Other);
        assert_eq!(of(b"\xCF\xFA\xED\xFE\x07", false), Shape::Program("Mach-O"));
        assert_eq!(of(b"\xCA\xFE\xBA\xBE\0\0\0\x34", false), Shape::Other);
        let pyc = b"\xA7\x0D\r\n\0\0\0\0\x01\x02\x03\x04\x2A\0\0\0\xE3\0\0curl http://kit.test\0\xFFshort\0";
        assert_eq!(of(pyc, false), Shape::Bytecode(Bytecode { source_length: Some(42) }));
        assert_eq!(strings(&of(pyc, false), pyc).as_deref(), Some("curl http://kit.test\n"));
    }
}
