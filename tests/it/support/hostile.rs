//! A hostile registry on loopback: an npm registry that plays one trick, and a canary that nobody may ever ask.
//!
//! It speaks raw bytes, so that it can lie about everything that HTTP promises. It stops when it is dropped.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use flate2::Compression;
use flate2::write::GzEncoder;

/// What the server does to every request for a packument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trick {
    /// Takes the connection and says nothing.
    Stall,
    /// Sends a header, then a byte every tenth of a second, for ever.
    Drip,
    /// A small gzip body that expands to a gigabyte.
    GzipBomb,
    /// Headers without end.
    HeaderFlood,
    /// Announces ten bytes and sends a thousand more.
    LengthTooShort,
    /// Announces a thousand bytes, sends ten and closes.
    LengthTooLong,
    /// A body that never ends.
    Endless,
    /// Redirects to the metadata address of clouds.
    RedirectToMetadata,
    /// Redirects to a private address.
    RedirectToPrivate,
    /// Redirects to the canary, another port of this machine that nobody configured.
    RedirectToCanary,
    /// Redirects to itself for ever.
    RedirectLoop,
    /// Redirects to a local file.
    RedirectToFile,
    /// JSON nested half a million deep.
    DeepJson,
    /// A packument whose tarball is at the canary.
    TarballAtCanary,
    /// A packument whose tarball is a bomb: a gigabyte of zeros in a tar in gzip.
    TarballBomb,
    /// 429 with a wait of a thousand years.
    WaitForever,
    /// 429 with an HTML body and no wait at all.
    WaitZero,
    /// A page of a network that wants a login first, with 200.
    LoginPage,
    /// A packument of another package.
    OtherName,
}

impl Trick {
    pub(crate) const ALL: [Self; 19] = [
        Self::Stall,
        Self::Drip,
        Self::GzipBomb,
        Self::HeaderFlood,
        Self::LengthTooShort,
        Self::LengthTooLong,
        Self::Endless,
        Self::RedirectToMetadata,
        Self::RedirectToPrivate,
        Self::RedirectToCanary,
        Self::RedirectLoop,
        Self::RedirectToFile,
        Self::DeepJson,
        Self::TarballAtCanary,
        Self::TarballBomb,
        Self::WaitForever,
        Self::WaitZero,
        Self::LoginPage,
        Self::OtherName,
    ];
}

/// A running server with its canary.
pub(crate) struct Hostile {
    /// Its address.
    pub(crate) url: String,
    canary: Listener,
    _server: Listener,
}

/// A listening thread that ends when this is dropped.
struct Listener {
    port: u16,
    is_over: Arc<AtomicBool>,
    connections: Arc<AtomicU64>,
}

impl Listener {
    fn start(serve: impl Fn(TcpStream) + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("loopback has a free port");
        let port = listener.local_addr().expect("bound").port();
        let (is_over, connections) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(0)));
        let (over, count, serve) = (Arc::clone(&is_over), Arc::clone(&connections), Arc::new(serve));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if over.load(Ordering::SeqCst) {
                    return;
                }
                count.fetch_add(1, Ordering::SeqCst);
                let serve = Arc::clone(&serve);
                std::thread::spawn(move || serve(stream));
            }
        });
        Self { port, is_over, connections }
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::SeqCst);
        // Wakes the accepting thread.
        let _ = TcpStream::connect((Ipv4Addr::LOCALHOST, self.port));
    }
}

impl Hostile {
    /// Starts a server that plays `trick` on every packument.
    pub(crate) fn start(trick: Trick) -> Self {
        let canary =
            Listener::start(|mut stream| drop(stream.write_all(b"HTTP/1.1 200 X\r\ncontent-length: 2\r\n\r\n{}")));
        let canary_port = canary.port;
        let server = Listener::start(move |stream| drop(play(trick, stream, canary_port)));
        Self { url: format!("http://127.0.0.1:{}", server.port), canary, _server: server }
    }

    /// How often somebody connected to the canary.
    pub(crate) fn canary_connections(&self) -> u64 {
        self.canary.connections.load(Ordering::SeqCst)
    }
}

