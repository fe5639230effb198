//! OpenVEX: the operator's rulings as documents that other tools read, and documents of others as rulings.
//!
//! Source: OpenVEX 0.2.0 (`openvex/spec`). It has no field for an end, for a part of a package or for a rule of ours: an end and
//! the exact answer stand in `status_notes`, a part behind `#` in the product's id, what is ruled on in the vulnerability's
//! name. A statement of others is about other names and is left out.

use capdex_model::digest::{Digest, bytes_of_hex};
use capdex_model::purl::Purl;
use capdex_model::ruling::{Ruling, RulingScope, RulingStatus, RulingSubject};
use capdex_model::time::{AsOf, Timestamp};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use serde::{Deserialize, Serialize};

const CONTEXT: &str = "https://openvex.dev/ns/v0.2.0";
/// Versions of the specification that are read.
const CONTEXTS: &str = "https://openvex.dev/ns";
/// Before what only capdex names: what is ruled on, and products without a package URL.
const OURS: &str = "capdex:";
/// The words of `status_notes` between which `; ` stands.
const UNTIL: &str = "until ";
const ANY_CONTENT: &str = "any content";
const BY: &str = "by ";

/// Letters that stand as they are behind `#` and in names of ours; `%` is not among them, so that every text reads back.
const KEPT: &AsciiSet =
    &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~').remove(b'/').remove(b':').remove(b'@');

