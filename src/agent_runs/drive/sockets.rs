//! What leads out of a sandbox: a socket for each mock server, and one to the agent's model and to nobody else.
//!
//! The mock servers answer out here, so that no tool of the agent's own reaches a transcript.

use std::io::{self, BufReader, Read as _, Write as _};
use std::net::{Shutdown, SocketAddr, TcpStream, ToSocketAddrs as _};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, Scope};
use std::time::Duration;

use anyhow::Context as _;
use url::Url;

use super::inside::PORT;
use super::offered::Offered;
use crate::agent_runs::mock_server::MockServer;
use crate::exit::usage;

/// The name of the socket that leads to the model.
pub(super) const MODEL: &str = "model";
/// The name of the socket that leads to mock servers that are asked over HTTP.
pub(super) const SERVERS: &str = "servers";
/// The time between two looks for somebody who connects.
const LOOK: Duration = Duration::from_millis(10);
/// The looks for an answer after the agent has said all.
const LOOKS_AFTER: u32 = 200;
/// How long the model may take to be reached.
const REACHED: Duration = Duration::from_secs(10);
/// The most bytes of a client's wish to be led through.
const MAX_WISH: usize = 8 << 10;

/// The agent's model as it is reached from a sandbox.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ModelWay {
    /// `host:port`.
    authority: String,
    /// True where the agent speaks TLS with it, through a proxy.
    is_led_through: bool,
    /// The address that stands in the agent's settings.
    pub(super) endpoint: String,
}

impl ModelWay {
    /// The way to an endpoint.
    ///
    /// # Errors
    /// An address that is none of HTTP.
    pub(super) fn to(endpoint: &str) -> anyhow::Result<Self> {
        let url = Url::parse(endpoint).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
        let place = url.as_ref().and_then(|url| Some((url.host_str()?, url.port_or_known_default()?)));
        let (Some(url), Some((host, port))) = (&url, place) else {
            return Err(usage(format!("the endpoint {endpoint:?} is no address of HTTP")));
        };
        let is_led_through = url.scheme() == "https";
        let path = endpoint.splitn(4, '/').nth(3).map(|path| format!("/{path}")).unwrap_or_default();
        let inside = if is_led_through { endpoint.to_owned() } else { format!("http://127.0.0.1:{PORT}{path}") };
        Ok(Self { authority: format!("{host}:{port}"), is_led_through, endpoint: inside })
    }

    /// The variables by which clients of HTTPS find the way.
    pub(super) fn environment(&self) -> Vec<(&'static str, String)> {
        let proxy = format!("http://127.0.0.1:{PORT}");
        let names = ["HTTPS_PROXY", "https_proxy"].map(|name| (name, proxy.clone()));
        let names = names.into_iter().chain([("NODE_USE_ENV_PROXY", "1".to_owned())]);
        names.filter(|_| self.is_led_through).collect()
    }

    /// Carries one connection of the agent's to its model, or refuses it. What is not under TLS is read on its way.
    fn carry(&self, mut agent: UnixStream, offered: &Offered) -> io::Result<()> {
        if self.is_led_through {
            let wish = wish(&mut agent)?;
            if wish != format!("CONNECT {}", self.authority) {
                return agent.write_all(b"HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
            }
        }
        let reached = self.authority.to_socket_addrs()?.find_map(|at| TcpStream::connect_timeout(&at, REACHED).ok());
        let Some(model) = reached else {
            return agent.write_all(b"HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
        };
        if self.is_led_through {
            agent.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n")?;
            return between(&agent, &model);
        }
        let mut reader = offered.reader();
        carried(&agent, &model, |bytes| reader.hear(bytes))
    }
}

/// The first two words of a client's wish to be led through.
fn wish(agent: &mut UnixStream) -> io::Result<String> {
    // A byte at a time: what stands behind it is the model's.
    let (mut head, mut byte) = (Vec::new(), [0]);
    while head.len() < MAX_WISH && !head.ends_with(b"\r\n\r\n") && agent.read(&mut byte)? == 1 {
        head.extend(byte);
    }
    let line = String::from_utf8_lossy(&head).lines().next().unwrap_or_default().to_owned();
    Ok(line.split(' ').take(2).collect::<Vec<_>>().join(" "))
}

/// Carries bytes both ways until both sides are done, and the second soon after the first.
pub(super) fn between(one: &UnixStream, other: &TcpStream) -> io::Result<()> {
    carried(one, other, |_| ())
}

/// A stream whose bytes somebody hears on their way.
struct Heard<'a, Hear>(&'a UnixStream, Hear);

impl<Hear: FnMut(&[u8])> io::Read for Heard<'_, Hear> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.0.read(buffer)?;
        (self.1)(buffer.get(..count).unwrap_or_default());
        Ok(count)
    }
}

