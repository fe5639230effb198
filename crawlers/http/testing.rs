//! A server on loopback that says exactly what a test wants, and remembers what it was asked.
//!
//! Must not be polite: it sends whatever bytes it is given.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use capdex_model::time::AsOf;

use super::clock::{Clock, Wait};
use super::{AllowedBaseUrl, Http, HttpSettings};
use crate::{ListRequest, SourceSettings, ValidatorLookup, WalkScope};

/// One request as it came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Asked {
    /// The method.
    pub(crate) method: String,
    /// The path with its query, as sent.
    pub(crate) path: String,
    /// The headers, names in lower case.
    pub(crate) headers: BTreeMap<String, String>,
    /// The body, where a length was announced.
    pub(crate) body: Vec<u8>,
}

impl Asked {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(String::as_str)
    }
}

/// What to send.
pub(crate) struct Sent {
    bytes: Vec<u8>,
    ending: Ending,
}

enum Ending {
    Close,
    /// Nothing more, with the connection open until the client closes it.
    Silence,
    /// The bytes of the body again and again.
    Endless(Vec<u8>),
}

impl Sent {
    /// A whole answer.
    pub(crate) fn answer(status: u16, headers: &[(&str, &str)], body: impl AsRef<[u8]>) -> Self {
        let body = body.as_ref();
        let length = body.len().to_string();
        let mut all = vec![("content-length", length.as_str())];
        all.extend_from_slice(headers);
        Self::raw(status, &all, body)
    }

    /// 200 with this body.
    pub(crate) fn ok(body: impl AsRef<[u8]>) -> Self {
        Self::answer(200, &[], body)
    }

    /// Exactly these headers, and this body, fitting or not.
    pub(crate) fn raw(status: u16, headers: &[(&str, &str)], body: &[u8]) -> Self {
        let mut bytes = format!("HTTP/1.1 {status} X\r\nconnection: close\r\n").into_bytes();
        for (name, value) in headers {
            bytes.extend_from_slice(format!("{name}: {value}\r\n").as_bytes());
        }
        bytes.extend_from_slice(b"\r\n");
        bytes.extend_from_slice(body);
        Self { bytes, ending: Ending::Close }
    }

    /// These bytes and nothing else.
    pub(crate) fn bytes(bytes: &[u8]) -> Self {
        Self { bytes: bytes.to_vec(), ending: Ending::Close }
    }

    pub(crate) fn then_silence(mut self) -> Self {
        self.ending = Ending::Silence;
        self
    }

    pub(crate) fn then_endless(mut self, piece: &[u8]) -> Self {
        self.ending = Ending::Endless(piece.to_vec());
        self
    }

    fn send(&self, mut stream: TcpStream) {
        if stream.write_all(&self.bytes).is_err() {
            return;
        }
        match &self.ending {
            Ending::Close => {}
            Ending::Silence => while matches!(stream.read(&mut [0; 64]), Ok(1..)) {},
            Ending::Endless(piece) => while stream.write_all(piece).is_ok() {},
        }
    }
}

type Script = dyn Fn(&Asked, usize) -> Sent + Send + Sync;

/// The server. Ends when dropped.
pub(crate) struct Server {
    /// `http://127.0.0.1:<port>`.
    pub(crate) base_url: String,
    asked: Arc<Mutex<Vec<Asked>>>,
    is_over: Arc<AtomicBool>,
}

impl Server {
    /// Starts a server that answers each request with what `script` gives for it and for how many there were before.
    pub(crate) fn start(script: impl Fn(&Asked, usize) -> Sent + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("loopback has a free port");
        let base_url = format!("http://{}", listener.local_addr().expect("the listener is bound"));
        let asked = Arc::new(Mutex::new(Vec::new()));
        let is_over = Arc::new(AtomicBool::new(false));
        let script: Arc<Script> = Arc::new(script);
        let (log, over) = (Arc::clone(&asked), Arc::clone(&is_over));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if over.load(Ordering::SeqCst) {
                    return;
                }
                let (log, script) = (Arc::clone(&log), Arc::clone(&script));
                std::thread::spawn(move || serve(stream, &log, &*script));
            }
        });
        Self { base_url, asked, is_over }
    }

    /// Every request so far, in the order of arrival.
    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.asked.lock().expect("no test thread panics while it holds this").clone()
    }

    /// The paths of every request so far.
    pub(crate) fn paths(&self) -> Vec<String> {
        self.asked().into_iter().map(|asked| asked.path).collect()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::SeqCst);
        // Wakes the accepting thread.
        let _ = TcpStream::connect(self.base_url.trim_start_matches("http://"));
    }
}

fn serve(mut stream: TcpStream, log: &Mutex<Vec<Asked>>, script: &Script) {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") {
        match stream.read(&mut byte) {
            Ok(1) => head.extend_from_slice(&byte),
            _ => return,
        }
    }
    let head = String::from_utf8_lossy(&head).into_owned();
    let mut lines = head.split("\r\n");
    let mut first = lines.next().unwrap_or_default().split(' ');
    let (method, path) = (first.next().unwrap_or_default().to_owned(), first.next().unwrap_or_default().to_owned());
    let headers: BTreeMap<String, String> = lines
        .filter_map(|line| line.split_once(": "))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()))
        .collect();
    let length = headers.get("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    if stream.read_exact(&mut body).is_err() {
        return;
    }
    let asked = Asked { method, path, headers, body };
    let before = {
        let mut log = log.lock().expect("no test thread panics while it holds this");
        log.push(asked.clone());
        log.len() - 1
    };
    script(&asked, before).send(stream);
}

/// Time that passes only by being slept through, and remembers the sleeps.
#[derive(Default)]
pub(crate) struct FakeClock {
    now: Mutex<Duration>,
    waits: Mutex<Vec<Duration>>,
}

impl FakeClock {
    pub(crate) fn waits(&self) -> Vec<Duration> {
        self.waits.lock().expect("no test thread panics while it holds this").clone()
    }
}

impl Clock for Arc<FakeClock> {
    fn now(&self) -> Duration {
        *self.now.lock().expect("no test thread panics while it holds this")
    }

    fn sleep(&self, wait: Duration) -> Wait<'_> {
        *self.now.lock().expect("no test thread panics while it holds this") += wait;
        self.waits.lock().expect("no test thread panics while it holds this").push(wait);
        Box::pin(std::future::ready(()))
    }
}

/// A request to a source for the first step of a full walk.
pub(crate) fn request<'a>(
    id: &'a str,
    http: &'a Http,
    settings: &'a SourceSettings,
    known: &'a dyn ValidatorLookup,
) -> ListRequest<'a> {
    let as_of = AsOf("2026-11-22T00:00:00Z".parse().expect("an instant"));
    ListRequest { id, http, settings, walk: WalkScope::Full, cursor: None, known, as_of }
}

/// Settings for loopback: `bases` are configured, nothing is slowed down, no proxy of the machine is used.
pub(crate) fn settings(bases: &[&str]) -> HttpSettings {
    HttpSettings {
        allowed_base_urls: bases.iter().map(|base| AllowedBaseUrl::new("", *base)).collect(),
        requests_per_second: 1_000_000,
        use_environment_proxy: false,
        ..HttpSettings::default()
    }
}

/// A client for loopback on a clock of its own.
pub(crate) fn client(settings: HttpSettings) -> (Http, Arc<FakeClock>) {
    let clock = Arc::new(FakeClock::default());
    let http = Http::with_clock(settings, Box::new(Arc::clone(&clock))).expect("the settings are valid");
    (http, clock)
}
