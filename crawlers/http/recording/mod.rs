//! The recording: every exchange of a crawl on record, and a recorded crawl played again through the same code.
//!
//! A record holds what the client saw: bodies decoded, credentials left out. Transport failures are recorded too, so
//! that a replay meets them again.

mod read;
mod write;

use std::collections::{BTreeMap, VecDeque};
use std::fs::File;
use std::io::BufReader;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use capdex_model::digest::Digest;
use capdex_model::snapshot::GapReason;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use url::Url;

use crate::CrawlError;

/// The way a recording is used: exchanges are recorded, or played from a record. The file is a WARC 1.1 with one gzip member
/// a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CrawlRecordingSettings {
    /// Everything is asked as ever and recorded in this file, which must not exist.
    Record(PathBuf),
    /// Nothing is asked; what is in this file answers.
    Replay(PathBuf),
}

/// One recorded exchange.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Exchange {
    pub(crate) outcome: RecordedOutcome,
    pub(crate) key: Key,
}

/// The identity of a question: two with the same key are answered in their order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Key {
    pub(crate) method: String,
    pub(crate) url: String,
    /// The digest of the body of a POST.
    pub(crate) body: Option<Digest>,
}

impl Key {
    /// The key of a GET, or of a POST with a body.
    pub(crate) fn of(url: &Url, body: Option<&[u8]>) -> Self {
        let method = if body.is_some() { "POST" } else { "GET" };
        Self { method: method.to_owned(), url: url.as_str().to_owned(), body: body.map(Digest::of) }
    }

    /// One for all of it: of a record's questions nothing longer is kept in memory.
    fn digest(&self) -> Digest {
        let body = self.body.as_ref().map(|digest| digest.as_bytes().as_slice()).unwrap_or_default();
        Digest::of_fields([self.method.as_bytes(), self.url.as_bytes(), body])
    }
}

/// The recorded result of a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum RecordedOutcome {
    /// An answer.
    Answer { status: u16, headers: Vec<(String, String)>, body: Vec<u8> },
    /// No answer, and why.
    Unanswered(String),
    /// An answer that broke off or took too long, and why.
    Broken(String),
}

/// The recording of a client.
pub(crate) enum CrawlRecording {
    /// There is none.
    Off,
    Recording(Mutex<write::Recorder<File>>),
    Replaying(Mutex<Replayed>),
}

/// A record that is played: where its exchanges lie, by the digest of the question, in their order.
pub(crate) struct Replayed {
    file: BufReader<File>,
    places: BTreeMap<Digest, VecDeque<read::Place>>,
}

impl Replayed {
    /// The next recorded result for a question.
    fn answer(&mut self, key: &Key) -> Option<RecordedOutcome> {
        let queue = self.places.get_mut(&key.digest())?;
        let place = match queue.front() {
            // The last failure stays: a replay has more time than the crawl had, and may try more often.
            Some(place) if place.is_failure && queue.len() == 1 => *place,
            _ => queue.pop_front()?,
        };
        match read::exchange(&mut self.file, place) {
            Ok(exchange) if exchange.key == *key => Some(exchange.outcome),
            // It was whole when it was opened.
            _ => {
                Some(RecordedOutcome::Unanswered("the record of the crawl was changed while it was played".to_owned()))
            }
        }
    }
}

impl CrawlRecording {
    /// Opens the file.
    ///
    /// # Errors
    /// `Malformed` for a file that cannot be made or read, or is no record of ours.
    pub(crate) fn open(settings: Option<&CrawlRecordingSettings>) -> Result<Self, CrawlError> {
        match settings {
            None => Ok(Self::Off),
            Some(CrawlRecordingSettings::Record(path)) => {
                // A record is never overwritten: the servers have moved on, and it cannot be made again.
                let file = File::options().write(true).create_new(true).open(path);
                let recorder = file.and_then(write::Recorder::begin);
                Ok(Self::Recording(Mutex::new(recorder.map_err(|error| broken(path, &error.to_string()))?)))
            }
            Some(CrawlRecordingSettings::Replay(path)) => {
                // A pipe can be read only once, and its answers are read one by one.
                let about = std::fs::metadata(path).map_err(|error| broken(path, &error.to_string()))?;
                if !about.is_file() {
                    return Err(broken(path, "it is no file"));
                }
                let file = File::open(path).map_err(|error| broken(path, &error.to_string()))?;
                let mut file = BufReader::new(file);
                let mut places: BTreeMap<Digest, VecDeque<read::Place>> = BTreeMap::new();
                for (question, place) in read::places(&mut file).map_err(|error| broken(path, &error))? {
                    places.entry(question).or_default().push_back(place);
                }
                Ok(Self::Replaying(Mutex::new(Replayed { file, places })))
            }
        }
    }

