//! Reach: asks each scheduled source once, through the one client, at its rate limit and with its address checks.

use std::collections::BTreeMap;

use capdex_crawlers::CrawlError;
use capdex_crawlers::http::{Http, HttpRequest, HttpResponse, HttpSettings};
use capdex_model::time::Timestamp;

use super::{DoctorContext, Health, HealthFinding, certificates, clock};

/// An answer is an answer; nobody needs more of it.
const MOST_BYTES: u64 = 64 << 10;
/// The time that a source may take: somebody waits at a terminal.
const DEADLINE_MS: u64 = 10_000;

pub(super) fn check(patient: &DoctorContext<'_>) -> Vec<HealthFinding> {
    if !patient.is_online {
        return Vec::new();
    }
    let (mut found, mut servers) = (BTreeMap::new(), Vec::new());
    for (file, schedule) in patient.schedules {
        match schedule.resolve(0) {
            Ok(resolved) => {
                let settings = HttpSettings {
                    // One try: the question is whether it answers now.
                    max_tries: 1,
                    connect_deadline_ms: DEADLINE_MS,
                    idle_deadline_ms: DEADLINE_MS,
                    total_deadline_ms: DEADLINE_MS,
                    ..resolved.http
                };
                // Local sources have no address to ask.
                let sources = resolved.sources.iter().filter(|(_, run)| run.settings.base_url.starts_with("http"));
                let asked: Vec<(&str, &str, &str)> =
                    sources.map(|(id, run)| (id.as_str(), run.kind.as_str(), run.settings.base_url.as_str())).collect();
                for (finding, behind_s) in ask_all(settings, &asked) {
                    servers.extend(behind_s.map(|behind_s| (finding.subject.clone(), behind_s)));
                    // A source of several schedules is told once.
                    found.entry(finding.subject.clone()).or_insert(finding);
                }
            }
            Err(error) => {
                let why = (Health::Fail, format!("{error:#}"));
                found.insert(file.clone(), HealthFinding::new("schedule", file, why, "mend the schedule"));
            }
        }
    }
    // The requests are made anyway, and most servers say what time it is.
    found.into_values().chain(clock::against(&servers)).collect()
}

/// The findings about each source, with the seconds by which its server's clock is ahead of ours, where it says so.
fn ask_all(settings: HttpSettings, sources: &[(&str, &str, &str)]) -> Vec<(HealthFinding, Option<i64>)> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
    let made = runtime.map_err(|error| error.to_string()).and_then(|runtime| {
        let http = Http::new(settings).map_err(|error| error.to_string())?;
        Ok((runtime, http))
    });
    let (runtime, http) = match made {
        Ok(made) => made,
        Err(error) => {
            return vec![(HealthFinding::new("source", "all", (Health::Fail, error), "mend the [http] table"), None)];
        }
    };
    // All at once, so that the longest answer is the whole wait.
    runtime.block_on(futures_util::future::join_all(sources.iter().map(|(id, kind, url)| ask(&http, (id, kind), url))))
}

async fn ask(http: &Http, (id, kind): (&str, &str), url: &str) -> (HealthFinding, Option<i64>) {
    let request = HttpRequest { url, max_bytes: MOST_BYTES, ..HttpRequest::default() };
    let http = http.acting_for(id, kind).counted();
    let answer = http.send(request).await;
    let ahead = |date: Timestamp| date.unix_seconds().saturating_sub(crate::clock::now().unix_seconds());
    (judge(id, answer), http.server_date().map(ahead))
}

fn judge(id: &str, answer: Result<HttpResponse, CrawlError>) -> HealthFinding {
    let say = |health, found: String, advice: &str| HealthFinding::new("source", id, (health, found), advice);
    match answer {
        // A base address need not be a page: whatever is said there, somebody says it.
        Ok(_) | Err(CrawlError::Gone { .. } | CrawlError::TooLarge { .. } | CrawlError::Malformed { .. }) => {
            say(Health::Ok, "answers".to_owned(), "")
        }
        Err(error @ (CrawlError::Denied { .. } | CrawlError::Unauthorized { .. })) => {
            say(Health::Warn, error.to_string(), "see docs/sources.md for the key it takes, or whether it lets us in")
        }
        Err(error @ CrawlError::RetryAt { .. }) => say(Health::Warn, error.to_string(), "wait, or ask less often"),
        // The TLS library's word, whatever the fault: not trusted, of another host, out of date.
        Err(error) if error.to_string().contains("certificate") => {
            say(Health::Fail, error.to_string(), certificates::ADVICE)
        }
        Err(error) => {
            say(Health::Fail, error.to_string(), "check the network, the proxy and the address in the schedule")
        }
    }
}
