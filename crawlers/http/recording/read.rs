//! Reading a record back: first where each exchange lies, then one exchange at a time.
//!
//! A record may come from anybody. Every length is checked against what is there, and a file that is no record of ours
//! is an error that says where. Never more than one exchange is in memory, however far a small file expands.

use std::io::{BufRead, BufReader, Read as _, Seek, SeekFrom};

use capdex_model::digest::{Digest, bytes_of_hex};

use super::{Exchange, Key, RecordedOutcome};
use crate::unpack::gunzip_member;

/// The most bytes of the headers of a record, and of those of the answer in it.
const MAX_HEAD_BYTES: u64 = 1 << 20;
/// The most bytes of what was answered: no source takes a longer answer.
const MAX_BLOCK_BYTES: u64 = 257 << 20;

/// Where an exchange lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// The byte at which its gzip member begins.
    pub(super) offset: u64,
    /// True where nobody answered.
    pub(super) is_failure: bool,
}

/// Every exchange of a record in its order: the digest of its question, and its place. All of the record is read, and none of
/// it kept.
///
/// # Errors
/// The fault and its place, for a file that is no record of ours.
pub(super) fn places(file: &mut (impl BufRead + Seek)) -> Result<Vec<(Digest, Place)>, String> {
    let mut places = Vec::new();
    loop {
        let offset = file.stream_position().map_err(|error| error.to_string())?;
        if file.fill_buf().map_err(|error| error.to_string())?.is_empty() {
            return Ok(places);
        }
        let read = record(&mut *file, false).map_err(|error| format!("the record at byte {offset}: {error}"))?;
        if let Some(Exchange { key, outcome }) = read {
            let is_failure = !matches!(outcome, RecordedOutcome::Answer { .. });
            places.push((key.digest(), Place { offset, is_failure }));
        }
    }
}

/// The exchange at a place that [`places`] gave.
///
/// # Errors
/// The fault, where the file is not what it was.
pub(super) fn exchange(file: &mut (impl BufRead + Seek), place: Place) -> Result<Exchange, String> {
    file.seek(SeekFrom::Start(place.offset)).map_err(|error| error.to_string())?;
    record(&mut *file, true)?.ok_or_else(|| "no exchange is there any more".to_owned())
}

/// Reads one record, which is one gzip member; none where it is no exchange. Without `with_body` the body of an answer is
/// read past.
fn record(file: impl BufRead, with_body: bool) -> Result<Option<Exchange>, String> {
    let mut member = BufReader::new(gunzip_member(file));
    let head = read_head(&mut member)?;
    let head = head.strip_prefix("WARC/1.1\r\n").ok_or("it is none of WARC 1.1")?;
    let headers = Headers(fields(head).ok_or("its headers cannot be read")?);
    let length = headers.get("Content-Length").and_then(|length| length.parse::<u64>().ok());
    let length =
        length.filter(|length| *length <= MAX_BLOCK_BYTES).ok_or("it has no length, or one that is too large")?;
    let mut block = (&mut member).take(length);
    let outcome = outcome(&headers, &mut block, with_body)?;
    // What is left of the block was not wanted, and must be there all the same.
    std::io::copy(&mut block, &mut std::io::sink()).map_err(|error| error.to_string())?;
    if block.limit() > 0 {
        return Err("it is shorter than it says".to_owned());
    }
    let mut end = Vec::new();
    member.take(5).read_to_end(&mut end).map_err(|error| error.to_string())?;
    // One record a member: only so can one be read without those before it.
    if end != b"\r\n\r\n" {
        return Err("its gzip member does not end with it".to_owned());
    }
    let Some(outcome) = outcome else { return Ok(None) };
    let body = match headers.get("X-Capdex-Body-SHA256") {
        None => None,
        Some(hex) => {
            let bytes = bytes_of_hex(hex).and_then(|bytes| <[u8; 32]>::try_from(bytes).ok());
            Some(Digest::from_bytes(bytes.ok_or("its digest is none")?))
        }
    };
    let text = |name: &str| headers.get(name).map(str::to_owned).ok_or(format!("it has no {name}"));
    let key = Key { method: text("X-Capdex-Method")?, url: text("WARC-Target-URI")?, body };
    Ok(Some(Exchange { key, outcome }))
}

struct Headers<'a>(Vec<(&'a str, &'a str)>);

impl<'a> Headers<'a> {
    fn get(&self, name: &str) -> Option<&'a str> {
        self.0.iter().find(|(of, _)| of.eq_ignore_ascii_case(name)).map(|(_, value)| *value)
    }
}

fn outcome(
    headers: &Headers<'_>,
    block: &mut impl BufRead,
    with_body: bool,
) -> Result<Option<RecordedOutcome>, String> {
    match headers.get("WARC-Type") {
        // The first record says what wrote the file, and is no exchange.
        Some("warcinfo") => Ok(None),
        Some("metadata") => {
            let mut why = Vec::new();
            block.take(MAX_HEAD_BYTES).read_to_end(&mut why).map_err(|error| error.to_string())?;
            let why = String::from_utf8_lossy(&why).into_owned();
            match headers.get("X-Capdex-Failure") {
                Some("unanswered") => Ok(Some(RecordedOutcome::Unanswered(why))),
                Some("broken") => Ok(Some(RecordedOutcome::Broken(why))),
                other => Err(format!("a failure of the kind {other:?}")),
            }
        }
        Some("response" | "revisit") => {
            let head = read_head(block)?;
            let (status, headers) = status_and_headers(&head).ok_or("its answer cannot be read")?;
            let mut body = Vec::new();
            if with_body {
                // As long as the bytes are, and not as long as they are said to be.
                block.read_to_end(&mut body).map_err(|error| error.to_string())?;
            }
            Ok(Some(RecordedOutcome::Answer { status, headers, body }))
        }
        other => Err(format!("a record of type {other:?}")),
    }
}

fn status_and_headers(head: &str) -> Option<(u16, Vec<(String, String)>)> {
    let (first, rest) = head.split_once("\r\n").unwrap_or((head, ""));
    let status = first.split(' ').nth(1)?.parse().ok()?;
    let headers = fields(rest)?.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    Some((status, headers))
}

/// The text up to the first empty line, which is read too.
fn read_head(reader: &mut impl BufRead) -> Result<String, String> {
    let mut head = Vec::new();
    loop {
        let room = MAX_HEAD_BYTES.saturating_sub(head.len() as u64);
        let read = reader.by_ref().take(room).read_until(b'\n', &mut head).map_err(|error| error.to_string())?;
        if read == 0 {
            return Err("its headers have no end".to_owned());
        }
        if head.ends_with(b"\r\n\r\n") {
            head.truncate(head.len() - 4);
            return String::from_utf8(head).map_err(|_| "its headers are no text".to_owned());
        }
    }
}

fn fields(head: &str) -> Option<Vec<(&str, &str)>> {
    head.split("\r\n").filter(|line| !line.is_empty()).map(|line| line.split_once(": ")).collect()
}
