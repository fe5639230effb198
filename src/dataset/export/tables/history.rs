//! The table `history`: what was published of each capability, night after night, where something of it changed.
//!
//! Each night has a file of its own, which the datasets after it keep.

use capdex_model::digest::Digest;
use capdex_model::points::Points;
use capdex_model::score::Band;
use capdex_model::time::AsOf;

use super::capabilities::{CapabilityRow, ReadCapabilityRow};
use crate::export::cell::Cell;
use crate::export::print::{Print, print};
use crate::export::table_row::{TableRow as _, table_row};

table_row! {
    /// one capability in a night in which it was added, changed or gone; the newest row of each is what `capabilities` says
    table history: nightly;
    pub struct HistoryRow<'a> read as ReadHistoryRow {
        /// the instant of the dataset that said so first
        key as_of: AsOf,
        /// its id
        key capability: &'a str,
        /// the capability
        public slug: &'a str,
        /// added, changed or gone
        public change: &'static str,
        /// the version listed
        public version: Option<&'a str>,
        /// SHA-256 (hex) over its files; null where it is gone
        public content_sha256: Option<Digest>,
        /// verdict: ok, watch, caution, block or unknown; null where it is gone
        public band: Option<Band>,
        /// value of spiderrating/seed, 0 to 10
        public spiderrating_seed: Option<Points>,
        /// value of saferskills/seed, 0 to 100
        public saferskills_seed: Option<Points>,
        /// value of mcpbundles/seed, 0 to 100
        public mcpbundles_seed: Option<Points>,
        /// value of agentscore/seed, 0 to 100
        public agentscore_seed: Option<Points>,
    }
}

/// The columns before those that a change is told by.
const BEFORE_STATE: usize = 4;

impl<'a> HistoryRow<'a> {
    /// A capability as the ranked table has it.
    pub fn of(row: &'a CapabilityRow<'_>, as_of: AsOf, change: &'static str) -> Self {
        Self {
            as_of,
            capability: &row.capability,
            slug: &row.slug,
            change,
            version: row.version,
            content_sha256: Some(row.content_sha256),
            band: Some(row.band),
            spiderrating_seed: row.spiderrating_seed,
            saferskills_seed: row.saferskills_seed,
            mcpbundles_seed: row.mcpbundles_seed,
            agentscore_seed: row.agentscore_seed,
        }
    }

    /// A capability that is not there any more.
    pub fn gone(capability: &'a str, slug: &'a str, as_of: AsOf) -> Self {
        Self {
            as_of,
            capability,
            slug,
            change: GONE,
            version: None,
            content_sha256: None,
            band: None,
            spiderrating_seed: None,
            saferskills_seed: None,
            mcpbundles_seed: None,
            agentscore_seed: None,
        }
    }

    /// The print of what a change is told by.
    ///
    /// # Errors
    /// Never: none of it is JSON.
    pub fn state(self) -> anyhow::Result<Print> {
        Ok(print(self.into_cells()?.iter().skip(BEFORE_STATE)))
    }
}

/// The word for what is not there any more.
const GONE: &str = "gone";

impl ReadHistoryRow {
    /// The print of what a change is told by; none for what is gone.
    pub fn state(&self) -> Option<Print> {
        let is_gone = self.change.as_text() == GONE;
        (!is_gone).then(|| {
            print([
                &self.version,
                &self.content_sha256,
                &self.band,
                &self.spiderrating_seed,
                &self.saferskills_seed,
                &self.mcpbundles_seed,
                &self.agentscore_seed,
            ])
        })
    }
}

/// The print of the same columns of the ranked table.
pub fn state_of(row: &ReadCapabilityRow) -> Print {
    let cells: [&Cell; 7] = [
        &row.version,
        &row.content_sha256,
        &row.band,
        &row.spiderrating_seed,
        &row.saferskills_seed,
        &row.mcpbundles_seed,
        &row.agentscore_seed,
    ];
    print(cells)
}
