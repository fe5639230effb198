//! Sources: each is known by its kind, is named in its own folder alone, and is asked where the operator says.

use std::collections::BTreeSet;

use capdex_crawlers::SOURCES;
use capdex_model::source_role::SourceRole;
use serde_json::{Value, json};

use crate::borders::{code_of, is_code, text_of, tree, within};
use crate::directory::serve;
use crate::rows::{rows, text};
use crate::support::capdex::{Capdex, Run};
use crate::support::directory::Directory;

/// Where the id of a source may stand outside its own folder, because the word means something else there.
struct Exception {
    why: &'static str,
    at: &'static str,
    ids: &'static [&'static str],
}

const EXCEPTIONS: [Exception; 18] = [
    Exception {
        why: "types of package URLs",
        at: "src/model/purl/mod.rs",
        ids: &["git", "github", "npm", "oci", "pypi"],
    },
    Exception { why: "ecosystems, and a part of a host's name", at: "src/model/registries.rs", ids: &["npm", "pypi"] },
    Exception { why: "an example in the manual", at: "src/config/sources.rs", ids: &["npm"] },
    Exception {
        why: "an ecosystem has the word that its identities begin with",
        at: "src/model/source_role.rs",
        ids: &["folder", "git", "github", "mcp", "npm", "oci", "pypi"],
    },
    Exception {
        why: "words of the texts and programs that rules judge",
        at: "src/rules",
        ids: &["clawhub", "folder", "git", "github", "mcp", "npm", "oci", "pypi"],
    },
    Exception {
        why: "names of files, programs and settings in what is analysed",
        at: "src/evidence",
        ids: &["git", "github", "mcp", "npm", "smithery"],
    },
    Exception { why: "a word in names of packages", at: "src/corpus/campaign/judge.rs", ids: &["github"] },
    Exception { why: "a word in names of tools", at: "src/corpus/collision/names.rs", ids: &["mcp"] },
    Exception {
        why: "parts of addresses and of namespaces in reverse DNS",
        at: "src/corpus/identity/artifact_id.rs",
        ids: &["github", "mcp"],
    },
    Exception { why: "words in names", at: "src/corpus/typosquat/words.rs", ids: &["mcp", "npm"] },
    Exception { why: "the name of a format of output", at: "src/formats/github.rs", ids: &["github"] },
    Exception { why: "ecosystems of OSV", at: "src/osv.rs", ids: &["npm", "pypi"] },
    Exception { why: "a feature of the package", at: "crawlers/lib.rs", ids: &["github"] },
    Exception {
        why: "a feature of the package, and the id that took the place of a former one",
        at: "crawlers/registry.rs",
        ids: &["github", "mcp-registry"],
    },
    Exception {
        why: "a migration stands as it was written, and names kinds as stores hold them",
        at: "db/migrations/0017_release_lines.sql",
        ids: &["npm", "pypi"],
    },
    Exception {
        why: "a migration stands as it was written, and names kinds as stores hold them",
        at: "db/migrations/0018_pypi_lines.sql",
        ids: &["pypi"],
    },
    Exception { why: "a word of the format of marketplaces", at: "crawlers/marketplaces/origin.rs", ids: &["npm"] },
    Exception { why: "words of server.json", at: "crawlers/official_registry", ids: &["npm", "oci", "pypi"] },
];

/// More of them, of one word each.
const WORDS: [(&str, &str, &str); 18] = [
    ("crawlers/pypi/project.rs", "git", "a label of project addresses"),
    ("crawlers/pypi/project.rs", "github", "a label of project addresses"),
    ("crawlers/references.rs", "git", "a scheme of addresses"),
    ("src/check/launch.rs", "npm", "the name of a program"),
    ("src/cli/groups.rs", "mcp", "the name of a command"),
    ("src/ci/mod.rs", "github", "the word of a CI system"),
    ("src/check/lock_file/npm.rs", "git", "a scheme of addresses"),
    ("src/check/lock_file/python.rs", "git", "a key of lock files"),
    ("src/check/lock_file/python.rs", "pypi", "the usual index of a Pipfile"),
    ("src/check/lock_file/yarn.rs", "git", "a scheme of addresses"),
    ("src/check/target.rs", "github", "a type of package URLs"),
    ("src/check/target.rs", "npm", "a type of package URLs"),
    ("src/check/target.rs", "oci", "a type of package URLs"),
    ("src/check/target.rs", "pypi", "a type of package URLs"),
    ("src/corpus/drift/dependencies.rs", "github", "a form of dependencies in manifests"),
    ("src/corpus/typosquat/reading.rs", "mcp", "a word in names"),
    ("src/evidence/code/javascript/taint.rs", "folder", "a method of archives"),
    ("src/hook/guarded.rs", "git", "the name of a program"),
];

