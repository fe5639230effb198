//! The list of the official registry as its published source code answers it: order, cursor, filters and refusals.
//!
//! Must not know who asks: only the standard library and `serde_json`, so that the tests of other packages can include
//! this file by its path. Source: the registry's handlers and SQL as of 2025-12-13.

use serde_json::{Value, json};

/// Where a row's registry facts stand.
const EXTENSION: &str = "io.modelcontextprotocol.registry/official";

/// A registry with its rows.
pub(crate) struct Fake {
    rows: Vec<Row>,
}

struct Row {
    name: String,
    version: String,
    updated: String,
    is_latest: bool,
    is_deleted: bool,
    text: String,
}

impl Fake {
    /// A registry that holds rows `{server, _meta}`.
    pub(crate) fn of(rows: impl IntoIterator<Item = Value>) -> Self {
        let mut rows: Vec<Row> = rows.into_iter().map(|row| Row::of(&row)).collect();
        rows.sort_by(|one, other| (&one.name, &one.version).cmp(&(&other.name, &other.version)));
        Self { rows }
    }

    /// The answer to `GET` with this path and query: a status and a body.
    pub(crate) fn answer(&self, path_and_query: &str) -> (u16, String) {
        let (path, query) = path_and_query.split_once('?').unwrap_or((path_and_query, ""));
        if !matches!(path, "/v0.1/servers" | "/v0/servers") {
            return problem(404, "Endpoint not found");
        }
        match Query::read(query) {
            Ok(query) => (200, self.page(&query)),
            Err((status, detail)) => problem(status, &detail),
        }
    }

    fn page(&self, query: &Query) -> String {
        let begin = query
            .cursor
            .as_ref()
            .map_or(0, |(name, version)| self.rows.partition_point(|row| (&row.name, &row.version) <= (name, version)));
        let rows: Vec<&Row> = self.rows.iter().skip(begin).filter(|row| query.wants(row)).take(query.limit).collect();
        // A full page always has a cursor, so that the last page may be empty.
        let last = rows.last().filter(|_| rows.len() == query.limit);
        let cursor = last.map(|row| format!("{}:{}", row.name, row.version));
        let cursor = cursor.map_or(String::new(), |cursor| format!("\"nextCursor\":{},", Value::from(cursor)));
        let texts: Vec<&str> = rows.iter().map(|row| row.text.as_str()).collect();
        format!("{{\"servers\":[{}],\"metadata\":{{{cursor}\"count\":{}}}}}", texts.join(","), rows.len())
    }
}

impl Row {
    fn of(row: &Value) -> Self {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let extension = &row["_meta"][EXTENSION];
        Self {
            name: text(&row["server"]["name"]),
            version: text(&row["server"]["version"]),
            updated: comparable(extension["updatedAt"].as_str().unwrap_or_default()),
            is_latest: extension["isLatest"] == true,
            is_deleted: extension["status"] == "deleted",
            text: row.to_string(),
        }
    }
}

/// What is asked for.
struct Query {
    limit: usize,
    cursor: Option<(String, String)>,
    updated_since: Option<String>,
    version: Option<String>,
    include_deleted: bool,
}

impl Query {
    fn read(query: &str) -> Result<Self, (u16, String)> {
        let mut read = Self { limit: 30, cursor: None, updated_since: None, version: None, include_deleted: false };
        let mut asked_for_deleted = None;
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let value = decoded(value);
            match name {
                "limit" => read.limit = limit(&value)?,
                "cursor" => read.cursor = cursor(&value)?,
                "updated_since" => read.updated_since = Some(instant(&value)?),
                "version" => read.version = Some(value),
                "include_deleted" => asked_for_deleted = Some(value == "true"),
                other => return Err((422, format!("this fake does not know {other}"))),
            }
        }
        if read.updated_since.is_some() && asked_for_deleted == Some(false) {
            return Err((400, "include_deleted cannot be false with updated_since".to_owned()));
        }
        read.include_deleted = asked_for_deleted == Some(true) || read.updated_since.is_some();
        Ok(read)
    }

    fn wants(&self, row: &Row) -> bool {
        let is_version = match self.version.as_deref() {
            None => true,
            Some("latest") => row.is_latest,
            Some(version) => row.version == version,
        };
        let is_new = self.updated_since.as_ref().is_none_or(|since| row.updated > *since);
        is_version && is_new && (self.include_deleted || !row.is_deleted)
    }
}

fn limit(value: &str) -> Result<usize, (u16, String)> {
    let limit = value.parse().ok().filter(|limit| (1..=100).contains(limit));
    limit.ok_or_else(|| (422, "expected limit within 1 and 100".to_owned()))
}

fn cursor(value: &str) -> Result<Option<(String, String)>, (u16, String)> {
    if value.is_empty() {
        return Ok(None);
    }
    let (name, version) = value.split_once(':').ok_or_else(|| (400, "invalid cursor format".to_owned()))?;
    Ok(Some((name.to_owned(), version.to_owned())))
}

fn instant(value: &str) -> Result<String, (u16, String)> {
    let is_instant = value.len() >= 20 && value.as_bytes().get(10) == Some(&b'T') && value.ends_with('Z');
    if is_instant {
        Ok(comparable(value))
    } else {
        Err((400, "invalid updated_since format: expected RFC3339".to_owned()))
    }
}

/// An instant in UTC with nine digits after its seconds: then the order of texts is the order of time.
fn comparable(instant: &str) -> String {
    let instant = instant.trim_end_matches('Z');
    let (seconds, fraction) = instant.split_once('.').unwrap_or((instant, ""));
    format!("{seconds}.{fraction:0<9}")
}

fn decoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let escaped = after.get(..2).and_then(|hex| std::str::from_utf8(hex).ok());
        let escaped = escaped.and_then(|hex| u8::from_str_radix(hex, 16).ok()).filter(|_| *first == b'%');
        bytes.push(escaped.unwrap_or(if *first == b'+' { b' ' } else { *first }));
        rest = if escaped.is_some() { after.get(2..).unwrap_or_default() } else { after };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn problem(status: u16, detail: &str) -> (u16, String) {
    (status, json!({"title": "Error", "status": status, "detail": detail}).to_string())
}

/// As many rows as one likes: every server has three versions, the last one latest.
pub(crate) fn synthetic(count: usize) -> impl Iterator<Item = Value> {
    (0..count).map(move |number| {
        let (server, version) = (number / 3, number % 3);
        let is_latest = version == 2 || number + 1 == count;
        // Few rows are new, as on any day.
        let is_new = number + 5 >= count;
        let updated = if is_new { "2026-10-09T00:00:00.123456Z" } else { "2026-10-01T00:00:00.123456Z" };
        json!({
            "server": {
                "$schema": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
                "name": format!("io.test.publisher-{:04}/server-{server:06}", server % 1_000),
                "description": format!("Server number {server} does what servers do"),
                "version": format!("1.{version}.0"),
                "repository": {"url": format!("https://github.com/publisher/server-{server}"), "source": "github"},
                "packages": [{"registryType": "npm", "identifier": format!("server-{server}"),
                    "version": format!("1.{version}.0"), "transport": {"type": "stdio"}}],
            },
            "_meta": {EXTENSION: {
                "status": "active", "isLatest": is_latest,
                "publishedAt": updated, "updatedAt": updated,
            }},
        })
    })
}
