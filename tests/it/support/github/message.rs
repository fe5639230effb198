//! HTTP messages by hand, a connection for each: enough to stand between a client and the emulator.
//!
//! Must not know what they say. Source: RFC 9112.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;

/// A request as it came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Asked {
    /// The method.
    pub(crate) method: String,
    /// The path with its query.
    pub(crate) path: String,
    /// Names in lower case.
    pub(crate) headers: Vec<(String, String)>,
    /// The port that was asked.
    pub(crate) port: u16,
    /// The status that it was answered with.
    pub(crate) status: u16,
}

impl Asked {
    /// The value of a header.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// An answer.
pub(super) struct Received {
    pub(super) status: u16,
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: Vec<u8>,
}

impl Received {
    /// An answer of our own.
    pub(super) fn new(status: u16, headers: &[(&str, &str)], body: impl Into<Vec<u8>>) -> Self {
        let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        Self { status, headers, body: body.into() }
    }

    /// Sends it and closes the connection.
    pub(super) fn send(&self, mut stream: &TcpStream) -> io::Result<()> {
        let mut head =
            format!("HTTP/1.1 {} X\r\nConnection: close\r\nContent-Length: {}\r\n", self.status, self.body.len());
        for (name, value) in &self.headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        head.push_str("\r\n");
        stream.write_all(head.as_bytes())?;
        stream.write_all(&self.body)
    }
}

/// Reads the head of a request; what is proxied has no body.
pub(super) fn read(stream: &TcpStream, port: u16) -> io::Result<Asked> {
    let mut reader = BufReader::new(stream);
    let first = line(&mut reader)?;
    let mut words = first.split(' ');
    let (method, path) = (words.next().unwrap_or_default().to_owned(), words.next().unwrap_or_default().to_owned());
    Ok(Asked { method, path, headers: headers(&mut reader)?, port, status: 0 })
}

/// Asks a server on loopback. The older protocol, so that the answer ends with the connection and is in one piece.
pub(super) fn ask(
    port: u16,
    method: &str,
    path: &str,
    authorization: Option<&str>,
    body: &[u8],
) -> io::Result<Received> {
    let mut stream = TcpStream::connect(("127.0.0.1", port))?;
    let authorization = authorization.map(|value| format!("Authorization: {value}\r\n")).unwrap_or_default();
    let head = format!(
        "{method} {path} HTTP/1.0\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\n{authorization}\
         Content-Length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes())?;
    stream.write_all(body)?;
    let mut reader = BufReader::new(stream);
    let first = line(&mut reader)?;
    let status = first.split(' ').nth(1).and_then(|status| status.parse().ok());
    let status = status.ok_or_else(|| io::Error::other("no status"))?;
    let headers = headers(&mut reader)?;
    let mut body = Vec::new();
    reader.read_to_end(&mut body)?;
    Ok(Received { status, headers, body })
}

fn headers(reader: &mut impl BufRead) -> io::Result<Vec<(String, String)>> {
    let mut headers = Vec::new();
    loop {
        let line = line(reader)?;
        let Some((name, value)) = line.split_once(':') else { return Ok(headers) };
        headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
    }
}

fn line(reader: &mut impl BufRead) -> io::Result<String> {
    let mut line = String::new();
    reader.read_line(&mut line)?;
    Ok(line.trim_end().to_owned())
}
