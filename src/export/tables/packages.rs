//! The table `packages`: what SaferSkills' number of a repository comes to for each package.

use capdex_core::fact::Severity;
use capdex_core::purl::Purl;
use capdex_core::rubrics::saferskills::{self, Member};

use super::{Column, Integer, Number, Rows, Table, Text, column};
use crate::export::cell::{Cell, Row};

pub(super) const TABLE: Table = Table {
    name: "packages",
    about: "one package with the number that SaferSkills gives a repository",
    columns: COLUMNS,
    rows: Rows::Counted,
};

const COLUMNS: &[Column] = &[
    column("package", Text, "the locator's identity, such as npm:@scope/name"),
    column(
        "capabilities",
        Integer,
        "how many of its capabilities have a value; the rest of a package only where it is all",
    ),
    column("saferskills_seed", Number, "mean of saferskills/seed over them, under the ceiling; null without any"),
    column("grade", Text, "its colour, or n/a"),
    column("ceiling", Text, "severity of the worst active finding, where its ceiling cut the mean"),
    column("purl", Text, "package URL of the package without a version; null where its ecosystem has none"),
];

/// The row of a package, in the order of the columns.
pub fn row(package: &str, members: &[Member]) -> Row {
    let rolled = saferskills::roll_up(members);
    let rolled = rolled.as_ref();
    vec![
        Cell::text(package),
        Cell::count(rolled.map_or(0, |rolled| rolled.capabilities as u64)),
        rolled.map_or(Cell::Null, |rolled| Cell::Number(rolled.value.as_f64())),
        Cell::text(rolled.map_or("n/a", |rolled| &*rolled.grade)),
        Cell::text_or_null(rolled.and_then(|rolled| rolled.ceiling).map(Severity::as_str)),
        Purl::of_identity(package, None).map_or(Cell::Null, |purl| Cell::text(purl.to_string())),
    ]
}
