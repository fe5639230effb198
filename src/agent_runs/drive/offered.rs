//! The tools that an agent offers its model: read in the requests that it sends, where these can be read.
//!
//! An agent has tools of its own beside the mock servers. Nobody sees it use them, and their names say what it could have done. What
//! is no plain request of HTTP with JSON is passed on and read no further.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use capdex_agent_scan::home::MAX_OWN_TOOLS;
use capdex_agent_scan::pack::AgentTest;
use serde_json::Value;

/// The most bytes of the head of a request.
const MAX_HEAD: usize = 64 << 10;
/// The most bytes of a request that is read.
const MAX_BODY: usize = 16 << 20;
/// The most letters of a name.
const MAX_NAME: usize = 100;
/// How deep lists of tools may lie in one another.
const MAX_DEPTH: usize = 3;

/// The names that were offered in one trial, without those of the mock servers.
pub(super) struct Offered {
    /// Each tool of the test: its server and its own name, as clients write them.
    mocks: Vec<(String, String)>,
    names: Mutex<BTreeSet<String>>,
}

impl Offered {
    /// Nothing was offered yet.
    pub(super) fn new(test: &AgentTest) -> Self {
        let tools = test.server.iter().flat_map(|server| {
            let changed = server.change.iter().flat_map(|change| &change.tool);
            server.tool.iter().chain(changed).map(|tool| (plain(&server.name), plain(&tool.name)))
        });
        Self { mocks: tools.collect(), names: Mutex::default() }
    }

    /// The names, sorted.
    pub(super) fn names(&self) -> Vec<String> {
        self.names.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }

    /// Takes the tools of a request.
    fn take(&self, request: &Value) {
        let mut found = Vec::new();
        named(request, "", 0, &mut found);
        let mut names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
        for name in found {
            let word = plain(&name);
            // Clients put the server's name before the tool's, each in a way of its own.
            let is_mock = self.mocks.iter().any(|(server, tool)| word.ends_with(tool) && word.contains(server));
            if !is_mock && names.len() < MAX_OWN_TOOLS {
                names.insert(shown(&name));
            }
        }
    }

    /// A reader of the requests of one connection.
    pub(super) const fn reader(&self) -> RequestReader<'_> {
        RequestReader { offered: self, held: Vec::new(), is_lost: false }
    }
}

/// A name as servers of different clients can be compared by.
fn plain(name: &str) -> String {
    name.chars().map(|letter| if letter.is_ascii_alphanumeric() { letter.to_ascii_lowercase() } else { '_' }).collect()
}

/// A name as it is told: what an agent calls a tool is a stranger's word.
fn shown(name: &str) -> String {
    let letters = name.chars().take(MAX_NAME);
    letters
        .map(|letter| if letter.is_ascii_alphanumeric() || "_-.:/".contains(letter) { letter } else { '?' })
        .collect()
}

/// The names in the list of tools of a request, in any of the forms that interfaces of models have.
fn named(of: &Value, before: &str, depth: usize, found: &mut Vec<String>) {
    let lists = ["tools", "functionDeclarations", "function_declarations"];
    let tools = lists.iter().filter_map(|key| of.get(key)).filter_map(Value::as_array).flatten();
    for tool in tools {
        let word = |pointer: &str| tool.pointer(pointer).and_then(Value::as_str).filter(|word| !word.is_empty());
        let holds_more = lists.iter().any(|key| tool.get(key).is_some());
        if holds_more && depth < MAX_DEPTH {
            let name = word("/name").map(|name| format!("{before}{name}.")).unwrap_or_default();
            named(tool, &name, depth + 1, found);
            continue;
        }
        // A tool of the provider's has a type alone, or is a member of that name.
        let only = tool.as_object().filter(|members| members.len() == 1).and_then(|members| members.keys().next());
        let name = word("/name").or(word("/function/name")).or(word("/type")).or(only.map(String::as_str));
        found.extend(name.map(|name| format!("{before}{name}")));
    }
}

/// Reads the requests of one connection as their bytes go by.
pub(super) struct RequestReader<'a> {
    offered: &'a Offered,
    held: Vec<u8>,
    is_lost: bool,
}

/// A request in the bytes that went by.
enum Next {
    /// It is not whole yet.
    Part,
    /// Its body, and the bytes that it took with its head.
    Whole(Vec<u8>, usize),
    /// It is none that is read.
    Lost,
}

impl RequestReader<'_> {
    /// Takes bytes.
    pub(super) fn hear(&mut self, bytes: &[u8]) {
        if self.is_lost {
            return;
        }
        self.held.extend_from_slice(bytes);
        loop {
            match next(&self.held) {
                Next::Part => return,
                Next::Whole(body, length) => {
                    if let Ok(request) = serde_json::from_slice(&body) {
                        self.offered.take(&request);
                    }
                    self.held.drain(..length);
                }
                Next::Lost => {
                    (self.held, self.is_lost) = (Vec::new(), true);
                    return;
                }
            }
        }
    }
}

/// The first request.
fn next(held: &[u8]) -> Next {
    let end = place(held, b"\r\n\r\n");
    if end.unwrap_or(held.len()) > MAX_HEAD {
        return Next::Lost;
    }
    let Some(end) = end else { return Next::Part };
    let (head, rest) = (held.get(..end).unwrap_or_default(), held.get(end + 4..).unwrap_or_default());
    let head = String::from_utf8_lossy(head).to_ascii_lowercase();
    let field = |name: &str| head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':')).map(str::trim);
    if field("transfer-encoding").is_some_and(|coding| coding.contains("chunked")) {
        return match chunks(rest) {
            Some(Some((body, taken))) => Next::Whole(body, end + 4 + taken),
            Some(None) if rest.len() <= MAX_BODY => Next::Part,
            _ => Next::Lost,
        };
    }
    match field("content-length").map_or(Ok(0), str::parse::<usize>) {
        Ok(length) if length <= MAX_BODY => match rest.get(..length) {
            Some(body) => Next::Whole(body.to_vec(), end + 4 + length),
            None => Next::Part,
        },
        _ => Next::Lost,
    }
}

