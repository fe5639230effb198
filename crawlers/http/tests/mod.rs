//! What the client sends, and what it makes of what comes back, on loopback.

mod app;
mod pool;
mod private;
mod stated_limit;

use std::io::Write as _;
use std::time::Duration;

use capdex_model::listing::Validators;
use flate2::Compression;
use flate2::write::GzEncoder;

use super::testing::{Sent, Server, client, settings};
use super::{Credential, Http, HttpRequest, HttpResponse, HttpSettings, KeptHeaders, RateLimit, Secret};
use crate::CrawlError;

const CAP: u64 = 1_000;

fn ask(url: &str) -> HttpRequest<'_> {
    HttpRequest { url, max_bytes: CAP, ..HttpRequest::default() }
}

fn body(answer: Result<HttpResponse, CrawlError>) -> Vec<u8> {
    match answer {
        Ok(HttpResponse::Body { bytes, .. }) => bytes,
        other => panic!("expected a body, got {other:?}"),
    }
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).expect("memory takes everything");
    encoder.finish().expect("memory takes everything")
}

#[tokio::test]
async fn a_body_comes_with_what_to_ask_with_next_time() {
    let server = Server::start(|_, _| {
        let headers =
            [("etag", "\"one\""), ("last-modified", "Sun, 06 Nov 1994 08:49:37 GMT"), ("content-type", "a/b")];
        Sent::answer(200, &headers, "hello")
    });
    let (http, _) = client(settings(&[&server.base_url]));
    let url = format!("{}/a?b=c", server.base_url);
    let answer = http.send(HttpRequest { accept: Some("a/b"), ..ask(&url) }).await;
    let validators = Validators {
        etag: Some("\"one\"".into()),
        last_modified: Some("Sun, 06 Nov 1994 08:49:37 GMT".into()),
        digest: None,
    };
    let headers = Box::new(KeptHeaders { content_type: Some("a/b".to_owned()), ..KeptHeaders::default() });
    assert_eq!(answer, Ok(HttpResponse::Body { bytes: b"hello".to_vec(), validators, headers, url: url.clone() }));
    let asked = server.asked();
    let [asked] = asked.as_slice() else { panic!("one request") };
    assert_eq!(asked.path, "/a?b=c");
    assert_eq!(asked.header("accept"), Some("a/b"));
    assert_eq!(asked.header("accept-encoding"), Some("gzip"));
    let agent = format!("capdex/{} (+contact: set http.contact)", env!("CARGO_PKG_VERSION"));
    assert_eq!(asked.header("user-agent"), Some(agent.as_str()));
    for name in ["referer", "cookie", "authorization", "if-none-match", "if-modified-since"] {
        assert_eq!(asked.header(name), None, "{name}");
    }
    assert_eq!(http.usage().requests, 1);
    assert_eq!(http.usage().bytes, 5);
}

#[tokio::test]
async fn validators_are_sent_and_304_is_unchanged_even_with_a_body() {
    let server = Server::start(|_, _| Sent::answer(304, &[], "a body that should not be there"));
    let (http, _) = client(settings(&[&server.base_url]));
    let known = Validators { etag: Some("W/\"1\"".into()), last_modified: Some("then".into()), digest: None };
    let answer = http.send(HttpRequest { validators: Some(&known), ..ask(&server.base_url) }).await;
    assert_eq!(answer, Ok(HttpResponse::NotModified));
    let asked = server.asked();
    let first = asked.first().expect("one request");
    assert_eq!(first.header("if-none-match"), Some("W/\"1\""));
    assert_eq!(first.header("if-modified-since"), Some("then"));
}

#[tokio::test]
async fn a_304_that_nobody_asked_for_is_malformed() {
    let server = Server::start(|_, _| Sent::answer(304, &[], ""));
    let (http, _) = client(settings(&[&server.base_url]));
    assert!(matches!(http.send(ask(&server.base_url)).await, Err(CrawlError::Malformed { .. })));
}

