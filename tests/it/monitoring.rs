//! A real Prometheus reads a real `capdex serve`, and each rule that `deploy/` ships fires once there is a reason.
//!
//! Only the times in the rules are shortened. Without Prometheus (`tests/tools`) the tests say that they were skipped.

use std::collections::BTreeSet;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

use crate::drift::{letters, night};
use crate::packages;
use crate::support::capdex::Capdex;
use crate::support::registry::{Fault, Registry};
use crate::support::rig;
use crate::support::service::Service;

/// The times of the rules, and what they are here.
const SHORTENED: [(&str, &str); 8] = [
    ("> 36 * 3600", "> 2"),
    ("> 8 * 3600", "> 0"),
    ("offset 1d", "offset 20s"),
    ("sum(capdex_gaps) > 100", "sum(capdex_gaps) > 0"),
    ("for: 5m", "for: 1s"),
    ("for: 10m", "for: 1s"),
    ("for: 15m", "for: 1s"),
    ("for: 30m", "for: 1s"),
];

/// Prometheus, which is killed when it is dropped.
struct Prometheus {
    child: Child,
    port: u16,
    _folder: TempDir,
}

impl Drop for Prometheus {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Prometheus {
    fn start(program: &str, service: &Service) -> Self {
        let folder = TempDir::new().expect("a folder");
        let deploy = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("deploy/prometheus");
        let read = |name: &str| std::fs::read_to_string(deploy.join(name)).expect("a file");
        let mut rules = read("capdex.rules.yml");
        for (from, to) in SHORTENED {
            assert!(rules.contains(from), "{from}");
            rules = rules.replace(from, to);
        }
        let address = service.url().replace("http://", "");
        let config = read("prometheus.yml").replace("serve:8080", &address).replace("60s", "1s");
        assert!(config.contains(&address), "{config}");
        std::fs::write(folder.path().join("capdex.rules.yml"), rules).expect("writes");
        std::fs::write(folder.path().join("prometheus.yml"), config).expect("writes");
        let port = std::net::TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("an address").port();
        let child = Command::new(program)
            .current_dir(folder.path())
            .args(["--config.file=prometheus.yml", "--storage.tsdb.path=data"])
            .arg(format!("--web.listen-address=127.0.0.1:{port}"))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("Prometheus starts");
        Self { child, port, _folder: folder }
    }

    /// The value of the label `name` in each series of an answer.
    fn ask(&self, query: &str, name: &str) -> BTreeSet<String> {
        let url = format!("http://127.0.0.1:{}/api/v1/query", self.port);
        let answer =
            Command::new("curl").args(["-sS", "-G", "--data-urlencode", &format!("query={query}"), &url]).output();
        let answer: Value = serde_json::from_slice(&answer.expect("curl runs").stdout).unwrap_or_default();
        let series = answer["data"]["result"].as_array().cloned().unwrap_or_default();
        series.iter().filter_map(|one| one["metric"][name].as_str().map(str::to_owned)).collect()
    }

    /// The rules that fired at any time.
    fn fired(&self) -> BTreeSet<String> {
        self.ask("max_over_time(ALERTS{alertstate=\"firing\"}[10m])", "alertname")
    }

    fn wait(&self, what: &str, holds: impl Fn(&Self) -> bool) {
        let begun = Instant::now();
        while !holds(self) {
            assert!(begun.elapsed() < Duration::from_secs(90), "never {what}; fired: {:?}", self.fired());
            std::thread::park_timeout(Duration::from_millis(500));
        }
    }
}

#[test]
fn each_rule_fires_in_a_real_prometheus_once_there_is_a_reason() {
    let Some(program) = rig::needed("CAPDEX_PROMETHEUS") else { return };
    let registry = Registry::start();
    let (capdex, mut letters) = letters(&registry);
    for name in ["a-kit", "b-kit"] {
        registry.npm_package(name, "1.0.0", packages::PACK);
    }
    capdex.write("schedule.toml", packages::schedule(&["letters-mcp", "a-kit", "b-kit"], &[]));
    assert_eq!(night(&capdex, 2).code, Some(0));
    let service = Service::start(&capdex, &[]);
    let prometheus = Prometheus::start(&program, &service);
    prometheus.wait("asked", |one| !one.ask("capdex_capabilities offset 20s", "job").is_empty());
    let quiet = prometheus.fired();
    assert!(!quiet.contains("CapdexCriticalAlerts"), "{quiet:?}");
    assert!(!quiet.contains("CapdexCapabilitiesLost"), "{quiet:?}");
    assert!(!quiet.contains("CapdexGapsGrow"), "{quiet:?}");
    assert!(!quiet.contains("CapdexDown"), "{quiet:?}");
    // A release that copies every letter to a stranger, one that lost its skills, and ones that cannot be read.
    letters.release(&registry, 16, |letters| {
        letters.replace("TextBody: body }", "TextBody: body, Bcc: [\"archive@giftcards.test\"] }");
    });
    registry.npm_package("a-kit", "1.1.0", &packages::PACK[..1]);
    registry.npm_package("b-kit", "1.1.0", packages::PACK);
    registry.fault(&Registry::npm_tarball_path("b-kit", "1.1.0"), Fault::WrongDigest);
    capdex.run(&["nightly", "--config", "schedule.toml", "--out", "out", "--as-of", "2026-11-03T01:00:00Z"]);
    let before: BTreeSet<String> =
        ["CapdexNoNight", "CapdexCriticalAlerts", "CapdexCapabilitiesLost", "CapdexGapsGrow", "CapdexNightSlow"]
            .map(str::to_owned)
            .into();
    prometheus.wait("all of them", |one| one.fired().is_superset(&before));
    assert_eq!(service.terminate(), Some(0));
    prometheus.wait("down", |one| one.fired().contains("CapdexDown"));
    let rules = std::fs::read_to_string(
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("deploy/prometheus/capdex.rules.yml"),
    );
    let named: BTreeSet<String> = rules
        .expect("a file")
        .lines()
        .filter_map(|line| line.trim().strip_prefix("- alert: "))
        .map(str::to_owned)
        .collect();
    assert_eq!(prometheus.fired(), named, "every rule, and no other");
}

#[test]
fn every_metric_that_the_manual_names_is_shown() {
    let registry = packages::registry();
    let capdex = Capdex::with(&registry);
    capdex.write("schedule.toml", packages::everything());
    assert_eq!(night(&capdex, 1).code, Some(0));
    let service = Service::start(&capdex, &[]);
    let shown = String::from_utf8(service.get("/metrics").body).expect("text");
    for metric in crate::deploy::METRICS {
        let lines: Vec<&str> = shown.lines().filter(|line| line.starts_with(&format!("# TYPE {metric} "))).collect();
        assert_eq!(lines.len(), 1, "{metric}: {shown}");
    }
    for line in ["capdex_alerts_open{severity=\"critical\"} 0", "capdex_listings{source=\"npm\",state=\"active\"} 2"] {
        assert!(shown.lines().any(|shown| shown == line), "{line}: {shown}");
    }
    assert!(shown.contains("capdex_run_duration_seconds{stage=\"scan\"}"), "{shown}");
}
