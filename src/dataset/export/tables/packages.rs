//! The table `packages`: the verdict of each package, and SaferSkills' number of a repository.

use capdex_model::fact::Severity;
use capdex_model::points::Points;
use capdex_model::purl::Purl;
use capdex_model::score::Band;
use capdex_rubrics::rank::place;
use capdex_rubrics::saferskills::RollUp;

use crate::export::table_row::table_row;

table_row! {
    /// one package with its verdict, and the number that SaferSkills gives a repository
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
        /// strictest verdict of its capabilities, in the order ok, watch, unknown, caution, block
        public band: Option<Band>,
        /// the sentence behind it; quotes strangers
        public reason: Option<&'a str>,
        /// slug of the capability that decides, the first in the order
        public capability: Option<&'a str>,
    }
}

/// The verdict of a package: that of the capability that decides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackageVerdict {
    /// The strictest band.
    pub band: Band,
    /// The sentence behind it.
    pub reason: String,
    /// The slug of the capability.
    pub capability: String,
}

impl PackageVerdict {
    /// Takes the place of what was known of the package where it is stricter. Capabilities come in their order, so that of
    /// equals the first stays.
    pub fn join(self, known: &mut Option<Self>) {
        if known.as_ref().is_none_or(|known| place(known.band) < place(self.band)) {
            *known = Some(self);
        }
    }
}

impl<'a> PackageRow<'a> {
    /// The row of a package, by what its capabilities come to; none where none of them has a value.
    pub fn of(package: &'a str, verdict: Option<&'a PackageVerdict>, rolled: Option<&'a RollUp>) -> Self {
        Self {
            package,
            capabilities: rolled.map_or(0, |rolled| rolled.capabilities),
            saferskills_seed: rolled.map(|rolled| rolled.value),
            grade: rolled.map_or("n/a", |rolled| &*rolled.grade),
            ceiling: rolled.and_then(|rolled| rolled.ceiling),
            purl: Purl::of_identity(package, None).map(|purl| purl.to_string()),
            band: verdict.map(|verdict| verdict.band),
            reason: verdict.map(|verdict| &*verdict.reason),
            capability: verdict.map(|verdict| &*verdict.capability),
        }
    }
}