#[tokio::test]
async fn a_429_waits_as_asked_and_then_gets_its_answer() {
    let server = Server::start(|_, before| match before {
        0 => Sent::answer(429, &[("retry-after", "7")], ""),
        _ => Sent::ok("late"),
    });
    let (http, clock) = client(settings(&[&server.base_url]));
    assert_eq!(body(http.send(ask(&server.base_url)).await), b"late");
    assert_eq!(clock.waits(), [Duration::from_secs(7)]);
    assert_eq!(http.usage().requests, 2);
}

#[tokio::test]
async fn a_429_with_no_wait_backs_off_all_the_same() {
    let server = Server::start(|_, before| match before {
        0 => Sent::answer(429, &[("retry-after", "0")], ""),
        _ => Sent::ok("late"),
    });
    let (http, clock) = client(settings(&[&server.base_url]));
    assert_eq!(body(http.send(ask(&server.base_url)).await), b"late");
    assert!(clock.waits().iter().all(|wait| *wait >= Duration::from_millis(250)));
    assert_eq!(clock.waits().len(), 1);
}

#[tokio::test]
async fn a_wait_that_is_too_long_is_the_callers_and_closes_the_host() {
    let server = Server::start(|_, _| Sent::answer(503, &[("retry-after", "3600")], ""));
    let (http, clock) = client(settings(&[&server.base_url]));
    let subject = format!("{}/", server.base_url);
    let expected = Err(CrawlError::RetryAt { subject, wait_s: 3_600 });
    assert_eq!(http.send(ask(&server.base_url)).await, expected);
    assert_eq!(http.send(ask(&server.base_url)).await, expected);
    assert_eq!(server.asked().len(), 1);
    assert_eq!(clock.waits().len(), 0);
}

#[tokio::test]
async fn a_wait_of_exactly_the_most_is_sat_out() {
    let server = Server::start(|_, before| match before {
        0 => Sent::answer(503, &[("retry-after", "30")], ""),
        _ => Sent::ok("late"),
    });
    let (http, clock) = client(settings(&[&server.base_url]));
    assert_eq!(body(http.send(ask(&server.base_url)).await), b"late");
    assert_eq!(clock.waits(), [Duration::from_secs(30)]);
}

#[tokio::test]
async fn failing_servers_are_asked_four_times_with_growing_waits() {
    let server = Server::start(|_, _| Sent::answer(500, &[], "oops"));
    let (http, clock) = client(settings(&[&server.base_url]));
    let answer = http.send(ask(&server.base_url)).await;
    assert!(matches!(&answer, Err(CrawlError::Transient { detail, .. }) if detail == "status 500"), "{answer:?}");
    assert_eq!(server.asked().len(), 4);
    let waits = clock.waits();
    let [first, second, third] = waits.as_slice() else { panic!("three waits") };
    assert!(*first <= Duration::from_millis(500), "{waits:?}");
    assert!(*third >= Duration::from_secs(1), "{waits:?}");
    assert!(second > first, "{waits:?}");
}

#[tokio::test]
async fn final_statuses_are_asked_once() {
    for status in [404, 410, 401, 403, 451, 400, 405, 501, 204] {
        let server = Server::start(move |_, _| Sent::answer(status, &[], ""));
        let (http, _) = client(settings(&[&server.base_url]));
        let answer = http.send(ask(&server.base_url)).await;
        let fits = match status {
            404 | 410 => matches!(answer, Err(CrawlError::Gone { .. })),
            401 => matches!(answer, Err(CrawlError::Unauthorized { .. })),
            403 | 451 => matches!(answer, Err(CrawlError::Denied { .. })),
            _ => matches!(answer, Err(CrawlError::Malformed { .. })),
        };
        assert!(fits, "{status}: {answer:?}");
        assert_eq!(server.asked().len(), 1, "{status}");
    }
}

