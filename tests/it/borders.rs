//! The borders of the house hold: who may depend on whom, which words may stand where, which hosts stand nowhere.
//!
//! It reads manifests and source text; it must not build, run or fetch anything. A new edge or word is a decision: change
//! the table here and say why. Sources: `docs/ARCHITECTURE.md` (packages), `CONTRIBUTING.md` (house style).

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// Every edge inside the workspace, as (from, to).
const EDGES: [(&str, &str); 53] = [
    ("capdex", "capdex-agent-scan"),
    ("capdex", "capdex-corpus"),
    ("capdex", "capdex-crawlers"),
    ("capdex", "capdex-dataset"),
    ("capdex", "capdex-db"),
    ("capdex", "capdex-engines"),
    ("capdex", "capdex-evidence"),
    ("capdex", "capdex-judge"),
    ("capdex", "capdex-model"),
    ("capdex", "capdex-otel"),
    ("capdex", "capdex-rubrics"),
    ("capdex", "capdex-rules"),
    ("capdex", "capdex-site"),
    ("capdex", "capdex-spread"),
    ("capdex-agent-scan", "capdex-evidence"),
    ("capdex-agent-scan", "capdex-model"),
    ("capdex-corpus", "capdex-evidence"),
    ("capdex-corpus", "capdex-model"),
    // Its tests scan; a pass itself is handed facts, so that a changed rule does not build it again.
    ("capdex-corpus", "capdex-rules"),
    ("capdex-crawlers", "capdex-evidence"),
    ("capdex-crawlers", "capdex-model"),
    // Runs of agents are graded again for every view, and where a dataset is verified.
    ("capdex-dataset", "capdex-agent-scan"),
    ("capdex-dataset", "capdex-corpus"),
    ("capdex-dataset", "capdex-db"),
    // What a model said is put together there for every view.
    ("capdex-dataset", "capdex-judge"),
    ("capdex-dataset", "capdex-model"),
    ("capdex-dataset", "capdex-rubrics"),
    ("capdex-db", "capdex-corpus"),
    ("capdex-db", "capdex-judge"),
    ("capdex-db", "capdex-model"),
    // They carry the bytes and messages whose names and form it has.
    ("capdex-engines", "capdex-spread"),
    ("capdex-evidence", "capdex-model"),
    ("capdex-fuzz", "capdex-agent-scan"),
    ("capdex-fuzz", "capdex-crawlers"),
    ("capdex-fuzz", "capdex-evidence"),
    ("capdex-fuzz", "capdex-judge"),
    ("capdex-fuzz", "capdex-model"),
    ("capdex-fuzz", "capdex-rules"),
    ("capdex-fuzz", "capdex-spread"),
    ("capdex-judge", "capdex-evidence"),
    ("capdex-judge", "capdex-model"),
    ("capdex-rubrics", "capdex-evidence"),
    ("capdex-rubrics", "capdex-model"),
    // Its tests scan; a rubric itself is handed the rules with the facts.
    ("capdex-rubrics", "capdex-rules"),
    ("capdex-rules", "capdex-evidence"),
    ("capdex-rules", "capdex-model"),
    // Its build script works out the tables of the prefilter, which the program reads.
    ("capdex-rules", "capdex-prefilter"),
    ("capdex-site", "capdex-corpus"),
    ("capdex-site", "capdex-dataset"),
    ("capdex-site", "capdex-db"),
    ("capdex-site", "capdex-model"),
    ("capdex-site", "capdex-rubrics"),
    ("capdex-spread", "capdex-model"),
];

/// What starts threads, reads the network or opens a store.
const PURE: [&str; 4] = ["rayon", "reqwest", "rusqlite", "tokio"];

/// What a package may not depend on directly, in any of its tables.
const BANNED: [(&str, &[&str]); 14] = [
    ("capdex-model", &PURE),
    ("capdex-agent-scan", &PURE),
    ("capdex-judge", &PURE),
    ("capdex-spread", &PURE),
    ("capdex-engines", &["rayon", "rusqlite"]),
    ("capdex-prefilter", &PURE),
    ("capdex-evidence", &PURE),
    ("capdex-rules", &PURE),
    ("capdex-rubrics", &PURE),
    ("capdex-corpus", &PURE),
    ("capdex-crawlers", &["rayon", "rusqlite"]),
    ("capdex-dataset", &["reqwest", "rusqlite", "tokio"]),
    ("capdex-db", &["rayon", "regex", "reqwest", "tokio"]),
    ("capdex-site", &["reqwest", "rusqlite"]),
];

