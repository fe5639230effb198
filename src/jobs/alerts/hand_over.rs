//! Hands one message to one notifier, once.
//!
//! Decides neither how often that is tried nor when: `send` does.

use capdex_crawlers::deliver::mail::{self, Email};
use capdex_crawlers::deliver::{NotDelivered, signature};
use capdex_crawlers::http::{Http, Post};
use capdex_db::Store;
use capdex_model::alert::message::Message;
use capdex_site::atom;
use serde_json::Value;

use super::files;
use crate::alerts::{email, payload, slack};
use crate::clock;
use crate::config::{AlertSettings, Notifier, NotifierTarget};

const JSON: &str = "application/json";
const CLOUD_EVENT: &str = "application/cloudevents+json";

/// Hands a message over; done when the notifier has it.
///
/// # Errors
/// [`NotDelivered`]; the notifier may have it all the same.
pub(super) async fn hand_over(
    store: &Store,
    http: &Http,
    sink: &Notifier,
    message: &Message,
    alerts: &AlertSettings,
) -> Result<(), NotDelivered> {
    let (site, deadline) = (alerts.site.as_deref(), alerts.deadline);
    let signed = async |content_type, value: Value, url, secret| {
        let body = payload::text(&value).into_bytes();
        // The instant of this try: receivers refuse what was signed long ago.
        let headers = signature::headers(secret, &message.id, clock::now().unix_seconds(), &body)?;
        http.deliver(&Post { url, content_type, headers: &headers, body: &body, deadline }).await
    };
    match &sink.target {
        NotifierTarget::Webhook { url, secret } => signed(JSON, payload::message(message, site), url, secret).await,
        NotifierTarget::CloudEvents { url, secret } => {
            signed(CLOUD_EVENT, payload::cloud_event(message, site), url, secret).await
        }
        NotifierTarget::Slack { url } => {
            let body = payload::text(&slack::document(message, site)).into_bytes();
            // Chats check no signature; the id is only for whoever looks for duplicates in a log.
            let headers = [("webhook-id", message.id.clone())];
            http.deliver(&Post { url, content_type: JSON, headers: &headers, body: &body, deadline }).await
        }
        NotifierTarget::Smtp { server, from, to } => {
            // The subject is written from strangers' words: the gate of `letter` has escaped it by now.
            let (subject, text) = (email::subject(message), email::text(message));
            // The date of the message, not of this try, so that a second try is the same letter.
            let date_s = u64::try_from(message.at.0.unix_seconds()).unwrap_or_default();
            let email = Email { from, to, subject: &subject, id: &message.id, date_s, text: &text };
            mail::send(server, &email, deadline).await
        }
        // The document is written anew from the store each time, so that a try that is repeated adds no entry.
        NotifierTarget::Atom { path, url, max_entries } => {
            let last = store.reader().and_then(|reader| reader.last_messages(&sink.name, *max_entries));
            let messages = last.map_err(|error| NotDelivered::notifier(error.to_string()))?;
            crate::files::replace(path, atom::feed(&sink.name, url.as_deref(), &messages).as_bytes()).map_err(of_file)
        }
        NotifierTarget::Jsonl { path } => {
            let line = payload::text(&payload::message(message, site));
            files::append_line(path, &message.id, &line).map_err(of_file)
        }
        // Nothing was sent, so the fault is the notifier's: its messages wait until the configuration is mended.
        NotifierTarget::Unready(reason) => Err(NotDelivered::notifier(reason.clone())),
    }
}

fn of_file(error: std::io::Error) -> NotDelivered {
    NotDelivered::notifier(format!("the file cannot be written: {error}"))
}
