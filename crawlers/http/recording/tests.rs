//! Records made on loopback and played without any server.

use proptest::prelude::*;

use super::*;
use crate::http::testing::{Sent, Server, client, settings};
use crate::http::{Credential, Http, HttpRequest, HttpResponse, HttpSettings, Secret};

async fn ask(http: &Http, url: &str, body: Option<&[u8]>) -> Result<HttpResponse, CrawlError> {
    http.send(HttpRequest { url, body, max_bytes: 1 << 20, ..HttpRequest::default() }).await
}

fn with(recording: CrawlRecordingSettings, base_url: &str) -> HttpSettings {
    HttpSettings { recording: Some(recording), ..settings(&[base_url]) }
}

#[tokio::test]
async fn a_recorded_crawl_is_played_again_byte_for_byte_without_a_server() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("crawl.warc.gz");
    let server = Server::start(|asked, before| match asked.path.as_str() {
        "/moved" => Sent::answer(302, &[("location", "/a")], ""),
        "/missing" => Sent::answer(404, &[], ""),
        "/post" => Sent::ok(asked.body.clone()),
        "/later" if before % 2 == 0 => Sent::answer(503, &[], ""),
        _ => Sent::answer(200, &[("etag", "\"1\""), ("link", "<x>; rel=next")], format!("{before}\r\n\r\nbinary\0")),
    });
    let base_url = server.base_url.clone();
    let questions: [(&str, Option<&[u8]>); 7] = [
        ("/a", None),
        ("/a", None),
        ("/moved", None),
        ("/missing", None),
        ("/post", Some(b"one")),
        ("/post", Some(b"two")),
        ("/later", None),
    ];
    let mut settings = with(CrawlRecordingSettings::Record(path.clone()), &base_url);
    settings.credentials = vec![Credential::authorization(&base_url, Secret::new("Bearer canary"))];
    let (http, _) = client(settings);
    let mut first = Vec::new();
    for (path, body) in questions {
        first.push(ask(&http, &format!("{base_url}{path}"), body).await);
    }
    let token: &[u8] = br#"{"token":"canary"}"#;
    let (url, is_secret) = (format!("{base_url}/post"), true);
    let ask_token = HttpRequest { url: &url, body: Some(token), is_secret, max_bytes: 1_000, ..HttpRequest::default() };
    assert!(http.send(ask_token).await.is_ok());
    drop((server, http));
    let (http, _) = client(with(CrawlRecordingSettings::Replay(path.clone()), &base_url));
    for ((question, body), expected) in questions.into_iter().zip(first) {
        assert_eq!(ask(&http, &format!("{base_url}{question}"), body).await, expected, "{question}");
    }
    let secret = HttpRequest { url: &format!("{base_url}/post"), body: Some(b"secret"), ..HttpRequest::default() };
    assert!(http.send(secret).await.is_err(), "what is not on record is not answered");
    let unasked = ask(&http, &format!("{base_url}/other"), None).await;
    assert!(matches!(unasked, Err(CrawlError::Unreachable { .. })), "{unasked:?}");
    let text = crate::unpack::gunzip(&std::fs::read(&path).expect("there"), 1 << 20).expect("gzip");
    assert!(!String::from_utf8_lossy(&text).contains("canary"), "credentials are not on record");
}

#[tokio::test]
async fn answers_that_were_cut_or_too_large_are_met_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("crawl.warc.gz");
    let server = Server::start(|asked, before| match asked.path.as_str() {
        "/large" => Sent::ok(vec![b'x'; 2 << 20]),
        "/endless" => Sent::raw(200, &[], b"").then_endless(&[b'x'; 65_536]),
        "/cut-once" if before % 2 == 0 => Sent::raw(200, &[("content-length", "9")], b"half"),
        "/silent" => Sent::bytes(b"HTTP/1.1 200 X\r\ncontent-length: 9\r\n\r\n").then_silence(),
        _ => Sent::ok("whole"),
    });
    let slow = |recording| HttpSettings { total_deadline_ms: 300, max_tries: 2, ..with(recording, &server.base_url) };
    let questions = ["/cut-once", "/large", "/endless", "/silent"];
    let (http, _) = client(slow(CrawlRecordingSettings::Record(path.clone())));
    let mut first = Vec::new();
    for question in questions {
        first.push(ask(&http, &format!("{}{question}", server.base_url), None).await);
    }
    assert!(matches!(
        first.as_slice(),
        [Ok(_), Err(CrawlError::TooLarge { .. }), Err(CrawlError::TooLarge { .. }), Err(CrawlError::Transient { .. })]
    ));
    let (http, _) = client(slow(CrawlRecordingSettings::Replay(path)));
    for (question, expected) in questions.into_iter().zip(first) {
        assert_eq!(ask(&http, &format!("{}{question}", server.base_url), None).await, expected, "{question}");
    }
}

