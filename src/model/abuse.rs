//! `AbuseList`: a local list of packages that somebody reports, and its report of one package.
//!
//! A report is what the keeper of a list says and never ground truth: whoever shows one names the list, its version and
//! its date. The store imports lists and keeps them.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::ids::pypi_name;
use crate::source_role::Ecosystem;
use crate::time::Timestamp;

/// The longest text of a list's head or entry, in bytes.
const LONGEST: usize = 1000;

/// One version of one list, whole. Its form as a file is this as JSON.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AbuseList {
    /// The name of the list; stays over its versions.
    pub list: String,
    /// Grows with every change of what it says.
    pub version: u32,
    /// The origin of the list: an address, or words.
    pub source: String,
    /// The day of this version, `2026-11-20`.
    pub date: String,
    /// True where what it reports was confirmed: by its keeper, or by the operator who imported it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub confirmed: bool,
    /// The reported packages.
    pub entries: Vec<AbuseEntry>,
}

/// One package that a list reports.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AbuseEntry {
    /// The registry, such as `npm`.
    pub registry: String,
    /// The package's name there.
    pub name: String,
    /// The reason of the report.
    pub reason: String,
    /// The day when it was first seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_seen: Option<String>,
    /// A place where more is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// The versions that are reported; none where all of the package is.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub versions: Vec<String>,
}

/// The report of one list about one package: an entry with the list that it stands in.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Report {
    /// The list.
    pub list: String,
    /// The list's version.
    pub version: u32,
    /// The day of that version.
    pub date: String,
    /// True where the list's reports are confirmed. Left out of the text otherwise, so that reports of before stay the same.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub confirmed: bool,
    /// The reason of the report.
    pub reason: String,
    /// The day when it was first seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_seen: Option<String>,
    /// A place where more is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// The versions that are reported; none where all of the package is.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub versions: Vec<String>,
}

/// Why a file is no list of abuse.
#[derive(Debug, thiserror::Error)]
pub enum AbuseListError {
    /// It is not JSON of the form.
    #[error("not a list of abuse: {0}")]
    Form(#[from] serde_json::Error),
    /// A field of the head says nothing that can be used.
    #[error("not a list of abuse: {field} {why}")]
    Head {
        /// The field.
        field: &'static str,
        /// The error, in words.
        why: String,
    },
    /// One entry cannot be used, and so the whole list is not.
    #[error("entry {at} ({entry}): {why}")]
    Entry {
        /// Its place, from 1.
        at: usize,
        /// The part of its name that can be read.
        entry: String,
        /// The error, in words.
        why: String,
    },
}

/// The form of a file whose entries have not been looked at.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Unread {
    list: String,
    version: u32,
    source: String,
    date: String,
    #[serde(default)]
    confirmed: bool,
    entries: Vec<Value>,
}

impl AbuseList {
    /// Reads a list and checks every entry.
    ///
    /// # Errors
    /// The first thing that cannot be used, with its entry.
    pub fn parse(bytes: &[u8]) -> Result<Self, AbuseListError> {
        // Entries are read one by one afterwards, so that an error names the entry and not a byte of the file.
        let unread: Unread = serde_json::from_slice(bytes)?;
        let head = |field, checked: Result<(), String>| checked.map_err(|why| AbuseListError::Head { field, why });
        head("list", is_id(&unread.list, "._-"))?;
        head("version", if unread.version > 0 { Ok(()) } else { Err("counts from 1".into()) })?;
        head("source", is_text(&unread.source))?;
        head("date", is_day(&unread.date))?;
        let mut entries = Vec::with_capacity(unread.entries.len());
        for (index, value) in unread.entries.into_iter().enumerate() {
            // Named before it is read: an entry that lacks a field still has to be found by the operator.
            let named = |field| value.get(field).and_then(Value::as_str).unwrap_or("?");
            let entry = format!("{}:{}", named("registry"), named("name")).chars().take(100).collect();
            let wrong = |why| AbuseListError::Entry { at: index + 1, entry, why };
            let read = serde_json::from_value(value.clone()).map_err(|error| error.to_string());
            // One bad entry refuses the list: a list that is silently shorter clears whatever it left out.
            entries.push(read.and_then(AbuseEntry::checked).map_err(wrong)?);
        }
        let Unread { list, version, source, date, confirmed, .. } = unread;
        Ok(Self { list, version, source, date, confirmed, entries })
    }

    /// The report that the list makes through one of its entries.
    pub fn report(&self, entry: &AbuseEntry) -> Report {
        Report {
            list: self.list.clone(),
            version: self.version,
            date: self.date.clone(),
            confirmed: self.confirmed,
            reason: entry.reason.clone(),
            first_seen: entry.first_seen.clone(),
            reference: entry.reference.clone(),
            versions: entry.versions.clone(),
        }
    }
}

impl Report {
    /// True where it is about one of these versions of the package: a bad release of a good package says nothing of others.
    pub fn is_about<'a>(&self, mut versions: impl Iterator<Item = &'a str>) -> bool {
        self.versions.is_empty() || versions.any(|version| self.versions.iter().any(|reported| reported == version))
    }
}

impl AbuseEntry {
    /// The package that it speaks of, in the form of a locator's identity: `npm:@scope/name`. A name of PyPI is brought
    /// to the form that the index itself compares.
    pub fn subject(&self) -> String {
        // Lists spell PyPI names as people do, and another spelling would match no listing.
        if self.registry == Ecosystem::Pypi.as_str() {
            return format!("{}:{}", self.registry, pypi_name(&self.name));
        }
        format!("{}:{}", self.registry, self.name)
    }

