//! A server that others wrote, on a free port of loopback. Dropping it ends it.
//!
//! `tests/run` installs these servers and names the command of each in an environment variable; without it a test says
//! that it was skipped. Must not know any of them.

use std::fs::File;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// How long a server may take to listen, in tries of an eighth of a second.
const TRIES: usize = 480;

/// A running server.
pub(crate) struct Rig {
    child: Child,
    port: u16,
    log: PathBuf,
}

impl Drop for Rig {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What a variable of the environment says, most often a server's command. None: it is said that what needs it was skipped.
#[expect(clippy::print_stdout, reason = "said to who reads the output of the tests")]
pub(crate) fn needed(variable: &str) -> Option<String> {
    let value = std::env::var(variable).ok().filter(|value| !value.is_empty());
    if value.is_none() {
        println!("skipped: no {variable}");
    }
    value
}

impl Rig {
    /// Starts a server in a folder of its own and waits until it listens. `arguments` is told the port.
    pub(crate) fn start(command: &str, folder: &Path, arguments: impl FnOnce(u16) -> Vec<String>) -> Self {
        let port = TcpListener::bind("127.0.0.1:0").and_then(|socket| socket.local_addr()).expect("a free port").port();
        let log = folder.join(format!("server-{port}.log"));
        let file = File::create(&log).expect("a log");
        let child = Command::new(command)
            .args(arguments(port))
            .current_dir(folder)
            .stdin(Stdio::null())
            .stdout(file.try_clone().expect("a second handle"))
            .stderr(file)
            .spawn()
            .unwrap_or_else(|error| panic!("{command}: {error}"));
        let mut rig = Self { child, port, log };
        let is_up = (0..TRIES).any(|_| rig.listens());
        assert!(is_up, "{command} does not listen: {}", rig.log());
        rig
    }

    fn listens(&mut self) -> bool {
        let has_ended = self.child.try_wait().is_ok_and(|status| status.is_some());
        assert!(!has_ended, "it ended: {}", self.log());
        let is_up = TcpStream::connect(("127.0.0.1", self.port)).is_ok();
        if !is_up {
            std::thread::park_timeout(Duration::from_millis(125));
        }
        is_up
    }

    /// Its address, without a slash at its end.
    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// What it wrote to its outputs so far.
    pub(crate) fn log(&self) -> String {
        let bytes = std::fs::read(&self.log).unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// Sends JSON, and gives status and body of the answer.
    pub(crate) fn send(&self, method: &str, path: &str, body: &str) -> (u16, String) {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).expect("it listens");
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
            self.port,
            body.len()
        )
        .expect("writes");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("answers");
        let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok());
        (status.unwrap_or_else(|| panic!("no answer of HTTP: {answer}")), body.to_owned())
    }
}
