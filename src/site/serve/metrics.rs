//! The counters of the service, as Prometheus reads them (text format 0.0.4).
//!
//! Labels are closed words of ours; nothing that was asked becomes one.

use std::fmt::Write as _;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use super::state::LoadedSite;

/// The upper ends of the steps by which durations are counted, in microseconds.
const STEPS: [u64; 8] = [500, 1_000, 5_000, 10_000, 50_000, 100_000, 500_000, 1_000_000];
/// Statuses that are counted by themselves, by their first digit.
const CLASSES: [&str; 4] = ["2xx", "3xx", "4xx", "5xx"];

/// The counters.
#[derive(Default)]
pub(super) struct Metrics {
    requests: [AtomicU64; 4],
    steps: [AtomicU64; 9],
    micros: AtomicU64,
    sent_bytes: AtomicU64,
    hits: AtomicU64,
    misses: AtomicU64,
    connections: AtomicI64,
    accepted: AtomicU64,
    loads: AtomicU64,
    load_failures: AtomicU64,
    load_millis: AtomicU64,
}

impl Metrics {
    /// A request was answered.
    pub(super) fn answered(&self, status: u16, bytes: usize, took: Duration) {
        // Statuses below 200 are never sent, so the first class is that of success.
        let class = usize::from(status / 100).saturating_sub(2).min(CLASSES.len() - 1);
        let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        // The last step is for everything longer, as `+Inf` wants it.
        let step = STEPS.iter().position(|end| micros <= *end).unwrap_or(STEPS.len());
        let counters = [self.requests.get(class), self.steps.get(step)];
        for counter in counters.into_iter().flatten() {
            // Relaxed is enough: no counter decides anything, and readers accept one that lags.
            counter.fetch_add(1, Relaxed);
        }
        self.micros.fetch_add(micros, Relaxed);
        self.sent_bytes.fetch_add(bytes as u64, Relaxed);
    }

    /// An answer lay ready, or did not.
    pub(super) fn looked_up(&self, was_ready: bool) {
        let counter = if was_ready { &self.hits } else { &self.misses };
        counter.fetch_add(1, Relaxed);
    }

    /// A connection came.
    pub(super) fn opened(&self) {
        self.accepted.fetch_add(1, Relaxed);
        self.connections.fetch_add(1, Relaxed);
    }

    /// A connection went.
    pub(super) fn closed(&self) {
        self.connections.fetch_sub(1, Relaxed);
    }

    /// The store was loaded.
    pub(super) fn loaded(&self, took: Duration) {
        self.loads.fetch_add(1, Relaxed);
        self.load_millis.store(u64::try_from(took.as_millis()).unwrap_or(u64::MAX), Relaxed);
    }

    /// The store could not be loaded.
    pub(super) fn load_failed(&self) {
        self.load_failures.fetch_add(1, Relaxed);
    }

    /// All of it; `held` is what the cache holds, in bytes and answers.
    pub(super) fn text(&self, loaded: Option<&LoadedSite>, held: (usize, usize)) -> String {
        let mut text = String::new();
        let mut head = |name: &str, kind: &str, help: &str, lines: &[(String, String)]| {
            let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} {kind}");
            for (labels, value) in lines {
                let _ = writeln!(text, "{name}{labels} {value}");
            }
        };
        let one = |value: u64| vec![(String::new(), value.to_string())];
        let classes = CLASSES.iter().zip(&self.requests);
        let requests: Vec<_> = classes
            .map(|(class, count)| (format!("{{status=\"{class}\"}}"), count.load(Relaxed).to_string()))
            .collect();
        head("capdex_http_requests_total", "counter", "Requests by the class of their status.", &requests);
        head("capdex_http_sent_bytes_total", "counter", "Bytes of bodies.", &one(self.sent_bytes.load(Relaxed)));
        // An opening and its end are counted on different threads, so the difference may be seen below zero.
        let open = self.connections.load(Relaxed).max(0).unsigned_abs();
        head("capdex_http_connections", "gauge", "Open connections.", &one(open));
        head("capdex_http_connections_total", "counter", "Connections accepted.", &one(self.accepted.load(Relaxed)));
        head("capdex_cache_hits_total", "counter", "Answers that lay ready.", &one(self.hits.load(Relaxed)));
        head("capdex_cache_misses_total", "counter", "Answers that had to be made.", &one(self.misses.load(Relaxed)));
        head("capdex_cache_bytes", "gauge", "Bytes of answers that lie ready.", &one(held.0 as u64));
        head("capdex_cache_answers", "gauge", "Answers that lie ready.", &one(held.1 as u64));
        head("capdex_loads_total", "counter", "How often the store was loaded.", &one(self.loads.load(Relaxed)));
        head(
            "capdex_load_failures_total",
            "counter",
            "How often it could not be.",
            &one(self.load_failures.load(Relaxed)),
        );
        let seconds = self.load_millis.load(Relaxed) as f64 / 1000.0;
        head("capdex_load_seconds", "gauge", "How long the last load took.", &[(String::new(), seconds.to_string())]);
        head("capdex_ready", "gauge", "1 once the store is loaded.", &one(u64::from(loaded.is_some())));
        if let Some(LoadedSite { site, night, .. }) = loaded {
            let as_of = vec![(String::new(), site.as_of.0.unix_seconds().to_string())];
            head("capdex_as_of_timestamp_seconds", "gauge", "The instant of the last night.", &as_of);
            head("capdex_capabilities", "gauge", "Capabilities that stand now.", &one(site.rows.len() as u64));
            for (name, help, lines) in night.gauges() {
                head(name, "gauge", help, &lines);
            }
            head("capdex_alerts", "gauge", "Alerts that were raised.", &one(site.watch.alerts.len() as u64));
            head("capdex_open_gaps", "gauge", "Open gaps.", &one(site.gaps.iter().map(|gap| gap.count).sum()));
        }
        self.durations(&mut text);
        text
    }

    fn durations(&self, text: &mut String) {
        let name = "capdex_http_request_duration_seconds";
        let _ = writeln!(text, "# HELP {name} How long answers took.\n# TYPE {name} histogram");
        let mut below = 0;
        let ends = STEPS.iter().map(|micros| (*micros as f64 / 1e6).to_string()).chain(["+Inf".to_owned()]);
        for (end, count) in ends.zip(&self.steps) {
            // Buckets of Prometheus hold everything below their end.
            below += count.load(Relaxed);
            let _ = writeln!(text, "{name}_bucket{{le=\"{end}\"}} {below}");
        }
        let seconds = self.micros.load(Relaxed) as f64 / 1e6;
        let _ = writeln!(text, "{name}_sum {seconds}\n{name}_count {below}");
    }
}