/// The same, and `hear` is told what the first says.
fn carried(one: &UnixStream, other: &TcpStream, hear: impl FnMut(&[u8])) -> io::Result<()> {
    thread::scope(|scope| {
        let back = scope.spawn(|| {
            // How it ended does not matter: nothing more comes.
            let _ = io::copy(&mut &*other, &mut &*one);
            // Either may be closed already, here and below.
            let _ = one.shutdown(Shutdown::Both);
        });
        let carried = io::copy(&mut Heard(one, hear), &mut &*other).map(drop);
        let _ = other.shutdown(Shutdown::Write);
        for _ in 0..LOOKS_AFTER {
            if back.is_finished() {
                break;
            }
            thread::sleep(LOOK);
        }
        let _ = other.shutdown(Shutdown::Both);
        carried
    })
}

/// Answers the sockets of a sandbox while some work is done: one for each server, or where they are served over HTTP one that leads there.
///
/// # Errors
/// A socket that cannot be made; errors of the work.
pub(super) fn answered<Outcome>(
    folder: &Path,
    (servers, over_http): (&[(String, MockServer<'_>)], Option<SocketAddr>),
    (model, offered): (&ModelWay, &Offered),
    work: impl FnOnce() -> anyhow::Result<Outcome>,
) -> anyhow::Result<Outcome> {
    let listen = |name: &str| -> anyhow::Result<UnixListener> {
        let path = folder.join(name);
        let listener = UnixListener::bind(&path).and_then(|socket| socket.set_nonblocking(true).map(|()| socket));
        listener.with_context(|| format!("failed to make the socket {}", path.display()))
    };
    let to_model = listen(MODEL)?;
    let to_servers = over_http.map(|address| Ok::<_, anyhow::Error>((listen(SERVERS)?, address))).transpose()?;
    let started = if over_http.is_some() { &[] } else { servers };
    let named = (0..).zip(started).map(|(at, (_, server))| Ok((listen(&name_of(at))?, server)));
    let named = named.collect::<anyhow::Result<Vec<_>>>()?;
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        let is_over = &is_over;
        scope.spawn(move || {
            accept(scope, &to_model, is_over, |stream| {
                if let Err(error) = model.carry(stream, offered) {
                    tracing::debug!("a connection to the model broke off: {error}");
                }
            });
        });
        if let Some((listener, address)) = to_servers {
            scope.spawn(move || {
                accept(scope, &listener, is_over, move |stream| {
                    if let Err(error) = TcpStream::connect(address).and_then(|server| between(&stream, &server)) {
                        tracing::debug!("a connection to the mock servers broke off: {error}");
                    }
                });
            });
        }
        for (listener, server) in named {
            scope.spawn(move || {
                accept(scope, &listener, is_over, |stream| {
                    let input = stream.try_clone().map(BufReader::new);
                    let served = input.map_err(Into::into).and_then(|input| server.clone().serve(input, stream));
                    if let Err(error) = served {
                        tracing::error!("a mock server cannot go on: {error:#}");
                    }
                });
            });
        }
        let outcome = work();
        is_over.store(true, Ordering::Relaxed);
        outcome
    })
}

/// The name of the socket of a server by its place.
pub(super) fn name_of(place: usize) -> String {
    place.to_string()
}

/// The path of the socket of a server.
pub(super) fn path_of(folder: &Path, place: usize) -> PathBuf {
    folder.join(name_of(place))
}

/// Hands each connection on to a thread of its own, until it is over.
fn accept<'scope, 'env>(
    scope: &'scope Scope<'scope, 'env>,
    listener: &UnixListener,
    is_over: &AtomicBool,
    handle: impl Fn(UnixStream) + Copy + Send + 'scope,
) {
    while !is_over.load(Ordering::Relaxed) {
        match listener.accept() {
            Ok((stream, _)) if stream.set_nonblocking(false).is_ok() => {
                scope.spawn(move || handle(stream));
            }
            // Nobody is there, or somebody left again.
            _ => thread::sleep(LOOK),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    #[test]
    fn the_address_inside_is_that_of_the_relay_or_stays() {
        let of = |endpoint: &str| ModelWay::to(endpoint).map(|way| (way.authority, way.endpoint)).ok();
        let inside = |path: &str| format!("http://127.0.0.1:{PORT}{path}");
        let expected = |authority: &str, endpoint: String| Some((authority.to_owned(), endpoint));
        assert_eq!(of("http://127.0.0.1:4000/v1"), expected("127.0.0.1:4000", inside("/v1")));
        assert_eq!(of("http://127.0.0.1:4000"), expected("127.0.0.1:4000", inside("")));
        assert_eq!(of("http://model.test/a/b/"), expected("model.test:80", inside("/a/b/")));
        let https = "https://model.test/v1";
        assert_eq!(of(https), expected("model.test:443", https.to_owned()));
        assert_eq!(of("ftp://model.test"), None);
        assert_eq!(of("model.test"), None);
    }

    /// What a client hears that asks to be led to a place.
    fn led(way: &ModelWay, asked: &str) -> String {
        let (mut agent, inside) = UnixStream::pair().expect("two ends");
        thread::scope(|scope| {
            let pack = capdex_agent_scan::pack::baseline().expect("the pack");
            let offered = Offered::new(pack.test("return-recipient").expect("a test"));
            scope.spawn(move || way.carry(inside, &offered));
            agent.write_all(asked.as_bytes()).expect("it reads");
            agent.shutdown(Shutdown::Write).expect("shut");
            let mut heard = Vec::new();
            // A wish that is too long is not read to its end, and a connection with bytes that nobody read is reset behind the answer.
            let _ = agent.read_to_end(&mut heard);
            String::from_utf8(heard).expect("text")
        })
    }

    #[test]
    fn a_client_of_tls_is_led_to_its_model_and_to_nobody_else() {
        let model = TcpListener::bind("127.0.0.1:0").expect("a port");
        let authority = model.local_addr().expect("bound").to_string();
        let answers = thread::spawn(move || {
            let (mut stream, _) = model.accept().expect("somebody comes");
            stream.write_all(b"the model").expect("it reads");
        });
        let way = ModelWay { authority: authority.clone(), is_led_through: true, endpoint: String::new() };
        for other in
            ["CONNECT elsewhere.test:443 HTTP/1.1\r\n\r\n", "GET http://x.test/ HTTP/1.1\r\n\r\n", "\r\n\r\n", ""]
        {
            assert!(led(&way, other).starts_with("HTTP/1.1 403 "), "{other:?}");
        }
        let long = format!("CONNECT {}", "x".repeat(MAX_WISH));
        assert!(led(&way, &long).starts_with("HTTP/1.1 403 "));
        let heard = led(&way, &format!("CONNECT {authority} HTTP/1.1\r\nhost: {authority}\r\n\r\n"));
        assert!(heard.starts_with("HTTP/1.1 200 ") && heard.ends_with("the model"), "{heard}");
        answers.join().expect("it ends");
        let nobody = led(&way, &format!("CONNECT {authority} HTTP/1.1\r\n\r\n"));
        assert!(nobody.starts_with("HTTP/1.1 502 "), "{nobody}");
    }
}
