//! Sinks that fail in every way: no alert is lost, and by its id none is seen twice.

use std::collections::BTreeSet;
use std::process::{Command, Stdio};

use capdex_model::alert::Alert;
use capdex_model::capability::Kind;
use capdex_model::digest::{Digest, bytes_of_hex};
use capdex_model::fact::Severity;
use capdex_model::ids::CapabilityId;
use serde_json::Value;

use crate::alerts::{NIGHT, alert, raise, schedule};
use crate::evasion::base64;
use crate::support::capdex::{Capdex, Run};
use crate::support::mailbox::{Ending, Mailbox};
use crate::support::receiver::Behaviour::{Later, Redirect, Stall, Status, Take, TakeAndCut};
use crate::support::receiver::{Receiver, Seen};

const SECRET: &str = "a secret of thirty-two letters!!";
/// Where nothing answers.
const NOWHERE: &str = "http://127.0.0.1:9/hook";

fn webhook(url: &str) -> String {
    format!("[[alerts.sinks]]\nname = \"ops\"\nkind = \"webhook\"\nurl = \"{url}\"\nsecret_env = \"HOOK_SECRET\"\n")
}

fn some(count: usize) -> Vec<Alert> {
    (0..count).map(|number| alert(&format!("k{number:02}"), Severity::High)).collect()
}

fn sending(capdex: &Capdex) -> Command {
    let mut command = capdex.command(&["alerts", "send", "--config", "schedule.toml", "--as-of", NIGHT]);
    command.env("HOOK_SECRET", SECRET);
    command
}

fn send(capdex: &Capdex) -> Run {
    Run::of(&sending(capdex).output().expect("the binary starts"))
}

fn keys(receiver: &Receiver) -> Vec<String> {
    let key = |(_, value): &(String, Value)| value["data"]["key"].as_str().expect("a key").to_owned();
    receiver.taken().iter().map(key).collect()
}

fn expected(alerts: &[Alert]) -> Vec<String> {
    alerts.iter().map(|alert| alert.key.clone()).collect()
}

/// HMAC-SHA256 (RFC 2104), written here so that the program does not vouch for itself.
fn hmac(key: &[u8], text: &[u8]) -> Vec<u8> {
    let mut block = [0_u8; 64];
    block[..key.len()].copy_from_slice(key);
    let hash = |pad: u8, text: &[u8]| {
        let padded: Vec<u8> = block.iter().map(|byte| byte ^ pad).chain(text.iter().copied()).collect();
        bytes_of_hex(&Digest::of(&padded).hex()).expect("hex digits")
    };
    hash(0x5c, &hash(0x36, text))
}

fn signature(key: &[u8], seen: &Seen) -> String {
    let signed = [seen.header("webhook-id"), ".", seen.header("webhook-timestamp"), "."].concat();
    format!("v1,{}", base64(&hmac(key, &[signed.as_bytes(), &seen.body].concat())))
}

#[test]
fn the_tests_own_hmac_is_right() {
    let found: String =
        hmac(b"Jefe", b"what do ya want for nothing?").iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(found, "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843", "RFC 4231, case 2");
}

