//! A limit that only the text of a refusal tells: how long a host is left alone, and who is asked after.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use super::super::recording::CrawlRecordingSettings;
use super::super::testing::{Sent, Server, client, settings};
use super::super::{HttpSettings, RateLimit};
use super::{ask, body};
use crate::CrawlError;

const MINUTE: Duration = Duration::from_secs(60);
const TEXT: &str = r#"{"message":"You have exceeded a secondary rate limit. Wait a few minutes."}"#;
const QUOTA_LEFT: [(&str, &str); 2] = [("x-ratelimit-remaining", "4012"), ("x-ratelimit-reset", "1999999999")];

fn limit(status: u16, has_headers: bool) -> Sent {
    Sent::answer(status, if has_headers { &QUOTA_LEFT } else { &[] }, TEXT)
}

#[tokio::test]
async fn the_host_rests_for_a_minute_and_is_asked_again() {
    for (status, has_headers) in [(403, true), (403, false), (429, true), (429, false)] {
        let server =
            Server::start(move |_, before| if before == 0 { limit(status, has_headers) } else { Sent::ok("late") });
        let (http, clock) = client(settings(&[&server.base_url]));
        assert_eq!(body(http.send(ask(&server.base_url)).await), b"late", "{status}");
        assert_eq!(clock.waits(), [MINUTE], "{status}");
    }
}

#[tokio::test]
async fn a_host_that_says_it_twice_is_left_alone_in_all_its_parts() {
    let server = Server::start(|_, _| limit(403, true));
    let pace = RateLimit { per_minute: 1_000_000, burst: 1_000, in_flight: 8 };
    let part = format!("{}/search", server.base_url);
    let rate_limits = vec![(server.base_url.clone(), pace), (part.clone(), pace)];
    let (http, clock) = client(HttpSettings { rate_limits, ..settings(&[&server.base_url]) });
    let rest = |answer| match answer {
        Err(CrawlError::RetryAt { wait_s, .. }) => wait_s,
        other => panic!("expected a wait, got {other:?}"),
    };
    assert_eq!(rest(http.send(ask(&server.base_url)).await), 120);
    assert_eq!(rest(http.send(ask(&part)).await), 120);
    assert!(matches!(http.try_reserve(&part), Err(CrawlError::RetryAt { wait_s: 120, .. })));
    assert_eq!(server.asked().len(), 2);
    assert_eq!(clock.waits(), [MINUTE]);
}

#[tokio::test]
async fn one_request_goes_before_all_others_after_a_rest() {
    let met = Arc::new(AtomicUsize::new(0));
    let server = {
        let met = Arc::clone(&met);
        Server::start(move |_, _| {
            met.fetch_add(1, Ordering::SeqCst);
            limit(403, false)
        })
    };
    let pace = RateLimit { per_minute: 1_000_000, burst: 1_000, in_flight: 4 };
    let rate_limits = vec![(server.base_url.clone(), pace)];
    let (http, _) = client(HttpSettings { rate_limits, ..settings(&[&server.base_url]) });
    let all = (0..40).map(|_| {
        let (http, url) = (http.clone(), server.base_url.clone());
        async move { http.send(ask(&url)).await }
    });
    for answer in crate::walk::concurrently(all).await {
        assert!(matches!(answer, Some(Err(CrawlError::RetryAt { .. }))), "{answer:?}");
    }
    // Four places, and one request after the rest.
    assert!(met.load(Ordering::SeqCst) <= 5, "{met:?}");
}

#[tokio::test]
async fn any_other_refusal_is_final() {
    for text in ["", r#"{"message":"Resource not accessible by integration"}"#, &"x".repeat(100_000)] {
        let text = text.to_owned();
        let server = Server::start(move |_, _| Sent::answer(403, &QUOTA_LEFT, &text));
        let (http, clock) = client(settings(&[&server.base_url]));
        assert!(matches!(http.send(ask(&server.base_url)).await, Err(CrawlError::Denied { .. })));
        assert_eq!((server.asked().len(), clock.waits().len()), (1, 0));
    }
}

#[tokio::test]
async fn a_replay_meets_the_limit_too() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("crawl.jsonl");
    let server = Server::start(|_, before| if before == 0 { limit(403, true) } else { Sent::ok("late") });
    for recording in [CrawlRecordingSettings::Record(path.clone()), CrawlRecordingSettings::Replay(path.clone())] {
        let (http, clock) = client(HttpSettings { recording: Some(recording), ..settings(&[&server.base_url]) });
        assert_eq!(body(http.send(ask(&server.base_url)).await), b"late");
        assert_eq!(clock.waits(), [MINUTE]);
    }
    assert_eq!(server.asked().len(), 2);
}