/// The body that chunks hold, and their bytes; none within where the last is missing, none at all where they are none.
fn chunks(bytes: &[u8]) -> Option<Option<(Vec<u8>, usize)>> {
    // Put together once the last is there: this is asked again with every piece that comes.
    let (mut found, mut at, mut total) = (Vec::new(), 0, 0);
    loop {
        let rest = bytes.get(at..).unwrap_or_default();
        let Some(line) = place(rest, b"\r\n") else { return Some(None) };
        let size = std::str::from_utf8(rest.get(..line)?).ok()?;
        let size = usize::from_str_radix(size.split(';').next()?.trim(), 16).ok().filter(|size| *size <= MAX_BODY)?;
        let Some(chunk) = rest.get(line + 2..line + 2 + size + 2) else { return Some(None) };
        at += line + 2 + size + 2;
        if size == 0 {
            return Some(Some((found.concat(), at)));
        }
        total += size;
        if total > MAX_BODY {
            return None;
        }
        found.push(chunk.get(..size)?);
    }
}

/// The place of the first such bytes.
fn place(bytes: &[u8], of: &[u8]) -> Option<usize> {
    bytes.windows(of.len()).position(|window| window == of)
}

#[cfg(test)]
mod tests {
    use capdex_agent_scan::pack::baseline;
    use serde_json::json;

    use super::*;

    fn heard(bytes: &[u8], piece: usize) -> Vec<String> {
        let pack = baseline().expect("the pack");
        let offered = Offered::new(pack.test("return-recipient").expect("a test"));
        let mut reader = offered.reader();
        bytes.chunks(piece).for_each(|some| reader.hear(some));
        offered.names()
    }

    fn request(body: &Value) -> Vec<u8> {
        let body = body.to_string();
        format!("POST /v1 HTTP/1.1\r\nContent-Length: {}\r\n\r\n{body}", body.len()).into_bytes()
    }

    #[test]
    fn tools_of_the_agents_own_are_told_in_every_interface_and_mocks_are_not() {
        let chat = json!({ "tools": [
            { "type": "function", "function": { "name": "bash" } },
            { "type": "function", "function": { "name": "notes_read_note" } },
        ] });
        let responses = json!({ "tools": [
            { "type": "function", "name": "exec_command" }, { "type": "web_search" },
            { "type": "namespace", "name": "mcp__notes", "tools": [{ "type": "function", "name": "send_message" }] },
            { "type": "namespace", "name": "own", "tools": [{ "type": "function", "name": "view" }] },
        ] });
        let gemini = json!({ "tools": [
            { "functionDeclarations": [{ "name": "mcp_notes_send_message" }, { "name": "write_file" }] }, { "googleSearch": {} },
        ] });
        let messages = json!({ "tools": [{ "name": "mcp__notes__read_note" }, { "name": "Ed\u{202e}it\n" }] });
        let all: Vec<u8> = [&chat, &responses, &gemini, &messages].into_iter().flat_map(request).collect();
        let expected = ["Ed?it?", "bash", "exec_command", "googleSearch", "own.view", "web_search", "write_file"];
        for piece in [1, 7, 64, all.len()] {
            assert_eq!(heard(&all, piece), expected, "in pieces of {piece}");
        }
    }

    #[test]
    fn chunks_are_put_together() {
        let body = json!({ "tools": [{ "name": "bash" }] }).to_string();
        let (one, two) = body.split_at(9);
        let head = "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n";
        let text = format!("{head}{:x}\r\n{one}\r\n{:X};x=y\r\n{two}\r\n0\r\n\r\n", one.len(), two.len());
        for piece in [1, 10, text.len()] {
            assert_eq!(heard(format!("{text}{text}").as_bytes(), piece), ["bash"]);
        }
    }

    #[test]
    fn what_is_no_request_is_passed_over_and_bounded() {
        let after = request(&json!({ "tools": [{ "name": "bash" }] }));
        let no_json = b"POST / HTTP/1.1\r\ncontent-length: 3\r\n\r\n\x28\xb5\xff".to_vec();
        assert_eq!(
            heard(&[no_json, after.clone()].concat(), 50),
            ["bash"],
            "a body that is no JSON ends where it says"
        );
        let head = |field: &str| format!("POST / HTTP/1.1\r\n{field}\r\n\r\n").into_bytes();
        for lost in [
            head(&format!("content-length: {}", MAX_BODY + 1)),
            head("content-length: -1"),
            [head("transfer-encoding: chunked"), b"zz\r\n".to_vec()].concat(),
            vec![b'x'; MAX_HEAD + 1],
        ] {
            assert_eq!(heard(&[lost, after.clone()].concat(), 4096), Vec::<String>::new());
        }
        let many: Vec<Value> = (0..2 * MAX_OWN_TOOLS).map(|number| json!({ "name": format!("t{number}") })).collect();
        assert_eq!(heard(&request(&json!({ "tools": many })), 4096).len(), MAX_OWN_TOOLS);
        assert_eq!(heard(&request(&json!({ "tools": [{ "name": "x".repeat(500) }] })), 4096)[0].len(), MAX_NAME);
    }
}
