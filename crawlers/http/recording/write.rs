//! Writing a record: WARC 1.1, a gzip member for each record, so that one can be read at its offset.
//!
//! No clock is read: the answer's own `Date` header dates a record. Source: ISO 28500:2017 (WARC 1.1).

use std::io::{self, Write};

use capdex_model::digest::Digest;

use super::{Exchange, RecordedOutcome};
use crate::unpack::gzip;

/// The date of records whose answer has none: the epoch says plainly that it is not known.
const NO_DATE: &str = "1970-01-01T00:00:00Z";

/// Appends records to a file.
pub(crate) struct Recorder<W: Write> {
    file: W,
    written: u64,
}

impl<W: Write> Recorder<W> {
    /// Begins a record with what wrote it.
    pub(crate) fn begin(file: W) -> io::Result<Self> {
        let mut recorder = Self { file, written: 0 };
        let about = format!("software: capdex/{}\r\nformat: WARC File Format 1.1\r\n", env!("CARGO_PKG_VERSION"));
        let headers = [("WARC-Type", "warcinfo"), ("Content-Type", "application/warc-fields")];
        recorder.member(&headers, NO_DATE, about.as_bytes())?;
        Ok(recorder)
    }

    /// Writes a question and what came of it.
    pub(crate) fn write(&mut self, exchange: &Exchange) -> io::Result<()> {
        let url = exchange.key.url.as_str();
        let method = exchange.key.method.as_str();
        let body = exchange.key.body.map(|digest| digest.hex()).unwrap_or_default();
        let own = [("WARC-Target-URI", url), ("X-Capdex-Method", method), ("X-Capdex-Body-SHA256", body.as_str())];
        match &exchange.outcome {
            RecordedOutcome::Unanswered(why) | RecordedOutcome::Broken(why) => {
                let kind = if matches!(exchange.outcome, RecordedOutcome::Broken(_)) { "broken" } else { "unanswered" };
                let mut headers =
                    vec![("WARC-Type", "metadata"), ("Content-Type", "text/plain"), ("X-Capdex-Failure", kind)];
                headers.extend(own);
                self.member(&headers, NO_DATE, why.as_bytes())
            }
            RecordedOutcome::Answer { status, headers: of_answer, body } => {
                let date = of_answer.iter().find(|(name, _)| name == "date").and_then(|(_, date)| warc_date(date));
                let mut block = format!("HTTP/1.1 {status} X\r\n").into_bytes();
                for (name, value) in of_answer {
                    block.extend_from_slice(format!("{name}: {value}\r\n").as_bytes());
                }
                block.extend_from_slice(b"\r\n");
                block.extend_from_slice(body);
                let digest = format!("sha256:{}", Digest::of(body).hex());
                let kind = if *status == 304 { "revisit" } else { "response" };
                let mut headers = vec![
                    ("WARC-Type", kind),
                    ("Content-Type", "application/http; msgtype=response"),
                    ("WARC-Payload-Digest", digest.as_str()),
                ];
                if *status == 304 {
                    let profile = "http://netpreserve.org/warc/1.1/revisit/server-not-modified";
                    headers.push(("WARC-Profile", profile));
                }
                headers.extend(own);
                self.member(&headers, date.as_deref().unwrap_or(NO_DATE), &block)
            }
        }
    }

    fn member(&mut self, headers: &[(&str, &str)], date: &str, block: &[u8]) -> io::Result<()> {
        // Ids must be unique and need not be random: the same crawl gives the same record.
        let number = self.written.to_be_bytes();
        let fields = headers.iter().flat_map(|(name, value)| [name.as_bytes(), value.as_bytes()]);
        let id = Digest::of_fields(fields.chain([&number[..], block])).hex();
        self.written += 1;
        let part = |from: usize, to: usize| id.get(from..to).unwrap_or_default();
        let id = format!("{}-{}-5{}-8{}-{}", part(0, 8), part(8, 12), part(13, 16), part(17, 20), part(20, 32));
        let mut record = Vec::new();
        write!(record, "WARC/1.1\r\nWARC-Record-ID: <urn:uuid:{id}>\r\nWARC-Date: {date}\r\n")?;
        // A GET has no digest of a body, and an empty one would not be read back.
        for (name, value) in headers.iter().filter(|(_, value)| !value.is_empty()) {
            write!(record, "{name}: {value}\r\n")?;
        }
        write!(record, "Content-Length: {}\r\n\r\n", block.len())?;
        record.extend_from_slice(block);
        record.extend_from_slice(b"\r\n\r\n");
        self.file.write_all(&gzip(&record)?)?;
        // Flushed for each record, so that a crawl that is killed leaves one that can be read.
        self.file.flush()
    }
}

/// The date of an answer in the form of WARC.
fn warc_date(text: &str) -> Option<String> {
    super::super::retry::http_date(text).map(|instant| instant.to_string())
}
