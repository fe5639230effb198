//! Gzip streams: all their members, in memory and as a stream of lines, and nothing after them.
//!
//! Source: RFC 1952; a file may be several members in a row (`pigz`, `bgzip`).

use std::io::{self, BufRead, BufReader, Read};

use capdex_model::snapshot::{Gap, GapReason};
use flate2::bufread::GzDecoder;

use super::capped::{Refusal, read_at_most};
use super::intake::WHOLE;

/// More members than any writer makes of what [`gunzip`] is used for; each costs the set-up of a decoder.
const MEMBERS: usize = 50_000;
/// The bytes of a large compressed file that are asked for at once.
const BUFFER_BYTES: usize = 256 << 10;

/// Reads every member of a gzip file in turn. Zeros after the last are padding; anything else there is an error.
pub(super) struct GzipMembers<'a> {
    decoder: GzDecoder<&'a [u8]>,
    left: usize,
}

impl<'a> GzipMembers<'a> {
    /// Starts at the first of at most `members` members.
    pub(super) fn new(bytes: &'a [u8], members: usize) -> Self {
        Self { decoder: GzDecoder::new(bytes), left: members.saturating_sub(1) }
    }

    /// The file name that the current member's header carries.
    pub(super) fn file_name(&self) -> Option<Vec<u8>> {
        self.decoder.header()?.filename().map(<[u8]>::to_vec)
    }
}

impl Read for GzipMembers<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        loop {
            let read = self.decoder.read(buffer)?;
            if read > 0 {
                return Ok(read);
            }
            let rest: &[u8] = self.decoder.get_ref();
            if rest.iter().all(|byte| *byte == 0) {
                return Ok(0);
            }
            if !rest.starts_with(&[0x1f, 0x8b]) {
                return Err(io::Error::new(io::ErrorKind::InvalidData, "data after the end of the gzip stream"));
            }
            // An empty member costs a decoder and no byte, so a budget of bytes would never stop them.
            let Some(left) = self.left.checked_sub(1) else {
                let detail = "more gzip members than allowed".to_owned();
                return Err(io::Error::other(Refusal { reason: GapReason::TooManyMembers, detail }));
            };
            self.left = left;
            self.decoder = GzDecoder::new(rest);
        }
    }
}

/// One gzip member of these bytes, without a name or a date: the same bytes give the same member.
pub(crate) fn gzip(bytes: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    std::io::Write::write_all(&mut gzip, bytes)?;
    gzip.finish()
}

/// Expands one gzip file of at most `max_bytes` expanded bytes.
///
/// The gap's subject is `.`; its reason is `ExpandedTooLarge`, `Truncated`, `Malformed` (also for data after the end) or
/// `TooManyMembers`. Nothing is given of a file that does not expand whole.
pub fn gunzip(bytes: &[u8], max_bytes: u64) -> Result<Vec<u8>, Gap> {
    match read_at_most(GzipMembers::new(bytes, MEMBERS), max_bytes) {
        Ok(Some(expanded)) => Ok(expanded),
        Ok(None) => {
            let detail = format!("more than {max_bytes} expanded bytes");
            Err(Gap::new(WHOLE, GapReason::ExpandedTooLarge, detail))
        }
        Err(error) => {
            let refusal = Refusal::of(&error, false);
            Err(Gap::new(WHOLE, refusal.reason, refusal.detail))
        }
    }
}

/// One gzip member, expanded while it is read. Nothing behind it is taken from the reader once all of it was read.
///
/// Nothing is capped: who reads from it decides how much.
pub(crate) fn gunzip_member(reader: impl BufRead) -> impl Read {
    GzDecoder::new(reader)
}

/// Expands a gzip file while it is read, for files of the operator that do not fit in memory.
///
/// Nothing is capped: who reads lines from it decides how long a line may be.
pub fn gunzip_lines(reader: impl Read) -> impl BufRead {
    let compressed = BufReader::with_capacity(BUFFER_BYTES, reader);
    BufReader::with_capacity(BUFFER_BYTES, flate2::bufread::MultiGzDecoder::new(compressed))
}

#[cfg(test)]
mod tests {
    use super::super::archives::gzip;
    use super::*;

    #[test]
    fn the_cap_is_met_exactly_and_then_fails() {
        let bytes = gzip(b"12345");
        assert_eq!(gunzip(&bytes, 6), Ok(b"12345".to_vec()));
        assert_eq!(gunzip(&bytes, 5), Ok(b"12345".to_vec()));
        assert_eq!(gunzip(&bytes, 4).map_err(|gap| gap.reason), Err(GapReason::ExpandedTooLarge));
    }

    #[test]
    fn all_members_are_read_and_padding_is_not_data() {
        let two = [gzip(b"one "), gzip(b"two")].concat();
        assert_eq!(gunzip(&two, 100), Ok(b"one two".to_vec()));
        assert_eq!(gunzip(&[two.as_slice(), &[0; 9]].concat(), 100), Ok(b"one two".to_vec()));
        let lines: Vec<String> = gunzip_lines(two.as_slice()).lines().collect::<io::Result<_>>().expect("reads");
        assert_eq!(lines, ["one two"]);
    }

    #[test]
    fn members_are_capped() {
        let three = [gzip(b"a"), gzip(b"b"), gzip(b"c")].concat();
        let read =
            |members| read_at_most(GzipMembers::new(&three, members), 9).map_err(|e| Refusal::of(&e, false).reason);
        assert_eq!(read(4), Ok(Some(b"abc".to_vec())));
        assert_eq!(read(3), Ok(Some(b"abc".to_vec())));
        assert_eq!(read(2), Err(GapReason::TooManyMembers));
    }

    #[test]
    fn damage_and_trailing_data_are_told_apart() {
        let bytes = gzip(b"some text");
        let reason = |bytes: &[u8]| gunzip(bytes, 100).map_err(|gap| gap.reason);
        for cut in 0..bytes.len() {
            assert_eq!(reason(bytes.get(..cut).expect("in range")), Err(GapReason::Truncated), "{cut}");
        }
        assert_eq!(reason(&[bytes.as_slice(), b"x"].concat()), Err(GapReason::Malformed));
        assert_eq!(reason(b"not gzip at all"), Err(GapReason::Malformed));
        let mut wrong_sum = bytes.clone();
        *wrong_sum.last_mut().expect("not empty") ^= 1;
        assert_eq!(reason(&wrong_sum), Err(GapReason::Malformed));
    }
}
