//! Reading a record back: the exchanges in their order.
//!
//! A record may come from anybody. Every length is checked against what is there, and a file that is no record of ours
//! is an error that says where.

use capdex_model::digest::{Digest, bytes_of_hex};

use super::{Exchange, Key, RecordedOutcome};
use crate::unpack::gunzip;

/// The most bytes of a record, decoded.
const MAX_BYTES: u64 = 4 << 30;

/// Every exchange in a record.
///
/// # Errors
/// The fault and its place, for a file that is no record of ours.
pub(super) fn exchanges(bytes: &[u8]) -> Result<Vec<Exchange>, String> {
    let text = gunzip(bytes, MAX_BYTES).map_err(|gap| gap.to_string())?;
    let (mut rest, mut exchanges) = (text.as_slice(), Vec::new());
    while !rest.is_empty() {
        let place = text.len() - rest.len();
        let (record, after) = record(rest).ok_or_else(|| format!("no record at byte {place}"))?;
        let exchange = exchange(&record).map_err(|error| format!("the record at byte {place}: {error}"))?;
        exchanges.extend(exchange);
        rest = after;
    }
    Ok(exchanges)
}

struct Record<'a> {
    headers: Vec<(&'a str, &'a str)>,
    block: &'a [u8],
}

impl<'a> Record<'a> {
    fn header(&self, name: &str) -> Option<&'a str> {
        self.headers.iter().find(|(of, _)| of.eq_ignore_ascii_case(name)).map(|(_, value)| *value)
    }
}

/// The first record, and what follows it.
fn record(bytes: &[u8]) -> Option<(Record<'_>, &[u8])> {
    let (head, rest) = split_head(bytes)?;
    let head = head.strip_prefix("WARC/1.1\r\n")?;
    let headers = fields(head)?;
    let length = headers.iter().find(|(name, _)| *name == "Content-Length")?.1.parse::<usize>().ok()?;
    let (block, after) = rest.split_at_checked(length)?;
    Some((Record { headers, block }, after.strip_prefix(b"\r\n\r\n")?))
}

/// The text up to the first empty line, and what follows that.
fn split_head(bytes: &[u8]) -> Option<(&str, &[u8])> {
    let end = bytes.windows(4).position(|window| window == b"\r\n\r\n")?;
    let (head, rest) = bytes.split_at_checked(end)?;
    Some((std::str::from_utf8(head).ok()?, rest.get(4..)?))
}

fn fields(head: &str) -> Option<Vec<(&str, &str)>> {
    head.split("\r\n").filter(|line| !line.is_empty()).map(|line| line.split_once(": ")).collect()
}

fn exchange(record: &Record<'_>) -> Result<Option<Exchange>, String> {
    let outcome = match record.header("WARC-Type") {
        // The first record says what wrote the file, and is no exchange.
        Some("warcinfo") => return Ok(None),
        Some("metadata") => {
            let why = String::from_utf8_lossy(record.block).into_owned();
            match record.header("X-Capdex-Failure") {
                Some("unanswered") => RecordedOutcome::Unanswered(why),
                Some("broken") => RecordedOutcome::Broken(why),
                other => return Err(format!("a failure of the kind {other:?}")),
            }
        }
        Some("response" | "revisit") => answer(record.block).ok_or("its answer cannot be read")?,
        other => return Err(format!("a record of type {other:?}")),
    };
    let body = match record.header("X-Capdex-Body-SHA256") {
        None => None,
        Some(hex) => {
            let bytes = bytes_of_hex(hex).and_then(|bytes| <[u8; 32]>::try_from(bytes).ok());
            Some(Digest::from_bytes(bytes.ok_or("its digest is none")?))
        }
    };
    let text = |name: &str| record.header(name).map(str::to_owned).ok_or(format!("it has no {name}"));
    let key = Key { method: text("X-Capdex-Method")?, url: text("WARC-Target-URI")?, body };
    Ok(Some(Exchange { key, outcome }))
}

fn answer(block: &[u8]) -> Option<RecordedOutcome> {
    let (head, body) = split_head(block)?;
    let (first, rest) = head.split_once("\r\n").unwrap_or((head, ""));
    let status = first.split(' ').nth(1)?.parse().ok()?;
    let headers = fields(rest)?.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    Some(RecordedOutcome::Answer { status, headers, body: body.to_vec() })
}
