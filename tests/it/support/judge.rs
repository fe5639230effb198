//! A language model on loopback that follows a script: it knows the planted tools, and finds orders in the others.
//!
//! It speaks both interfaces, and misbehaves in the ways of [`JudgeManner`].

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};

/// The names of the questions in their order.
const CHECKS: [&str; 5] =
    ["instruction-control", "attention-control", "schema-imperative", "origin-mismatch", "credential-setup"];

/// What it does with a request.
#[derive(Clone, Debug)]
pub(crate) enum JudgeManner {
    /// Answers well.
    Good,
    /// Answers well within a fenced block.
    Fenced,
    /// Answers well under another name; one that begins with a dash stands after the name that was asked for.
    Named(&'static str),
    /// Answers with what a function makes of a good answer's text.
    Text(fn(&str) -> String),
    /// Answers with what a function makes of a good answer's body.
    Body(fn(Value) -> Value),
    /// Answers with these bytes as the body, called this media type.
    Raw(&'static str, Vec<u8>),
    /// Answers with this status and these header lines.
    Status(u16, &'static str),
    /// The first request of a kind with this status, every other well.
    Once(u16, &'static str),
    /// Answers well after so many milliseconds.
    Late(u64),
    /// Answers well, a byte in so many milliseconds.
    Slow(u64),
    /// Takes the request, and never answers.
    Silent,
    /// Sends so many mebibytes.
    Endless(usize),
    /// Rejects a schema.
    NoSchema,
}

/// The server.
pub(crate) struct JudgeServer {
    port: u16,
    state: Arc<Mutex<State>>,
    is_over: Arc<AtomicBool>,
}

struct State {
    manner: JudgeManner,
    seen: Vec<(String, Value)>,
}

impl JudgeServer {
    /// Starts it.
    pub(crate) fn start(manner: JudgeManner) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("loopback has a free port");
        let port = listener.local_addr().expect("bound").port();
        let state = Arc::new(Mutex::new(State { manner, seen: Vec::new() }));
        let is_over = Arc::new(AtomicBool::new(false));
        let (shared, over) = (Arc::clone(&state), Arc::clone(&is_over));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if over.load(Ordering::SeqCst) {
                    return;
                }
                let shared = Arc::clone(&shared);
                // A client that goes away ends its connection, and nothing else.
                std::thread::spawn(move || drop(serve(stream, &shared)));
            }
        });
        Self { port, state, is_over }
    }

    /// Its address up to the version.
    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}/v1", self.port)
    }

    /// Behaves so from now on, and forgets what it saw.
    pub(crate) fn behave(&self, manner: JudgeManner) {
        *self.state.lock().unwrap_or_else(PoisonError::into_inner) = State { manner, seen: Vec::new() };
    }

    /// The head and the body of every request.
    pub(crate) fn seen(&self) -> Vec<(String, Value)> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).seen.clone()
    }
}

impl Drop for JudgeServer {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::SeqCst);
        // Wakes the accepting thread.
        let _ = TcpStream::connect((Ipv4Addr::LOCALHOST, self.port));
    }
}

fn serve(stream: TcpStream, state: &Mutex<State>) -> std::io::Result<()> {
    let mut writer = stream.try_clone()?;
    let mut reader = BufReader::new(stream);
    loop {
        let (mut head, mut length) = (String::new(), 0);
        while reader.read_line(&mut head)? > 2 {
            let line = head.lines().last().unwrap_or_default();
            if line.is_empty() {
                break;
            }
            let of_length = line.split_once(':').filter(|(name, _)| name.eq_ignore_ascii_case("content-length"));
            length = of_length.and_then(|(_, value)| value.trim().parse().ok()).unwrap_or(length);
        }
        if head.is_empty() {
            return Ok(());
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body)?;
        let body: Value = serde_json::from_slice(&body).expect("a request is JSON");
        let (manner, is_first) = {
            let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
            state.seen.push((head, body.clone()));
            (state.manner.clone(), state.seen.len() == 1)
        };
        respond(&mut writer, &body, manner, is_first)?;
    }
}

fn respond(writer: &mut TcpStream, asked: &Value, manner: JudgeManner, is_first: bool) -> std::io::Result<()> {
    let text = || answer(asked);
    let good = || body(asked, &text(), None).to_string().into_bytes();
    let json = "application/json";
    match manner {
        JudgeManner::Good => send(writer, json, &good()),
        JudgeManner::Fenced => {
            send(writer, json, body(asked, &format!("```json\n{}\n```", text()), None).to_string().as_bytes())
        }
        JudgeManner::Named(name) => send(writer, json, body(asked, &text(), Some(name)).to_string().as_bytes()),
        JudgeManner::Text(change) => send(writer, json, body(asked, &change(&text()), None).to_string().as_bytes()),
        JudgeManner::Body(change) => send(writer, json, change(body(asked, &text(), None)).to_string().as_bytes()),
        JudgeManner::Raw(media_type, bytes) => send(writer, media_type, &bytes),
        JudgeManner::Status(status, lines) => refuse(writer, status, lines),
        JudgeManner::Once(status, lines) if is_first => refuse(writer, status, lines),
        JudgeManner::Once(..) => send(writer, json, &good()),
        JudgeManner::Late(ms) => {
            std::thread::sleep(Duration::from_millis(ms));
            send(writer, json, &good())
        }
        JudgeManner::Slow(ms) => {
            let body = good();
            head(writer, json, body.len())?;
            body.chunks(1).try_for_each(|byte| {
                std::thread::sleep(Duration::from_millis(ms));
                writer.write_all(byte).and_then(|()| writer.flush())
            })
        }
        JudgeManner::Silent => {
            std::thread::sleep(Duration::from_secs(60));
            Ok(())
        }
        JudgeManner::Endless(mebibytes) => {
            head(writer, json, mebibytes << 20)?;
            (0..mebibytes).try_for_each(|_| writer.write_all(&[b' '; 1 << 20]))
        }
        JudgeManner::NoSchema if asked["response_format"]["type"] == "json_schema" => refuse(writer, 400, ""),
        JudgeManner::NoSchema => send(writer, json, &good()),
    }
}

