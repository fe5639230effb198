//! The part of capdex that runs in a sandbox: it listens where the agent looks for its model, and stands for its mock servers.
//!
//! It carries bytes between them and the sockets that lead out, and knows no more.

use std::ffi::OsString;
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::net::{Ipv4Addr, Shutdown, TcpListener};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;

use anyhow::Context as _;

use super::sockets::{MODEL, SERVERS, between};

/// The port at which an agent in a sandbox finds its model. The network is its own, so that nobody else has it.
pub(super) const PORT: u16 = 7070;
/// The port at which it finds mock servers that are asked over HTTP.
pub(super) const SERVERS_PORT: u16 = 7071;
/// The line that says that somebody listens.
const READY: &str = "listening";

/// Listens for the agent, then becomes it, so that its end is the end of the sandbox.
///
/// # Errors
/// A program that cannot be started.
pub fn start(sockets: &Path, program: &[OsString]) -> anyhow::Result<()> {
    let (first, rest) = program.split_first().context("a program is named")?;
    let capdex = std::env::current_exe().context("failed to find the path of capdex itself")?;
    let mut listener = Command::new(capdex)
        .args(["agent-scan", "inside", "listen"])
        .arg(sockets)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .context("failed to start listening for the agent")?;
    let mut line = String::new();
    let told = listener.stdout.take().context("a pipe was asked for")?;
    BufReader::new(told).read_line(&mut line).context("failed to hear whether somebody listens")?;
    anyhow::ensure!(line.trim() == READY, "nobody listens for the agent");
    // Only on failure does it come back.
    let error = Command::new(first).args(rest).exec();
    Err(error).with_context(|| format!("failed to start {}", first.display()))
}

/// Carries the agent's connections to the sockets of its model and of its mock servers, until the sandbox is gone.
///
/// # Errors
/// When the port cannot be had.
pub fn listen(sockets: &Path) -> anyhow::Result<()> {
    let listen = |port| TcpListener::bind((Ipv4Addr::LOCALHOST, port)).context("failed to listen for the agent");
    let listeners = [(listen(PORT)?, MODEL), (listen(SERVERS_PORT)?, SERVERS)];
    writeln!(io::stdout(), "{READY}").context("failed to say that somebody listens")?;
    thread::scope(|scope| {
        for (listener, name) in listeners {
            scope.spawn(move || {
                for agent in listener.incoming().flatten() {
                    scope.spawn(move || {
                        // How a connection ends is told to the agent by its end; a socket that is not there ends it at once.
                        let _ = UnixStream::connect(sockets.join(name)).and_then(|out| between(&out, &agent));
                    });
                }
            });
        }
    });
    Ok(())
}

/// Carries what the agent's client says to a mock server, and back.
///
/// # Errors
/// A socket that nobody answers.
pub fn connect(socket: &Path) -> anyhow::Result<()> {
    let server = UnixStream::connect(socket).with_context(|| format!("failed to reach {}", socket.display()))?;
    let said = server.try_clone().context("failed to share a socket")?;
    thread::spawn(move || {
        // The client left, or the server did.
        let _ = io::copy(&mut io::stdin(), &mut &said);
        let _ = said.shutdown(Shutdown::Write);
    });
    let mut out = io::stdout();
    io::copy(&mut &server, &mut out).context("failed to carry an answer")?;
    Ok(())
}
