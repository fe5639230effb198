//! Packages as rows for the search: files that are scripts, as those of the directory are.

use capdex_model::score::Band;
use capdex_rubrics::rank::place;
use serde_json::{Value, json};

use crate::report::overview::BANDS;
use crate::report::page_text::{NAME, escaped_text};
use crate::report::paths;
use crate::report::site::Site;

/// Packages of one file.
const CHUNK: usize = 2_000;

/// The number of files.
pub(crate) fn chunks(site: &Site) -> usize {
    site.packages().count().div_ceil(CHUNK)
}

/// One file of packages by name, from 0: a call that hands them to the script, each in the order that `site.js` reads.
pub(crate) fn rows(site: &Site, number: usize) -> String {
    let rows: Vec<String> = site
        .packages()
        .skip(number.saturating_mul(CHUNK))
        .take(CHUNK)
        .map(|identity| cells(site, identity).to_string())
        .collect();
    format!("capdexPackages({number},[\n{}\n]);\n", rows.join(",\n"))
}

fn cells(site: &Site, identity: &str) -> Value {
    let rows = site.of_package(identity);
    let band = rows.clone().map(|row| row.band).max_by_key(|band| place(*band)).unwrap_or(Band::Unknown);
    let version = rows.clone().find_map(|row| row.version.as_deref());
    json!([
        paths::short_of_package(identity),
        escaped_text(identity, NAME),
        version.map(|version| escaped_text(version, NAME)),
        // The place in the list of bands that the page gives to the script.
        BANDS.iter().position(|known| *known == band),
        rows.count(),
    ])
}