    /// The next recorded result for a question; none where nothing is replayed. A question that was not recorded fails
    /// as a host does that cannot be reached.
    pub(crate) fn answer(&self, key: &Key) -> Option<RecordedOutcome> {
        let Self::Replaying(replayed) = self else { return None };
        let next = replayed.lock().unwrap_or_else(PoisonError::into_inner).answer(key);
        Some(next.unwrap_or_else(|| {
            RecordedOutcome::Unanswered("this was not asked when the crawl was recorded".to_owned())
        }))
    }

    /// True where nothing is asked.
    pub(crate) const fn is_replaying(&self) -> bool {
        matches!(self, Self::Replaying(_))
    }

    /// Records that an answer broke off or took too long.
    ///
    /// # Errors
    /// The errors of [`CrawlRecording::record`].
    pub(crate) fn record_broken(&self, url: &Url, body: Option<&[u8]>, why: &str) -> Result<(), CrawlError> {
        self.record(&Exchange { key: Key::of(url, body), outcome: RecordedOutcome::Broken(why.to_owned()) })
    }

    /// Records that a question was not even asked.
    ///
    /// # Errors
    /// The errors of [`CrawlRecording::record`].
    pub(crate) fn record_failure(&self, url: &Url, body: Option<&[u8]>, why: &str) -> Result<(), CrawlError> {
        self.record(&Exchange { key: Key::of(url, body), outcome: RecordedOutcome::Unanswered(why.to_owned()) })
    }

    /// True where [`CrawlRecording::record`] does anything.
    pub(crate) const fn is_recording(&self) -> bool {
        matches!(self, Self::Recording(_))
    }

    /// Records an exchange.
    ///
    /// # Errors
    /// `Malformed` where it cannot be written: a record with holes would replay another crawl.
    pub(crate) fn record(&self, exchange: &Exchange) -> Result<(), CrawlError> {
        let Self::Recording(recorder) = self else { return Ok(()) };
        let mut recorder = recorder.lock().unwrap_or_else(PoisonError::into_inner);
        recorder.write(exchange).map_err(|error| CrawlError::Malformed {
            subject: "the record of the crawl".to_owned(),
            reason: GapReason::Unreadable,
            detail: error.to_string(),
        })
    }
}

impl RecordedOutcome {
    /// An answer as the client would have it.
    pub(crate) fn response(status: u16, headers: &[(String, String)], body: Vec<u8>) -> Option<reqwest::Response> {
        let mut response = http::Response::builder().status(status);
        let map: &mut HeaderMap = response.headers_mut()?;
        for (name, value) in headers {
            if let (Ok(name), Ok(value)) = (HeaderName::from_bytes(name.as_bytes()), HeaderValue::from_str(value)) {
                map.append(name, value);
            }
        }
        response.body(body).ok().map(reqwest::Response::from)
    }
}

/// The headers of an answer as text, sorted. Headers about the transfer of the body are left out, because it was
/// decoded.
pub(crate) fn headers_of(headers: &HeaderMap) -> Vec<(String, String)> {
    let is_of_transfer =
        |name: &HeaderName| ["content-encoding", "content-length", "transfer-encoding"].contains(&name.as_str());
    let mut all: Vec<(String, String)> = headers
        .iter()
        .filter(|(name, _)| !is_of_transfer(name) && name.as_str() != "set-cookie")
        .filter_map(|(name, value)| Some((name.as_str().to_owned(), value.to_str().ok()?.to_owned())))
        .collect();
    all.sort();
    all
}

/// An answer that is a token, in its form and without the token.
pub(crate) fn without_tokens(body: &[u8]) -> Vec<u8> {
    let Ok(serde_json::Value::Object(mut answer)) = serde_json::from_slice(body) else { return Vec::new() };
    for name in ["token", "access_token"] {
        if let Some(token) = answer.get_mut(name) {
            *token = "left out of the record".into();
        }
    }
    serde_json::Value::Object(answer).to_string().into_bytes()
}

fn broken(path: &std::path::Path, detail: &str) -> CrawlError {
    CrawlError::Malformed {
        subject: path.display().to_string(),
        reason: GapReason::Unreadable,
        detail: format!("the record of the crawl cannot be used: {detail}"),
    }
}

#[cfg(test)]
mod tests;
