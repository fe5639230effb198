//! The files of `deploy/`, each read by its own tool. What has no tool here is said in `deploy/README.md`.
//!
//! `tests/run` names the tools: `CAPDEX_SYSTEMD_ANALYZE`, `CAPDEX_PROMTOOL`, and those beside `CAPDEX_PYTHON`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use tempfile::TempDir;

use crate::support::rig::needed;

/// The metrics that `capdex serve` shows.
pub(crate) const METRICS: [&str; 6] = [
    "capdex_alerts_open",
    "capdex_capabilities",
    "capdex_gaps",
    "capdex_listings",
    "capdex_run_duration_seconds",
    "capdex_run_last_success_timestamp_seconds",
];

fn deploy() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("deploy")
}

fn read(name: &str) -> String {
    std::fs::read_to_string(deploy().join(name)).expect("a file of deploy")
}

/// Runs a tool in `folder` that must find nothing wrong; what it said.
fn passes(tool: impl AsRef<std::ffi::OsStr>, folder: &Path, arguments: &[&str]) -> String {
    let output = Command::new(tool.as_ref()).args(arguments).current_dir(folder).output().expect("the tool starts");
    let said = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    assert!(output.status.success(), "{arguments:?}: {said}");
    said
}

/// A tool that was installed beside our Python.
fn beside_python(name: &str) -> Option<PathBuf> {
    Some(Path::new(&needed("CAPDEX_PYTHON")?).with_file_name(name))
}

#[test]
fn systemd_finds_no_fault_in_the_units_and_little_exposure() {
    let Some(analyze) = needed("CAPDEX_SYSTEMD_ANALYZE") else { return };
    let folder = TempDir::new().expect("a temporary folder");
    let names = ["capdex.service", "capdex-nightly.service", "capdex-nightly.timer"];
    for name in names {
        // The tool looks whether the program is there.
        let unit = read(&format!("systemd/{name}")).replace("/usr/local/bin/capdex", env!("CARGO_BIN_EXE_capdex"));
        std::fs::write(folder.path().join(name), unit).expect("writes");
    }
    for name in names {
        let path = folder.path().join(name);
        let said = passes(&analyze, folder.path(), &["verify", "--man=no", path.to_str().expect("text")]);
        assert!(!said.contains(name), "{said}");
        if name.ends_with(".service") {
            let path = path.to_str().expect("text");
            passes(&analyze, folder.path(), &["security", "--offline=yes", "--threshold=20", path]);
        }
    }
    passes(&analyze, folder.path(), &["calendar", "*-*-* 02:30:00 UTC"]);
}

#[test]
fn the_units_call_commands_that_there_are() {
    let command = |unit: &str| -> Vec<String> {
        let text = read(unit);
        let line = text.lines().find_map(|line| line.strip_prefix("ExecStart=")).expect("a command");
        line.split_whitespace().skip(1).map(str::to_owned).collect()
    };
    let compose = "daemon --schedules /etc/capdex/schedules --log-format json".split(' ').map(str::to_owned).collect();
    for file in ["compose-spread.yaml", "kubernetes/spread.yaml"] {
        for line in read(file).lines().filter(|line| line.contains("[work, ")) {
            let words = line.split_once('[').and_then(|(_, rest)| rest.split_once(']')).expect("a list").0;
            let words = words.split(", ").map(|word| word.trim_matches('"')).chain(["--help"]);
            let output = Command::new(env!("CARGO_BIN_EXE_capdex")).args(words).env_clear().output().expect("starts");
            assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
        }
    }
    for arguments in [command("systemd/capdex.service"), command("systemd/capdex-nightly.service"), compose] {
        let output = Command::new(env!("CARGO_BIN_EXE_capdex")).args(&arguments).env_clear().output().expect("starts");
        let said = String::from_utf8_lossy(&output.stderr);
        // They are understood; what is missing on this machine is their folder.
        assert!(said.contains("/etc/capdex/schedules"), "{arguments:?}: {said}");
        assert!(!said.contains("Usage"), "{arguments:?}: {said}");
    }
}

