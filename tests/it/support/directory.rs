//! A directory on loopback whose answers a test decides: one function from the path to status and body, which may be
//! changed while it runs. It speaks plain or with TLS, and stops when it is dropped.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use rustls::{ServerConfig, ServerConnection, StreamOwned};

type Script = Arc<dyn Fn(&str) -> (u16, Vec<u8>) + Send + Sync>;

/// A running directory.
pub(crate) struct Directory {
    scheme: &'static str,
    port: u16,
    state: Arc<Mutex<State>>,
    is_over: Arc<AtomicBool>,
}

struct State {
    script: Script,
    paths: Vec<String>,
}

fn in_bytes<Body: Into<Vec<u8>>>(script: impl Fn(&str) -> (u16, Body) + Send + Sync + 'static) -> Script {
    Arc::new(move |path| {
        let (status, body) = script(path);
        (status, body.into())
    })
}

impl Directory {
    /// Starts a directory that answers every path, query included, with what `script` gives. What is posted stands after the
    /// path and a blank.
    pub(crate) fn start<Body: Into<Vec<u8>>>(script: impl Fn(&str) -> (u16, Body) + Send + Sync + 'static) -> Self {
        Self::listen(None, in_bytes(script))
    }

    /// Starts one that speaks HTTP inside TLS alone.
    pub(crate) fn start_with_tls<Body: Into<Vec<u8>>>(
        tls: ServerConfig,
        script: impl Fn(&str) -> (u16, Body) + Send + Sync + 'static,
    ) -> Self {
        Self::listen(Some(Arc::new(tls)), in_bytes(script))
    }

    fn listen(tls: Option<Arc<ServerConfig>>, script: Script) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("loopback has a free port");
        let port = listener.local_addr().expect("bound").port();
        let state = Arc::new(Mutex::new(State { script, paths: Vec::new() }));
        let is_over = Arc::new(AtomicBool::new(false));
        let (shared, over) = (Arc::clone(&state), Arc::clone(&is_over));
        let scheme = if tls.is_some() { "https" } else { "http" };
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if over.load(Ordering::SeqCst) {
                    return;
                }
                let (shared, tls) = (Arc::clone(&shared), tls.clone());
                std::thread::spawn(move || match tls {
                    None => serve(stream, &shared),
                    Some(tls) => {
                        let connection = ServerConnection::new(tls).expect("a whole configuration");
                        serve(StreamOwned::new(connection, stream), &shared);
                    }
                });
            }
        });
        Self { scheme, port, state, is_over }
    }

    /// Its address.
    pub(crate) fn url(&self) -> String {
        format!("{}://127.0.0.1:{}", self.scheme, self.port)
    }

    /// Answers differently from now on, and forgets what was asked.
    pub(crate) fn change<Body: Into<Vec<u8>>>(&self, script: impl Fn(&str) -> (u16, Body) + Send + Sync + 'static) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        *state = State { script: in_bytes(script), paths: Vec::new() };
    }

    /// The paths that were asked for, in the order of arrival.
    pub(crate) fn paths(&self) -> Vec<String> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).paths.clone()
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::SeqCst);
        // Wakes the accepting thread.
        let _ = TcpStream::connect((Ipv4Addr::LOCALHOST, self.port));
    }
}

/// Answers the requests of one connection, one after the other.
fn serve(stream: impl Read + Write, state: &Mutex<State>) {
    let mut reader = BufReader::new(stream);
    loop {
        let mut first = String::new();
        if !matches!(reader.read_line(&mut first), Ok(1..)) {
            return;
        }
        let (mut line, mut length) = (String::new(), 0);
        while matches!(reader.read_line(&mut line), Ok(3..)) {
            let of_length = line.split_once(':').filter(|(name, _)| name.eq_ignore_ascii_case("content-length"));
            length = of_length.and_then(|(_, value)| value.trim().parse().ok()).unwrap_or(length);
            line.clear();
        }
        let mut body = vec![0; length];
        if reader.read_exact(&mut body).is_err() {
            return;
        }
        let mut path = first.split(' ').nth(1).unwrap_or_default().to_owned();
        if length > 0 {
            path = format!("{path} {}", String::from_utf8_lossy(&body));
        }
        let script = {
            let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
            state.paths.push(path.clone());
            Arc::clone(&state.script)
        };
        let (status, body) = script(&path);
        let (body, location) = match status {
            300..400 => (Vec::new(), format!("location: {}\r\n", String::from_utf8_lossy(&body))),
            _ => (body, String::new()),
        };
        let head = format!(
            "HTTP/1.1 {status} X\r\ncontent-type: application/json\r\n{location}content-length: {}\r\n\r\n",
            body.len()
        );
        let writer = reader.get_mut();
        if writer
            .write_all(head.as_bytes())
            .and_then(|()| writer.write_all(&body))
            .and_then(|()| writer.flush())
            .is_err()
        {
            return;
        }
    }
}
