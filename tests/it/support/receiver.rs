//! A receiver of webhooks on loopback that misbehaves on demand and remembers what it saw.
//!
//! Must not know what is sent. It reads one POST a connection (RFC 9112) and answers as the next behaviour says.

use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// What happens to a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Behaviour {
    /// It is taken: 204.
    Take,
    /// It is refused with this status.
    Status(u16),
    /// 429, with `Retry-After` in seconds.
    Later(u64),
    /// It is read whole and taken, and the connection is cut without an answer.
    TakeAndCut,
    /// It is read whole, and nothing is answered until the sender gives up.
    Stall,
    /// A redirect to somewhere else.
    Redirect,
}

/// A request as it arrived.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Seen {
    /// The path.
    pub(crate) path: String,
    /// Names in lower case.
    pub(crate) headers: Vec<(String, String)>,
    /// The body.
    pub(crate) body: Vec<u8>,
    /// What happened to it.
    pub(crate) behaviour: Behaviour,
}

impl Seen {
    /// The value of a header; empty where there is none.
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.iter().find(|(known, _)| known == name).map_or("", |(_, value)| value)
    }

    /// Whether the receiver has it now, whatever it answered.
    fn is_taken(&self) -> bool {
        matches!(self.behaviour, Behaviour::Take | Behaviour::TakeAndCut)
    }
}

#[derive(Default)]
struct State {
    /// What happens to the next requests; then, all are taken.
    next: VecDeque<Behaviour>,
    seen: Vec<Seen>,
    open: Vec<TcpStream>,
    stopping: bool,
}

/// A running receiver.
pub(crate) struct Receiver {
    address: SocketAddr,
    state: Arc<Mutex<State>>,
    acceptor: Option<JoinHandle<()>>,
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Receiver {
    /// Starts on a free port.
    pub(crate) fn start() -> Self {
        Self::at(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)), Arc::default())
    }

    fn at(address: SocketAddr, state: Arc<Mutex<State>>) -> Self {
        let listener = TcpListener::bind(address).expect("the port is free");
        let address = listener.local_addr().expect("a bound socket has an address");
        let shared = Arc::clone(&state);
        let acceptor = std::thread::spawn(move || accept(&listener, &shared));
        Self { address, state, acceptor: Some(acceptor) }
    }

    /// Where it is.
    pub(crate) fn url(&self) -> String {
        format!("http://{}/hook", self.address)
    }

    /// What happens to the next requests, one after the other.
    pub(crate) fn behave(&self, next: &[Behaviour]) {
        lock(&self.state).next.extend(next);
    }

    /// Closes the port, and gives what is needed to open it again.
    pub(crate) fn close(mut self) -> impl FnOnce() -> Self {
        self.stop();
        let (address, state) = (self.address, Arc::clone(&self.state));
        move || {
            lock(&state).stopping = false;
            Self::at(address, state)
        }
    }

    /// Everything that arrived, in its order.
    pub(crate) fn seen(&self) -> Vec<Seen> {
        lock(&self.state).seen.clone()
    }

    /// What it has by the ids of messages: each once, in the order of arrival, as a receiver that remembers ids has it.
    /// Panics where one id came with two bodies.
    pub(crate) fn taken(&self) -> Vec<(String, serde_json::Value)> {
        let mut taken: Vec<(String, Vec<u8>)> = Vec::new();
        for seen in self.seen().into_iter().filter(Seen::is_taken) {
            let id = seen.header("webhook-id").to_owned();
            assert!(!id.is_empty(), "a message without an id");
            match taken.iter().find(|(known, _)| *known == id) {
                Some((_, body)) => assert_eq!(*body, seen.body, "{id} came again with another body"),
                None => taken.push((id, seen.body)),
            }
        }
        taken.into_iter().map(|(id, body)| (id, serde_json::from_slice(&body).expect("JSON"))).collect()
    }

    /// Waits until so many requests have arrived.
    pub(crate) fn wait_for(&self, requests: usize) {
        let begun = Instant::now();
        while lock(&self.state).seen.len() < requests {
            assert!(begun.elapsed() < Duration::from_secs(60), "only {} requests came", lock(&self.state).seen.len());
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    fn stop(&mut self) {
        let mut state = lock(&self.state);
        state.stopping = true;
        for stream in state.open.drain(..) {
            // Wakes the thread that waits at it.
            let _ = stream.shutdown(Shutdown::Both);
        }
        drop(state);
        let _ = TcpStream::connect(self.address);
        if let Some(acceptor) = self.acceptor.take() {
            let _ = acceptor.join();
        }
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.stop();
    }
}

fn accept(listener: &TcpListener, state: &Arc<Mutex<State>>) {
    let mut connections = Vec::new();
    for stream in listener.incoming() {
        let mut shared = lock(state);
        if shared.stopping {
            break;
        }
        let (Ok(stream), state) = (stream, Arc::clone(state)) else { continue };
        shared.open.extend(stream.try_clone());
        // An error means that the sender is gone.
        connections.push(std::thread::spawn(move || drop(serve(stream, &state))));
    }
    for connection in connections {
        let _ = connection.join();
    }
}

fn serve(mut stream: TcpStream, state: &Mutex<State>) -> io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let Some((path, headers, body)) = read(&mut reader)? else { return Ok(()) };
    let behaviour = {
        let mut state = lock(state);
        let behaviour = state.next.pop_front().unwrap_or(Behaviour::Take);
        state.seen.push(Seen { path, headers, body, behaviour });
        behaviour
    };
    let head = match behaviour {
        Behaviour::Take => "204 No Content".to_owned(),
        Behaviour::Status(status) => format!("{status} No\r\nContent-Length: 0"),
        Behaviour::Later(seconds) => format!("429 Later\r\nRetry-After: {seconds}\r\nContent-Length: 0"),
        Behaviour::Redirect => "307 Elsewhere\r\nLocation: /elsewhere\r\nContent-Length: 0".to_owned(),
        Behaviour::TakeAndCut => return stream.shutdown(Shutdown::Both),
        Behaviour::Stall => {
            io::copy(&mut reader, &mut io::sink())?;
            return Ok(());
        }
    };
    stream.write_all(format!("HTTP/1.1 {head}\r\nConnection: close\r\n\r\n").as_bytes())?;
    stream.shutdown(Shutdown::Write)
}

type Parts = (String, Vec<(String, String)>, Vec<u8>);

/// `None` where the connection ends before a whole request.
fn read(reader: &mut impl BufRead) -> io::Result<Option<Parts>> {
    let mut line = || -> io::Result<String> {
        let mut line = String::new();
        reader.take(64 << 10).read_line(&mut line)?;
        Ok(line.trim_end().to_owned())
    };
    let first = line()?;
    let Some(path) = first.strip_prefix("POST ").and_then(|rest| rest.split(' ').next()) else { return Ok(None) };
    let mut headers = Vec::new();
    loop {
        let line = line()?;
        let Some((name, value)) = line.split_once(':') else { break };
        headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
    }
    let length = headers.iter().find(|(name, _)| name == "content-length").and_then(|(_, value)| value.parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    match reader.read_exact(&mut body) {
        Ok(()) => Ok(Some((path.to_owned(), headers, body))),
        Err(_) => Ok(None),
    }
}
