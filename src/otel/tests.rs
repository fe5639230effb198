//! Tests against a collector on loopback: what it is told, and that nothing waits for one that is not there.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::sync::mpsc::{Receiver, channel};
use std::time::Instant;

use tracing::{field, info_span};
use tracing_subscriber::layer::SubscriberExt as _;

use super::*;

fn none(_: &str) -> Option<String> {
    None
}

/// A collector that takes whatever it is sent: its address, and what it was sent.
fn collector() -> (String, Receiver<(String, Vec<u8>)>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("binds");
    let url = format!("http://{}/v1/traces", listener.local_addr().expect("an address"));
    let (tell, told) = channel();
    std::thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            let mut reader = BufReader::new(&stream);
            let (mut head, mut length) = (String::new(), 0);
            while reader.read_line(&mut head).is_ok_and(|bytes| bytes > 2) {}
            for line in head.to_ascii_lowercase().lines() {
                if let Some(value) = line.strip_prefix("content-length:") {
                    length = value.trim().parse().expect("a length");
                }
            }
            let mut body = vec![0; length];
            reader.read_exact(&mut body).expect("a body");
            (&stream).write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n").expect("answers");
            if tell.send((head, body)).is_err() {
                break;
            }
        }
    });
    (url, told)
}

/// A run with one stage, as the program makes them; and a span of somebody else.
fn run() {
    let run = info_span!(target: "capdex::jobs", "run", otel.name = "left-night", run = 7, outcome = field::Empty);
    let stage = info_span!(target: "capdex::jobs", parent: &run, "stage", otel.name = "scan-stage");
    drop(info_span!(target: "stranger", "not-ours"));
    drop(stage);
    run.record("outcome", "done-indeed");
}

fn holds(body: &[u8], text: &str) -> bool {
    body.windows(text.len()).any(|window| window == text.as_bytes())
}

#[test]
fn a_collector_is_told_of_runs_and_stages_at_the_end() {
    let (url, told) = collector();
    let telling = Collector::at(Some(&url), &none).expect("set up");
    tracing::subscriber::with_default(tracing_subscriber::registry().with(telling.layer()), run);
    assert!(telling.finish());
    let (head, body) = told.recv_timeout(Duration::from_secs(10)).expect("told");
    assert!(head.starts_with("POST /v1/traces HTTP/1.1\r\n"), "{head}");
    assert!(head.contains("application/x-protobuf"), "{head}");
    for text in ["capdex", "left-night", "scan-stage", "outcome", "done-indeed"] {
        assert!(holds(&body, text), "no {text} in {}", String::from_utf8_lossy(&body));
    }
    assert!(!holds(&body, "not-ours"));
}

#[test]
fn nobody_waits_for_a_collector_that_is_not_there() {
    let silent = TcpListener::bind("127.0.0.1:0").expect("binds");
    let url = format!("http://{}/v1/traces", silent.local_addr().expect("an address"));
    for (url, most) in [("http://127.0.0.1:9/v1/traces", 2 * LAST_WAIT), (url.as_str(), 2 * LAST_WAIT)] {
        let telling = Collector::at(Some(url), &none).expect("set up");
        let begun = Instant::now();
        tracing::subscriber::with_default(tracing_subscriber::registry().with(telling.layer()), run);
        assert!(begun.elapsed() < Duration::from_secs(1), "a run is not held up");
        assert!(!telling.finish() || url.ends_with(":9/v1/traces"));
        assert!(begun.elapsed() < most, "{:?}", begun.elapsed());
    }
}

#[test]
fn the_standard_variables_switch_it_on_and_off() {
    let wanted = |variables: &[(&str, &str)]| {
        let variables: BTreeMap<&str, &str> = variables.iter().copied().collect();
        is_wanted(&|name| variables.get(name).map(|value| (*value).to_owned()))
    };
    let endpoint = ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:4318");
    assert!(!wanted(&[]));
    assert!(!wanted(&[("OTEL_EXPORTER_OTLP_ENDPOINT", " ")]));
    assert!(wanted(&[endpoint]));
    assert!(wanted(&[("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://c/v1/traces")]));
    assert!(!wanted(&[endpoint, ("OTEL_SDK_DISABLED", "True")]));
    assert!(!wanted(&[endpoint, ("OTEL_TRACES_EXPORTER", "none")]));
    let of = |text: &'static str| deadline(&|name| (name == "OTEL_EXPORTER_OTLP_TIMEOUT").then(|| text.to_owned()));
    assert_eq!(of("250"), Duration::from_millis(250));
    assert_eq!(of("soon"), Duration::from_secs(10));
}
