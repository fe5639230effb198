//! The table `campaigns`: items that say the same and have no reason to.

use capdex_db::Reader;
use serde_json::json;

use super::{Column, Emit, Integer, Json, Rows, Table, Text, column};

pub(super) const TABLE: Table = Table {
    name: "campaigns",
    about: "items that ask for the same thing and have no reason to",
    columns: COLUMNS,
    rows: Rows::Stored(rows),
};

const COLUMNS: &[Column] = &[
    column("campaign", Text, "stays while its clearest mark does"),
    column("severity", Text, "low is a lead and no alert"),
    column("items", Integer, "how many members it has"),
    column("publishers", Integer, "how many publishers they have"),
    column("members", Json, "the ids of its members"),
    column("slugs", Json, "the same, readable"),
    column("shared", Json, "what they have in common, with the passage of one of them; untrusted"),
    column("reasons", Json, "why the severity is what it is"),
    column("found", Text, "as_of of the night that found it"),
];

/// Its rows, the worst first.
fn rows(reader: &Reader, emit: Emit<'_>) -> anyhow::Result<()> {
    let mut campaigns = reader.campaigns()?;
    campaigns.sort_by_cached_key(|(row, _)| (std::cmp::Reverse(row.campaign.severity), row.campaign.key.clone()));
    for (row, found) in campaigns {
        let campaign = row.campaign;
        emit(vec![
            json!(campaign.key),
            json!(campaign.severity),
            json!(campaign.members.len()),
            json!(campaign.publishers),
            json!(campaign.members),
            json!(row.slugs),
            json!(campaign.shared),
            json!(campaign.reasons),
            json!(found),
        ])?;
    }
    Ok(())
}
