//! Letters by SMTP: one connection, one letter, over TLS unless the server is on this machine.
//!
//! A letter has a Message-ID of the caller's, so that one that is sent again is the same letter. Sources: RFC 5321, RFC
//! 5322, RFC 8314.

use std::net::IpAddr;
use std::time::{Duration, UNIX_EPOCH};

use lettre::address::AddressError;
use lettre::message::Mailbox;
use lettre::message::header::ContentType;
use lettre::transport::smtp::authentication::Credentials;
use lettre::transport::smtp::client::{Tls, TlsParameters};
use lettre::transport::smtp::extension::ClientId;
use lettre::{AsyncSmtpTransport, AsyncTransport as _, Message, Tokio1Executor};

use super::{Blame, NotDelivered};
use crate::http::Secret;

/// Protection of the way to the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protection {
    /// TLS from the first byte (port 465).
    Tls,
    /// TLS after STARTTLS (port 587). A server that does not offer it is told nothing.
    StartTls,
    /// None; for a server on this machine only.
    None,
}

/// A server that takes letters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MailServer {
    /// Its name or address.
    pub host: String,
    /// Its port.
    pub port: u16,
    /// Protection of the way there.
    pub protection: Protection,
    /// The name and password of the sender, for a server that wants to know them.
    pub login: Option<(String, Secret)>,
}

/// A letter: text and nothing else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Email<'a> {
    /// The sender's address.
    pub from: &'a str,
    /// The receivers' addresses.
    pub to: &'a [String],
    /// Its subject: one line.
    pub subject: &'a str,
    /// The part of its Message-ID before the `@`.
    pub id: &'a str,
    /// Its date, in seconds since 1970.
    pub date_s: u64,
    /// Its text.
    pub text: &'a str,
}

/// Returns true if a text is an address that a letter can have, `name@host` or `Name <name@host>`.
pub fn is_address(text: &str) -> bool {
    text.parse::<Mailbox>().is_ok()
}

/// Returns true if a host is this machine, by its name or address.
pub fn is_loopback(host: &str) -> bool {
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// Sends a letter once; done when the server has said that it took it.
///
/// # Errors
/// [`NotDelivered`]. A connection that broke after the text leaves open whether the server took it.
pub async fn send(server: &MailServer, letter: &Email<'_>, deadline: Duration) -> Result<(), NotDelivered> {
    let (message, domain) = compose(letter)?;
    // `builder_dangerous` sets no protection by itself; `tls` decides it.
    let transport = AsyncSmtpTransport::<Tokio1Executor>::builder_dangerous(&server.host)
        .port(server.port)
        .tls(tls(server)?)
        .hello_name(ClientId::Domain(domain))
        .timeout(Some(deadline));
    let transport = match &server.login {
        None => transport,
        Some((name, password)) => transport.credentials(Credentials::new(name.clone(), password.reveal().to_owned())),
    };
    // The transport's own timeout does not bound the conversation as a whole.
    match tokio::time::timeout(deadline, transport.build().send(message)).await {
        Ok(Ok(_)) => Ok(()),
        Ok(Err(error)) => Err(of_error(&error)),
        Err(_) => Err(NotDelivered::notifier(format!("no answer within {} ms", deadline.as_millis()))),
    }
}

fn tls(server: &MailServer) -> Result<Tls, NotDelivered> {
    let parameters =
        || TlsParameters::new(server.host.clone()).map_err(|error| NotDelivered::notifier(format!("no TLS: {error}")));
    match server.protection {
        Protection::Tls => parameters().map(Tls::Wrapper),
        // `Required` and not opportunistic: whoever stands on the way could strip the offer of STARTTLS.
        Protection::StartTls => parameters().map(Tls::Required),
        Protection::None if is_loopback(&server.host) => Ok(Tls::None),
        // A login over a plain connection could be read by anybody on the way.
        Protection::None => Err(NotDelivered::notifier("letters go unprotected to this machine only")),
    }
}

/// The letter as it is sent, and the sender's domain. Values of headers are encoded: a line break in one stays text.
fn compose(letter: &Email<'_>) -> Result<(Message, String), NotDelivered> {
    let odd = |error: AddressError| NotDelivered::notifier(format!("an address that is none: {error}"));
    let from: Mailbox = letter.from.parse().map_err(odd)?;
    let domain = from.email.domain().to_owned();
    let mut builder = Message::builder()
        .message_id(Some(format!("<{}@{domain}>", letter.id)))
        .date(UNIX_EPOCH + Duration::from_secs(letter.date_s))
        .subject(letter.subject)
        .from(from);
    for to in letter.to {
        builder = builder.to(to.parse().map_err(odd)?);
    }
    let unfit = |error: lettre::error::Error| NotDelivered {
        detail: format!("no letter can be made of it: {error}"),
        wait: None,
        blame: Blame::Message,
    };
    let message = builder.header(ContentType::TEXT_PLAIN).body(letter.text.to_owned()).map_err(unfit)?;
    Ok((message, domain))
}

/// The failure that an answer means: a mailbox that is full or a text that is refused is about this letter alone.
fn of_error(error: &lettre::transport::smtp::Error) -> NotDelivered {
    let code = error.status().map(u16::from);
    // These codes are about this mailbox or text; any other would meet the next letter too.
    let blame = if matches!(code, Some(552 | 554)) { Blame::Message } else { Blame::Notifier };
    // Its text holds its causes.
    NotDelivered { detail: error.to_string(), wait: None, blame }
}