#[tokio::test]
async fn a_short_body_is_tried_again() {
    let server = Server::start(|_, before| match before {
        0 => Sent::raw(200, &[("content-length", "10")], b"short"),
        _ => Sent::ok("whole"),
    });
    let (http, _) = client(settings(&[&server.base_url]));
    assert_eq!(body(http.send(ask(&server.base_url)).await), b"whole");
    let always = Server::start(|_, _| Sent::raw(200, &[("content-length", "10")], b"short"));
    let (http, _) = client(settings(&[&always.base_url]));
    assert!(matches!(http.send(ask(&always.base_url)).await, Err(CrawlError::Transient { .. })));
    assert_eq!(always.asked().len(), 4);
}

#[tokio::test]
async fn a_broken_gzip_body_is_an_error_and_never_half_a_body() {
    let packed = gzip(&[b'x'; 500]);
    let half = packed[..packed.len() / 2].to_vec();
    let server = Server::start(move |_, _| Sent::answer(200, &[("content-encoding", "gzip")], &half));
    let (http, _) = client(settings(&[&server.base_url]));
    assert!(matches!(http.send(ask(&server.base_url)).await, Err(CrawlError::Transient { .. })));
}

#[tokio::test]
async fn the_cap_holds_one_below_at_and_one_above() {
    for (length, fits) in [(999, true), (1_000, true), (1_001, false)] {
        let plain = Server::start(move |_, _| Sent::ok(vec![b'x'; length]));
        let packed = gzip(&vec![b'x'; length]);
        let packed = Server::start(move |_, _| Sent::answer(200, &[("content-encoding", "gzip")], &packed));
        // Without a length the answer ends with the connection.
        let unknown = Server::start(move |_, _| Sent::raw(200, &[], &vec![b'x'; length]));
        for server in [plain, packed, unknown] {
            let (http, _) = client(settings(&[&server.base_url]));
            let answer = http.send(ask(&server.base_url)).await;
            match answer {
                Ok(HttpResponse::Body { bytes, .. }) => assert!(fits && bytes.len() == length),
                Err(CrawlError::TooLarge { .. }) => assert!(!fits),
                other => panic!("{other:?}"),
            }
            assert_eq!(server.asked().len(), 1);
        }
    }
}

#[tokio::test]
async fn endless_bodies_and_gzip_bombs_end_at_the_cap() {
    let endless = Server::start(|_, _| Sent::raw(200, &[], b"").then_endless(&[b'x'; 4_096]));
    let bomb = gzip(&vec![0; 10_000_000]);
    let bomb = Server::start(move |_, _| Sent::answer(200, &[("content-encoding", "gzip")], &bomb));
    for server in [endless, bomb] {
        let (http, _) = client(settings(&[&server.base_url]));
        let answer = http.send(ask(&server.base_url)).await;
        assert!(matches!(answer, Err(CrawlError::TooLarge { .. })), "{answer:?}");
        assert!(http.usage().bytes < 1_000_000, "{:?}", http.usage());
    }
}

#[tokio::test]
async fn silent_servers_end_at_the_deadlines() {
    let before_status = Server::start(|_, _| Sent::bytes(b"").then_silence());
    let within_body = Server::start(|_, _| Sent::raw(200, &[("content-length", "9")], b"x").then_silence());
    for server in [before_status, within_body] {
        let mut settings = settings(&[&server.base_url]);
        settings.idle_deadline_ms = 20;
        let (http, _) = client(settings);
        let answer = http.send(ask(&server.base_url)).await;
        assert!(matches!(&answer, Err(error) if error.is_transient()), "{answer:?}");
        assert_eq!(http.usage().requests, 4);
    }
    // The total deadline covers all tries, so after it nothing is tried again.
    let busy = Server::start(|_, _| Sent::raw(200, &[], b"x").then_silence());
    let mut settings = settings(&[&busy.base_url]);
    settings.total_deadline_ms = 50;
    let (http, _) = client(settings);
    let answer = http.send(ask(&busy.base_url)).await;
    assert!(matches!(&answer, Err(CrawlError::Transient { detail, .. }) if detail.contains("50 ms")), "{answer:?}");
    assert_eq!(http.usage().requests, 1);
}