/// The code of every file of the packages that may hold a word, by path. Generated texts and tests are not code.
fn code() -> Vec<(String, String)> {
    let of_package =
        |path: &String| within(path, &["src", "db", "crawlers"]) && (is_code(path) || path.ends_with(".sql"));
    let is_test = |path: &String| path.contains("/tests/") || path.ends_with("/fake.rs");
    let paths = tree().into_iter().filter(|path| of_package(path) && !is_test(path));
    paths.map(|path| (code_of(&text_of(&path)), path)).map(|(code, path)| (path, code)).collect()
}

/// The folder of a source, or its one file: where its card says its id.
fn home(id: &str, code: &[(String, String)]) -> String {
    let cards = [format!("id: \"{id}\""), format!("ID: &str = \"{id}\"")];
    let declares = |(path, code): &&(String, String)| {
        within(path, &["crawlers"]) && cards.iter().any(|card| code.contains(card.as_str()))
    };
    let found: Vec<&str> = code.iter().filter(declares).map(|(path, _)| path.as_str()).collect();
    assert_eq!(found.len(), 1, "{id} is declared once: {found:?}");
    let folder = found.first().and_then(|path| path.rsplit_once('/')).map_or("", |(folder, _)| folder);
    if folder == "crawlers" { found.concat() } else { folder.to_owned() }
}

/// Whether a file names a source: by its id as a text, or by a key or identity under a name that nothing else has.
fn names(path: &str, code: &str, id: &str) -> bool {
    let is_distinct = id.contains('-');
    code.contains(&format!("\"{id}\""))
        || (is_distinct && code.contains(&format!("\"{id}:")))
        || (path.ends_with(".sql") && code.contains(&format!("'{id}'")))
}