#[test]
fn whatever_a_receiver_does_it_has_each_alert_once_in_the_order_of_rank() {
    let (capdex, receiver) = (Capdex::offline(), Receiver::start());
    schedule(&capdex, &webhook(&receiver.url()).replace("[[", "budget = 9\n[["));
    let capdex = {
        let text = std::fs::read_to_string(capdex.path().join("schedule.toml")).expect("read");
        capdex.write("schedule.toml", text.replace("patience_ms = 3000", "patience_ms = 30000"));
        capdex
    };
    let alerts = some(6);
    raise(&capdex, &alerts, NIGHT);
    let storm = [
        Status(500),
        TakeAndCut,
        Status(503),
        Take,
        Stall,
        Redirect,
        Take,
        Later(1),
        TakeAndCut,
        TakeAndCut,
        Status(404),
    ];
    receiver.behave(&storm);
    let run = send(&capdex);
    assert_eq!(run.code, Some(0), "{}", run.stdout);
    assert_eq!(run.stderr.as_str(), "", "{}", run.stdout);
    assert!(run.stdout.contains("ops: 6 messages sent, 0 waiting"), "{}", run.stdout);
    assert_eq!(keys(&receiver), expected(&alerts));
    let seen = receiver.seen();
    assert!(seen.iter().all(|seen| seen.path == "/hook"), "no redirect is followed");
    for seen in &seen {
        assert_eq!(seen.header("webhook-signature"), signature(SECRET.as_bytes(), seen));
        assert_ne!(seen.header("webhook-signature"), signature(b"another secret", seen));
        assert!(seen.header("webhook-timestamp").parse::<i64>().is_ok_and(|at| at > 1_700_000_000));
        assert_eq!(seen.header("content-type"), "application/json");
    }
    let (id, first) = receiver.taken().remove(0);
    assert_eq!(first["id"].as_str(), Some(id.as_str()));
    assert_eq!(first["type"].as_str(), Some("alert.raised"));
    for part in ["details", "evidence", "diff", "scores", "reproduce"] {
        assert!(first["data"][part].to_string().len() > 4, "{part} in {first}");
    }
    let evidence = serde_json::json!([{ "effect": "finding", "line": 7, "path": "lib/a.js", "quote": "+added",
                                        "rule": "reverse-shell", "severity": first["data"]["severity"] }]);
    assert_eq!(first["data"]["evidence"], evidence);
    assert!(send(&capdex).stdout.contains("0 messages sent, 0 waiting"));
    assert_eq!(receiver.seen().len(), seen.len(), "what was taken is not sent again");
}

#[test]
fn a_receiver_that_was_away_gets_everything_when_it_is_back() {
    let (capdex, receiver) = (Capdex::offline(), Receiver::start());
    schedule(&capdex, &webhook(&receiver.url()));
    let alerts = some(3);
    raise(&capdex, &alerts[..2], NIGHT);
    let open = receiver.close();
    let text = std::fs::read_to_string(capdex.path().join("schedule.toml")).expect("read");
    capdex.write("schedule.toml", text.replace("patience_ms = 3000", "patience_ms = 200"));
    for _ in 0..2 {
        let run = send(&capdex);
        assert_eq!(run.code, Some(3), "{}", run.stdout);
        assert!(run.stdout.contains("0 messages sent, 2 waiting"), "{}", run.stdout);
        assert!(run.stderr.contains("messages wait for the next run"), "{}", run.stderr);
    }
    let status = capdex.run(&["status"]).stdout;
    assert!(status.contains("sink ops: 0 messages sent, 2 waiting; "), "{status}");
    assert!(status.contains("no answer"), "{status}");
    raise(&capdex, &alerts[2..], NIGHT);
    let receiver = open();
    let run = send(&capdex);
    assert_eq!(run.code, Some(0), "{} {}", run.stdout, run.stderr);
    assert_eq!(keys(&receiver).into_iter().collect::<BTreeSet<_>>(), expected(&alerts).into_iter().collect());
    assert!(capdex.run(&["status"]).stdout.contains("sink ops: 3 messages sent, 0 waiting\n"));
}

#[test]
fn a_sender_that_is_killed_in_the_middle_loses_nothing() {
    let (capdex, receiver) = (Capdex::offline(), Receiver::start());
    let text = webhook(&receiver.url());
    schedule(&capdex, &format!("budget = 20\n{text}"));
    let head = std::fs::read_to_string(capdex.path().join("schedule.toml")).expect("read");
    capdex.write("schedule.toml", head.replace("deadline_ms = 400", "deadline_ms = 20000").replace("3000", "60000"));
    let alerts = some(12);
    raise(&capdex, &alerts, NIGHT);
    // Killed while an answer is awaited, then at moments of any kind.
    receiver.behave(&[Take, Take, Stall]);
    for requests in [3, 4, 6, 7, 9] {
        let mut command = sending(&capdex);
        let mut running = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the binary starts");
        receiver.wait_for(requests);
        running.kill().expect("a child of ours can be killed");
        running.wait().expect("it has ended");
    }
    let run = send(&capdex);
    assert_eq!(run.code, Some(0), "{} {}", run.stdout, run.stderr);
    assert_eq!(keys(&receiver), expected(&alerts), "each once, in the order of rank");
    let repeated = receiver.seen().len() - alerts.len();
    assert!(repeated <= 6, "a kill repeats the message in hand and no other: {repeated}");
}