#[tokio::test]
async fn a_server_that_is_not_there_is_unreachable() {
    let base_url = {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("loopback has a free port");
        format!("http://{}", listener.local_addr().expect("the listener is bound"))
    };
    let (http, clock) = client(settings(&[&base_url]));
    assert!(matches!(http.send(ask(&base_url)).await, Err(CrawlError::Unreachable { .. })));
    assert_eq!(clock.waits().len(), 3);
}

#[tokio::test]
async fn what_is_not_http_is_an_error_and_not_a_body() {
    let server = Server::start(|_, _| Sent::bytes(b"SSH-2.0-hello\r\n\r\n"));
    let (http, _) = client(settings(&[&server.base_url]));
    assert!(http.send(ask(&server.base_url)).await.is_err());
}

#[tokio::test]
async fn a_redirect_to_another_host_drops_credentials_and_validators() {
    let other = Server::start(|_, _| Sent::ok("there"));
    let target = format!("{}/x", other.base_url);
    let location = target.clone();
    let server = Server::start(move |asked, _| match asked.path.as_str() {
        "/a" => Sent::answer(302, &[("location", "/b")], ""),
        _ => Sent::answer(307, &[("location", location.as_str())], ""),
    });
    let mut settings = settings(&[&server.base_url, &other.base_url]);
    settings.credentials = vec![Credential::authorization(&server.base_url, Secret::new("Bearer canary"))];
    let (http, _) = client(settings);
    let known = Validators { etag: Some("\"1\"".into()), ..Validators::default() };
    let url = format!("{}/a", server.base_url);
    let answer = http.send(HttpRequest { validators: Some(&known), ..ask(&url) }).await;
    assert!(matches!(&answer, Ok(HttpResponse::Body { url, .. }) if *url == target), "{answer:?}");
    assert_eq!(server.paths(), ["/a", "/b"]);
    for asked in server.asked() {
        assert_eq!(asked.header("authorization"), Some("Bearer canary"));
        assert_eq!(asked.header("if-none-match"), Some("\"1\""));
    }
    let asked = other.asked();
    let first = asked.first().expect("one request");
    for name in ["authorization", "if-none-match", "referer", "cookie"] {
        assert_eq!(first.header(name), None, "{name}");
    }
    assert!(!format!("{http:?}").contains("canary"));
}

#[tokio::test]
async fn the_credential_of_the_nearest_base_address_is_sent() {
    let server = Server::start(|_, _| Sent::ok("x"));
    let mut settings = settings(&[&server.base_url]);
    let credential =
        |path: &str, token: &str| Credential::authorization(format!("{}{path}", server.base_url), Secret::new(token));
    settings.credentials = vec![credential("/npm", "near"), credential("/npm/inner/", "nearest")];
    let (http, _) = client(settings);
    for path in ["/npm/a", "/npm/inner/a", "/npmx", "/"] {
        body(http.send(ask(&format!("{}{path}", server.base_url))).await);
    }
    let asked = server.asked();
    let sent: Vec<_> = asked.iter().map(|asked| asked.header("authorization")).collect();
    assert_eq!(sent, [Some("near"), Some("nearest"), None, None]);
}

#[tokio::test]
async fn redirects_to_forbidden_addresses_are_refused() {
    for target in
        ["http://169.254.169.254/latest/meta-data", "http://[::1]:1/", "http://localhost:1/", "file:///etc/passwd"]
    {
        let server = Server::start(move |_, _| Sent::answer(301, &[("location", target)], ""));
        let (http, _) = client(settings(&[&server.base_url]));
        let answer = http.send(ask(&server.base_url)).await;
        assert!(matches!(answer, Err(CrawlError::Refused { .. })), "{target}: {answer:?}");
    }
}

