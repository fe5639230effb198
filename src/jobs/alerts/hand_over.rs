//! Hands one message to one sink, once.
//!
//! Must not know how often that is tried.

use std::time::Duration;

use capdex_crawlers::deliver::mail::{self, Letter};
use capdex_crawlers::deliver::{NotDelivered, signature};
use capdex_crawlers::http::{Http, Post};
use capdex_db::Store;
use capdex_model::alert::message::Message;

use super::files;
use crate::alerts::{atom, letter, payload, slack};
use crate::clock;
use crate::config::{Sink, Target};

const JSON: &str = "application/json";

/// Hands a message over; done when the sink has it.
///
/// # Errors
/// [`NotDelivered`]; the sink may have it all the same.
pub(super) async fn hand_over(
    store: &Store,
    http: &Http,
    sink: &Sink,
    message: &Message,
    deadline: Duration,
) -> Result<(), NotDelivered> {
    match &sink.target {
        Target::Webhook { url, secret } => {
            let body = payload::text(&payload::message(message)).into_bytes();
            // The instant of this try: receivers refuse what was signed long ago.
            let headers = signature::headers(secret, &message.id, clock::now().unix_seconds(), &body)?;
            http.deliver(&Post { url, content_type: JSON, headers: &headers, body: &body, deadline }).await
        }
        Target::Slack { url } => {
            let body = payload::text(&slack::document(message)).into_bytes();
            let headers = [("webhook-id", message.id.clone())];
            http.deliver(&Post { url, content_type: JSON, headers: &headers, body: &body, deadline }).await
        }
        Target::Smtp { server, from, to } => {
            let (subject, text) = (letter::subject(message), letter::text(message));
            let date_s = u64::try_from(message.at.0.unix_seconds()).unwrap_or_default();
            let letter = Letter { from, to, subject: &subject, id: &message.id, date_s, text: &text };
            mail::send(server, &letter, deadline).await
        }
        Target::Atom { path, url, max_entries } => {
            let last = store.reader().and_then(|reader| reader.last_messages(&sink.name, *max_entries));
            let messages = last.map_err(|error| NotDelivered::sink(error.to_string()))?;
            crate::files::replace(path, atom::feed(&sink.name, url.as_deref(), &messages).as_bytes()).map_err(of_file)
        }
        Target::Jsonl { path } => {
            let line = payload::text(&payload::message(message));
            files::append_line(path, &message.id, &line).map_err(of_file)
        }
        Target::Unready(reason) => Err(NotDelivered::sink(reason.clone())),
    }
}

fn of_file(error: std::io::Error) -> NotDelivered {
    NotDelivered::sink(format!("the file cannot be written: {error}"))
}
