//! Alerts and messages as JSON, for webhooks, files of JSON lines and `--format json`.
//!
//! The gate is JSON's own: letters that a terminal would act on, or that would hide, are written `\uXXXX`. So the text is
//! safe to look at and still says exactly what was found. Nothing may be left out.

use std::fmt::Write as _;

use capdex_model::alert::message::{Body, Message, Roundup};
use serde_json::{Value, json};

use capdex_dataset::escape::is_dangerous;
use capdex_dataset::program::{Program, program};
use capdex_dataset::views::alerts::AlertView;
use capdex_site::links;

/// A message: `id`, `type` (`alert.raised`, `alert.rose`, `alert.returned` or `alert.digest`), `timestamp`, `data`, and the program that
/// tells it by `engine_version` and `program_sha256`; in the
/// first of several `others`, what all messages of the run are about. With a site, `data` has `links`.
pub fn message(message: &Message, site: Option<&str>) -> Value {
    let (kind, data) = content(message, site);
    let Program { engine_version, program_sha256 } = program();
    let mut value = json!({ "id": message.id, "type": kind, "timestamp": message.at, "data": data,
                            "engine_version": engine_version, "program_sha256": program_sha256 });
    if let (Some(fields), false) = (value.as_object_mut(), message.others.is_empty()) {
        fields.insert("others".to_owned(), json!(message.others));
    }
    value
}

/// The same as an event of CloudEvents 1.0 in structured mode. Its source is the site, or else the program.
pub fn cloud_event(message: &Message, site: Option<&str>) -> Value {
    let (kind, data) = content(message, site);
    let Program { engine_version, program_sha256 } = program();
    json!({
        "specversion": "1.0", "id": message.id, "source": site.unwrap_or("urn:capdex"), "type": format!("capdex.{kind}"),
        "time": message.at, "datacontenttype": "application/json", "data": { "alert": data, "others": message.others, "engine_version": engine_version, "program_sha256": program_sha256 },
    })
}

/// The word for a message and what it says.
fn content(message: &Message, site: Option<&str>) -> (String, Value) {
    let (kind, mut data) = match &message.body {
        Body::Alert(told) => (told.occasion.as_str(), json!(AlertView::of(&told.alert, told.raised))),
        Body::Digest(roundup) => ("digest", digest(roundup)),
    };
    if let (Some(fields), Some(links)) = (data.as_object_mut(), pages(message, site)) {
        fields.insert("links".to_owned(), links);
    }
    (format!("alert.{kind}"), data)
}

/// Pages of the site about a message, by address; none without a site.
fn pages(message: &Message, site: Option<&str>) -> Option<Value> {
    let capability = match &message.body {
        Body::Alert(told) => told.alert.capability,
        Body::Digest(_) => None,
    };
    let mut pages = serde_json::Map::new();
    pages.insert("alerts".to_owned(), links::alerts(site?).into());
    if let Some(capability) = capability {
        pages.insert("capability".to_owned(), links::capability(site?, &capability).into());
    }
    Some(pages.into())
}

fn digest(roundup: &Roundup) -> Value {
    let Roundup { alerts, joined, passes, rules, severities, first, groups, command } = roundup;
    let severities: serde_json::Map<String, Value> =
        severities.iter().map(|(severity, count)| (severity.as_str().to_owned(), json!(count))).collect();
    json!({ "alerts": alerts, "joined": joined, "passes": passes, "rules": rules, "severities": severities,
            "first": first, "groups": groups, "command": command })
}

/// The text of a value, on one line, in which nothing is hidden and nothing acts on a terminal.
pub fn text(value: &Value) -> String {
    safe(&value.to_string())
}

/// The same of JSON on one line that is written already.
pub fn safe(line: &str) -> String {
    let mut safe = String::with_capacity(line.len());
    // Outside strings JSON has no such letters.
    for letter in line.chars() {
        if is_dangerous(letter) {
            for unit in letter.encode_utf16(&mut [0; 2]) {
                write!(safe, "\\u{unit:04x}").expect("writing to a string cannot fail");
            }
        } else {
            safe.push(letter);
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;
    use capdex_model::alert::hostile::{HOSTILE, hostile_digest, hostile_message};

    #[test]
    fn what_is_hostile_is_safe_to_look_at_and_read_back_as_it_was() {
        for hostile in [hostile_message(), hostile_digest()] {
            let value = message(&hostile, None);
            let text = text(&value);
            assert!(!text.chars().any(is_dangerous), "{text}");
            assert_eq!(serde_json::from_str::<Value>(&text).expect("JSON"), value);
            assert!(text.contains("\\udb40\\udc41"), "a tag character is a pair");
        }
        assert_eq!(message(&hostile_message(), None)["data"]["title"], HOSTILE);
    }

    #[test]
    fn an_event_is_the_same_message_with_what_every_event_has() {
        let event = cloud_event(&hostile_message(), Some("https://capdex.example.test/"));
        for (key, value) in [
            ("specversion", "1.0"),
            ("type", "capdex.alert.raised"),
            ("source", "https://capdex.example.test/"),
            ("id", "msg_0123456789abcdef0123456789abcdef"),
            ("datacontenttype", "application/json"),
        ] {
            assert_eq!(event[key], value);
        }
        assert!(event["time"].as_str().is_some_and(|time| time.ends_with('Z')), "{event}");
        let program = program();
        assert_eq!(event["data"]["engine_version"], json!(program.engine_version));
        assert_eq!(message(&hostile_message(), None)["program_sha256"], json!(program.program_sha256));
        let alert = &event["data"]["alert"];
        assert_eq!(
            (&alert["title"], &alert["links"]["alerts"]),
            (&HOSTILE.into(), &"https://capdex.example.test/alerts.html".into())
        );
        assert_eq!(message(&hostile_digest(), None)["data"].get("links"), None, "no site, no links");
    }

    #[test]
    fn an_alert_carries_evidence_difference_scores_and_command() {
        let data = &message(&hostile_message(), None)["data"];
        for key in ["details", "evidence", "diff", "scores", "members"] {
            assert!(data[key].as_array().is_some_and(|items| !items.is_empty()), "{key}");
        }
        assert_eq!(data["evidence"][0]["line"], 3);
        assert_eq!(data["evidence"][0]["rule"], "reverse-shell");
        assert_eq!(data["reproduce"], "capdex drift --since 2026-11-21T01:00:00Z");
    }
}
