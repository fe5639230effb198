//! The table `campaigns`: items that say the same and have no reason to.

use capdex_corpus::campaign::Shared;
use capdex_db::Reader;
use capdex_model::fact::Severity;
use capdex_model::ids::CapabilityId;
use capdex_model::time::AsOf;

use crate::export::field::Nested;
use crate::export::table::Emit;
use crate::export::table_row::table_row;

table_row! {
    /// items that ask for the same thing and have no reason to
    table campaigns: passed(rows);
    pub(super) struct CampaignRow {
        /// stays while its clearest mark does
        key campaign: String,
        /// low is a lead and no alert
        public severity: Severity,
        /// how many members it has
        public items: usize,
        /// how many publishers they have
        public publishers: u64,
        /// the ids of its members
        public capabilities: Nested<Vec<String>>,
        /// the same, readable
        public slugs: Nested<Vec<String>>,
        /// what they have in common, with the passage of one of them; untrusted
        public shared: Nested<Vec<Shared>>,
        /// why the severity is what it is
        public reasons: Nested<Vec<String>>,
        /// as_of of the night that found it
        public found: AsOf,
    }
}

/// Its rows, the worst first.
fn rows(reader: &Reader, emit: Emit<'_, CampaignRow>) -> anyhow::Result<()> {
    let mut campaigns = reader.campaigns()?;
    // Worst first, then by key: the order of the store is that of keys alone.
    campaigns.sort_by_cached_key(|(row, _)| (std::cmp::Reverse(row.campaign.severity), row.campaign.key.clone()));
    for (row, found) in campaigns {
        let campaign = row.campaign;
        emit(CampaignRow {
            campaign: campaign.key,
            severity: campaign.severity,
            items: campaign.members.len(),
            publishers: campaign.publishers,
            capabilities: Nested(campaign.members.iter().map(|CapabilityId(digest)| digest.hex()).collect()),
            slugs: Nested(row.slugs),
            shared: Nested(campaign.shared),
            reasons: Nested(campaign.reasons),
            found,
        })?;
    }
    Ok(())
}
