//! OSV records of packages that an operator confirms as malicious, one for each entry of a list that he names.
//!
//! Nothing that rules or passes suspect ever becomes one: a record says "malicious" to machines that block. Format: OSV
//! schema 1.6.7 (ossf.github.io/osv-schema).

use capdex_model::abuse::{AbuseEntry, AbuseList};
use capdex_model::digest::Digest;
use serde_json::{Value, json};
use url::Url;

/// The version of the schema that records keep to.
const SCHEMA_VERSION: &str = "1.6.7";

/// The ecosystems of OSV by registry, each with how its versions are ordered.
const ECOSYSTEMS: [(&str, &str, &str); 8] = [
    ("npm", "npm", "SEMVER"),
    ("pypi", "PyPI", "ECOSYSTEM"),
    ("crates", "crates.io", "SEMVER"),
    ("go", "Go", "SEMVER"),
    ("rubygems", "RubyGems", "ECOSYSTEM"),
    ("packagist", "Packagist", "ECOSYSTEM"),
    ("nuget", "NuGet", "ECOSYSTEM"),
    ("maven", "Maven", "ECOSYSTEM"),
];

/// Digits of the digest in an id: names are chosen by strangers, and two of them may not meet.
pub const DIGITS: usize = 32;

/// The beginning of the id of every record of a list. The year 0000 is one that the database of malicious packages never
/// gives. These are records for it, or for one's own tools, and not from it.
pub fn prefix(list: &str) -> String {
    format!("MAL-0000-{list}-")
}

/// The id of an entry's record: the same as long as the list names the package.
pub fn id(list: &AbuseList, entry: &AbuseEntry) -> String {
    let digest = Digest::of_fields([list.list.as_bytes(), entry.subject().as_bytes()]).hex();
    format!("{}{}", prefix(&list.list), digest.get(..DIGITS).unwrap_or_default())
}

/// The record of an entry; none for a registry that OSV has no ecosystem for.
pub fn record(list: &AbuseList, entry: &AbuseEntry) -> Option<Value> {
    // A record without an ecosystem would match nothing, and look like a warning all the same.
    let (_, ecosystem, order) = ECOSYSTEMS.iter().find(|(registry, ..)| *registry == entry.registry)?;
    let subject = entry.subject();
    let name = subject.split_once(':').map_or(entry.name.as_str(), |(_, name)| name);
    let at = |day: &str| format!("{day}T00:00:00Z");
    let mut record = json!({
        "schema_version": SCHEMA_VERSION,
        "id": id(list, entry),
        "modified": at(&list.date),
        // The list may have been written before the day that it names; nothing is published after its last change.
        "published": at(entry.first_seen.as_deref().unwrap_or(&list.date).min(&list.date)),
        "summary": format!("Malicious code in {name} ({ecosystem})"),
        "details": format!("{}\n\nReported by the list {} (version {} of {}, {}).",
                           entry.reason, list.list, list.version, list.date, list.source),
        "affected": [{
            "package": { "ecosystem": ecosystem, "name": name },
            // From the first version: a list names packages and not releases.
            "ranges": [{ "type": order, "events": [{ "introduced": "0" }] }],
            "database_specific": { "cwes": [{ "cweId": "CWE-506", "name": "Embedded Malicious Code" }] },
        }],
        "credits": [{ "name": list.list, "type": "REPORTER" }],
        "database_specific": { "capdex": { "list": list.list, "version": list.version, "source": list.source } },
    });
    // Anything else in that field is words.
    let url = entry.reference.as_deref().and_then(|text| Url::parse(text).ok());
    if let Some(url) = url.filter(|url| matches!(url.scheme(), "https" | "http")) {
        record["references"] = json!([{ "type": "REPORT", "url": url.as_str() }]);
    }
    Some(record)
}

/// A record that stood for an entry which the list names no more.
pub fn withdrawn(mut record: Value, list: &AbuseList) -> Value {
    // The date of the list, so that the same list gives the same record.
    let at = json!(format!("{}T00:00:00Z", list.date));
    record["modified"] = at.clone();
    record["withdrawn"] = at;
    record
}