#[tokio::test]
async fn redirects_end_after_five_and_lead_somewhere() {
    let circle = Server::start(|_, _| Sent::answer(302, &[("location", "/again")], ""));
    let (http, _) = client(settings(&[&circle.base_url]));
    assert!(matches!(http.send(ask(&circle.base_url)).await, Err(CrawlError::Refused { .. })));
    assert_eq!(circle.asked().len(), 6);
    let nowhere = Server::start(|_, _| Sent::answer(302, &[], ""));
    let (http, _) = client(settings(&[&nowhere.base_url]));
    assert!(matches!(http.send(ask(&nowhere.base_url)).await, Err(CrawlError::Malformed { .. })));
}

#[tokio::test]
async fn loopback_is_refused_by_number_and_by_name_unless_configured() {
    let server = Server::start(|_, _| Sent::ok("x"));
    let other_port = "http://127.0.0.1:1";
    let named = server.base_url.replace("127.0.0.1", "localhost");
    let (http, _) = client(settings(&[other_port]));
    for url in [&server.base_url, &named] {
        assert!(matches!(http.send(ask(url)).await, Err(CrawlError::Refused { .. })), "{url}");
    }
    assert_eq!(server.asked().len(), 0);
    let (http, _) = client(settings(&[&named]));
    assert_eq!(body(http.send(ask(&named)).await), b"x");
}

#[test]
fn settings_that_cannot_be_meant_are_errors() {
    assert!(matches!(Http::new(settings(&["ftp://registry.example"])), Err(CrawlError::Refused { .. })));
    assert!(matches!(Http::new(settings(&["nonsense"])), Err(CrawlError::Malformed { .. })));
    let mut settings = settings(&[]);
    settings.credentials = vec![Credential::authorization("https://registry.example", Secret::new("canary\n"))];
    let error = Http::new(settings).expect_err("no header can carry it");
    assert!(!error.to_string().contains("canary"));
}

#[tokio::test]
async fn credentials_of_one_source_go_along_with_its_requests_only() {
    let server = Server::start(|_, _| Sent::ok("x"));
    let credential = Credential::authorization(&server.base_url, Secret::new("Bearer canary"));
    let mut settings = settings(&[&server.base_url]);
    settings.credentials = vec![Credential { kind: "forge".into(), ..credential }];
    let (http, _) = client(settings);
    let acting = |kind| http.acting_for("", kind);
    for http in [acting("forge"), acting("mcp"), http.clone(), acting("forge").counted()] {
        body(http.send(ask(&server.base_url)).await);
    }
    let sent: Vec<_> = server.asked().iter().map(|asked| asked.header("authorization").is_some()).collect();
    assert_eq!(sent, [true, false, false, true]);
}

#[tokio::test]
async fn a_reservation_is_of_the_pace_holds_no_place_and_is_used_once() {
    let server = Server::start(|_, _| Sent::ok("x"));
    let pace = RateLimit { per_minute: 1, burst: 2, in_flight: 1 };
    let rate_limits = vec![(server.base_url.clone(), pace)];
    let (http, _) = client(HttpSettings { rate_limits, ..settings(&[&server.base_url]) });
    let reserve = || http.try_reserve(&server.base_url).expect("an address");
    let (first, second) = (reserve().expect("reserved"), reserve().expect("reserved though there is one place"));
    let wait = reserve().expect_err("the burst is over");
    assert!(wait > Duration::from_secs(50), "{wait:?}");
    assert!(wait <= Duration::from_secs(60), "{wait:?}");
    body(second.send(ask(&server.base_url)).await);
    body(first.send(ask(&server.base_url)).await);
    let third = tokio::time::timeout(Duration::from_millis(50), first.send(ask(&server.base_url))).await;
    assert!(third.is_err(), "the pace holds for what was not reserved");
}
