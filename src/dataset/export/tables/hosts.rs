//! The table `hosts`: the hosts that capabilities name, ask or send to.

use std::sync::Arc;

use capdex_corpus::drift::{HostDeed, HostUse};

use crate::export::table_row::table_row;

table_row! {
    /// one host at one place of a capability, as programs, instructions and manifests write it; no more than 500 of each capability, and none of one that was scanned before they were listed
    table hosts: ranked;
    pub struct HostRow<'a> read as ReadHostRow {
        /// the capability
        public slug: Arc<str>,
        /// its id
        key capability: Arc<str>,
        /// the host, in small letters; untrusted
        key host: &'a str,
        /// sends: a call gives it something; fetches: a call asks it; connects: a manifest says that the server is reached there; named: it stands there
        key does: HostDeed,
        /// path inside the package; empty where manifests say it; untrusted
        key file: &'a str,
        /// from 1; 0 where no line is known
        key line: u32,
    }
}

impl<'a> HostRow<'a> {
    /// The row of a host of a capability.
    pub fn of(slug: Arc<str>, capability: Arc<str>, of: &'a HostUse) -> Self {
        let HostUse { host, does, file, line } = of;
        Self { slug, capability, host, does: *does, file, line: *line }
    }
}