/// Words that may not stand in the code of some folders. Comments and tests are not code here.
struct Border {
    why: &'static str,
    inside: &'static [&'static str],
    except: &'static [&'static str],
    words: &'static [&'static str],
}

const BORDERS: [Border; 8] = [
    Border {
        why: "views are made from rows of the store and nothing else: command line, service and site read them",
        inside: &["src/dataset/views"],
        except: &["src/dataset/views/tests.rs"],
        words: &["crate::export"],
    },
    Border {
        why: "nobody calls a command: what two of them share is a view, a job or an option",
        inside: &["src"],
        except: &["src/commands", "src/main.rs"],
        words: &["crate::commands"],
    },
    Border {
        why: "stages and services take their options as values, and never the command line",
        inside: &["src/config", "src/daemon", "src/doctor", "src/jobs"],
        except: &[],
        words: &["crate::cli"],
    },
    Border {
        why: "a command joins parts: rules, rubrics and passes stand in packages of their own",
        inside: &["src/commands"],
        except: &[],
        words: &["&mut FactSink", "impl Rubric for", "impl Pass for", "RuleMeta {"],
    },
    Border {
        why: "SQL text lives in db and nowhere else",
        inside: &["src", "crawlers"],
        // Rules quote what strangers write.
        except: &["src/rules"],
        words: &["SELECT ", "INSERT INTO ", "DELETE FROM ", "CREATE TABLE ", "PRAGMA "],
    },
    Border {
        why: "db is the one way to the store",
        inside: &["src", "crawlers"],
        except: &[],
        words: &["rusqlite::", "use rusqlite"],
    },
    Border {
        why: "requests are made in crawlers/http and nowhere else",
        inside: &["src", "crawlers", "db"],
        // A collector of spans is no source, and who writes to it knows no crawler.
        except: &["crawlers/http", "src/otel"],
        words: &["reqwest::", "use reqwest"],
    },
    Border {
        why: "archives are opened in crawlers/unpack and nowhere else",
        inside: &["src", "crawlers", "db"],
        except: &["crawlers/unpack"],
        words: &["flate2::read", "flate2::bufread", "flate2::Decompress", "tar::", "zip::"],
    },
];

/// The names of capdex-db through which something can be written.
const WRITING: [&str; 2] = ["Store", "Writer"];

#[test]
fn the_packages_know_only_whom_they_may_know() {
    let members = dependencies();
    let inside = members.iter().flat_map(|(from, to)| to.iter().map(move |to| (from.as_str(), to.as_str())));
    let edges: BTreeSet<_> = inside.filter(|(_, to)| members.contains_key(*to)).collect();
    assert_eq!(edges, BTreeSet::from(EDGES), "an edge inside the workspace came or went");
    for (package, banned) in BANNED {
        let direct = members.get(package).expect("the package is in the workspace");
        let found: Vec<_> = banned.iter().filter(|name| direct.contains(**name)).collect();
        assert!(found.is_empty(), "{package} depends on {found:?}");
    }
}

#[test]
fn every_word_of_the_source_stands_where_it_may() {
    let mut crossed = Vec::new();
    for path in tree().iter().filter(|path| is_code(path)) {
        crossed.extend(crossings(path, &text_of(path)));
    }
    assert!(crossed.is_empty(), "{}", crossed.join("\n"));
}

