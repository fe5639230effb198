//! The table `surfaces`: what a model reads of each capability's servers.

use std::sync::Arc;

use capdex_model::surface::{SurfaceRecord, SurfaceRecordKind};

use crate::export::table_row::table_row;

table_row! {
    /// one thing of a server that a model reads; none for a capability that was scanned before they were listed
    table surfaces: ranked;
    pub struct SurfaceRow<'a> {
        /// the capability
        public slug: Arc<str>,
        /// its id
        key capability: Arc<str>,
        /// tool, prompt, resource, instructions, or ui for a resource at a ui:// address
        key kind: SurfaceRecordKind,
        /// its name, else its address; server for instructions; untrusted
        key name: &'a str,
        /// path inside the package; untrusted
        key file: &'a str,
        /// from 1; 0 where no line is known
        key line: u32,
        /// true where it has a description, also one that is put together at run time
        public description: bool,
        /// true where it says what it takes or returns, also where that is made at run time
        public schema: bool,
        /// true where all of it was read; false where a part is put together at run time or lies elsewhere
        public complete: bool,
    }
}

impl<'a> SurfaceRow<'a> {
    /// The row of a surface of a capability.
    pub fn of(slug: Arc<str>, capability: Arc<str>, record: &'a SurfaceRecord) -> Self {
        let SurfaceRecord { kind, name, file, line, description, schema, complete } = record;
        Self {
            slug,
            capability,
            kind: *kind,
            name,
            file,
            line: *line,
            description: *description,
            schema: *schema,
            complete: *complete,
        }
    }
}