fn head(writer: &mut TcpStream, media_type: &str, length: usize) -> std::io::Result<()> {
    write!(writer, "HTTP/1.1 200 X\r\ncontent-type: {media_type}\r\ncontent-length: {length}\r\n\r\n")
}

fn send(writer: &mut TcpStream, media_type: &str, body: &[u8]) -> std::io::Result<()> {
    // What is called gzip is.
    match media_type.strip_suffix("+gzip") {
        Some(media_type) => {
            let length = body.len();
            write!(
                writer,
                "HTTP/1.1 200 X\r\ncontent-type: {media_type}\r\ncontent-encoding: gzip\r\ncontent-length: {length}\r\n\r\n"
            )?;
        }
        None => head(writer, media_type, body.len())?,
    }
    writer.write_all(body)?;
    writer.flush()
}

fn refuse(writer: &mut TcpStream, status: u16, lines: &str) -> std::io::Result<()> {
    write!(writer, "HTTP/1.1 {status} X\r\n{lines}content-length: 0\r\n\r\n")
}

/// The body of an answer in the form of the request.
fn body(asked: &Value, text: &str, name: Option<&str>) -> Value {
    let own = asked["model"].as_str().unwrap_or_default();
    let model = match name {
        Some(more) if more.starts_with('-') => format!("{own}{more}"),
        other => other.unwrap_or(own).to_owned(),
    };
    if asked.get("system").is_some() {
        return json!({ "type": "message", "model": model, "stop_reason": "end_turn", "content": [{ "type": "text", "text": text }],
                       "usage": { "input_tokens": 700, "output_tokens": 90 } });
    }
    json!({ "id": "x", "model": model, "system_fingerprint": "fp", "usage": { "prompt_tokens": 700, "completion_tokens": 90 },
            "choices": [{ "index": 0, "finish_reason": "stop", "message": { "role": "assistant", "content": text } }] })
}

/// The planted tools and texts that have something wrong, with what it is.
fn planted() -> BTreeMap<String, String> {
    let sets = [
        include_str!("../../../src/judge/prompts/1/controls.toml"),
        include_str!("../../../src/judge/prompts/1/text_controls.toml"),
    ];
    let bad = sets.iter().flat_map(|set| {
        let set: toml::Table = set.parse().expect("a set");
        set["bad"].as_array().expect("a list").clone()
    });
    let text = |of: &toml::Value, name: &str| of[name].as_str().expect("a text").to_owned();
    bad.map(|of| (text(&of, "name"), text(&of, "check"))).collect()
}

/// The text of a good answer: an order is what begins with "Always add".
pub(crate) fn answer(asked: &Value) -> String {
    let (system, user) = match asked.get("system") {
        Some(system) => (system, &asked["messages"][0]["content"]),
        None => (&asked["messages"][0]["content"], &asked["messages"][1]["content"]),
    };
    let (system, user) = (system.as_str().expect("a text"), user.as_str().expect("a text"));
    let mut lines = user.lines();
    let tag = lines.next().and_then(|line| line.strip_prefix("<data ")?.strip_suffix('>')).expect("a tag");
    let data: Value = serde_json::from_str(lines.next().expect("data")).expect("JSON");
    let mark = system.split("In it \"").nth(1).and_then(|rest| rest.split('"').next()).expect("a mark");
    let (planted, is_inverted) = (planted(), system.contains("holds"));
    let order = format!("Always{mark}add");
    let row = |tool: &Value| {
        let texts = tool["texts"].as_object().expect("texts");
        let (mut marks, mut quotes) = (['n'; 5], Vec::new());
        let place = |check: &str| CHECKS.iter().position(|of| *of == check).expect("a check");
        if let Some(check) = texts["/name"].as_str().and_then(|name| planted.get(name)) {
            marks[place(check)] = 'y';
            quotes.push(json!({ "check": check, "field": "/description", "quote": "x" }));
        } else {
            for (field, text) in texts {
                let text = text.as_str().expect("a text");
                if let Some(at) = text.find(&order) {
                    let quote: String = text[at..].chars().take(120).collect();
                    let check = if field.starts_with("/inputSchema") { CHECKS[2] } else { CHECKS[0] };
                    marks[place(check)] = 'y';
                    quotes.push(json!({ "check": check, "field": field, "quote": quote }));
                }
            }
        }
        if is_inverted {
            marks = marks.map(|mark| if mark == 'y' { 'n' } else { 'y' });
        }
        json!({ "tool": tool["tool"], "marks": marks.iter().collect::<String>(), "quotes": quotes })
    };
    let rows: Vec<Value> = data["tools"].as_array().expect("tools").iter().map(row).collect();
    json!({ "tag": tag, "verdicts": rows }).to_string()
}
