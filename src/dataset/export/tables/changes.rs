//! The table `changes`: what was added, has gone or has changed since the dataset before.

use capdex_model::digest::Digest;
use capdex_model::ids::CapabilityId;

use crate::export::field::Nested;
use crate::export::table_row::table_row;

table_row! {
    /// one capability that was added, has gone or has changed since the dataset that the manifest names in `since`; none without one
    table changes: compared;
    pub struct ChangeRow<'a> read as ReadChangeRow {
        /// the capability
        public slug: &'a str,
        /// its id
        key capability: CapabilityId,
        /// added, gone or changed
        public change: &'static str,
        /// what of a changed one: content, band, scores, rank
        public what: Nested<Vec<&'static str>>,
        /// place in the order; null where it was not there or had none
        public rank_before: Option<i64>,
        /// place in the order; null where it is not there any more or has none
        public rank: Option<i64>,
        /// band
        public band_before: Option<&'a str>,
        /// band
        public band: Option<&'a str>,
        /// SHA-256 (hex) over its files
        public content_before: Option<Digest>,
        /// SHA-256 (hex) over its files
        public content: Option<Digest>,
        /// value of spiderrating/seed
        public spiderrating_seed_before: Option<f64>,
        /// value of spiderrating/seed
        public spiderrating_seed: Option<f64>,
        /// value of saferskills/seed
        public saferskills_seed_before: Option<f64>,
        /// value of saferskills/seed
        public saferskills_seed: Option<f64>,
        /// value of mcpbundles/seed
        public mcpbundles_seed_before: Option<f64>,
        /// value of mcpbundles/seed
        public mcpbundles_seed: Option<f64>,
        /// value of agentscore/seed
        public agentscore_seed_before: Option<f64>,
        /// value of agentscore/seed
        public agentscore_seed: Option<f64>,
    }
}
