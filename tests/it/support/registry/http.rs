//! HTTP/1.1 by hand, a thread for each connection: enough to serve the catalogue, and to fail in every way of `Fault`.
//!
//! Source: RFC 9112. Must not know packages.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use capdex_model::digest::Digest;
use serde_json::Value;

use super::{Fault, State, lock, npm, pypi};

/// The longest line of a request that is read.
const LINE_BYTES: u64 = 16 << 10;

/// A request as it arrived.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Request {
    /// `GET`, `HEAD` and so on.
    pub(crate) method: String,
    /// The path as sent, without the query.
    pub(crate) path: String,
    /// The query as sent; empty when there is none.
    pub(crate) query: String,
    /// Names in lower case, values trimmed, in the order of arrival.
    pub(crate) headers: Vec<(String, String)>,
}

impl Request {
    /// The first value of a header.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }
}

/// An answer before faults and validators.
pub(super) struct Answer {
    status: &'static str,
    content_type: &'static str,
    headers: Vec<(&'static str, String)>,
    body: Vec<u8>,
}

impl Answer {
    pub(super) fn bytes(content_type: &'static str, body: Vec<u8>) -> Self {
        Self { status: "200 OK", content_type, headers: Vec::new(), body }
    }

    pub(super) fn json(body: &Value) -> Self {
        Self::bytes("application/json", body.to_string().into_bytes())
    }

    fn error(status: &'static str) -> Self {
        Self { status, ..Self::bytes("text/plain", status.as_bytes().to_vec()) }
    }
}

/// Takes connections until the registry stops.
pub(super) fn accept(listener: &TcpListener, address: SocketAddr, state: &Arc<Mutex<State>>) {
    let mut connections = Vec::new();
    for stream in listener.incoming() {
        let mut shared = lock(state);
        if shared.stopping {
            break;
        }
        let (Ok(stream), state) = (stream, Arc::clone(state)) else { continue };
        if let Ok(handle) = stream.try_clone() {
            shared.open.push(handle);
        }
        // An error means that the client is gone, which is the client's affair.
        connections.push(std::thread::spawn(move || drop(serve(&stream, address, &state))));
    }
    for connection in connections {
        let _ = connection.join();
    }
}

/// Answers the requests of one connection until either side closes it.
fn serve(stream: &TcpStream, address: SocketAddr, state: &Mutex<State>) -> io::Result<()> {
    let mut reader = BufReader::new(stream);
    while let Some(request) = read_request(&mut reader)? {
        let (answer, fault) = decide(&request, address, &mut lock(state));
        let whole = match fault {
            None => write_answer(stream, &request, answer).map(|()| true),
            Some(fault) => write_fault(stream, &mut reader, &request, answer, fault),
        }?;
        if !whole {
            break;
        }
    }
    stream.shutdown(std::net::Shutdown::Both)
}

/// `None` at the end of the connection.
fn read_request(reader: &mut impl BufRead) -> io::Result<Option<Request>> {
    let first = read_line(reader)?;
    let mut words = first.split(' ');
    let (Some(method), Some(target)) = (words.next().filter(|word| !word.is_empty()), words.next()) else {
        return Ok(None);
    };
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let mut headers = Vec::new();
    loop {
        let line = read_line(reader)?;
        let Some((name, value)) = line.split_once(':') else { break };
        headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
    }
    Ok(Some(Request { method: method.to_owned(), path: path.to_owned(), query: query.to_owned(), headers }))
}

fn read_line(reader: &mut impl BufRead) -> io::Result<String> {
    let mut line = String::new();
    reader.take(LINE_BYTES).read_line(&mut line)?;
    Ok(line.trim_end().to_owned())
}

/// Records the request and finds the answer and what is to go wrong with it.
fn decide(request: &Request, address: SocketAddr, state: &mut State) -> (Answer, Option<Fault>) {
    state.requests.push(request.clone());
    let fault = state.faults.get_mut(&request.path).filter(|(_, left)| *left > 0).map(|(fault, left)| {
        *left -= 1;
        *fault
    });
    let base_url = format!("http://{address}");
    let accept = request.header("accept").unwrap_or_default();
    let found = pypi::answer(&state.catalogue, &base_url, &request.path, accept, state.html_only)
        .or_else(|| npm::answer(&state.catalogue, &base_url, &request.path));
    let Some(mut answer) = found else { return (Answer::error("404 Not Found"), fault) };
    if !state.without_validators {
        let tag = format!("\"{}\"", Digest::of(&answer.body).hex());
        if request.header("if-none-match") == Some(tag.as_str()) {
            answer.status = "304 Not Modified";
            answer.body.clear();
        }
        answer.headers.push(("ETag", tag));
    }
    (answer, fault)
}

fn write_answer(mut stream: &TcpStream, request: &Request, answer: Answer) -> io::Result<()> {
    stream.write_all(head(&answer, Some(answer.body.len())).as_bytes())?;
    if request.method != "HEAD" {
        stream.write_all(&answer.body)?;
    }
    stream.flush()
}

/// Status line and headers; without a length, the end of the connection ends the body.
fn head(answer: &Answer, length: Option<usize>) -> String {
    let mut head = format!("HTTP/1.1 {}\r\nContent-Type: {}\r\n", answer.status, answer.content_type);
    for (name, value) in &answer.headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    match length {
        Some(_) if answer.status.starts_with("304") => {}
        Some(length) => head.push_str(&format!("Content-Length: {length}\r\n")),
        None => head.push_str("Connection: close\r\n"),
    }
    head + "\r\n"
}

/// Gives whether the connection may go on.
fn write_fault(
    mut stream: &TcpStream,
    reader: &mut impl Read,
    request: &Request,
    mut answer: Answer,
    fault: Fault,
) -> io::Result<bool> {
    match fault {
        Fault::NotFound => answer = Answer::error("404 Not Found"),
        Fault::ServerError => answer = Answer::error("500 Internal Server Error"),
        Fault::TooManyRequests(seconds) => {
            answer = Answer::error("429 Too Many Requests");
            answer.headers.push(("Retry-After", seconds.to_string()));
        }
        Fault::NotModified if request.header("if-none-match").is_some() => {
            answer.status = "304 Not Modified";
            answer.body.clear();
        }
        Fault::NotModified => {}
        Fault::Garbage => answer = Answer::bytes("application/json", b"\xff\xfe{<garbage>".to_vec()),
        Fault::Empty => answer = Answer::bytes("application/json", Vec::new()),
        Fault::WrongDigest => {
            if let Some(last) = answer.body.last_mut() {
                *last ^= 1;
            }
        }
        Fault::Truncated => {
            stream.write_all(head(&answer, Some(answer.body.len())).as_bytes())?;
            stream.write_all(answer.body.get(..answer.body.len() / 2).unwrap_or_default())?;
            return Ok(false);
        }
        Fault::Closed => return Ok(false),
        Fault::Silent => {
            // Ends when the client gives up, or when the registry is dropped and shuts the connection down.
            io::copy(reader, &mut io::sink())?;
            return Ok(false);
        }
        Fault::Endless => {
            stream.write_all(head(&answer, None).as_bytes())?;
            loop {
                stream.write_all(&[b' '; 16 << 10])?;
            }
        }
    }
    write_answer(stream, request, answer).map(|()| true)
}