#[test]
fn a_message_that_is_refused_holds_up_no_other() {
    let (capdex, receiver) = (Capdex::offline(), Receiver::start());
    schedule(&capdex, &webhook(&receiver.url()));
    let alerts = some(3);
    raise(&capdex, &alerts, NIGHT);
    receiver.behave(&[Status(400)]);
    let run = send(&capdex);
    assert_eq!(run.code, Some(3), "{}", run.stdout);
    assert!(run.stdout.contains("2 messages sent, 1 waiting"), "{}", run.stdout);
    assert_eq!(keys(&receiver), expected(&alerts[1..]));
    assert_eq!(send(&capdex).code, Some(0));
    assert_eq!(keys(&receiver), expected(&[&alerts[1..], &alerts[..1]].concat()));
}

#[test]
fn a_receiver_that_wants_to_be_left_alone_is() {
    let (capdex, receiver) = (Capdex::offline(), Receiver::start());
    schedule(&capdex, &webhook(&receiver.url()));
    raise(&capdex, &some(2), NIGHT);
    receiver.behave(&[Later(3600)]);
    for _ in 0..3 {
        let run = send(&capdex);
        assert_eq!(run.code, Some(3), "{}", run.stdout);
        assert!(run.stdout.contains("2 waiting"), "{}", run.stdout);
    }
    assert_eq!(receiver.seen().len(), 1, "it was asked once");
}

#[test]
fn a_sink_that_cannot_be_told_holds_up_neither_others_nor_the_night() {
    let registry = crate::packages::registry();
    let capdex = Capdex::with(&registry);
    let log = "[[alerts.sinks]]\nname = \"log\"\nkind = \"jsonl\"\npath = \"told.jsonl\"\n";
    let chat = "[[alerts.sinks]]\nname = \"chat\"\nkind = \"slack\"\nurl_env = \"CHAT_URL\"\n";
    let alerts = format!("[alerts]\npatience_ms = 1000\nbackoff_ms = 20\n{}{chat}{log}", webhook(NOWHERE));
    capdex.write("schedule.toml", format!("{}{alerts}", crate::packages::everything()));
    raise(&capdex, &some(2), NIGHT);
    let mut command = capdex.command(&["nightly", "--config", "schedule.toml", "--out", "out", "--as-of", NIGHT]);
    let run = Run::of(&command.env("HOOK_SECRET", SECRET).output().expect("the binary starts"));
    assert_eq!(run.code, Some(3), "{} {}", run.stdout, run.stderr);
    assert!(capdex.path().join("out/manifest.json").is_file(), "the dataset is there");
    for said in
        ["ops: 2 messages waiting — no answer", "chat: 2 messages waiting — CHAT_URL is not set", "2 sent, 4 waiting"]
    {
        assert!(run.stdout.contains(said), "{said}: {}", run.stdout);
    }
    let told = std::fs::read_to_string(capdex.path().join("told.jsonl")).expect("told");
    assert_eq!(told.lines().count(), 2);
    let status: Value = serde_json::from_str(&capdex.run(&["status", "--format", "json"]).stdout).expect("JSON");
    assert_eq!(status["runs"][0]["status"], "incomplete");
    assert_eq!(status["alerts"]["sinks"][0]["error"], "CHAT_URL is not set");
    assert_eq!(status["gaps"], serde_json::json!([]), "what an operator's sinks do is no gap of the dataset");
}

/// An alert whose every text wants to be heard, followed or hidden.
fn hostile() -> Alert {
    let text = "<!channel> @here <https://evil.test|fix> *bold* ```out``` \u{202e}txt.exe\u{200b} ü\r\nBcc: all@victim.test\r\n\r\n\u{1b}[31m]]><script>&amp;";
    Alert {
        subject: text.into(),
        title: text.into(),
        why: text.into(),
        details: vec![text.into()],
        diff: vec![format!("+{text}")],
        members: vec![text.into()],
        ..alert("hostile", Severity::High)
    }
}

