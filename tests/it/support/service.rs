//! A running `capdex serve` on a free port of loopback, and requests to it over plain sockets. Dropping it kills it.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::capdex::Capdex;

/// How long a test waits for anything.
const PATIENCE: Duration = Duration::from_secs(60);

/// The service.
pub(crate) struct Service {
    child: Child,
    address: String,
    // Kept open, so that the service may print.
    _stdout: BufReader<ChildStdout>,
}

/// What was answered.
#[derive(Clone, Debug)]
pub(crate) struct Answered {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

impl Answered {
    /// A header's value, by its name in small letters.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines.find(|(of, _)| of.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&self.body)))
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Service {
    /// Starts it over the store of a folder and waits until it is ready.
    pub(crate) fn start(capdex: &Capdex, more: &[&str]) -> Self {
        Self::of(&mut capdex.command(&[&["serve", "--listen", "127.0.0.1:0"], more].concat()))
    }

    /// The same of a command that starts it on a port of its own choice.
    pub(crate) fn of(command: &mut Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::inherit()).spawn().expect("the binary starts");
        let mut stdout = BufReader::new(child.stdout.take().expect("piped"));
        let mut line = String::new();
        stdout.read_line(&mut line).expect("it says where it listens");
        let address = line.split("http://").nth(1).and_then(|rest| rest.split(' ').next());
        let address = address.unwrap_or_else(|| panic!("no address: {line}")).to_owned();
        let service = Self { child, address, _stdout: stdout };
        service.wait("ready", |service| service.get("/readyz").status == 200);
        service
    }

    /// Waits until something holds.
    pub(crate) fn wait(&self, what: &str, holds: impl Fn(&Self) -> bool) {
        let begun = Instant::now();
        while !holds(self) {
            assert!(begun.elapsed() < PATIENCE, "never {what}");
            std::thread::park_timeout(Duration::from_millis(100));
        }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// A connection to it.
    pub(crate) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.address).expect("it listens");
        stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
        stream
    }

    /// Sends bytes as they are, and reads whatever comes until it hangs up.
    pub(crate) fn send(&self, bytes: &[u8]) -> Answered {
        let mut stream = self.connect();
        // It may hang up before it has read everything.
        let _ = stream.write_all(bytes);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        let end = answer.windows(4).position(|bytes| bytes == b"\r\n\r\n").unwrap_or(answer.len());
        let head = String::from_utf8_lossy(&answer[..end]).into_owned();
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
        Answered { status, head, body: answer.get(end + 4..).unwrap_or_default().to_vec() }
    }

    /// One request with more headers.
    pub(crate) fn ask(&self, method: &str, target: &str, headers: &str) -> Answered {
        let address = &self.address;
        self.send(
            format!("{method} {target} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n{headers}\r\n").as_bytes(),
        )
    }

    pub(crate) fn get(&self, target: &str) -> Answered {
        self.ask("GET", target, "")
    }

    /// Asks it to stop as an operator's system does; its exit code.
    pub(crate) fn terminate(mut self) -> Option<i32> {
        let id = self.child.id().to_string();
        let sent = std::process::Command::new("kill").args(["-TERM", &id]).status().expect("kill starts");
        assert!(sent.success());
        self.child.wait().expect("a child of ours").code()
    }
}
