//! Recorded rows of the official registry, `official-registry/full-json` of 2025-11-01 and 2025-12-18 (CC0), served by
//! the fake.

use std::collections::BTreeSet;

use capdex_model::digest::Digest;

use super::*;

fn rows(day: &str) -> Option<Vec<Value>> {
    testing::recorded_lines(&format!("official-registry/full-json/{day}.jsonl.gz"))
}

fn key(row: &Value) -> String {
    let text = |member: &str| row["server"][member].as_str().expect("a text");
    format!("{}@{}", text("name"), text("version"))
}

/// What a walk gives: the digest of every row by its name.
async fn digests(rows: Vec<Value>) -> (BTreeMap<String, Digest>, usize) {
    let server = serve(Fake::of(rows));
    let (listed, _) = walk(SOURCE, &server, WalkScope::Full).await.expect("a walk");
    let digests = listed.into_iter().map(|listed| match listed {
        ListedEntry::Changed { listing, validators: Validators { digest: Some(digest), .. } } => {
            (listing.key.name, digest)
        }
        other => panic!("{other:?}"),
    });
    (digests.collect(), server.asked().len())
}

/// New, changed and gone rows.
type Counts = (usize, usize, usize);

fn compare<T: PartialEq>(before: &BTreeMap<String, T>, now: &BTreeMap<String, T>) -> Counts {
    let (old, new): (BTreeSet<_>, BTreeSet<_>) = (before.keys().collect(), now.keys().collect());
    let changed = old.intersection(&new).filter(|key| before.get(**key) != now.get(**key)).count();
    (new.difference(&old).count(), changed, old.difference(&new).count())
}

/// What people would compare by hand: all of the row but the schema's address, the registry's instants, and the path
/// that the operators added to NuGet's address in six of these rows.
fn by_hand(rows: &[Value]) -> BTreeMap<String, Value> {
    let plain = |row: &Value| {
        let text = row.to_string().replace("/v3/index.json\"", "\"");
        let mut row: Value = serde_json::from_str(&text).expect("JSON");
        row["server"].as_object_mut().expect("an object").remove("$schema");
        let of_registry = row["_meta"][OFFICIAL].as_object_mut().expect("an object");
        of_registry.retain(|name, _| name == "status" || name == "isLatest");
        row
    };
    rows.iter().map(|row| (key(row), plain(row))).collect()
}

#[tokio::test]
async fn all_rows_of_2025_12_18_come_in_as_few_requests_as_there_are_pages() {
    let Some(rows) = rows("2025-12-18") else { return };
    assert_eq!(rows.len(), 2_794);
    let (digests, requests) = digests(rows).await;
    assert_eq!(digests.len(), 2_794);
    assert!(requests <= 2_794_usize.div_ceil(PAGE_ROWS) + 1, "{requests} requests");
}

#[tokio::test]
async fn digests_find_the_differences_that_an_independent_comparison_finds() {
    let (Some(before), Some(now)) = (rows("2025-11-01"), rows("2025-12-18")) else { return };
    let expected = compare(&by_hand(&before), &by_hand(&now));
    assert_eq!(expected, (1_288, 92, 0));
    let (before, now) = (digests(before).await.0, digests(now).await.0);
    assert_eq!(compare(&before, &now), expected);
    assert_eq!(compare(&now, &before), (0, 92, 1_288));
}

/// A row as an older schema had it, or a migration left it: every spelling but none of the content is another.
fn migrated(mut row: Value) -> Value {
    let server = row["server"].as_object_mut().expect("an object");
    server.insert(
        "$schema".into(),
        json!("https://static.modelcontextprotocol.io/schemas/2099-01-01/server.schema.json"),
    );
    server.entry("repository").or_insert_with(|| json!({"url": "", "source": ""}));
    server.entry("remotes").or_insert_with(|| json!([]));
    for package in server.get_mut("packages").and_then(Value::as_array_mut).into_iter().flatten() {
        let package = package.as_object_mut().expect("an object");
        let identifier = package["identifier"].as_str().expect("a text").to_owned();
        let apart = identifier.split_once('/').and_then(|(host, rest)| Some((host, rest.split_once(':')?)));
        if package["registryType"] == "oci"
            && package.get("version").is_none()
            && let Some((host, (path, tag))) = apart.filter(|(host, _)| host.contains('.'))
        {
            package.insert("registryBaseUrl".into(), json!(format!("https://{host}")));
            package.insert("identifier".into(), json!(path));
            package.insert("version".into(), json!(tag));
        }
        for (new, old) in [("registryType", "registry_type"), ("environmentVariables", "environment_variables")] {
            if let Some(value) = package.remove(new) {
                package.insert(old.into(), value);
            }
        }
    }
    let of_registry = row["_meta"][OFFICIAL].as_object_mut().expect("an object");
    of_registry.insert("serverId".into(), json!("550e8400"));
    of_registry.insert("updatedAt".into(), json!("2026-01-01T00:00:00Z"));
    row
}

#[tokio::test]
async fn a_schema_migration_changes_no_digest() {
    let Some(rows) = rows("2025-12-18") else { return };
    let after: Vec<_> = rows.iter().cloned().map(migrated).collect();
    assert!(rows.iter().zip(&after).all(|(one, other)| one != other), "every row was rewritten");
    let (before, after) = (digests(rows).await.0, digests(after).await.0);
    let differing: Vec<_> = before.iter().filter(|(key, digest)| after.get(*key) != Some(digest)).collect();
    assert_eq!(differing, vec![]);
    assert_eq!(after.len(), before.len());
}
