//! The table `permissions`: what capabilities declare that they may do, and what their code takes.

use std::sync::Arc;

use capdex_corpus::drift::{PermissionKind, PermissionUse};

use crate::export::table_row::table_row;

table_row! {
    /// one permission of a capability: declared in a manifest, or taken by a call in its code; no more than 500 of each capability, and none of one that was scanned before they were listed
    table permissions: ranked;
    pub struct PermissionRow<'a> {
        /// the capability
        public slug: Arc<str>,
        /// its id
        key capability: Arc<str>,
        /// tool, variable, hook, install_script, run, write or delete
        key kind: PermissionKind,
        /// the tool, the variable or header, the event with its command, the script with its command, or the name of the call; untrusted
        key value: &'a str,
        /// declared: a manifest says so; code: a call takes it
        public origin: &'static str,
        /// path inside the package where code takes it; empty where it is declared; untrusted
        key file: &'a str,
        /// from 1; 0 where it is declared
        key line: u32,
    }
}

impl<'a> PermissionRow<'a> {
    /// The row of a permission of a capability.
    pub fn of(slug: Arc<str>, capability: Arc<str>, of: &'a PermissionUse) -> Self {
        let PermissionUse { kind, value, file, line } = of;
        let origin = if file.is_empty() { "declared" } else { "code" };
        Self { slug, capability, kind: *kind, value, origin, file, line: *line }
    }
}
