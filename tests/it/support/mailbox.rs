//! A mail server on loopback that takes letters without TLS, as a server on the same machine does.
//!
//! Source: RFC 5321. Must not know what a letter says.

use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

/// A letter as it arrived.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Arrived {
    /// Who sends, of the envelope.
    pub(crate) from: String,
    /// For whom, of the envelope.
    pub(crate) to: Vec<String>,
    /// Headers and text, the stuffed dots taken out, lines ended by `\n`.
    pub(crate) data: String,
}

impl Arrived {
    /// The text, taken out of its transfer encoding.
    pub(crate) fn text(&self) -> String {
        let (head, body) = self.data.split_once("\n\n").expect("headers and text");
        let bytes = match head.lines().find_map(|line| line.strip_prefix("Content-Transfer-Encoding: ")) {
            Some("quoted-printable") => unquote(body),
            Some("7bit" | "8bit") | None => body.as_bytes().to_vec(),
            Some(other) => panic!("{other} is not read here"),
        };
        String::from_utf8(bytes).expect("UTF-8").replace("\r\n", "\n")
    }
}

/// RFC 2045, section 6.7.
fn unquote(text: &str) -> Vec<u8> {
    let mut parts = text.split('=');
    let mut bytes = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        match part.strip_prefix('\n') {
            Some(rest) => bytes.extend(rest.as_bytes()),
            None => {
                let (digits, rest) = part.split_at(2);
                bytes.push(u8::from_str_radix(digits, 16).expect("two hex digits"));
                bytes.extend(rest.as_bytes());
            }
        }
    }
    bytes
}

/// What happens at the end of a letter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// It is taken and said so.
    Take,
    /// It is refused for now.
    NotNow,
    /// It is taken, and the connection is cut before that is said.
    TakeAndCut,
}

#[derive(Default)]
struct State {
    next: VecDeque<Ending>,
    letters: Vec<Arrived>,
    said: Vec<String>,
    stopping: bool,
}

/// A running mail server.
pub(crate) struct Mailbox {
    address: SocketAddr,
    state: Arc<Mutex<State>>,
    acceptor: Option<JoinHandle<()>>,
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Mailbox {
    /// Starts on a free port.
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("loopback has a free port");
        let address = listener.local_addr().expect("a bound socket has an address");
        let state: Arc<Mutex<State>> = Arc::default();
        let shared = Arc::clone(&state);
        let acceptor = std::thread::spawn(move || {
            for stream in listener.incoming() {
                if lock(&shared).stopping {
                    break;
                }
                let Ok(stream) = stream else { continue };
                // One letter after the other; an error means that the sender is gone.
                drop(serve(&stream, &shared));
            }
        });
        Self { address, state, acceptor: Some(acceptor) }
    }

    /// Its port.
    pub(crate) fn port(&self) -> u16 {
        self.address.port()
    }

    /// What happens at the end of the next letters.
    pub(crate) fn end(&self, next: &[Ending]) {
        lock(&self.state).next.extend(next);
    }

    /// Every command that was given.
    pub(crate) fn said(&self) -> Vec<String> {
        lock(&self.state).said.clone()
    }

    /// The letters that were taken, in their order.
    pub(crate) fn letters(&self) -> Vec<Arrived> {
        lock(&self.state).letters.clone()
    }
}

impl Drop for Mailbox {
    fn drop(&mut self) {
        lock(&self.state).stopping = true;
        let _ = TcpStream::connect(self.address);
        if let Some(acceptor) = self.acceptor.take() {
            let _ = acceptor.join();
        }
    }
}

fn serve(mut stream: &TcpStream, state: &Mutex<State>) -> io::Result<()> {
    let mut lines = BufReader::new(stream).lines();
    let mut say = |text: &str| stream.write_all(format!("{text}\r\n").as_bytes());
    say("220 mailbox.test ready")?;
    let mut letter = Arrived::default();
    while let Some(line) = lines.next().transpose()? {
        lock(state).said.push(line.clone());
        let upper = line.to_ascii_uppercase();
        let address = || line.split_once('<').and_then(|(_, rest)| rest.split_once('>')).map_or("", |(one, _)| one);
        match upper.split([' ', ':']).next().unwrap_or_default() {
            "EHLO" => say("250-mailbox.test\r\n250 8BITMIME")?,
            "MAIL" => {
                letter = Arrived { from: address().to_owned(), ..Arrived::default() };
                say("250 go on")?;
            }
            "RCPT" => {
                letter.to.push(address().to_owned());
                say("250 go on")?;
            }
            "DATA" => {
                say("354 end with a dot")?;
                for line in lines.by_ref() {
                    let line = line?;
                    if line == "." {
                        break;
                    }
                    letter.data.push_str(line.strip_prefix('.').unwrap_or(&line));
                    letter.data.push('\n');
                }
                let ending = lock(state).next.pop_front().unwrap_or(Ending::Take);
                if ending == Ending::NotNow {
                    say("451 not now")?;
                    continue;
                }
                lock(state).letters.push(std::mem::take(&mut letter));
                if ending == Ending::TakeAndCut {
                    return stream.shutdown(std::net::Shutdown::Both);
                }
                say("250 taken")?;
            }
            "QUIT" => {
                say("221 bye")?;
                return Ok(());
            }
            _ => say("502 not here")?,
        }
    }
    Ok(())
}