#[test]
fn a_planted_crossing_is_seen_and_its_likeness_is_not() {
    let fires = [
        ("src/dataset/export/csv.rs", "use capdex_db::{Reader, Store};"),
        ("src/site/serve/state.rs", "let store = capdex_db::Store::open(path)?;"),
        ("src/site/report/site.rs", "fn f(w: &capdex_db::Writer<'_>) {}"),
        ("src/dataset/views/drift.rs", "use crate::export::ranked;"),
        ("src/jobs/list/mod.rs", "use crate::commands;"),
        ("src/jobs/run.rs", "use crate::cli::{Global, Tape};"),
        ("src/commands/scan.rs", "fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {}"),
        ("src/jobs/scan.rs", "let text = \"SELECT 1\";"),
        ("src/dataset/bulk.rs", "let c = rusqlite::Connection::open(p);"),
        ("crawlers/npm.rs", "let c = reqwest::Client::new();"),
        ("src/commands/scan.rs", "use flate2::read::GzDecoder;"),
        ("db/blobs.rs", "    tar::Archive::new(x)"),
    ];
    for (path, line) in fires {
        assert_eq!(crossings(path, line).len(), 1, "{path}: {line}");
    }
    let silent = [
        ("src/dataset/export/csv.rs", "// It must not know capdex_db::Store."),
        ("src/dataset/export/csv.rs", "use capdex_db::Reader; let w = csv::Writer::from_writer(x);"),
        ("src/dataset/export/csv.rs", "use capdex_db::{Reader, StoreError, StoredListing};"),
        ("src/dataset/views/status.rs", "use capdex_db::{Reader, RunRow}; use super::ledger::StageTime;"),
        ("src/commands/drift.rs", "use crate::cli::Drift; use crate::commands::listed;"),
        ("src/rules/checks/sql.rs", "let text = \"SELECT 1\";"),
        ("db/reader.rs", "let text = \"SELECT 1\";"),
        ("crawlers/http/client.rs", "let c = reqwest::Client::builder();"),
        ("crawlers/fetch/npm.rs", "crate::unpack::tar::read(x); restar::read(x);"),
        ("crawlers/npm.rs", "fn f() {}\n#[cfg(test)]\nmod tests {\n    use flate2::write::GzEncoder;\n}"),
    ];
    for (path, line) in silent {
        assert_eq!(crossings(path, line), Vec::<String>::new(), "{path}: {line}");
    }
}

#[test]
fn no_file_names_the_host_of_a_package_registry() {
    let hosts = [
        ["npm", "js.org"].concat(),
        ["npm", "js.com"].concat(),
        ["pypi", ".org"].concat(),
        ["python", "hosted.org"].concat(),
        ["static.crates", ".io"].concat(),
        ["index.crates", ".io"].concat(),
        ["//crates", ".io"].concat(),
    ];
    let mut named = Vec::new();
    for path in tree() {
        let text = text_of(&path).to_lowercase();
        named.extend(hosts.iter().filter(|host| text.contains(*host)).map(|host| format!("{path} names {host}")));
    }
    assert!(named.is_empty(), "{}", named.join("\n"));
}

