//! OSV records of malicious packages: those that others publish as a list of abuse, and those of packages that an operator
//! confirms, one for each entry of a list that he names.
//!
//! Nothing that rules or passes suspect ever becomes one: a record says "malicious" to machines that block. Format: OSV
//! schema 1.6.7 (ossf.github.io/osv-schema).

use std::collections::{BTreeMap, BTreeSet};

use capdex_model::abuse::{AbuseEntry, AbuseList};
use capdex_model::digest::Digest;
use capdex_model::time::Timestamp;
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

/// What records say, and how many of them said nothing that a list of abuse holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadRecords {
    /// The list: a version for each newest change of a record, in seconds since 1970.
    pub list: AbuseList,
    /// Records that are no reports of malice: advisories about flaws, and what was withdrawn.
    pub others: usize,
    /// Records of malice about registries that capdex does not know, or about versions that they do not name.
    pub left_out: usize,
}

/// The list of abuse that records of malicious packages make (`MAL-…`), in any order. A record that all versions are bad
/// reports the package; one that some are reports these alone.
///
/// # Errors
/// The record that is none, by its place, and what is wrong with it.
pub fn list_of(name: &str, source: &str, records: &[(String, Vec<u8>)]) -> Result<ReadRecords, String> {
    let (mut entries, mut others, mut left_out, mut newest) = (BTreeMap::new(), 0, 0, None::<Timestamp>);
    for (place, bytes) in records {
        let record: Value = serde_json::from_slice(bytes).map_err(|error| format!("{place}: {error}"))?;
        let text = |key: &str| record.get(key).and_then(Value::as_str);
        let id = text("id").ok_or_else(|| format!("{place}: no record of OSV: it has no id"))?;
        let modified: Option<Timestamp> = text("modified").and_then(|text| text.parse().ok());
        newest = newest.max(Some(modified.ok_or_else(|| format!("{place}: no record of OSV: it has no modified"))?));
        if !id.starts_with("MAL-") || record.get("withdrawn").is_some_and(|at| !at.is_null()) {
            others += 1;
            continue;
        }
        let found: Vec<AbuseEntry> =
            record["affected"].as_array().into_iter().flatten().filter_map(|of| entry(&record, id, of)).collect();
        left_out += usize::from(found.is_empty());
        // One entry a package and record; of two about the same the record's later part adds nothing.
        entries.extend(found.into_iter().map(|entry| ((entry.subject(), id.to_owned()), entry)));
    }
    let newest = newest.ok_or("there is no record")?;
    let version = u32::try_from(newest.unix_seconds()).map_err(|_| "a record of another century".to_owned())?;
    let day = newest.to_string().chars().take(10).collect();
    let list = AbuseList {
        list: name.to_owned(),
        version,
        source: source.to_owned(),
        date: day,
        // Their keepers look at each before they publish it, and withdraw what was wrong.
        confirmed: true,
        entries: entries.into_values().collect(),
    };
    // Through its own reader, so that what strangers wrote keeps to the bounds of every list.
    let list = serde_json::to_vec(&list).map_err(|error| error.to_string())?;
    let list = AbuseList::parse(&list).map_err(|error| error.to_string())?;
    Ok(ReadRecords { list, others, left_out })
}

/// The entry of one affected package of a record; none for a registry that is not known and for versions without names.
fn entry(record: &Value, id: &str, affected: &Value) -> Option<AbuseEntry> {
    let of = |key: &str| affected.pointer(&format!("/package/{key}")).and_then(Value::as_str);
    let ecosystem = of("ecosystem")?;
    let (registry, ..) = ECOSYSTEMS.iter().find(|(_, known, _)| *known == ecosystem)?;
    let events = affected["ranges"].as_array().into_iter().flatten();
    let is_of_all = events.filter_map(|range| range["events"].as_array()).any(|events| {
        let has = |key: &str| events.iter().any(|event| event.get(key).is_some());
        let begins = events.iter().any(|event| event.get("introduced").and_then(Value::as_str) == Some("0"));
        begins && !has("fixed") && !has("last_affected") && !has("limit")
    });
    let versions: BTreeSet<String> = match is_of_all {
        true => BTreeSet::new(),
        false => affected["versions"].as_array()?.iter().filter_map(|version| version.as_str().map(clean)).collect(),
    };
    if !is_of_all && versions.is_empty() {
        return None;
    }
    let summary = record.get("summary").and_then(Value::as_str).map(clean).filter(|text| !text.is_empty());
    let published = record.get("published").and_then(Value::as_str);
    let day = published.and_then(|text| text.parse::<Timestamp>().ok());
    Some(AbuseEntry {
        registry: (*registry).to_owned(),
        name: clean(of("name")?),
        reason: format!("{}: {}", id, summary.as_deref().unwrap_or("malicious code")),
        first_seen: day.map(|day| day.to_string().chars().take(10).collect()),
        reference: None,
        versions: versions.into_iter().collect(),
    })
}