#[test]
fn no_source_is_named_outside_its_own_folder() {
    let code = code();
    let (mut wrong, mut met) = (Vec::new(), BTreeSet::new());
    for source in SOURCES {
        let id = source.meta().id;
        let home = home(id, &code);
        let elsewhere = code.iter().filter(|(path, _)| *path != home && !within(path, &[home.as_str()]));
        for (path, _) in elsewhere.filter(|(path, code)| names(path, code, id)) {
            let whole = EXCEPTIONS.iter().position(|it| {
                (it.at == path.as_str() || within(path, &[it.at])) && it.ids.contains(&id) && !it.why.is_empty()
            });
            let word = WORDS.iter().position(|(at, word, _)| at == path && *word == id);
            match (whole, word) {
                (Some(at), _) => drop(met.insert((EXCEPTIONS[at].at, id))),
                (None, Some(at)) => drop(met.insert((WORDS[at].0, id))),
                (None, None) => wrong.push(format!("{path} names the source {id}: ask for its role instead")),
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let allowed = EXCEPTIONS.iter().flat_map(|it| it.ids.iter().map(|id| (it.at, *id)));
    let allowed = allowed.chain(WORDS.iter().map(|(at, id, _)| (*at, *id)));
    let idle: Vec<_> = allowed.filter(|pair| !met.contains(pair)).collect();
    assert!(idle.is_empty(), "these exceptions are not needed: {idle:?}");
}

#[test]
fn every_source_has_a_role_of_its_own_ecosystem_or_none() {
    let mut ecosystems = BTreeSet::new();
    for source in SOURCES {
        let meta = source.meta();
        assert_ne!(meta.role, SourceRole::UNKNOWN, "{} declares no role", meta.id);
        if let Some(ecosystem) = meta.role.ecosystem() {
            assert_eq!(ecosystem.as_str(), meta.id, "references name the source of an ecosystem by its word");
            assert!(ecosystems.insert(ecosystem), "{} is not the only one", meta.id);
        }
    }
}

/// Three versions of one server, the last of which is the latest.
fn versions() -> Vec<Value> {
    let version = |number: usize, version: &str| {
        let facts = json!({"status": "active", "publishedAt": "2025-01-01T00:00:00Z", "updatedAt": "2025-01-01T00:00:00Z",
                           "isLatest": number == 2});
        let server = json!({"name": "io.github.ann/notes", "description": "Keeps notes.", "version": version});
        json!({"server": server, "_meta": {"io.modelcontextprotocol.registry/official": facts}})
    };
    ["1.0.0", "1.1.0", "2.0.0"].into_iter().enumerate().map(|(number, text)| version(number, text)).collect()
}

fn night(capdex: &Capdex, sources: &str) -> Run {
    capdex.write("schedule.toml", format!("name = \"sources\"\n[http]\nmax_tries = 1\nbackoff_ms = 10\n{sources}"));
    let as_of = "2026-11-20T00:00:00Z";
    capdex.run(&["nightly", "--config", "schedule.toml", "--out", "out", "--as-of", as_of])
}

/// The entities of a night over the versions, from a table of this name.
fn entities(table: &str, more: &str) -> Vec<(String, String)> {
    let directory = Directory::start(serve(versions()));
    let capdex = Capdex::offline();
    let base = format!("base_url = \"{}\"\nrequests_per_minute = 100000\n", directory.url());
    let run = night(&capdex, &format!("[sources.{table}]\n{base}{more}"));
    assert_eq!(run.code, Some(0), "{table}: {} {}", run.stdout, run.stderr);
    let all = rows(&capdex.path().join("out"), "entities");
    all.iter().map(|it| (text(it, "listing").to_owned(), text(it, "entity").to_owned())).collect()
}

#[test]
fn versions_of_one_server_are_one_thing_whatever_its_registry_is_called() {
    for (table, more) in [
        ("official-registry", ""),
        ("company-registry", "kind = \"official-registry\"\n"),
        ("mcp-registry", ""),
        ("corp", "kind = \"mcp-registry\"\n"),
        // The name of before.
        ("sub-registry", ""),
        ("other", "kind = \"sub-registry\"\n"),
    ] {
        let first = format!("{table}:io.github.ann/notes@1.0.0");
        let expected =
            ["1.0.0", "1.1.0", "2.0.0"].map(|it| (format!("{table}:io.github.ann/notes@{it}"), first.clone()));
        assert_eq!(entities(table, more), expected, "{table}");
    }
}

#[test]
fn a_configured_address_may_lie_on_this_machine_and_what_a_row_names_may_not() {
    let stranger = Directory::start(|_: &str| (200, "{}"));
    let mut versions = versions();
    let remote = json!([{"type": "streamable-http", "url": format!("{}/mcp", stranger.url())}]);
    versions.last_mut().expect("a row")["server"]["remotes"] = remote;
    let directory = Directory::start(serve(versions));
    let capdex = Capdex::offline();
    let base = format!("base_url = \"{}\"\nrequests_per_minute = 100000\n", directory.url());
    let run = night(&capdex, &format!("[sources.mcp-registry]\n{base}[sources.mcp]\n"));
    let status = capdex.run(&["status", "--format", "json"]);
    let status: Value = serde_json::from_str(&status.stdout).expect("JSON");
    let of = |id: &str| status["sources"].as_array().expect("a list").iter().find(|it| it["id"] == id).cloned();
    let registry = of("mcp-registry").expect("walked");
    assert_eq!(registry["listings"].as_u64(), Some(3), "{run:?}");
    assert_eq!(registry["last_outcome"].as_str(), Some("complete"), "{run:?}");
    assert!(!directory.paths().is_empty());
    assert_eq!(stranger.paths(), [""; 0], "what a stranger names is not asked");
    let endpoint = of("mcp").expect("walked");
    assert_eq!(endpoint["active"].as_u64(), Some(0), "{endpoint}");
}
