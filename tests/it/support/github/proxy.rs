//! The proxy: two listeners, one for the interface and one for archives, as GitHub has them on two hosts.
//!
//! Must not answer what the emulator can.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::Value;

use super::message::{Asked, Received, read};
use super::{State, base64, lock};

/// The listeners. End when dropped.
pub(super) struct Proxy {
    pub(super) port: u16,
    pub(super) codeload_port: u16,
    is_over: Arc<AtomicBool>,
}

impl Proxy {
    pub(super) fn start(state: Arc<State>) -> Self {
        let is_over = Arc::new(AtomicBool::new(false));
        let archives = Arc::clone(&state);
        let codeload_port = listen(Arc::clone(&state), Arc::clone(&is_over), move |asked| archive(&archives, asked));
        let own = Arc::clone(&state);
        let port = listen(state, Arc::clone(&is_over), move |asked| answer(&own, asked, codeload_port));
        Self { port, codeload_port, is_over }
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::SeqCst);
        // Wakes the accepting threads.
        for port in [self.port, self.codeload_port] {
            let _ = TcpStream::connect(("127.0.0.1", port));
        }
    }
}

fn listen(
    state: Arc<State>,
    is_over: Arc<AtomicBool>,
    answer: impl Fn(&Asked) -> Received + Send + Sync + 'static,
) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("loopback has a free port");
    let port = listener.local_addr().expect("the listener is bound").port();
    let answer = Arc::new(answer);
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            if is_over.load(Ordering::SeqCst) {
                return;
            }
            let (state, answer) = (Arc::clone(&state), Arc::clone(&answer));
            std::thread::spawn(move || {
                let Ok(mut asked) = read(&stream, port) else { return };
                let received = answer(&asked);
                asked.status = received.status;
                lock(&state.asked).push(asked);
                // An error means that the client is gone, which is the client's affair.
                let _ = received.send(&stream);
            });
        }
    });
    port
}

/// The answer of the interface.
fn answer(state: &State, asked: &Asked, codeload_port: u16) -> Received {
    let path = asked.path.split('?').next().unwrap_or_default();
    let segments: Vec<&str> = path.trim_start_matches('/').split('/').collect();
    if let ["search", ..] = segments.as_slice()
        && page(&asked.path) > 10
    {
        return Received::new(422, &[], r#"{"message":"Only the first 1000 search results are available"}"#);
    }
    if let ["repos", owner, name, "tarball", commit] = segments.as_slice() {
        let url = format!("http://127.0.0.1:{codeload_port}/{owner}/{name}/legacy.tar.gz/{commit}");
        return Received::new(302, &[("location", &url)], "");
    }
    let mut received = state.forward(&asked.method, &asked.path, asked.header("authorization"), b"");
    received.headers.retain(|(name, _)| name.starts_with("x-ratelimit") || name == "link" || name == "content-type");
    if let (404, ["repos", owner, name, ..]) = (received.status, segments.as_slice()) {
        let id = lock(&state.left).get(&format!("{owner}/{name}").to_ascii_lowercase()).copied();
        if let Some(id) = id {
            // What lies below a name is redirected only by the real one's newer parts; nobody here asks for it.
            let location = format!("/repositories/{id}");
            return Received::new(301, &[("location", &location)], r#"{"message":"Moved Permanently"}"#);
        }
    }
    if received.status == 200 {
        let etag = format!("W/\"{:016x}\"", hash(&received.body));
        if asked.header("if-none-match") == Some(&etag) {
            return Received::new(304, &[("etag", &etag)], "");
        }
        received.headers.push(("etag".to_owned(), etag));
    }
    received
}

/// The archive of a commit: its tree and blobs, as the emulator has them.
fn archive(state: &State, asked: &Asked) -> Received {
    let segments: Vec<&str> = asked.path.trim_start_matches('/').split('/').collect();
    let [owner, name, "legacy.tar.gz", commit] = segments.as_slice() else { return Received::new(404, &[], "") };
    let document = |path: String| -> Option<Value> {
        let received = state.forward("GET", &path, None, b"");
        if received.status == 200 { serde_json::from_slice(&received.body).ok() } else { None }
    };
    let Some(tree) = document(format!("/repos/{owner}/{name}/git/trees/{commit}?recursive=1")) else {
        return Received::new(404, &[], "");
    };
    let blob = |entry: &Value| {
        let sha = entry["sha"].as_str()?;
        let blob = document(format!("/repos/{owner}/{name}/git/blobs/{sha}"))?;
        let path = entry["path"].as_str()?.to_owned();
        (entry["type"] == "blob").then(|| (path, base64::decode(blob["content"].as_str().unwrap_or_default())))
    };
    let files: Vec<(String, Vec<u8>)> = tree["tree"].as_array().into_iter().flatten().filter_map(blob).collect();
    let short: String = commit.chars().take(7).collect();
    let bytes = (state.make_archive)(&format!("{owner}-{name}-{short}"), commit, &files);
    Received::new(200, &[("content-type", "application/x-gzip")], bytes)
}

fn page(path: &str) -> u64 {
    let query = path.split_once('?').map_or("", |(_, query)| query);
    let page = query.split('&').find_map(|pair| pair.strip_prefix("page="));
    page.and_then(|page| page.parse().ok()).unwrap_or(1)
}

fn hash(bytes: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    hasher.finish()
}
