//! Several tokens for one server: which of them is sent, and what a bad or spent one does to the others.

use std::collections::BTreeMap;
use std::sync::Mutex;

use super::*;
use crate::http::testing::{Asked, FakeClock, Server};

/// What a server says of one token.
#[derive(Clone, Copy)]
enum Says {
    /// 200, and so many are left after it, until so many seconds have passed.
    Left(u64, u64),
    /// 401.
    Bad,
    /// 403 with nothing left for so many seconds.
    Spent(u64),
    /// 403 with `Retry-After` and some left: everybody is too fast.
    TooFast(u64),
}

fn answer(says: Says) -> Sent {
    let with = |status: u16, remaining: u64, reset: u64, more: &[(&str, &str)]| {
        let (remaining, reset) = (remaining.to_string(), reset.to_string());
        let mut headers = vec![("x-ratelimit-remaining", remaining.as_str()), ("x-ratelimit-reset", reset.as_str())];
        headers.extend_from_slice(more);
        Sent::answer(status, &headers, "x")
    };
    match says {
        Says::Left(remaining, reset) => with(200, remaining, reset, &[]),
        Says::Bad => with(401, 60, 3_600, &[]),
        Says::Spent(reset) => with(403, 0, reset, &[]),
        Says::TooFast(wait) => with(403, 4_000, 3_600, &[("retry-after", wait.to_string().as_str())]),
    }
}

/// A server that says the next thing of each token's list, the last one again and again.
fn server(lists: &'static [(&'static str, &'static [Says])]) -> Server {
    let counts = Mutex::new(BTreeMap::<String, usize>::new());
    Server::start(move |asked: &Asked, _| {
        let token = asked.header("authorization").unwrap_or_default().to_owned();
        let Some((_, says)) = lists.iter().find(|(name, _)| *name == token) else { return Sent::answer(400, &[], "") };
        let mut counts = counts.lock().expect("no test thread panics while it holds this");
        let count = counts.entry(token).or_default();
        *count += 1;
        answer(says[(*count - 1).min(says.len() - 1)])
    })
}

fn pooled(server: &Server, tokens: &[&str]) -> (Http, std::sync::Arc<FakeClock>) {
    let mut settings = settings(&[&server.base_url]);
    let credential = |token: &&str| Credential::authorization(&server.base_url, Secret::new(*token));
    settings.credentials = tokens.iter().map(credential).collect();
    client(settings)
}

fn sent(server: &Server) -> Vec<String> {
    server.asked().iter().map(|asked| asked.header("authorization").unwrap_or_default().to_owned()).collect()
}

#[tokio::test]
async fn each_request_takes_the_token_with_the_most_left() {
    let server = server(&[("a", &[Says::Left(10, 60), Says::Left(9, 60)]), ("b", &[Says::Left(4_999, 60)])]);
    let (http, _) = pooled(&server, &["a", "b", "a"]);
    for _ in 0..4 {
        body(http.send(ask(&server.base_url)).await);
    }
    assert_eq!(sent(&server), ["a", "b", "b", "b"]);
}

#[tokio::test]
async fn a_bad_token_is_tried_once_and_stalls_nobody() {
    let server = server(&[("bad", &[Says::Bad]), ("good", &[Says::Left(5, 60)])]);
    let (http, clock) = pooled(&server, &["bad", "good"]);
    for _ in 0..3 {
        body(http.send(ask(&server.base_url)).await);
    }
    assert_eq!(sent(&server), ["bad", "good", "good", "good"]);
    assert_eq!(clock.waits(), []);
    assert!(!format!("{http:?}").contains("good"));
}

#[tokio::test]
async fn a_spent_token_is_left_alone_until_its_reset_and_the_host_stays_open() {
    let server =
        server(&[("a", &[Says::Left(0, 20), Says::Left(9, 60)]), ("b", &[Says::Left(8, 60), Says::Spent(25)])]);
    let (http, clock) = pooled(&server, &["a", "b"]);
    for _ in 0..3 {
        body(http.send(ask(&server.base_url)).await);
    }
    // The third one: b is spent after all, and a has more in twenty seconds, which are sat out.
    assert_eq!(sent(&server), ["a", "b", "b", "a"]);
    assert_eq!(clock.waits(), [Duration::from_secs(20)]);
}

#[tokio::test]
async fn only_when_all_are_spent_is_the_caller_told_when_to_come_back() {
    let server = server(&[("a", &[Says::Spent(3_600)]), ("b", &[Says::Spent(1_800)])]);
    let (http, clock) = pooled(&server, &["a", "b"]);
    for _ in 0..2 {
        let subject = format!("{}/", server.base_url);
        assert_eq!(http.send(ask(&server.base_url)).await, Err(CrawlError::RetryAt { subject, wait_s: 1_800 }));
    }
    assert_eq!(sent(&server).len(), 2);
    assert_eq!(clock.waits().len(), 0);
}

#[tokio::test]
async fn only_when_all_are_refused_is_the_caller_denied() {
    let server = server(&[("a", &[Says::Bad]), ("b", &[Says::Bad])]);
    let (http, _) = pooled(&server, &["a", "b"]);
    for _ in 0..2 {
        assert!(matches!(http.send(ask(&server.base_url)).await, Err(CrawlError::Denied { .. })));
    }
    assert_eq!(sent(&server).len(), 2);
}

#[tokio::test]
async fn a_server_that_always_has_more_and_never_gives_it_is_given_up() {
    let server = server(&[("a", &[Says::Spent(0)]), ("b", &[Says::Spent(0)])]);
    let (http, clock) = pooled(&server, &["a", "b"]);
    assert!(matches!(http.send(ask(&server.base_url)).await, Err(CrawlError::RetryAt { .. })));
    assert!(sent(&server).len() <= 8);
    assert!(clock.waits().len() <= 4);
}

#[tokio::test]
async fn a_limit_that_is_not_the_tokens_closes_the_host_for_all() {
    let server = server(&[("a", &[Says::TooFast(3_600)]), ("b", &[Says::Left(9, 60)])]);
    let (http, _) = pooled(&server, &["a", "b"]);
    for _ in 0..2 {
        assert!(matches!(http.send(ask(&server.base_url)).await, Err(CrawlError::RetryAt { wait_s: 3_600, .. })));
    }
    assert_eq!(sent(&server), ["a"]);
}

#[tokio::test]
async fn a_single_token_has_the_hosts_budget_as_ever() {
    let server = server(&[("a", &[Says::Left(0, 3_600)])]);
    let (http, _) = pooled(&server, &["a", "a"]);
    body(http.send(ask(&server.base_url)).await);
    assert!(matches!(http.send(ask(&server.base_url)).await, Err(CrawlError::RetryAt { wait_s: 3_600, .. })));
    assert_eq!(sent(&server).len(), 1);
}