#[tokio::test]
async fn failures_are_met_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("crawl.warc.gz");
    let base_url = "http://127.0.0.1:1";
    let (http, _) = client(with(CrawlRecordingSettings::Record(path.clone()), base_url));
    let first = ask(&http, base_url, None).await.expect_err("nobody listens there");
    let (http, _) = client(with(CrawlRecordingSettings::Replay(path), base_url));
    assert_eq!(ask(&http, base_url, None).await, Err(first));
}

#[test]
fn a_record_is_never_overwritten_and_other_files_are_no_records() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("file");
    std::fs::write(&path, b"mine").expect("written");
    assert!(CrawlRecording::open(Some(&CrawlRecordingSettings::Record(path.clone()))).is_err());
    assert!(CrawlRecording::open(Some(&CrawlRecordingSettings::Replay(path.clone()))).is_err());
    assert_eq!(std::fs::read(&path).expect("there"), b"mine");
    assert!(CrawlRecording::open(Some(&CrawlRecordingSettings::Replay(folder.path().join("missing")))).is_err());
}

/// Every exchange of a record, each read at its place, the last ones first.
fn read_back(bytes: &[u8]) -> Result<Vec<Exchange>, String> {
    let mut file = std::io::Cursor::new(bytes);
    let places = read::places(&mut file)?;
    let mut exchanges: Vec<Exchange> =
        places.iter().rev().map(|(_, place)| read::exchange(&mut file, *place)).collect::<Result<_, _>>()?;
    exchanges.reverse();
    for ((question, place), exchange) in places.iter().zip(&exchanges) {
        assert_eq!(*question, exchange.key.digest());
        assert_eq!(place.is_failure, !matches!(exchange.outcome, RecordedOutcome::Answer { .. }));
    }
    Ok(exchanges)
}

#[test]
fn what_is_no_record_of_one_exchange_a_member_is_refused() {
    let whole = |length: &str, block: &str| {
        format!(
            "WARC/1.1\r\nWARC-Type: response\r\nX-Capdex-Method: GET\r\nWARC-Target-URI: http://h.test/\r\n\
             Content-Length: {length}\r\n\r\n{block}\r\n\r\n"
        )
    };
    let answer = "HTTP/1.1 200 X\r\n\r\nbody";
    let length = answer.len().to_string();
    let read = |text: &str| read_back(&crate::unpack::gzip(text.as_bytes()).expect("memory takes everything"));
    let good = whole(&length, answer);
    assert!(read(&good).is_ok_and(|read| read.len() == 1));
    let long = "x".repeat(2 << 20);
    let bad = [
        good.repeat(2),
        format!("{good}x"),
        good.trim_end().to_owned(),
        whole("9", answer),
        whole("99", answer),
        whole("4294967296", answer),
        whole("-1", answer),
        good.replace("200", "two hundred"),
        good.replace("WARC/1.1", "WARC/0.9"),
        good.replace("http://h.test/", &format!("http://h.test/{long}")),
        good.replace("X-Capdex-Method: GET\r\n", ""),
    ];
    for bad in bad {
        let start: String = bad.chars().take(300).collect();
        let error = read(&bad).expect_err(&start);
        assert!(error.starts_with("the record at byte 0: "), "{error}");
    }
    let two =
        [read(&good).map(|_| crate::unpack::gzip(good.as_bytes()).expect("gzip")).expect("good"), b"no gzip".to_vec()];
    let error = read_back(&two.concat()).expect_err("the second is none");
    assert!(error.starts_with(&format!("the record at byte {}: ", two[0].len())), "{error}");
}

fn any_exchange() -> impl Strategy<Value = Exchange> {
    let key = ("(GET|POST)", "http://h.test/[a-z]{0,8}", proptest::option::of(any::<[u8; 32]>()));
    let key = key.prop_map(|(method, url, body)| Key { method, url, body: body.map(Digest::from_bytes) });
    let headers = proptest::collection::vec(("[a-z]{1,8}", "[a-z :]{0,8}[a-z]"), 0..4);
    let answer = (200_u16..600, headers, any::<Vec<u8>>())
        .prop_map(|(status, headers, body)| RecordedOutcome::Answer { status, headers, body });
    let outcome = prop_oneof![
        answer,
        "[a-z ]{0,20}".prop_map(RecordedOutcome::Unanswered),
        "[a-z ]{0,20}".prop_map(RecordedOutcome::Broken)
    ];
    (key, outcome).prop_map(|(key, outcome)| Exchange { outcome, key })
}

proptest! {
    #[test]
    fn what_is_written_is_read(exchanges in proptest::collection::vec(any_exchange(), 0..6)) {
        let mut file = Vec::new();
        let mut recorder = write::Recorder::begin(&mut file).expect("memory takes everything");
        for exchange in &exchanges {
            recorder.write(exchange).expect("memory takes everything");
        }
        prop_assert_eq!(read_back(&file), Ok(exchanges));
    }

    #[test]
    fn any_file_is_read_without_panic(bytes: Vec<u8>) {
        let _ = read_back(&bytes);
    }
}
