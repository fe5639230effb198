//! Archives made here, of servers by hand and of those that `docker-mcp-registry` records (2026-01-01, 2026-07-08).

use std::io::Write;

use capdex_model::listing::{Claim, Locator};
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Value, json};

use super::*;
use crate::conformance::{self, Origin};
use crate::http::testing::{Sent, Server};
use crate::{SourceSettings, WalkScope, testing};

/// The archive that a forge makes: everything under one top folder.
fn archive(files: &[(String, String)]) -> Vec<u8> {
    let mut tar = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
    for (path, text) in files {
        let mut header = tar::Header::new_gnu();
        header.set_size(text.len() as u64);
        header.set_mode(0o644);
        tar.append_data(&mut header, format!("mcp-registry-main/{path}"), text.as_bytes()).expect("in memory");
    }
    let mut gzip = tar.into_inner().expect("in memory");
    gzip.flush().expect("in memory");
    gzip.finish().expect("in memory")
}

fn server(name: &str, text: &str) -> (String, String) {
    (format!("servers/{name}/server.yaml"), text.to_owned())
}

fn document(bytes: Vec<u8>) -> SourceDocument {
    SourceDocument {
        id: "docker-mcp-registry".into(),
        name: "docker/mcp-registry".into(),
        url: String::new(),
        bytes,
        forges: Vec::new(),
    }
}

const WHOLE: &str = "\
name: x
image: mcp/x
type: server
meta:
  category: database
  tags: [sqlite, database]
about:
  title: X
  description: Does things.
source:
  project: https://github.com/Owner/Name
  branch: main
  commit: 0123456789abcdef0123456789abcdef01234567
remote:
  transport_type: streamable-http
  url: https://x.test/mcp
";

#[test]
fn a_server_carries_its_files_and_its_pin() {
    let tools = ("servers/x/tools.json".to_owned(), "[{\"name\":\"read\"}]".to_owned());
    let listed =
        read(&document(archive(&[("README.md".into(), "x".into()), server("x", WHOLE), tools]))).expect("servers");
    let [ListedEntry::Changed { listing, .. }] = listed.as_slice() else { panic!("one") };
    let [Locator::Inline { identity, version: None, files }, Locator::GitArchive { repository, commit, .. }] =
        listing.locators.as_slice()
    else {
        panic!("two")
    };
    assert_eq!(identity.as_str(), "docker-mcp-registry:x");
    assert_eq!(files.keys().map(String::as_str).collect::<Vec<_>>(), vec!["listing.json", "tools.json"]);
    assert_eq!(repository.as_str(), "pinned:docker-mcp-registry:x");
    assert_eq!(&commit[..4], "0123");
    let references: Vec<_> = listing.references.iter().map(ToString::to_string).collect();
    assert_eq!(references, ["github:owner/name", "mcp:https://x.test/mcp", "oci:docker.io/mcp/x"]);
    assert_eq!(listing.claims.description, Claim::Known("Does things.".into()));
    assert_eq!(listing.claims.keywords, Claim::Known(vec!["sqlite".into(), "database".into()]));
}

#[test]
fn a_server_that_cannot_be_read_fails_by_itself() {
    let bomb = format!("a: &a [x, x]\n{}", (0..200).map(|n| format!("b{n}: *a\n")).collect::<String>());
    let large = format!("name: {}\n", "x".repeat(300 * 1024));
    for text in ["- a list", "a: [", "\t", &bomb, &large] {
        let listed = read(&document(archive(&[server("bad", text), server("x", WHOLE)]))).expect("servers");
        assert!(matches!(listed.as_slice(), [ListedEntry::Failed { .. }, ListedEntry::Changed { .. }]), "{text:.20}");
    }
    let tools = ("servers/x/tools.json".to_owned(), "[".to_owned());
    let listed = read(&document(archive(&[server("x", WHOLE), tools]))).expect("servers");
    assert!(matches!(listed.as_slice(), [ListedEntry::Failed { .. }]));
}

