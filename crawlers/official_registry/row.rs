//! One row of a registry's list, in any envelope that the API ever had, and what it says.
//!
//! Old and new envelopes are told apart here, so that nothing else has to know them.

use capdex_model::digest::Digest;
use capdex_model::listing::Claim;
use capdex_model::time::Timestamp;
use serde_json::{Map, Value, json};

use super::canonical;
use crate::{claims, page};

/// One row, its server.json in canonical form.
#[derive(Clone, Debug)]
pub(super) struct OfficialRegistryRow {
    /// The listing's name, `name@version`.
    pub(super) key: String,
    /// The server's name, `namespace/name`.
    pub(super) name: String,
    /// The version; none in a row that is not what it should be.
    pub(super) version: Option<String>,
    /// The server.json.
    pub(super) server: Map<String, Value>,
    /// `active`, `deprecated`, `deleted` or what comes later; none where the registry does not say.
    pub(super) status: Option<String>,
    /// Why the status is what it is.
    pub(super) message: Option<String>,
    /// True for the latest version; a registry that does not say has one row a server.
    pub(super) is_latest: bool,
    /// When it was published.
    pub(super) published: Claim<Timestamp>,
    /// When it was last changed.
    pub(super) updated: Option<Timestamp>,
}

impl OfficialRegistryRow {
    /// Reads `{server, _meta}`, or the flat object of before 2025-09-29 with `_meta` in it.
    ///
    /// # Errors
    /// The fault that makes the page malformed: a row without a name, or, where `is_strict`, without the registry's
    /// extension.
    pub(super) fn read(mut row: Map<String, Value>, extensions: &[&str], is_strict: bool) -> Result<Self, String> {
        let outer_meta = row.remove("_meta");
        let server = match row.remove("server") {
            Some(Value::Object(server)) => server,
            Some(_) => return Err("a row whose server is no object".to_owned()),
            None => {
                row.insert("_meta".to_owned(), outer_meta.clone().unwrap_or_default());
                row
            }
        };
        let meta = [outer_meta.as_ref(), server.get("_meta")];
        let extension = extensions
            .iter()
            .find_map(|name| meta.iter().flatten().find_map(|meta| meta.get(name)?.as_object()))
            .cloned();
        // Taken for true where it is missing, every old version would count as the latest.
        if is_strict
            && extension.as_ref().is_none_or(|of| !either(of, "isLatest", "is_latest").is_some_and(Value::is_boolean))
        {
            return Err("a row of which the registry does not say whether it is the latest".to_owned());
        }
        let extension = extension.unwrap_or_default();
        let name = page::text(&server, "name").ok_or("a row without a name")?.to_owned();
        let detail = server.get("version_detail").and_then(|detail| detail.get("version"));
        let version = server.get("version").or(detail).and_then(Value::as_str).map(str::to_owned);
        let text = |member: &str| page::text(&extension, member).map(str::to_owned);
        Ok(Self {
            key: format!("{name}@{}", version.as_deref().unwrap_or_default()),
            name,
            version: version.filter(|version| !version.is_empty()),
            status: text("status").or_else(|| page::text(&server, "status").map(str::to_owned)),
            message: text("statusMessage"),
            is_latest: either(&extension, "isLatest", "is_latest").and_then(Value::as_bool).unwrap_or(true),
            published: claims::instant(either(&extension, "publishedAt", "published_at")),
            updated: claims::instant(either(&extension, "updatedAt", "updated_at")).known().copied(),
            server: canonical::server(server),
        })
    }

    /// The digest of what a publisher or an operator decided about the row. Its instants and ids are not in it: they
    /// were rewritten in migrations, and others stayed when the row changed.
    pub(super) fn digest(&self) -> Digest {
        Digest::of_json(&json!({
            "server": self.server, "status": self.status, "message": self.message, "isLatest": self.is_latest,
        }))
    }
}

fn either<'a>(object: &'a Map<String, Value>, one: &str, other: &str) -> Option<&'a Value> {
    object.get(one).or_else(|| object.get(other))
}
