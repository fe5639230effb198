//! Packages: the strictest band of what each holds, one by one, page by page, and up to a thousand asked for at once.
//!
//! A package is asked for by its identity (`npm:@scope/name`) or its package URL. A version that the store does not hold has no
//! band here: other bytes were never looked at.

use std::collections::BTreeSet;

use capdex_model::purl::Purl;
use capdex_model::score::Band;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::capabilities::object;
use super::{ApiPage, listed, name_program};
use crate::report::paths;
use crate::report::site::packages::worst_first;
use crate::report::site::{CapabilitySummary, Site};
use crate::serve::reply::RouteReply;
use crate::serve::route::ApiRequest;
use capdex_dataset::escape::escape;
use capdex_dataset::program::{Program, program};

/// Packages of one look-up at most.
const LOOKED_UP: usize = 1_000;
/// Capabilities that a package shows; the list of capabilities has them all.
const SHOWN: usize = 500;

/// A package as it is asked for.
struct Asked {
    identity: String,
    version: Option<String>,
    /// The folder or file inside that is meant.
    path: Option<String>,
}

/// What the store knows of a package that was asked for.
enum Known<'a> {
    /// The rows that are meant, one at least.
    Rows(Vec<&'a CapabilitySummary>),
    /// It has other versions alone.
    OtherVersion(BTreeSet<&'a str>),
    /// It has nothing of the kind.
    Nothing,
}

impl Asked {
    /// Reads a package URL, or takes the text as an identity.
    fn read(text: &str) -> Result<Self, String> {
        let text = text.trim();
        if !text.starts_with("pkg:") {
            return Ok(Self { identity: text.to_owned(), version: None, path: None });
        }
        let purl: Purl = text.parse().map_err(|error| format!("{error}"))?;
        Ok(Self {
            identity: purl.identity(),
            version: purl.version().map(str::to_owned),
            path: purl.path().map(str::to_owned),
        })
    }

    fn find<'a>(&self, site: &'a Site) -> Known<'a> {
        let is_inside = |path: &str| {
            self.path.as_ref().is_none_or(|wanted| {
                path.strip_prefix(wanted.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            })
        };
        let rows: Vec<&CapabilitySummary> =
            site.of_package(&self.identity).filter(|row| is_inside(&row.path)).collect();
        let Some(wanted) = &self.version else {
            return if rows.is_empty() { Known::Nothing } else { Known::Rows(rows) };
        };
        let versions: BTreeSet<&str> = rows.iter().filter_map(|row| row.version.as_deref()).collect();
        let of_version: Vec<_> =
            rows.into_iter().filter(|row| row.version.as_deref() == Some(wanted.as_str())).collect();
        match (of_version.is_empty(), versions.is_empty()) {
            (false, _) => Known::Rows(of_version),
            (true, false) => Known::OtherVersion(versions),
            (true, true) => Known::Nothing,
        }
    }
}

/// What some rows of one package come to, one at least. The rows are in the order of their ranks.
fn summary(identity: &str, rows: &[&CapabilitySummary]) -> Map<String, Value> {
    let worst = strictest(rows);
    let page = rows.first().map(|row| format!("/{}", paths::package(&row.package)));
    let versions: BTreeSet<&str> = rows.iter().filter_map(|row| row.version.as_deref()).collect();
    let decided = worst.map(
        |row| json!({ "id": row.id.to_string(), "slug": row.slug, "page": format!("/{}", paths::capability(&row.id)) }),
    );
    let object = json!({
        "package": identity,
        "purl": Purl::of_identity(identity, None).map(|purl| purl.to_string()),
        "versions": versions,
        "capabilities": rows.len(),
        "band": worst.map(|row| row.band.as_str()),
        "reason": worst.map(|row| &row.reason),
        "mark": worst.and_then(|row| row.mark),
        "decided_by": decided,
        "page": page,
        "users": rows.iter().filter_map(|row| row.users).max(),
    });
    match object {
        Value::Object(object) => object,
        _ => Map::new(),
    }
}

/// The row whose band decides, as on the page of the package.
fn strictest<'a>(rows: &[&'a CapabilitySummary]) -> Option<&'a CapabilitySummary> {
    worst_first(rows.iter().copied()).first().copied()
}

/// `/api/v1/packages`
pub(in crate::serve) fn list(ask: &ApiRequest<'_>) -> anyhow::Result<RouteReply> {
    let page = match ApiPage::of(&ask.query) {
        Ok(page) => page,
        Err(said) => return Ok(said),
    };
    let (packages, next) = page.cut(ask.site.packages(), |package| (*package).to_owned());
    let rows = |package: &str| ask.site.of_package(package).collect::<Vec<_>>();
    let items: Vec<Value> =
        packages.into_iter().map(|package| Value::Object(summary(package, &rows(package)))).collect();
    listed("capdex.packages/1", ask.site, ask.site.packages().count(), &items, &next)
}