#[test]
fn a_chat_gets_text_that_calls_nobody() {
    let (capdex, receiver) = (Capdex::offline(), Receiver::start());
    schedule(&capdex, "[[alerts.sinks]]\nname = \"chat\"\nkind = \"slack\"\nurl_env = \"CHAT_URL\"\n");
    raise(&capdex, &[hostile()], NIGHT);
    let run = Run::of(&sending(&capdex).env("CHAT_URL", receiver.url()).output().expect("the binary starts"));
    assert_eq!(run.code, Some(0), "{}", run.stdout);
    assert_eq!(run.stderr.as_str(), "", "{}", run.stdout);
    let (_, document) = receiver.taken().remove(0);
    let text = document["text"].as_str().expect("text");
    for live in ["<", ">", "@here", "\u{202e}", "\u{200b}", "\u{1b}", "\r", "\nBcc"] {
        assert!(!text.contains(live), "{live:?} in {text}");
    }
    assert_eq!(text.matches('`').count(), 6, "{text}");
    assert!(text.contains("&lt;!channel&gt;"), "{text}");
    assert!(text.contains("capdex drift --since"), "{text}");
    assert!(!capdex.run(&["status"]).stdout.contains(&receiver.url()), "the address is a secret");
}

/// An alert about a capability and one that is only counted, told to one sink of a kind; with these lines on the site.
fn told_by(kind: &str, site: &str) -> (Vec<(String, Value)>, Vec<Seen>) {
    let (capdex, receiver) = (Capdex::offline(), Receiver::start());
    let sink = format!("[[alerts.sinks]]\nname = \"ops\"\nkind = \"{kind}\"\nurl_env = \"CHAT_URL\"\n");
    let sink = if kind == "slack" { sink } else { format!("{sink}secret_env = \"HOOK_SECRET\"\n") };
    schedule(&capdex, &format!("budget = 1\n{site}{sink}"));
    let capability = Some(CapabilityId::of("npm:tides", Kind::Package, ""));
    let worst = Alert { capability, severity: Severity::Critical, ..hostile() };
    raise(&capdex, &[worst, alert("rest", Severity::Low)], NIGHT);
    let run = Run::of(&sending(&capdex).env("CHAT_URL", receiver.url()).output().expect("the binary starts"));
    assert_eq!(run.code, Some(0), "{} {}", run.stdout, run.stderr);
    (receiver.taken(), receiver.seen())
}

/// Every address under the key `url` or in `links`.
fn urls(value: &Value) -> Vec<String> {
    match value {
        Value::Object(fields) => fields
            .iter()
            .flat_map(|(key, value)| match value {
                Value::String(text) if key == "url" => vec![text.clone()],
                Value::Object(links) if key == "links" => {
                    links.values().filter_map(Value::as_str).map(str::to_owned).collect()
                }
                other => urls(other),
            })
            .collect(),
        Value::Array(items) => items.iter().flat_map(urls).collect(),
        _ => Vec::new(),
    }
}

const SITE: &str = "site_url = \"https://capdex.example.test/\"\n";

#[test]
fn an_event_says_what_every_event_says_and_links_to_the_operators_own_site_alone() {
    let (taken, seen) = told_by("cloudevents", SITE);
    assert_eq!(taken.len(), 2);
    for request in &seen {
        assert!(request.header("content-type").starts_with("application/cloudevents+json"), "{request:?}");
        assert_eq!(request.header("webhook-signature"), signature(SECRET.as_bytes(), request));
    }
    for ((_, event), kind) in taken.iter().zip(["capdex.alert.raised", "capdex.alert.digest"]) {
        assert_eq!((&event["specversion"], &event["type"]), (&"1.0".into(), &kind.into()));
        assert_eq!(event["source"], "https://capdex.example.test/");
        assert!(event["id"].as_str().is_some_and(|id| id.starts_with("msg_")), "{event}");
        assert!(event["time"].as_str().is_some_and(|time| time.parse::<capdex_model::time::Timestamp>().is_ok()));
        assert_eq!(event["data"]["alert"]["links"]["alerts"], "https://capdex.example.test/alerts.html");
    }
    let links = &taken[0].1["data"]["alert"]["links"];
    assert!(
        links["capability"].as_str().is_some_and(|link| link.starts_with("https://capdex.example.test/c/")),
        "{links}"
    );
    assert_eq!(taken[1].1["data"]["alert"]["links"].get("capability"), None, "a digest is about many");
    let (taken, _) = told_by("cloudevents", "");
    assert!(taken.iter().all(|(_, event)| urls(event).is_empty()), "no site, no link");
}