    fn checked(self) -> Result<Self, String> {
        let of = |field: &str, checked: Result<(), String>| checked.map_err(|why| format!("{field} {why}"));
        of("registry", is_id(&self.registry, "-"))?;
        of("name", is_text(&self.name))?;
        of("reason", is_text(&self.reason))?;
        of("first_seen", self.first_seen.as_deref().map_or(Ok(()), is_day))?;
        of("reference", self.reference.as_deref().map_or(Ok(()), is_text))?;
        self.versions.iter().try_for_each(|version| of("version", is_text(version)))?;
        Ok(self)
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let says = if self.confirmed { "confirms" } else { "reports" };
        write!(f, "list {} version {} of {} {says}: {}", self.list, self.version, self.date, self.reason)?;
        if let Some(seen) = &self.first_seen {
            write!(f, ", first seen {seen}")?;
        }
        self.reference.as_ref().map_or(Ok(()), |reference| write!(f, ", see {reference}"))
    }
}

fn is_id(text: &str, also: &str) -> Result<(), String> {
    let fits = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || also.contains(letter);
    // Ids are printed and stored as keys; the bound keeps a list from filling a line with its name.
    if text.is_empty() || text.len() > 100 || !text.chars().all(fits) {
        return Err(format!("{text:?} is not made of lower-case letters, digits and any of {also:?}"));
    }
    Ok(())
}

fn is_text(text: &str) -> Result<(), String> {
    match text {
        empty if empty.trim().is_empty() => Err("is empty".into()),
        long if long.len() > LONGEST => Err(format!("has {} bytes, more than {LONGEST}", long.len())),
        // Reasons are shown on terminals and in reports, where a control character could rewrite the line.
        odd if odd.chars().any(char::is_control) => Err("holds control characters".into()),
        _ => Ok(()),
    }
}

fn is_day(text: &str) -> Result<(), String> {
    // The parser of instants also knows which days a month has.
    let is_day = text.len() == 10 && format!("{text}T00:00:00Z").parse::<Timestamp>().is_ok();
    if is_day { Ok(()) } else { Err(format!("{text:?} is no day such as 2026-11-20")) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn file(entries: &Value) -> Value {
        json!({ "list": "team", "version": 2, "source": "the team", "date": "2026-11-20", "entries": entries })
    }

    fn parse(file: &Value) -> Result<AbuseList, AbuseListError> {
        AbuseList::parse(file.to_string().as_bytes())
    }

    #[test]
    fn a_list_is_read_and_an_entry_is_reported_with_its_list() {
        let entry = json!({ "registry": "npm", "name": "@a/b", "reason": "sends tokens", "first_seen": "2026-11-01",
                            "reference": "https://list.example/1" });
        let list = parse(&file(&json!([entry]))).expect("reads");
        let entry = list.entries.first().expect("an entry");
        assert_eq!(entry.subject(), "npm:@a/b");
        let said = "list team version 2 of 2026-11-20 reports: sends tokens, first seen 2026-11-01, \
                    see https://list.example/1";
        assert_eq!(list.report(entry).to_string(), said);
    }

    #[test]
    fn names_of_pypi_are_compared_as_the_index_does() {
        let list = parse(&file(&json!([{ "registry": "pypi", "name": "A_b..C", "reason": "x" }]))).expect("reads");
        assert_eq!(list.entries.first().map(AbuseEntry::subject).as_deref(), Some("pypi:a-b-c"));
    }

    #[test]
    fn a_bad_entry_is_refused_and_named() {
        let good = json!({ "registry": "npm", "name": "a", "reason": "x" });
        for (bad, named, why) in [
            (json!({ "registry": "npm", "name": "b" }), "(npm:b)", "reason"),
            (json!({ "registry": "NPM", "name": "b", "reason": "x" }), "(NPM:b)", "registry"),
            (json!({ "registry": "npm", "name": " ", "reason": "x" }), "(npm: )", "name is empty"),
            (json!({ "registry": "npm", "name": "b", "reason": "x\u{7}" }), "(npm:b)", "control"),
            (json!({ "registry": "npm", "name": "b", "reason": "x", "first_seen": "May" }), "(npm:b)", "no day"),
            (json!({ "registry": "npm", "name": "b", "reason": "x", "sure": true }), "(npm:b)", "sure"),
            (json!(7), "(?:?)", "invalid type"),
        ] {
            let error = parse(&file(&json!([good, bad]))).expect_err("refused").to_string();
            assert!(error.starts_with(&format!("entry 2 {named}: ")), "{error}");
            assert!(error.contains(why), "{error}");
        }
    }

    #[test]
    fn a_bad_head_is_refused_and_named() {
        for (field, value) in
            [("list", json!("a b")), ("version", json!(0)), ("source", json!("")), ("date", json!("2026-02-30"))]
        {
            let mut bad = file(&json!([]));
            bad[field] = value;
            let error = parse(&bad).expect_err("refused").to_string();
            assert!(error.contains(field), "{error}");
        }
        assert!(AbuseList::parse(b"[]").is_err());
        assert!(AbuseList::parse(b"\xff").is_err());
        parse(&file(&json!([]))).expect("a list may be empty");
    }
}