fn play(trick: Trick, mut stream: TcpStream, canary: u16) -> std::io::Result<()> {
    let path = request_path(&mut stream)?;
    let own = stream.local_addr()?.port();
    if path.ends_with(".tgz") {
        return answer(&mut stream, "200 X", "", &tar_bomb());
    }
    let redirect = |to: &str| format!("location: {to}\r\n");
    match trick {
        Trick::Stall => wait_for_end(&mut stream),
        Trick::Drip => {
            stream.write_all(b"HTTP/1.1 200 X\r\ncontent-length: 1000000\r\n\r\n")?;
            loop {
                stream.write_all(b" ")?;
                std::thread::sleep(Duration::from_millis(100));
            }
        }
        Trick::GzipBomb => answer(&mut stream, "200 X", "content-encoding: gzip\r\n", &gzip(1 << 30)),
        Trick::HeaderFlood => {
            stream.write_all(b"HTTP/1.1 200 X\r\n")?;
            for number in 0_u64.. {
                write!(stream, "x-{number}: {}\r\n", "y".repeat(1_000))?;
            }
            Ok(())
        }
        Trick::LengthTooShort => raw(&mut stream, "200 X", 10, &packument("victim", "http://127.0.0.1:1/a.tgz")),
        Trick::LengthTooLong => raw(&mut stream, "200 X", 1_000, b"{\"name\":\"v"),
        Trick::Endless => {
            stream.write_all(b"HTTP/1.1 200 X\r\n\r\n[")?;
            loop {
                stream.write_all(&[b' '; 65_536])?;
            }
        }
        Trick::RedirectToMetadata => answer(&mut stream, "302 X", &redirect("http://169.254.169.254/latest/"), b""),
        Trick::RedirectToPrivate => answer(&mut stream, "301 X", &redirect("http://10.0.0.1/"), b""),
        Trick::RedirectToCanary => answer(&mut stream, "307 X", &redirect(&format!("http://127.0.0.1:{canary}/")), b""),
        Trick::RedirectLoop => answer(&mut stream, "302 X", &redirect(&path), b""),
        Trick::RedirectToFile => answer(&mut stream, "302 X", &redirect("file:///etc/passwd"), b""),
        Trick::DeepJson => answer(&mut stream, "200 X", "", "[".repeat(500_000).as_bytes()),
        Trick::TarballAtCanary => {
            let at = format!("http://127.0.0.1:{canary}/a.tgz");
            answer(&mut stream, "200 X", "", &packument("victim", &at))
        }
        Trick::TarballBomb => {
            let at = format!("http://127.0.0.1:{own}/victim-1.0.0.tgz");
            answer(&mut stream, "200 X", "", &packument("victim", &at))
        }
        Trick::WaitForever => answer(&mut stream, "429 X", "retry-after: 31536000000\r\n", b""),
        Trick::WaitZero => answer(&mut stream, "429 X", "retry-after: 0\r\n", b"<html>slow down</html>"),
        Trick::LoginPage => answer(&mut stream, "200 X", "content-type: text/html\r\n", b"<html>log in</html>"),
        Trick::OtherName => answer(&mut stream, "200 X", "", &packument("@other/name", "http://127.0.0.1:1/a.tgz")),
    }
}

fn request_path(stream: &mut TcpStream) -> std::io::Result<String> {
    let (mut head, mut byte) = (Vec::new(), [0]);
    while !head.ends_with(b"\r\n\r\n") && stream.read(&mut byte)? == 1 {
        head.extend_from_slice(&byte);
    }
    Ok(String::from_utf8_lossy(&head).split(' ').nth(1).unwrap_or_default().to_owned())
}

fn wait_for_end(stream: &mut TcpStream) -> std::io::Result<()> {
    while stream.read(&mut [0; 64])? > 0 {}
    Ok(())
}

fn answer(stream: &mut TcpStream, status: &str, headers: &str, body: &[u8]) -> std::io::Result<()> {
    let length = body.len();
    write!(stream, "HTTP/1.1 {status}\r\nconnection: close\r\ncontent-length: {length}\r\n{headers}\r\n")?;
    stream.write_all(body)
}

fn raw(stream: &mut TcpStream, status: &str, length: usize, body: &[u8]) -> std::io::Result<()> {
    write!(stream, "HTTP/1.1 {status}\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n")?;
    stream.write_all(body)
}

fn packument(name: &str, tarball: &str) -> Vec<u8> {
    serde_json::json!({"name": name, "dist-tags": {"latest": "1.0.0"}, "versions": {
        "1.0.0": {"name": name, "version": "1.0.0", "dist": {"tarball": tarball}}}})
    .to_string()
    .into_bytes()
}

/// So many zeros, compressed.
fn gzip(bytes: u64) -> Vec<u8> {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
    std::io::copy(&mut std::io::repeat(0).take(bytes), &mut gzip).expect("memory takes everything");
    gzip.finish().expect("memory takes everything")
}

/// A tar with one file of a gigabyte of zeros, in gzip.
fn tar_bomb() -> Vec<u8> {
    const SIZE: u64 = 1 << 30;
    let gzip = GzEncoder::new(Vec::new(), Compression::best());
    let mut archive = tar::Builder::new(gzip);
    let mut header = tar::Header::new_ustar();
    header.set_size(SIZE);
    header.set_mode(0o644);
    header.set_cksum();
    archive.append_data(&mut header, "package/a.txt", std::io::repeat(0).take(SIZE)).expect("memory takes it");
    archive.into_inner().and_then(GzEncoder::finish).expect("memory takes it")
}