#[test]
fn every_rust_file_says_what_it_is_for_and_stays_short() {
    let mut wrong = Vec::new();
    for path in tree().iter().filter(|path| path.ends_with(".rs")) {
        let text = text_of(path);
        if !text.starts_with("//! ") {
            wrong.push(format!("{path} does not open with a `//!` comment"));
        }
        match text.lines().count() {
            0..=400 => {}
            lines @ 401..=500 => println!("{path} has {lines} lines: two files, soon"),
            lines => wrong.push(format!("{path} has {lines} lines: more than one concept")),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_workspace_dependency_is_used_and_has_its_reason() {
    let used: BTreeSet<String> = dependencies().into_values().flatten().collect();
    let text = text_of("Cargo.toml");
    let section = text.split("[workspace.dependencies]\n").nth(1).and_then(|rest| rest.split("\n[").next());
    let mut reasoned = false;
    let mut wrong = Vec::new();
    for line in section.expect("the workspace lists its dependencies").lines() {
        let Some((name, value)) = line.split_once(" = ").filter(|_| !line.starts_with('#')) else {
            reasoned = line.starts_with('#');
            continue;
        };
        if !used.contains(name) {
            wrong.push(format!("no package uses {name}"));
        }
        if !reasoned && !value.contains("path = ") {
            wrong.push(format!("{name} stands under no reason"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn without_git_the_same_files_are_found() {
    let walked = walk(Path::new(ROOT));
    let missed: Vec<_> = tree().into_iter().filter(|path| !walked.contains(path)).collect();
    assert!(missed.is_empty(), "the walk missed {missed:?}");
}

/// The direct dependencies of every package of the workspace, of all three tables.
fn dependencies() -> BTreeMap<String, BTreeSet<String>> {
    let arguments = ["metadata", "--format-version", "1", "--no-deps", "--locked", "--offline"];
    let output = Command::new(env!("CARGO")).args(arguments).current_dir(ROOT).output().expect("cargo starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("cargo writes JSON");
    let name_of = |value: &Value| value["name"].as_str().expect("everything has a name").to_owned();
    let packages = metadata["packages"].as_array().expect("the workspace has packages");
    let direct = |package: &Value| package["dependencies"].as_array().into_iter().flatten().map(name_of).collect();
    packages.iter().map(|package| (name_of(package), direct(package))).collect()
}

/// Every file of the tree that git tracks or would, with `/` between the parts, sorted.
pub(crate) fn tree() -> BTreeSet<String> {
    let arguments = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
    let listed = Command::new("git").args(arguments).current_dir(ROOT).output().ok().filter(|git| git.status.success());
    let paths: BTreeSet<String> = match listed {
        Some(git) => String::from_utf8_lossy(&git.stdout).split_terminator('\0').map(str::to_owned).collect(),
        None => walk(Path::new(ROOT)),
    };
    assert!(paths.contains("Cargo.toml"), "the tree was not found");
    // A file that was deleted and not yet committed is still listed.
    paths.into_iter().filter(|path| Path::new(ROOT).join(path).is_file()).collect()
}

/// The same without git: every file below the root but those that are built.
fn walk(root: &Path) -> BTreeSet<String> {
    let mut folders: Vec<PathBuf> = vec![root.to_owned()];
    let mut paths = BTreeSet::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("the folder can be read").flatten() {
            let (path, kind) = (entry.path(), entry.file_type().expect("the entry has a type"));
            let built = entry.file_name() == "target" || entry.file_name() == ".git";
            if kind.is_dir() && !built {
                folders.push(path);
            } else if kind.is_file() && !built {
                let inside = path.strip_prefix(root).expect("the walk stays below the root");
                paths.insert(inside.to_string_lossy().replace('\\', "/"));
            }
        }
    }
    paths
}

pub(crate) fn text_of(path: &str) -> String {
    let bytes = std::fs::read(Path::new(ROOT).join(path)).unwrap_or_else(|error| panic!("{path}: {error}"));
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Whether a path is a Rust file of a package that is not there for tests alone.
pub(crate) fn is_code(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let is_test = path.starts_with("tests/") || path.contains("/tests/");
    path.ends_with(".rs") && !is_test && !["tests.rs", "testing.rs", "fixtures.rs"].contains(&name)
}

/// What the code of one file says that its place forbids.
fn crossings(path: &str, text: &str) -> Vec<String> {
    let code = code_of(text);
    let mut found = Vec::new();
    for border in BORDERS.iter().filter(|border| within(path, border.inside) && !within(path, border.except)) {
        let words = border.words.iter().filter(|word| stands(&code, word));
        found.extend(words.map(|word| format!("{path} says {word:?}, but {}", border.why)));
    }
    if within(path, &["src/dataset", "src/site"]) {
        let names = code.split("capdex_db::").skip(1).map(imported);
        let is_word = |names: &str, name: &str| {
            names.split(|mark: char| !mark.is_alphanumeric() && mark != '_').any(|word| word == name)
        };
        let writing = names.flat_map(|names| WRITING.into_iter().filter(move |name| is_word(names, name)));
        found.extend(
            writing
                .map(|name| format!("{path} knows capdex_db::{name}, but exports, reports and the service only read")),
        );
    }
    found
}

pub(crate) fn within(path: &str, folders: &[&str]) -> bool {
    folders.iter().any(|folder| path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/')))
}

/// The names after `capdex_db::`: one path, or the braces of an import.
fn imported(rest: &str) -> &str {
    let end = match rest.starts_with('{') {
        true => rest.find('}'),
        false => rest.find(|mark: char| !mark.is_alphanumeric() && mark != '_' && mark != ':'),
    };
    rest.get(..end.unwrap_or(rest.len())).unwrap_or(rest)
}

/// Whether `word` stands in `code` as a word of its own, not at the end of a longer name or path.
fn stands(code: &str, word: &str) -> bool {
    let mut starts = code.match_indices(word).map(|(start, _)| code.get(..start).unwrap_or_default());
    starts.any(|before| !before.ends_with(|mark: char| mark.is_alphanumeric() || mark == '_' || mark == ':'))
}

/// The lines of a file that are neither a comment nor part of a test module at its end.
pub(crate) fn code_of(text: &str) -> String {
    let tests = text.match_indices("#[cfg(test)]\nmod ").map(|(start, _)| start);
    let inline = tests.filter(|start| text[*start..].lines().nth(1).is_some_and(|line| line.ends_with('{'))).min();
    let code = text.get(..inline.unwrap_or(text.len())).unwrap_or(text);
    code.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
}