#[derive(Debug, Serialize, Deserialize)]
struct Document {
    #[serde(rename = "@context")]
    context: String,
    #[serde(rename = "@id")]
    id: String,
    author: String,
    timestamp: Timestamp,
    version: serde_json::Number,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    tooling: Option<String>,
    statements: Vec<Statement>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Statement {
    vulnerability: Vulnerability,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    timestamp: Option<Timestamp>,
    #[serde(default)]
    products: Vec<Product>,
    status: Status,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    status_notes: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    justification: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    impact_statement: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    action_statement: Option<String>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(untagged)]
enum Vulnerability {
    Named {
        name: String,
    },
    /// As version 0.0.1 wrote it.
    Bare(String),
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(untagged)]
enum Product {
    Component(Component),
    /// As version 0.0.1 wrote it.
    Bare(String),
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Component {
    #[serde(rename = "@id", default, skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    identifiers: Option<Identifiers>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    hashes: Option<Hashes>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Identifiers {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    purl: Option<String>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Hashes {
    #[serde(rename = "sha-256", default, skip_serializing_if = "Option::is_none")]
    sha256: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Status {
    NotAffected,
    Affected,
    Fixed,
    UnderInvestigation,
}

/// The rulings of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadRulings {
    /// They, in the order of the statements.
    pub rulings: Vec<Ruling>,
    /// Statements about vulnerabilities that capdex does not name.
    pub others: usize,
}

/// Writes rulings as one document. `author` is who issues it; each statement says by whom it is.
///
/// # Errors
/// Never but for a fault of the serialiser.
pub fn write(rulings: &[Ruling], author: &str, at: AsOf) -> anyhow::Result<String> {
    let statements: Vec<Statement> = rulings.iter().map(statement).collect();
    // By its statements, so that the same rulings have the same name.
    let digest = Digest::of(&serde_json::to_vec(&statements)?);
    let document = Document {
        context: CONTEXT.to_owned(),
        id: format!("urn:capdex:rulings:{}", digest.hex()),
        author: author.to_owned(),
        timestamp: at.0,
        version: 1.into(),
        tooling: Some(format!("capdex {}", env!("CARGO_PKG_VERSION"))),
        statements,
    };
    Ok(serde_json::to_string_pretty(&document)? + "\n")
}

fn statement(ruling: &Ruling) -> Statement {
    let status = match ruling.status {
        RulingStatus::NotAffected | RulingStatus::FalsePositive => Status::NotAffected,
        RulingStatus::Accepted | RulingStatus::Blocked => Status::Affected,
        RulingStatus::Withdrawn => Status::UnderInvestigation,
    };
    let until = ruling.expires.map(|expires| format!("{UNTIL}{expires}"));
    let any = ruling.content.is_none().then(|| ANY_CONTENT.to_owned());
    // The author last, whose name may hold anything.
    let notes = [Some(ruling.status.as_str().to_owned()), until, any, Some(format!("{BY}{}", ruling.author))];
    let reason = |of: Status| (of == status).then(|| ruling.reason.clone());
    Statement {
        vulnerability: Vulnerability::Named { name: format!("{OURS}{}", ruling.scope) },
        timestamp: Some(ruling.at.0),
        products: vec![Product::Component(product(ruling))],
        status,
        status_notes: Some(format!("{OURS} {}", notes.into_iter().flatten().collect::<Vec<_>>().join("; "))),
        justification: None,
        impact_statement: reason(Status::NotAffected),
        action_statement: reason(Status::Affected),
    }
}

fn product(ruling: &Ruling) -> Component {
    let encoded = |text: &str| utf8_percent_encode(text, KEPT).to_string();
    let RulingSubject { identity, part } = &ruling.subject;
    let purl = Purl::of_identity(identity, None).map(|purl| purl.to_string());
    let whole = purl.clone().unwrap_or_else(|| format!("{OURS}{}", encoded(identity)));
    let id = match part {
        None => whole,
        Some((kind, path)) => format!("{whole}#{}", encoded(&format!("{kind}:{path}"))),
    };
    Component {
        id: Some(id),
        identifiers: purl.map(|purl| Identifiers { purl: Some(purl) }),
        hashes: ruling.content.map(|content| Hashes { sha256: Some(content.hex()) }),
    }
}

/// Reads a document. `takes_any_content` lets a statement in that is bound to no content: it then holds for whatever the product
/// becomes.
///
/// # Errors
/// A text that is no OpenVEX document, or a statement about what capdex names that cannot be understood. A document is taken
/// whole or not at all.
pub fn read(bytes: &[u8], takes_any_content: bool) -> Result<ReadRulings, String> {
    let document: Document = serde_json::from_slice(bytes).map_err(|error| format!("no OpenVEX document: {error}"))?;
    if !document.context.starts_with(CONTEXTS) {
        return Err(format!("no OpenVEX document: its @context is {:?}", document.context));
    }
    let mut read = ReadRulings { rulings: Vec::new(), others: 0 };
    for (number, statement) in (1..).zip(&document.statements) {
        let (Vulnerability::Named { name } | Vulnerability::Bare(name)) = &statement.vulnerability;
        let Some(scope) = name.strip_prefix(OURS) else {
            read.others += 1;
            continue;
        };
        let wrong = |why: String| format!("statement {number}: {why}");
        let scope: RulingScope = scope.parse().map_err(|error| wrong(format!("{error}")))?;
        if statement.products.is_empty() {
            return Err(wrong("it names no product".to_owned()));
        }
        let notes = Notes::of(statement).map_err(wrong)?;
        for product in &statement.products {
            let (subject, content) = read_product(product).map_err(wrong)?;
            if content.is_none() && !notes.any_content && !takes_any_content {
                let hint = "give it hashes with sha-256, or import it with --any-content";
                return Err(wrong(format!("{subject} is bound to no content: {hint}")));
            }
            read.rulings.push(Ruling {
                subject,
                scope: scope.clone(),
                content,
                status: notes.status,
                author: notes.author.clone().unwrap_or_else(|| document.author.clone()),
                reason: reason(statement),
                at: AsOf(statement.timestamp.unwrap_or(document.timestamp)),
                expires: notes.until,
            });
        }
    }
    Ok(read)
}

/// Why, in the words of whoever made the statement.
fn reason(statement: &Statement) -> String {
    let said = [&statement.impact_statement, &statement.action_statement, &statement.justification];
    said.into_iter().flatten().next().cloned().unwrap_or_default()
}

/// The words of ours in `status_notes`.
struct Notes {
    status: RulingStatus,
    until: Option<Timestamp>,
    any_content: bool,
    author: Option<String>,
}

impl Notes {
    fn of(statement: &Statement) -> Result<Self, String> {
        // What a status alone says; `affected` confirms what was found, which needs no ruling.
        let plain = match statement.status {
            Status::NotAffected | Status::Fixed => RulingStatus::NotAffected,
            Status::Affected | Status::UnderInvestigation => RulingStatus::Withdrawn,
        };
        let mut notes = Self { status: plain, until: None, any_content: false, author: None };
        let Some(mut rest) = statement.status_notes.as_deref().and_then(|text| text.strip_prefix(OURS)) else {
            return Ok(notes);
        };
        let mut first = true;
        while !rest.is_empty() {
            rest = rest.trim_start();
            if let Some(author) = rest.strip_prefix(BY) {
                notes.author = Some(author.to_owned());
                break;
            }
            let (word, later) = rest.split_once(';').unwrap_or((rest, ""));
            if std::mem::take(&mut first) {
                notes.status = word.parse().map_err(|error| format!("status_notes: {error}"))?;
            } else if let Some(until) = word.strip_prefix(UNTIL) {
                notes.until = Some(until.parse().map_err(|error| format!("status_notes: {error}"))?);
            } else if word == ANY_CONTENT {
                notes.any_content = true;
            } else {
                // An end that is not understood would make the ruling last for ever.
                return Err(format!("status_notes: {word:?} is not understood"));
            }
            rest = later;
        }
        let is_fitting = match notes.status {
            RulingStatus::NotAffected | RulingStatus::FalsePositive => {
                matches!(statement.status, Status::NotAffected | Status::Fixed)
            }
            RulingStatus::Accepted | RulingStatus::Blocked => statement.status == Status::Affected,
            RulingStatus::Withdrawn => statement.status == Status::UnderInvestigation,
        };
        if !is_fitting {
            return Err(format!("status_notes say {}, which its status does not", notes.status.as_str()));
        }
        Ok(notes)
    }
}

fn read_product(product: &Product) -> Result<(RulingSubject, Option<Digest>), String> {
    let component = match product {
        Product::Component(component) => component.clone(),
        Product::Bare(id) => Component { id: Some(id.clone()), ..Component::default() },
    };
    let purl = component.identifiers.and_then(|identifiers| identifiers.purl);
    let id = component.id.or(purl).ok_or("a product has neither an @id nor a purl")?;
    let (whole, part) = id.split_once('#').map_or((&*id, None), |(whole, part)| (whole, Some(part)));
    let decoded = |text: &str| percent_decode_str(text).decode_utf8_lossy().into_owned();
    let identity = match whole.strip_prefix(OURS) {
        Some(ours) => decoded(ours),
        None => {
            let purl: Purl = whole.parse().map_err(|error| format!("the product {id:?}: {error}"))?;
            purl.identity()
        }
    };
    let text = part.map_or_else(|| identity.clone(), |part| format!("{identity}#{}", decoded(part)));
    let subject: RulingSubject = text.parse().map_err(|error| format!("the product {id:?}: {error}"))?;
    let Some(hash) = component.hashes.and_then(|hashes| hashes.sha256) else { return Ok((subject, None)) };
    let bytes = bytes_of_hex(&hash.to_ascii_lowercase()).and_then(|bytes| bytes.try_into().ok());
    let bytes: [u8; 32] = bytes.ok_or_else(|| format!("the product {id:?}: {hash:?} is no SHA-256"))?;
    Ok((subject, Some(Digest::from_bytes(bytes))))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::{Value, json};

    use super::*;

    fn at(text: &str) -> AsOf {
        text.parse().expect("an instant")
    }

    fn ruling(subject: &str, scope: &str, status: RulingStatus) -> Ruling {
        Ruling {
            subject: subject.parse().expect("a subject"),
            scope: scope.parse().expect("a scope"),
            content: Some(Digest::of(b"one")),
            status,
            author: "Ann; of ops".into(),
            reason: "a test page".into(),
            at: at("2026-11-01T00:00:00Z"),
            expires: Some(at("2027-01-01T00:00:00Z").0),
        }
    }

    fn all() -> Vec<Ruling> {
        use RulingStatus::{Accepted, Blocked, FalsePositive, NotAffected};
        vec![
            ruling("npm:@scope/name#skill:skills/a b#1%", "finding:0a1b", FalsePositive),
            Ruling { content: None, expires: None, ..ruling("pypi:name", "verdict", Blocked) },
            ruling("folder:my files#mcp_server:", "rule:pipe-to-shell", Accepted),
            ruling("github:o/r", "rule:pipe-to-shell", NotAffected),
        ]
    }

    #[test]
    fn a_document_reads_back() {
        let withdrawn = ruling("npm:a", "verdict", RulingStatus::Withdrawn);
        // A withdrawal has no reason there: nothing is said any more.
        let rulings: Vec<Ruling> = all().into_iter().chain([Ruling { reason: String::new(), ..withdrawn }]).collect();
        let text = write(&rulings, "ops", at("2026-11-02T00:00:00Z")).expect("written");
        assert_eq!(read(text.as_bytes(), false), Ok(ReadRulings { rulings, others: 0 }));
    }

    #[test]
    fn a_document_is_one_by_the_published_schema() {
        // The conditions of `openvex_json_schema.json` 0.2.0 in our words: which members there are, and which need which.
        let text = write(&all(), "ops", at("2026-11-02T00:00:00Z")).expect("written");
        let document: Value = serde_json::from_str(&text).expect("JSON");
        let keys = |value: &Value| value.as_object().expect("an object").keys().cloned().collect::<BTreeSet<_>>();
        let of = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<BTreeSet<_>>();
        assert_eq!(
            keys(&document),
            of(&["@context", "@id", "author", "timestamp", "version", "tooling", "statements"])
        );
        assert!(document["version"].as_u64() >= Some(1));
        for statement in document["statements"].as_array().expect("a list") {
            let (has, status) = (keys(statement), statement["status"].as_str().expect("a status"));
            assert!(has.is_superset(&of(&["vulnerability", "status"])));
            let both = ["justification", "impact_statement"].map(|key| has.contains(key));
            assert!(status != "not_affected" || both[0] != both[1], "exactly one of the two: {statement}");
            assert!(status != "affected" || has.contains("action_statement"), "{statement}");
            for product in statement["products"].as_array().expect("a list") {
                assert!(keys(product).is_subset(&of(&["@id", "identifiers", "hashes", "subcomponents"])));
                assert!(url::Url::parse(product["@id"].as_str().expect("an id")).is_ok(), "an IRI: {product}");
            }
        }
    }

    fn document(statement: &Value) -> Vec<u8> {
        let document = json!({
            "@context": "https://openvex.dev/ns/v0.2.0", "@id": "https://vex.example/1", "author": "Ann",
            "timestamp": "2026-11-01T00:00:00Z", "version": 1, "statements": [statement],
        });
        serde_json::to_vec(&document).expect("JSON")
    }

    #[test]
    fn a_document_of_others_is_read_and_bound_to_content() {
        let hash = Digest::of(b"one").hex();
        let bound = json!({
            "vulnerability": { "name": "capdex:rule:pipe-to-shell" }, "status": "not_affected",
            "justification": "vulnerable_code_not_in_execute_path",
            "products": [{ "@id": "pkg:npm/%40scope/name@1.2.0", "hashes": { "sha-256": hash } }],
        });
        let read_one = |statement: &Value| read(&document(statement), false);
        let ruling = read_one(&bound).expect("read").rulings.remove(0);
        assert_eq!(ruling.subject.to_string(), "npm:@scope/name");
        assert_eq!((ruling.status, ruling.author.as_str()), (RulingStatus::NotAffected, "Ann"));
        assert_eq!(ruling.reason, "vulnerable_code_not_in_execute_path");
        let mut free = bound.clone();
        free["products"] = json!([{ "@id": "pkg:npm/name" }]);
        assert!(read_one(&free).expect_err("refused").contains("bound to no content"));
        assert_eq!(read(&document(&free), true).map(|read| read.rulings[0].content), Ok(None));
        let mut foreign = bound.clone();
        foreign["vulnerability"] = json!({ "name": "CVE-2026-1" });
        assert_eq!(read_one(&foreign), Ok(ReadRulings { rulings: Vec::new(), others: 1 }));
        for (key, value, part) in [
            ("status_notes", json!("capdex: accepted"), "its status does not"),
            ("status_notes", json!("capdex: not_affected; until soon"), "status_notes"),
            ("status_notes", json!("capdex: not_affected; til 2027-01-01T00:00:00Z"), "is not understood"),
            ("vulnerability", json!({ "name": "capdex:everything" }), "is not verdict"),
            ("products", json!([{ "@id": "pkg:npm/a", "hashes": { "sha-256": "12" } }]), "is no SHA-256"),
            ("products", json!([{ "@id": "name" }]), "the product"),
            ("products", json!([]), "no product"),
        ] {
            let mut wrong = bound.clone();
            wrong[key] = value;
            let error = read_one(&wrong).expect_err("refused");
            assert!(error.contains(part), "{error}");
        }
        assert!(read(b"{}", false).is_err());
    }
}
