//! Two hundred hosts with mixed limits in one run of the fetch stage.
//!
//! Every host is an address of its own in 127.0.0.0/8 with a server that notes when it was asked. Its limit is known to
//! the program as the pace of a source would be.

use std::io::{BufRead, BufReader, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use capdex::appeals::settings::AppealSettings;
use capdex::jobs::list::{FETCH_JOB, FetchPayload};
use capdex::jobs::{JobContext, fetch};
use capdex::shutdown::ShutdownFlag;
use capdex_crawlers::http::{AllowedBaseUrl, Http, HttpSettings, RateLimit};
use capdex_crawlers::unpack::UnpackLimits;
use capdex_dataset::bulk;
use capdex_db::Store;
use capdex_model::ids::ListingKey;
use capdex_model::listing::{Listing, Locator, Validators};
use capdex_model::time::{AsOf, Timestamp};

/// Files of each host.
const FILES: u32 = 12;
/// The limits in turn: slow and steady, in bursts, one at a time, fast.
const PACES: [RateLimit; 4] = [
    RateLimit { per_minute: 60, burst: 1, in_flight: 1 },
    RateLimit { per_minute: 90, burst: 4, in_flight: 2 },
    RateLimit { per_minute: 120, burst: 2, in_flight: 1 },
    RateLimit { per_minute: 600, burst: 6, in_flight: 4 },
];

struct Host {
    url: String,
    pace: RateLimit,
    asked: Arc<Mutex<Vec<Instant>>>,
}

/// Fetches from so many hosts and prints what that took.
pub(super) fn run(count: usize) {
    let hosts: Vec<Host> = (0..count).map(host).collect();
    let folder = tempfile::tempdir().unwrap();
    let context = context(&folder.path().join("hosts.db"), &hosts);
    let begun = Instant::now();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let report = runtime.block_on(fetch::run(&context)).unwrap();
    let wall = begun.elapsed();
    let ideal = hosts.iter().map(|host| ideal(host.pace)).max().unwrap_or_default();
    let over = hosts.iter().filter(|host| is_over(host)).count();
    println!("hosts: {count} hosts, {} files fetched, {} failed", report.done, report.failed);
    println!("  {over} hosts saw more than their limit");
    println!(
        "  {:.2} s, {:.0} % above the ideal {:.2} s",
        wall.as_secs_f64(),
        (wall.as_secs_f64() / ideal.as_secs_f64() - 1.0) * 100.0,
        ideal.as_secs_f64()
    );
}

/// The least time that a host's limit allows.
fn ideal(pace: RateLimit) -> Duration {
    Duration::from_secs(60) / pace.per_minute * FILES.saturating_sub(pace.burst)
}

/// How much later than it was sent a request may be noted on a busy machine.
const JITTER: Duration = Duration::from_millis(100);

/// Whether some window of time had more requests than the limit allows.
fn is_over(host: &Host) -> bool {
    let asked = host.asked.lock().unwrap();
    let period = Duration::from_secs(60) / host.pace.per_minute;
    asked.iter().enumerate().any(|(begin, first)| {
        asked.iter().enumerate().skip(begin).any(|(end, last)| {
            let requests = u32::try_from(end - begin + 1).unwrap();
            let allowed =
                host.pace.burst + u32::try_from((*last - *first + JITTER).as_nanos() / period.as_nanos()).unwrap();
            requests > allowed
        })
    })
}

/// A server at an address of its own.
fn host(number: usize) -> Host {
    let address = Ipv4Addr::new(127, 1, u8::try_from(number / 200).unwrap(), u8::try_from(number % 200 + 1).unwrap());
    let listener = TcpListener::bind((address, 0)).unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let asked = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&asked);
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let log = Arc::clone(&log);
            std::thread::spawn(move || serve(&stream, &log));
        }
    });
    Host { url, pace: PACES[number % PACES.len()], asked }
}

fn serve(stream: &TcpStream, log: &Mutex<Vec<Instant>>) {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    while matches!(reader.read_line(&mut line), Ok(1..)) {
        if line == "\r\n" {
            log.lock().unwrap().push(Instant::now());
            let mut writer = stream;
            if writer.write_all(b"HTTP/1.1 200 X\r\ncontent-length: 7\r\n\r\n# skill").is_err() {
                return;
            }
        }
        line.clear();
    }
}

/// A store whose queue holds every file, host after host, as a directory would have listed them.
fn context(db: &std::path::Path, hosts: &[Host]) -> JobContext {
    let as_of = AsOf("2026-11-22T00:00:00Z".parse().unwrap());
    let store = Store::open(db, &capdex_rules::INDEX).unwrap();
    let jobs: Vec<FetchPayload> = hosts.iter().enumerate().flat_map(|(number, host)| files(number, host)).collect();
    store
        .write(move |writer| {
            for payload in &jobs {
                let listing = Listing {
                    key: payload.key.clone(),
                    locators: vec![payload.locator.clone()],
                    claims: capdex_model::listing::Claims::default(),
                    references: Vec::new(),
                };
                writer.upsert_listing(&listing, &Validators::default(), as_of)?;
                let value = serde_json::to_value(payload).unwrap();
                let host = payload.locator.url().and_then(capdex_crawlers::http::host_of);
                let name = payload.key.to_string();
                writer.enqueue(FETCH_JOB, &name, &value, host.as_deref(), Timestamp::from_unix_seconds(0))?;
            }
            Ok(())
        })
        .unwrap();
    let settings = HttpSettings {
        allowed_base_urls: hosts.iter().map(|host| AllowedBaseUrl::new("bench", &host.url)).collect(),
        rate_limits: hosts.iter().map(|host| (host.url.clone(), host.pace)).collect(),
        use_environment_proxy: false,
        ..HttpSettings::default()
    };
    JobContext {
        judge: None,
        spread: None,
        appeals: AppealSettings::default(),
        store,
        http: Http::new(settings).unwrap(),
        sources: std::collections::BTreeMap::new(),
        skipped: std::collections::BTreeMap::new(),
        alerts: capdex::config::AlertSettings::default(),
        popular: Vec::new(),
        rehash_per_night: 0,
        overrides: capdex_corpus::identity::Overrides::default(),
        policy: capdex_model::ruling::OperatorPolicy::default(),
        approved: capdex_model::approved::ApprovedNames::default(),
        gaps: capdex::config::GapTolerance { max_percent: 100, is_strict: false },
        limits: UnpackLimits::default(),
        formats: Vec::new(),
        license: capdex_dataset::export::DEFAULT_LICENSE.to_owned(),
        signing_key: None,
        judge_transcripts: false,
        keep_days: None,
        pool: bulk::pool(Some(1)).unwrap(),
        as_of,
        quiet: true,
        ignore_validators: false,
        is_replayed: false,
        stop: ShutdownFlag::default(),
        requests: ShutdownFlag::default(),
    }
}

fn files(number: usize, host: &Host) -> Vec<FetchPayload> {
    let file = |file: u32| {
        let name = format!("host-{number:03}/skill-{file:02}");
        let locator = Locator::HttpFile {
            identity: format!("bench:{name}"),
            version: None,
            url: format!("{}/{file}/SKILL.md", host.url),
            filename: "SKILL.md".to_owned(),
            integrity: Vec::new(),
        };
        FetchPayload { key: ListingKey::new("bench", name), locator }
    };
    (0..FILES).map(file).collect()
}
