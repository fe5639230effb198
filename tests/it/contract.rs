//! The fake of the official registry against the registry's published OpenAPI: `prism`, a validating proxy, stands between
//! the program and the fake, and answers with an error whatever breaks the contract, asked or answered.
//!
//! `tests/run` installs it and names it in `CAPDEX_PRISM`; without it, or without `CAPDEX_DATA`, which holds the OpenAPI,
//! the tests say that they were skipped.

use std::path::PathBuf;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::directory::fake::synthetic;
use crate::directory::{list, recorded, serve, source};
use crate::support::capdex::Capdex;
use crate::support::directory::Directory;
use crate::support::rig::{self, Rig};

/// What the proxy writes where the contract is broken.
const VIOLATION: &str = "Request terminated with error";

/// The proxy in front of a fake.
struct Checked {
    prism: Rig,
    directory: Directory,
    capdex: Capdex,
    _folder: TempDir,
}

/// The data folder and the command of the proxy.
fn needed() -> Option<(String, String)> {
    let command = rig::needed("CAPDEX_PRISM")?;
    Some((rig::needed("CAPDEX_DATA")?, command))
}

impl Checked {
    fn start((data, command): &(String, String), rows: Vec<Value>) -> Self {
        let document = PathBuf::from(data).join("specs/mcp-registry-openapi-2025-12-01.yaml");
        let document = document.canonicalize().unwrap_or_else(|error| panic!("{}: {error}", document.display()));
        let directory = Directory::start(serve(rows));
        let folder = tempfile::tempdir().expect("a folder");
        let prism = Rig::start(command, folder.path(), |port| {
            let (document, port) = (document.display().to_string(), port.to_string());
            ["proxy", &document, &directory.url(), "--errors", "--host", "127.0.0.1", "--port", &port]
                .map(str::to_owned)
                .to_vec()
        });
        let capdex = Capdex::offline();
        capdex.write(
            "schedule.toml",
            format!(
                "name = \"contract\"\n[http]\nmax_tries = 2\nbackoff_ms = 10\n[sources.official-registry]\n\
                 base_url = \"{}\"\nrequests_per_minute = 100000\n",
                prism.url()
            ),
        );
        Self { prism, directory, capdex, _folder: folder }
    }
}

/// Lists everything, and on the next day what changed, through the proxy.
fn keeps_to_the_contract(needed: &(String, String), rows: Vec<Value>) {
    let count = u64::try_from(rows.len()).expect("few");
    let checked = Checked::start(needed, rows);
    for night in ["2026-11-20T00:00:00Z", "2026-11-21T00:00:00Z"] {
        let run = list(&checked.capdex, night);
        assert_eq!(run.code, Some(0), "{}\n{}", run.stdout, checked.prism.log());
        let listed = source(&checked.capdex);
        assert_eq!(listed["listings"].as_u64(), Some(count));
        assert_eq!(listed["last_outcome"].as_str(), Some("complete"));
    }
    assert!(!checked.prism.log().contains(VIOLATION), "{}", checked.prism.log());
    let asked = checked.directory.paths();
    for part in ["include_deleted=true", "cursor=", "updated_since="] {
        assert!(asked.iter().any(|path| path.contains(part)), "{part} was checked: {asked:?}");
    }
}

#[test]
fn made_rows_keep_to_the_published_contract() {
    let Some(needed) = needed() else { return };
    keeps_to_the_contract(&needed, synthetic(1_234).collect());
}

/// Of the 2,794 rows of that day 280 break it: the registry writes an empty `repository`, and took `latest` for a version,
/// arguments without what their type needs, and a format of its own for a variable. They stay out.
#[test]
fn recorded_rows_keep_to_the_published_contract() {
    let Some(needed) = needed() else { return };
    let is_exact = |row: &Value| {
        let has = |package: &Value, name: &str| package[name].as_array().is_some_and(|list| !list.is_empty());
        let mut packages = row["server"]["packages"].as_array().into_iter().flatten();
        row["server"]["repository"] != json!({})
            && packages.all(|package| {
                package["version"].as_str().is_some_and(|version| version != "latest")
                    && !["runtimeArguments", "packageArguments", "environmentVariables"]
                        .iter()
                        .any(|name| has(package, name))
            })
    };
    let rows: Vec<Value> = recorded(&needed.0, "2025-12-18").into_iter().filter(is_exact).collect();
    assert!(rows.len() > 1_000, "{} rows", rows.len());
    keeps_to_the_contract(&needed, rows);
}

#[test]
fn a_row_that_breaks_the_contract_is_seen() {
    let Some(needed) = needed() else { return };
    let mut rows: Vec<Value> = synthetic(250).collect();
    rows[120]["server"].as_object_mut().expect("an object").remove("description");
    let checked = Checked::start(&needed, rows);
    assert_eq!(list(&checked.capdex, "2026-11-20T00:00:00Z").code, Some(3));
    assert!(checked.prism.log().contains(VIOLATION), "{}", checked.prism.log());
    assert_eq!(source(&checked.capdex)["listings"].as_u64(), Some(100), "the page before it");
}