#[test]
fn the_blocks_of_a_chat_hold_one_link_and_it_is_the_operators_own() {
    let (taken, _) = told_by("slack", SITE);
    let (_, document) = &taken[0];
    let blocks = document["blocks"].as_array().expect("blocks");
    assert_eq!((&blocks[0]["type"], blocks.len()), (&"header".into(), 3));
    let body = &blocks[1]["elements"][0];
    assert_eq!(body["type"], "rich_text_preformatted");
    let shown = body["elements"][0]["text"].as_str().expect("text");
    let text = document["text"].as_str().expect("text");
    assert_eq!(text.split("```").nth(1).map(str::trim_start), Some(shown), "the same in both forms");
    assert!(shown.contains("evil.test"), "the control: a stranger's address is in the text");
    let found = urls(document);
    assert!(found.len() == 1 && found[0].starts_with("https://capdex.example.test/c/"), "{found:?}");
    let (taken, _) = told_by("slack", "");
    assert!(taken.iter().all(|(_, document)| urls(document).is_empty()));
}

#[test]
fn an_address_of_no_site_is_refused_before_anything_is_told() {
    for wrong in ["javascript:alert(1)", "capdex.example.test", "file:///etc/passwd"] {
        let capdex = Capdex::offline();
        let log = "[[alerts.sinks]]\nname = \"log\"\nkind = \"jsonl\"\npath = \"told.jsonl\"\n";
        schedule(&capdex, &format!("site_url = \"{wrong}\"\n{log}"));
        raise(&capdex, &some(1), NIGHT);
        let run = send(&capdex);
        assert_eq!(run.code, Some(2), "{wrong}: {}", run.stderr);
        assert!(run.stderr.contains("site_url"), "{wrong}: {}", run.stderr);
        assert!(!capdex.path().join("told.jsonl").exists(), "{wrong}");
    }
}

#[test]
fn letters_are_one_subject_and_plain_text_and_come_again_as_the_same_letter() {
    let (capdex, mailbox) = (Capdex::offline(), Mailbox::start());
    let sink = format!(
        "[[alerts.sinks]]\nname = \"mail\"\nkind = \"smtp\"\nhost = \"127.0.0.1\"\nport = {}\ntls = \"none\"\n\
         from = \"capdex <capdex@example.test>\"\nto = [\"ops@example.test\", \"Security <sec@example.test>\"]\n",
        mailbox.port()
    );
    schedule(&capdex, &sink);
    raise(&capdex, &[hostile(), alert("plain", Severity::Medium)], NIGHT);
    mailbox.end(&[Ending::NotNow, Ending::TakeAndCut]);
    let run = send(&capdex);
    assert_eq!(run.code, Some(0), "{}", run.stdout);
    assert_eq!(run.stderr.as_str(), "", "{}", run.stdout);
    let letters = mailbox.letters();
    assert_eq!(letters.len(), 3, "one was taken without a word, and sent again");
    assert_eq!(letters[0], letters[1], "the same letter to the last byte");
    for letter in &letters {
        assert_eq!(letter.from, "capdex@example.test");
        assert_eq!(letter.to, ["ops@example.test", "sec@example.test"]);
        let (head, _) = letter.data.split_once("\n\n").expect("headers and text");
        assert!(!head.lines().any(|line| line.starts_with("Bcc")), "{head}");
        assert!(head.contains("Message-ID: <msg_"), "{head}");
        assert!(head.contains("text/plain; charset=utf-8"), "{head}");
    }
    let text = letters[1].text();
    assert!(text.contains("ü"), "{text}");
    assert!(text.contains("\\u{202e}txt.exe"), "{text}");
    assert!(!text.lines().any(|line| line.starts_with("Bcc")), "{text}");
    assert!(letters[2].text().contains("  capdex drift --since 2026-11-21T01:00:00Z"));
}

