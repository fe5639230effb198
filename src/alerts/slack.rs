//! The JSON that Slack's incoming webhooks, and what is compatible with them, take.
//!
//! The gate: everything that a stranger may have written stands in one code block, in which neither marks nor links nor
//! mentions are read. It cannot be left, because no backtick is let through. Besides, `&`, `<` and `>` are written as Slack
//! wants them, so that no `<!channel>` is one. The words that call everybody are broken for receivers that read them
//! anywhere. Sources: Slack, "Formatting text for app surfaces" and "Rich text block".
//!
//! The same stands in blocks, in which only our own address is a link. Receivers that know none show the text.

use capdex_model::alert::message::{Body, Message};
use serde_json::{Value, json};

use capdex_dataset::note::{self, Room};
use capdex_site::links;

/// The room of a chat.
const ROOM: Room = Room { lines: 12, columns: 160 };
/// Slack cuts text at 40,000 letters; nobody reads a tenth of that in a chat.
const LETTERS: usize = 2_900;
/// Words that call everybody, after an `@`.
const CALLS: [&str; 5] = ["here", "channel", "everyone", "all", "group"];

/// The document for a message; with a link to the pages of a site, where there is one.
pub fn document(message: &Message, site: Option<&str>) -> Value {
    let mut block = String::new();
    for line in note::of_message(message, ROOM) {
        // Through the gate first, because what is escaped is longer.
        let line = gate(&line);
        if block.chars().count() + line.chars().count() > LETTERS {
            // Cut at a line, so that the code block stays closed.
            block.push_str("…\n");
            break;
        }
        block.push_str(&line);
        block.push('\n');
    }
    let severity = message.severity().as_str();
    let text = format!("*capdex*, {severity}\n```\n{block}```");
    let header = json!({ "type": "header", "text": { "type": "plain_text", "text": format!("capdex, {severity}") } });
    // Preformatted rich text is shown letter by letter: it holds no marks, mentions or links.
    let body = json!({ "type": "rich_text", "elements": [
        { "type": "rich_text_preformatted", "elements": [{ "type": "text", "text": block }] }
    ] });
    let mut blocks = vec![header, body];
    // An operator's own address, and no stranger's.
    blocks.extend(page(message, site).map(|url| {
        json!({ "type": "rich_text", "elements": [
            { "type": "rich_text_section", "elements": [{ "type": "link", "url": url, "text": "Open in capdex" }] }
        ] })
    }));
    // Without previews: the chat's servers would fetch addresses that strangers wrote.
    json!({ "text": text, "blocks": blocks, "mrkdwn": true, "unfurl_links": false, "unfurl_media": false })
}

/// The page of the site about a message.
fn page(message: &Message, site: Option<&str>) -> Option<String> {
    let capability = match &message.body {
        Body::Alert(told) => told.alert.capability,
        Body::Digest(_) => None,
    };
    let site = site?;
    Some(capability.map_or_else(|| links::alerts(site), |capability| links::capability(site, &capability)))
}

/// One line of text as it may stand in the code block.
fn gate(line: &str) -> String {
    let mut safe = String::with_capacity(line.len());
    for (at, letter) in line.char_indices() {
        match letter {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            // The only sign that could end the block.
            '`' => safe.push('\''),
            '@' if calls(line.get(at + 1..).unwrap_or_default()) => safe.push_str("@ "),
            other => safe.push(other),
        }
    }
    safe
}

fn calls(rest: &str) -> bool {
    CALLS.iter().any(|call| rest.get(..call.len()).is_some_and(|word| word.eq_ignore_ascii_case(call)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use capdex_dataset::escape::is_dangerous;
    use capdex_model::alert::hostile::{hostile_digest, hostile_message};

    #[test]
    fn nothing_hostile_is_a_mention_a_link_or_markup() {
        for message in [hostile_message(), hostile_digest()] {
            let document = document(&message, None);
            let text = document["text"].as_str().expect("text");
            let lower = text.to_lowercase();
            for live in ["<", ">", "@here", "@everyone", "@channel", "\r"] {
                assert!(!lower.contains(live), "{live}: {text}");
            }
            assert_eq!(text.matches('`').count(), 6, "the block is left only at its end: {text}");
            assert!(text.ends_with("```"), "{text}");
            assert!(text.starts_with("*capdex*"), "{text}");
            let block = &document["blocks"][1]["elements"][0];
            assert_eq!(block["type"], "rich_text_preformatted");
            assert!(block["elements"][0]["text"].as_str().is_some_and(|shown| text.contains(shown)), "{block}");
            assert!(!document.to_string().contains("\"url\""), "no stranger's address is a link");
            assert!(text.chars().all(|letter| letter == '\n' || !is_dangerous(letter)), "{text}");
        }
    }

    #[test]
    fn names_with_an_at_stay_as_they_are() {
        assert_eq!(gate("npm:@scope/name & co"), "npm:@scope/name &amp; co");
        assert_eq!(gate("@HERE @allé"), "@ HERE @ allé");
    }

    #[test]
    fn a_long_message_is_cut_between_lines() {
        let mut message = hostile_message();
        if let capdex_model::alert::message::Body::Alert(told) = &mut message.body {
            told.alert.diff = vec!["+ & ".repeat(200); 500];
            told.alert.members = vec!["<".repeat(500); 500];
        }
        let document = document(&message, None);
        let text = document["text"].as_str().expect("text");
        assert!(text.chars().count() < LETTERS + 200, "{text}");
        assert!(text.ends_with("…\n```"), "{text}");
    }
}