#[test]
fn the_images_and_their_composition_fit_their_schemas() {
    let Some(hadolint) = beside_python("hadolint") else { return };
    passes(hadolint, &deploy(), &["Dockerfile"]);
    let schema = beside_python("check-jsonschema").expect("beside the other");
    passes(schema, &deploy(), &["--builtin-schema", "vendor.compose-spec", "compose.yaml", "compose-spread.yaml"]);
    let kubernetes = beside_python("kubernetes-validate").expect("beside the others");
    let said = passes(kubernetes, &deploy(), &["--strict", "kubernetes/capdex.yaml", "kubernetes/spread.yaml"]);
    assert_eq!(said.matches("passed").count(), 8, "{said}");
}

#[test]
fn the_citation_and_the_forms_for_issues_fit_their_schemas() {
    let Some(schema) = beside_python("check-jsonschema") else { return };
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    passes(&schema, root, &["--builtin-schema", "vendor.citation-file-format", "CITATION.cff"]);
    let forms = ["false_positive", "false_negative", "source_broken"];
    for form in forms.map(|name| format!(".github/ISSUE_TEMPLATE/{name}.yml")) {
        passes(&schema, root, &["--builtin-schema", "vendor.github-issue-forms", &form]);
    }
    passes(&schema, root, &["--builtin-schema", "vendor.github-issue-config", ".github/ISSUE_TEMPLATE/config.yml"]);
    let cited = std::fs::read_to_string(root.join("CITATION.cff")).expect("the citation");
    assert!(cited.contains(concat!("\nversion: ", env!("CARGO_PKG_VERSION"), "\n")), "{cited}");
}

#[test]
fn prometheus_reads_its_files_and_every_query_of_the_dashboard() {
    let Some(promtool) = needed("CAPDEX_PROMTOOL") else { return };
    let folder = deploy().join("prometheus");
    passes(&promtool, &folder, &["check", "config", "prometheus.yml"]);
    passes(&promtool, &folder, &["test", "rules", "capdex.test.yml"]);
    let rules: Vec<String> = queries()
        .iter()
        .enumerate()
        .map(|(at, query)| format!("      - record: q:{at}\n        expr: {}\n", Value::from(query.as_str())))
        .collect();
    let scratch = TempDir::new().expect("a temporary folder");
    let text = format!("groups:\n  - name: dashboard\n    rules:\n{}", rules.concat());
    std::fs::write(scratch.path().join("rules.yml"), text).expect("writes");
    let said = passes(&promtool, scratch.path(), &["check", "rules", "rules.yml"]);
    assert!(said.contains(&format!("{} rules found", rules.len())), "{said}");
}

#[test]
fn a_dashboard_is_what_grafana_takes_for_one() {
    let Some(python) = needed("CAPDEX_PYTHON") else { return };
    let program = "import json\nfrom grafana_foundation_sdk.models.dashboard import Dashboard\n\
                   from grafana_foundation_sdk.cog.plugins import register_default_plugins\nregister_default_plugins()\n\
                   d = Dashboard.from_json(json.load(open('grafana/capdex.json')))\nprint(d.uid, len(d.panels))";
    assert_eq!(passes(python, &deploy(), &["-c", program]).trim(), format!("capdex {}", panels().len()));
}

fn panels() -> Vec<Value> {
    let dashboard: Value = serde_json::from_str(&read("grafana/capdex.json")).expect("JSON");
    dashboard["panels"].as_array().expect("panels").clone()
}

fn queries() -> Vec<String> {
    let targets = panels().into_iter().flat_map(|panel| panel["targets"].as_array().expect("targets").clone());
    targets.map(|target| target["expr"].as_str().expect("a query").to_owned()).collect()
}

#[test]
fn dashboard_and_alerts_ask_for_metrics_that_there_are() {
    let rules = read("prometheus/capdex.rules.yml");
    let asked: String = queries().into_iter().chain([rules]).collect::<Vec<_>>().join("\n");
    let words = asked.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_');
    let named: BTreeSet<&str> = words.filter(|word| word.starts_with("capdex_")).collect();
    assert_eq!(named, BTreeSet::from(METRICS));
    let manual = read("README.md");
    assert!(METRICS.iter().all(|metric| manual.contains(metric)));
}
