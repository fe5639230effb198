//! The table `packages`: SaferSkills' number of a repository, for each package.

use capdex_model::fact::Severity;
use capdex_model::points::Points;
use capdex_model::purl::Purl;
use capdex_rubrics::saferskills::RollUp;

use crate::export::table_row::table_row;

table_row! {
    /// one package with the number that SaferSkills gives a repository
    table packages: counted;
    pub struct PackageRow<'a> read as ReadPackageRow {
        /// the locator's identity, such as npm:@scope/name
        key package: &'a str,
        /// how many of its capabilities have a value; the rest of a package only where it is all
        public capabilities: usize,
        /// mean of saferskills/seed over them, under the ceiling; null without any
        public saferskills_seed: Option<Points>,
        /// its colour, or n/a
        public grade: &'a str,
        /// severity of the worst active finding, where its ceiling cut the mean
        public ceiling: Option<Severity>,
        /// package URL of the package without a version; null where its ecosystem has none
        public purl: Option<String>,
    }
}

impl<'a> PackageRow<'a> {
    /// The row of a package, by what its capabilities come to; none where none of them has a value.
    pub fn of(package: &'a str, rolled: Option<&'a RollUp>) -> Self {
        Self {
            package,
            capabilities: rolled.map_or(0, |rolled| rolled.capabilities),
            saferskills_seed: rolled.map(|rolled| rolled.value),
            grade: rolled.map_or("n/a", |rolled| &*rolled.grade),
            ceiling: rolled.and_then(|rolled| rolled.ceiling),
            purl: Purl::of_identity(package, None).map(|purl| purl.to_string()),
        }
    }
}
