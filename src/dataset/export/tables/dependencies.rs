//! The table `dependencies`: what packages say that they need while they run.

use capdex_db::Reader;
use capdex_model::ids::{ListingKey, package_identity};
use capdex_model::release_line;

use crate::export::table::Emit;
use crate::export::table_row::table_row;

table_row! {
    /// one package that another one says it needs while it runs, as the registry states it
    table dependencies: stored(rows);
    pub(super) struct DependencyRow {
        /// source and name there
        key listing: ListingKey,
        /// the locator's identity of the package that needs it, such as npm:@scope/name
        key package: String,
        /// the identity of what it needs, in the same ecosystem; claimed
        key dependency: String,
    }
}

fn rows(reader: &Reader, emit: Emit<'_, DependencyRow>) -> anyhow::Result<()> {
    reader.each_needing(|listing, needs| {
        for locator in &needs.locators {
            let (identity, ecosystem) = (locator.identity(), locator.ecosystem());
            // What one release line needs, its package needs.
            let package = release_line::package_of_identity(&identity).into_owned();
            for name in &needs.names {
                emit(DependencyRow {
                    listing: listing.clone(),
                    package: package.clone(),
                    dependency: package_identity(&ecosystem, name, None),
                })?;
            }
        }
        Ok(())
    })
}
