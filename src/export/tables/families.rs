//! The table `families`: one member of one family of clones.

use capdex_db::Reader;
use serde_json::json;

use super::{Column, Emit, Integer, Json, Number, Rows, Table, Text, column};

pub(super) const TABLE: Table = Table {
    name: "families",
    about: "one member of one family of near-equal content",
    columns: COLUMNS,
    rows: Rows::Stored(rows),
};

const COLUMNS: &[Column] = &[
    column("family", Text, "the id of the member that the others were made from"),
    column("original", Text, "its slug"),
    column("capability", Text, "the member's id"),
    column("slug", Text, "the member"),
    column("kind", Text, "skill, mcp_server, hook, plugin or rules: only equal kinds are compared"),
    column("role", Text, "original or copy"),
    column("basis", Text, "how it is known who was first: seen, created, stated, popularity or unknown"),
    column("likeness", Number, "share of runs of three words that both have, of all that either has"),
    column("listing", Text, "the listing that speaks for it"),
    column("publishers", Json, "who proves to answer for it"),
    column("same_publisher", Text, "yes where one publisher answers for it and the original, else no"),
    column("content_sha256", Text, "SHA-256 (hex) over its files"),
    column("original_sha256", Text, "SHA-256 (hex) over the original's files"),
    column("added", Json, "files, lines and hosts that the original has not; untrusted, secrets masked"),
    column("severity", Text, "how bad what it added is; null where nothing speaks against it"),
    column("findings", Json, "findings in what it added: rule, severity, file and what was quoted; untrusted"),
    column("members", Integer, "how many members the family has"),
    column("found", Text, "as_of of the night that found it there"),
];

/// Its rows, sorted by family, original first, then by slug.
fn rows(reader: &Reader, emit: Emit<'_>) -> anyhow::Result<()> {
    let mut members = reader.family_members()?;
    members.sort_by_cached_key(|(member, _)| {
        (member.original, member.original != member.capability, member.slug.clone(), member.capability)
    });
    for (member, found) in members {
        let is_original = member.original == member.capability;
        emit(vec![
            json!(member.original.to_string()),
            json!(member.original_slug),
            json!(member.capability.to_string()),
            json!(member.slug),
            json!(member.kind),
            json!(if is_original { "original" } else { "copy" }),
            json!((!is_original).then(|| member.basis.as_str())),
            json!(f64::from(member.difference.likeness) / 1000.0),
            json!(member.listing),
            json!(member.publishers),
            json!(if member.same_publisher { "yes" } else { "no" }),
            json!(member.content.hex()),
            json!(member.original_content.hex()),
            json!(member.difference),
            json!(member.severity),
            json!(member.findings),
            json!(member.members),
            json!(found),
        ])?;
    }
    Ok(())
}
