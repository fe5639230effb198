//! Messages, and whatever else has a night, as an Atom feed, newest first.
//!
//! The gate: text passes the one for terminals, which also takes out what XML 1.0 cannot hold, and then XML's own. All of it
//! is of type `text`, so that no reader takes it for markup. Every instant is a night's, so that the same nights give the
//! same bytes. Source: RFC 4287.

use std::fmt::Write as _;

use capdex_model::alert::message::Message;
use capdex_model::digest::Digest;
use capdex_model::time::AsOf;

use capdex_dataset::escape::xml as gate;
use capdex_dataset::note::{self, Room};

/// One entry of a feed. Its texts go through the gate here.
pub(crate) struct FeedEntry {
    /// The fields of its name that never changes.
    pub(crate) id: Vec<String>,
    /// Its title. Untrusted text.
    pub(crate) title: String,
    /// The night that it is from.
    pub(crate) at: AsOf,
    /// Its severity, as a word.
    pub(crate) severity: &'static str,
    /// Its text, a line each. Untrusted text.
    pub(crate) lines: Vec<String>,
    /// The address of its page, where that is known.
    pub(crate) url: Option<String>,
}

/// The head of a feed.
pub(crate) struct Feed<'a> {
    /// The fields of its name that never changes.
    pub(crate) id: &'a [&'a str],
    /// Its title. Untrusted text.
    pub(crate) title: &'a str,
    /// The address at which readers find it, where that is known.
    pub(crate) url: Option<&'a str>,
}

/// The feed of a sink; `url` is the address at which readers find it.
pub fn feed(sink: &str, url: Option<&str>, messages: &[Message]) -> String {
    let entries: Vec<FeedEntry> = messages
        .iter()
        .map(|message| FeedEntry {
            id: vec!["capdex message".to_owned(), message.id.clone()],
            title: message.headline(),
            at: message.at,
            severity: message.severity().as_str(),
            lines: note::of_message(message, Room::EMAIL),
            // Among its lines, where the operator said where his site is.
            url: None,
        })
        .collect();
    let title = format!("capdex alerts: {sink}");
    // The address is a part of the name, because the same sink elsewhere is another feed.
    document(&Feed { id: &["capdex feed", sink, url.unwrap_or_default()], title: &title, url }, &entries)
}

/// A whole feed.
pub(crate) fn document(feed: &Feed<'_>, entries: &[FeedEntry]) -> String {
    let updated = entries.iter().map(|entry| entry.at.0).max();
    // An empty feed needs a date too, and the clock would change the bytes.
    let updated = updated.map_or_else(|| "1970-01-01T00:00:00Z".to_owned(), |at| at.to_string());
    let mut xml =
        String::from("<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<feed xmlns=\"http://www.w3.org/2005/Atom\">\n");
    let mut line = |text: String| {
        xml.push_str(&text);
        xml.push('\n');
    };
    line(format!("  <id>{}</id>", urn(feed.id)));
    line(format!("  <title>{}</title>", gate(feed.title)));
    line(format!("  <updated>{updated}</updated>"));
    line("  <author><name>capdex</name></author>".to_owned());
    line(format!("  <generator version=\"{}\">capdex</generator>", env!("CARGO_PKG_VERSION")));
    if let Some(url) = feed.url {
        line(format!("  <link rel=\"self\" type=\"application/atom+xml\" href=\"{}\"/>", gate(url)));
    }
    for entry in entries {
        line(written(entry));
    }
    xml.push_str("</feed>\n");
    xml
}

fn written(entry: &FeedEntry) -> String {
    let lines: Vec<String> = entry.lines.iter().map(|line| gate(line)).collect();
    let id: Vec<&str> = entry.id.iter().map(String::as_str).collect();
    let mut xml = String::from("  <entry>\n");
    let fields = [
        ("id", urn(&id)),
        ("title", gate(&entry.title)),
        // Both are the night: a message is never changed after it was written.
        ("published", entry.at.to_string()),
        ("updated", entry.at.to_string()),
    ];
    for (name, value) in fields {
        writeln!(xml, "    <{name}>{value}</{name}>").expect("writing to a string cannot fail");
    }
    if let Some(url) = &entry.url {
        writeln!(xml, "    <link rel=\"alternate\" type=\"text/html\" href=\"{}\"/>", gate(url)).expect("as above");
    }
    writeln!(xml, "    <category term=\"{}\"/>", entry.severity).expect("as above");
    writeln!(xml, "    <content type=\"text\">{}</content>", lines.join("\n")).expect("as above");
    xml.push_str("  </entry>");
    xml
}

/// A name that never changes for the same fields: a UUID of version 8 (RFC 9562), made of their digest.
fn urn(fields: &[&str]) -> String {
    let digest = Digest::of_fields(fields.iter().map(|field| field.as_bytes())).hex();
    let part = |from: usize, to: usize| digest.get(from..to).unwrap_or_default();
    // Version 8 says that the digits are an application's own; the variant's bits are fixed.
    format!("urn:uuid:{}-{}-8{}-a{}-{}", part(0, 8), part(8, 12), part(13, 16), part(17, 20), part(20, 32))
}

#[cfg(test)]
mod tests {
    use super::*;
    use capdex_model::alert::hostile::{hostile_digest, hostile_message};

    #[test]
    fn every_letter_is_one_that_xml_can_hold_and_no_tag_is_a_strangers() {
        let feed = feed("ops", Some("https://feeds.test/a?b=1&c=\"2\""), &[hostile_message(), hostile_digest()]);
        assert!(feed.chars().all(|letter| letter == '\n' || !capdex_dataset::escape::is_dangerous(letter)));
        assert!(!feed.contains("<script"), "{feed}");
        assert!(!feed.contains("]]>"), "{feed}");
        assert!(!feed.contains('\u{fffe}'), "{feed}");
        assert_eq!(feed.matches("<entry>").count(), 2);
    }

    #[test]
    fn ids_are_uuids_that_stay() {
        let id = urn(&["capdex message", "msg_1"]);
        assert_eq!(id, urn(&["capdex message", "msg_1"]));
        assert_eq!(id.len(), "urn:uuid:".len() + 36);
        assert_ne!(id, urn(&["capdex message", "msg_2"]));
    }
}