#[test]
fn an_archive_without_servers_or_with_a_part_missing_is_an_error() {
    assert!(read(&document(archive(&[("README.md".into(), "x".into())]))).is_err());
    let whole = archive(&[server("x", WHOLE), server("y", &WHOLE.repeat(50))]);
    assert!(read(&document(whole[..whole.len() / 2].to_vec())).is_err());
    assert!(read(&document(b"<html>".to_vec())).is_err());
}

/// What a recorded day gives: listings, of which with tools, of which pinned, and their digests.
fn recorded(day: &str) -> Option<(usize, usize, usize, BTreeMap<String, Validators>)> {
    let rows = testing::recorded_lines(&format!("docker-mcp-registry/servers-{day}.jsonl.gz"))?;
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    let mut files = Vec::new();
    for row in &rows {
        let folder = text(&row["id"]);
        // JSON is YAML.
        files.push(server(&folder, &row["server"].to_string()));
        if !row["tools"].is_null() {
            files.push((format!("servers/{folder}/tools.json"), row["tools"].to_string()));
        }
    }
    let listed = read(&document(archive(&files))).expect("servers");
    let listings: Vec<_> = listed
        .into_iter()
        .map(|listed| match listed {
            ListedEntry::Changed { listing, validators } => (listing, validators),
            other => panic!("{other:?}"),
        })
        .collect();
    let has_tools =
        |locator: &Locator| matches!(locator, Locator::Inline { files, .. } if files.contains_key("tools.json"));
    let with_tools = listings.iter().filter(|(listing, _)| listing.locators.iter().any(has_tools)).count();
    let pinned = listings.iter().filter(|(listing, _)| listing.locators.len() == 2).count();
    let digests = listings.iter().map(|(listing, known)| (listing.key.name.clone(), known.clone())).collect();
    Some((listings.len(), with_tools, pinned, digests))
}

#[test]
fn recorded_days_are_read_and_compared() {
    let (Some((one, _, _, before)), Some((two, tools, pinned, now))) = (recorded("2026-01-01"), recorded("2026-07-08"))
    else {
        return;
    };
    let new = now.keys().filter(|key| !before.contains_key(*key)).count();
    let gone = before.keys().filter(|key| !now.contains_key(*key)).count();
    let changed = before.iter().filter(|(key, known)| now.get(*key).is_some_and(|now| now != *known)).count();
    assert_eq!(one, 318);
    assert_eq!(two, 328);
    assert_eq!(tools, 28);
    assert_eq!(pinned, 249);
    assert_eq!(new, 13);
    assert_eq!(changed, 120);
    assert_eq!(gone, 3);
}

#[tokio::test]
async fn it_does_what_every_source_must() {
    conformance::check(Origin {
        source: SOURCE,
        name: |number| format!("server-{number:03}"),
        settings: |_, base_url| {
            let watchlist = (0..3).map(|part| format!("{base_url}/docker/registry-{part}/tar.gz")).collect();
            SourceSettings { watchlist, ..SourceSettings::default() }
        },
        answer: |world, asked, _| {
            let part = asked.path.bytes().find(u8::is_ascii_digit).expect("a digit");
            let own =
                world.entries.iter().filter(|(name, _)| name.bytes().last().is_some_and(|last| last % 3 == part % 3));
            let files: Vec<_> = own
                .map(|(name, revision)| {
                    let text = json!({"name": name, "about": {"description": format!("revision {revision}")}});
                    server(name, &text.to_string())
                })
                .collect();
            Sent::ok(archive(&files))
        },
        entries: 30,
    })
    .await;
}

#[tokio::test]
async fn the_base_address_is_the_archive() {
    let server = Server::start(|_, _| Sent::ok(archive(&[server("x", WHOLE)])));
    let base_url = format!("{}/docker/mcp-registry/tar.gz/refs/heads/main", server.base_url);
    let of_source = SourceSettings { base_url, ..SourceSettings::default() };
    let (listed, _) = testing::walk(SOURCE, &of_source, WalkScope::Full).await.expect("a walk");
    assert_eq!(listed.len(), 1);
    assert_eq!(server.paths(), vec!["/docker/mcp-registry/tar.gz/refs/heads/main".to_owned()]);
}