/// A stranger's words as a list may hold them: one line, and short.
fn clean(text: &str) -> String {
    text.chars()
        .map(|letter| if letter.is_control() { ' ' } else { letter })
        .take(200)
        .collect::<String>()
        .trim()
        .to_owned()
}

/// A record that stood for an entry which the list names no more.
pub fn withdrawn(mut record: Value, list: &AbuseList) -> Value {
    // The date of the list, so that the same list gives the same record.
    let at = json!(format!("{}T00:00:00Z", list.date));
    record["modified"] = at.clone();
    record["withdrawn"] = at;
    record
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(id: &str, affected: &Value) -> (String, Vec<u8>) {
        let record = json!({"schema_version": "1.7.3", "id": id, "modified": "2026-11-02T03:04:05Z",
            "published": "2026-10-01T00:00:00Z", "summary": "Malicious code\nin it", "affected": [affected]});
        (format!("{id}.json"), record.to_string().into_bytes())
    }

    fn affected(ecosystem: &str, name: &str, events: &Value, versions: &Value) -> Value {
        json!({"package": {"ecosystem": ecosystem, "name": name}, "versions": versions,
            "ranges": [{"type": "SEMVER", "events": events}]})
    }

    #[test]
    fn records_of_malice_make_a_list_and_a_bad_release_is_not_the_package() {
        let all = json!([{"introduced": "0"}]);
        let some = json!([{"introduced": "1.2.0"}, {"fixed": "1.2.2"}]);
        let mut withdrawn = record("MAL-2026-4", &affected("npm", "taken-back", &all, &json!([])));
        let mut value: Value = serde_json::from_slice(&withdrawn.1).expect("JSON");
        value["withdrawn"] = json!("2026-11-01T00:00:00Z");
        value["modified"] = json!("2026-11-03T00:00:00Z");
        withdrawn.1 = value.to_string().into_bytes();
        let records = [
            record("MAL-2026-1", &affected("npm", "@evil/kit", &all, &json!(["1.0.0"]))),
            record("MAL-2026-2", &affected("npm", "good-kit", &some, &json!(["1.2.0", "1.2.1"]))),
            record("MAL-2026-3", &affected("PyPI", "Evil_Py", &all, &json!([]))),
            withdrawn,
            record("GHSA-1", &affected("npm", "flawed", &all, &json!([]))),
            record("MAL-2026-5", &affected("VSCode", "x.y", &all, &json!([]))),
            record("MAL-2026-6", &affected("npm", "unnamed", &some, &json!([]))),
        ];
        let read = list_of("osv", "records", &records).expect("a list");
        assert_eq!((read.others, read.left_out), (2, 2));
        let said: Vec<(String, Vec<String>)> =
            read.list.entries.iter().map(|entry| (entry.subject(), entry.versions.clone())).collect();
        let versions = vec!["1.2.0".to_owned(), "1.2.1".to_owned()];
        let expected = [("npm:@evil/kit", vec![]), ("npm:good-kit", versions), ("pypi:evil-py", vec![])];
        assert_eq!(said, expected.map(|(subject, versions)| (subject.to_owned(), versions)));
        assert_eq!((read.list.date.as_str(), read.list.version), ("2026-11-03", 1_793_664_000));
        let first = &read.list.entries[0];
        assert_eq!(
            (first.reason.as_str(), first.first_seen.as_deref()),
            ("MAL-2026-1: Malicious code in it", Some("2026-10-01"))
        );
    }

    #[test]
    fn what_is_no_record_is_refused_and_named() {
        for bytes in ["{}", "[", r#"{"id": "MAL-1"}"#] {
            let error = list_of("osv", "records", &[("a/b.json".into(), bytes.into())]).expect_err("refused");
            assert!(error.starts_with("a/b.json: "), "{error}");
        }
        assert!(list_of("osv", "records", &[]).is_err());
    }
}