#[test]
fn a_mail_server_that_offers_no_protection_is_told_nothing() {
    let (capdex, mailbox) = (Capdex::offline(), Mailbox::start());
    let sink = format!(
        "[[alerts.sinks]]\nname = \"mail\"\nkind = \"smtp\"\nhost = \"127.0.0.1\"\nport = {}\nusername = \"capdex\"\n\
         secret_env = \"HOOK_SECRET\"\nfrom = \"capdex@example.test\"\nto = [\"ops@example.test\"]\n",
        mailbox.port()
    );
    schedule(&capdex, &sink);
    let text = std::fs::read_to_string(capdex.path().join("schedule.toml")).expect("read");
    capdex.write("schedule.toml", text.replace("patience_ms = 3000", "patience_ms = 100"));
    raise(&capdex, &some(1), NIGHT);
    let run = send(&capdex);
    assert_eq!(run.code, Some(3), "{}", run.stdout);
    assert!(run.stdout.to_lowercase().contains("starttls"), "{}", run.stdout);
    assert_eq!(mailbox.letters(), []);
    assert_eq!(mailbox.said().iter().find(|line| line.starts_with("AUTH") || line.starts_with("MAIL")), None);
}

#[test]
fn a_feed_is_valid_stays_as_it_is_and_holds_no_markup_of_a_strangers() {
    let capdex = Capdex::offline();
    let sink = "[[alerts.sinks]]\nname = \"feed\"\nkind = \"atom\"\npath = \"feed.xml\"\nmax_entries = 3\n\
                url = \"https://feeds.example.test/a?b=1&c=2\"\n";
    schedule(&capdex, sink);
    let feed = || std::fs::read_to_string(capdex.path().join("feed.xml")).expect("a feed");
    raise(&capdex, &[hostile(), alert("plain", Severity::Medium)], NIGHT);
    assert_eq!(send(&capdex).code, Some(0));
    let first = feed();
    let entries = entries(&first);
    assert_eq!(entries.len(), 2);
    assert!(entries[0].1.contains("<!channel>"), "{entries:?}");
    assert!(entries[0].1.contains("\\u{202e}"), "{entries:?}");
    assert!(!first.contains("<script"));
    assert!(!first.contains("<!channel"));
    assert_eq!(send(&capdex).code, Some(0));
    assert_eq!(feed(), first, "nothing new, the same bytes");
    raise(&capdex, &some(2), "2026-11-22T01:00:00Z");
    let later = ["alerts", "send", "--config", "schedule.toml", "--as-of", "2026-11-22T01:00:00Z"];
    assert_eq!(capdex.run(&later).code, Some(0));
    let now = self::entries(&feed());
    assert_eq!(now.len(), 3, "the oldest make room");
    assert_eq!(now[2], entries[0], "an entry stays as it was");
    assert!(feed().contains("<updated>2026-11-22T01:00:00Z</updated>"));
    assert!(!capdex.path().join("feed.xml.new").exists());
}

/// The id and title of every entry; panics where RFC 4287 asks for more.
fn entries(xml: &str) -> Vec<(String, String)> {
    const ATOM: &str = "http://www.w3.org/2005/Atom";
    let document = roxmltree::Document::parse(xml).expect("XML");
    let one = |node: roxmltree::Node<'_, '_>, name: &str| {
        let found: Vec<_> = node.children().filter(|child| child.has_tag_name((ATOM, name))).collect();
        assert_eq!(found.len(), 1, "{name}");
        found[0].text().expect("text").to_owned()
    };
    let root = document.root_element();
    assert!(root.has_tag_name((ATOM, "feed")));
    assert!(root.children().any(|child| child.has_tag_name((ATOM, "author"))), "entries have none of their own");
    let mut seen = BTreeSet::from([one(root, "id")]);
    for node in [root].into_iter().chain(root.children().filter(|child| child.has_tag_name((ATOM, "entry")))) {
        one(node, "title");
        one(node, "updated").parse::<capdex_model::time::Timestamp>().expect("RFC 3339");
        assert!(node == root || seen.insert(one(node, "id")), "ids are unique");
    }
    assert!(seen.iter().all(|id| id.starts_with("urn:uuid:") && id.len() == 45), "{seen:?}");
    let entries = root.children().filter(|child| child.has_tag_name((ATOM, "entry")));
    entries.map(|entry| (one(entry, "id"), one(entry, "title"))).collect()
}
