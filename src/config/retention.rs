//! The `[retention]` table of a schedule: how long a store keeps what nobody needs any more.
//!
//! The rows that go are chosen by `capdex prune` and the end of a night.

use serde::Deserialize;

use super::keys::{REQUIRED, keys};

keys! {
    /// The time for which the store keeps everything. Without this table nothing is ever deleted.
    #[derive(Clone, Copy, Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    pub struct RetentionSection {
        /// Days for which the store keeps everything; at the end of each night goes what is older and not needed, as
        /// `capdex prune` says.
        #[key(default = REQUIRED, example = "180")]
        pub keep_days: u32,
    }
}

impl RetentionSection {
    /// The same, checked.
    ///
    /// # Errors
    /// The key and what is wrong with it.
    pub fn keep_days(&self) -> Result<u32, String> {
        match self.keep_days {
            0 => Err("retention.keep_days: at least a day; leave the table out to delete nothing".to_owned()),
            days => Ok(days),
        }
    }
}
