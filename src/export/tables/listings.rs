//! The table `listings`: what each directory says about each package.

use capdex_core::listing::Claim;
use capdex_core::purl::Purl;
use capdex_core::spdx;
use capdex_db::Reader;
use serde_json::json;

use super::{Column, Emit, Integer, Rows, Table, Text, column};

pub(super) const TABLE: Table = Table {
    name: "listings",
    about: "what one directory says about one package",
    columns: COLUMNS,
    rows: Rows::Stored(rows),
};

const COLUMNS: &[Column] = &[
    column("listing", Text, "source and name there"),
    column("state", Text, "active, gone or failed at the last visit"),
    column("why", Text, "the gap behind a state other than active"),
    column("version", Text, "the version listed"),
    column("description", Text, "claimed; untrusted"),
    column("license", Text, "claimed; untrusted"),
    column("repository", Text, "claimed; untrusted"),
    column("created", Text, "when the package first appeared, as claimed"),
    column("published", Text, "when the version was published, as claimed"),
    column("version_count", Integer, "versions ever published, as claimed"),
    column("deprecated", Text, "deprecation message, as claimed"),
    column("first_seen", Text, "as_of of the night that saw it first"),
    column("changed", Text, "as_of of the night that saw it in this form first"),
    column("purl", Text, "package URL of the listing at its version; null for a directory's own row"),
    column("spdx", Text, "the claimed license as an SPDX expression; null where it does not say which license"),
];

fn rows(reader: &Reader, emit: Emit<'_>) -> anyhow::Result<()> {
    reader.each_listing(|stored| {
        let claims = stored.listing.as_ref().map(|listing| listing.claims.clone()).unwrap_or_default();
        let version =
            stored.listing.as_ref().and_then(|listing| listing.locators.first()?.version().map(ToOwned::to_owned));
        let text = |claim: &Claim<String>| json!(claim.known());
        let purl = Purl::of(&stored.key, version.as_deref()).map(|purl| purl.to_string());
        let spdx = claims.license.known().and_then(|license| spdx::expression(license));
        emit(vec![
            json!(stored.key),
            json!(stored.state.as_str()),
            json!(stored.gap.map(|gap| gap.to_string())),
            json!(version),
            text(&claims.description),
            text(&claims.license),
            text(&claims.repository),
            json!(claims.created.known()),
            json!(claims.published.known()),
            json!(claims.version_count.known()),
            text(&claims.deprecated),
            json!(stored.first_seen),
            json!(stored.changed),
            json!(purl),
            json!(spdx),
        ])
    })
}