/// The strictest band of the package that a path names, for a badge.
pub(in crate::serve) fn band_of(ask: &ApiRequest<'_>) -> Result<Band, RouteReply> {
    let (_, rows) = rows_of(ask)?;
    Ok(strictest(&rows).map_or(Band::Unknown, |row| row.band))
}

/// The identity that a path names, and its rows.
fn rows_of<'a>(ask: &ApiRequest<'a>) -> Result<(String, Vec<&'a CapabilitySummary>), RouteReply> {
    let asked = Asked::read(ask.name()).map_err(RouteReply::Wrong)?;
    match asked.find(ask.site) {
        Known::Rows(rows) => Ok((asked.identity, rows)),
        Known::OtherVersion(versions) => Err(RouteReply::Missing(other_version(&versions))),
        Known::Nothing => {
            Err(RouteReply::Missing("there is no such package; /api/v1/packages lists them all".to_owned()))
        }
    }
}

fn other_version(versions: &BTreeSet<&str>) -> String {
    let versions: Vec<String> = versions.iter().take(8).map(|version| escape(version).into_owned()).collect();
    format!("the store does not hold this version; it has {}", versions.join(", "))
}

/// `/api/v1/packages/{package...}`
pub(in crate::serve) fn one(ask: &ApiRequest<'_>) -> anyhow::Result<RouteReply> {
    let (identity, rows) = match rows_of(ask) {
        Ok(known) => known,
        Err(said) => return Ok(said),
    };
    let mut package = summary(&identity, &rows);
    let parts: Vec<Value> = rows.iter().take(SHOWN).map(|row| Value::Object(object(row))).collect();
    package.insert("schema".to_owned(), json!("capdex.package/1"));
    name_program(&mut package);
    package.insert("as_of".to_owned(), json!(ask.site.as_of));
    package.insert("parts".to_owned(), json!(parts));
    RouteReply::json(&Value::Object(package))
}

/// The body of a look-up.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LookupRequest {
    /// Package URLs, or identities.
    purls: Vec<String>,
}

/// The schema of [`LookupRequest`], for the OpenAPI.
pub(in crate::serve) fn request_schema() -> Value {
    let purls = json!({ "type": "array", "maxItems": LOOKED_UP, "items": { "type": "string" },
                        "description": "package URLs, or names such as npm:@scope/name" });
    json!({ "type": "object", "required": ["purls"], "additionalProperties": false, "properties": { "purls": purls } })
}

/// `/api/v1/lookup`
pub(in crate::serve) fn lookup(ask: &ApiRequest<'_>) -> anyhow::Result<RouteReply> {
    let wanted: LookupRequest = match serde_json::from_slice(&ask.body) {
        Ok(wanted) => wanted,
        Err(error) => return Ok(RouteReply::Wrong(format!("the body is not {{\"purls\": [text, …]}}: {error}"))),
    };
    if wanted.purls.len() > LOOKED_UP {
        return Ok(RouteReply::Wrong(format!(
            "{} packages are asked for; at most {LOOKED_UP} at once",
            wanted.purls.len()
        )));
    }
    let items: Vec<Value> = wanted.purls.iter().map(|text| answer_to(text, ask.site)).collect();
    let Program { engine_version, program_sha256 } = program();
    RouteReply::json(&json!({ "schema": "capdex.lookup/1", "as_of": ask.site.as_of, "engine_version": engine_version,
                              "program_sha256": program_sha256, "items": items }))
}

/// One item of a look-up, in the order in which they were asked.
fn answer_to(text: &str, site: &Site) -> Value {
    let not_known = |answer: &str, why: String| json!({ "asked": text, "answer": answer, "why": why, "band": null });
    let asked = match Asked::read(text) {
        Ok(asked) => asked,
        Err(why) => return not_known("unreadable", why),
    };
    match asked.find(site) {
        Known::Rows(rows) => {
            let mut item = summary(&asked.identity, &rows);
            item.insert("asked".to_owned(), json!(text));
            item.insert("answer".to_owned(), json!("known"));
            Value::Object(item)
        }
        Known::OtherVersion(versions) => not_known("other_version", other_version(&versions)),
        Known::Nothing => not_known("unknown", "the store holds nothing of it".to_owned()),
    }
}
