//! Views: the answers about a store, each as one struct for table, JSON and API alike.
//!
//! One file a view: a struct, and `of`, which makes it from rows of the store. Fields stand in the order of the alphabet, which
//! is the order of keys in every document so far.

use capdex_model::time::AsOf;
use serde::Serialize;

pub mod alerts;
pub mod collisions;
pub mod drift;
pub mod ledger;
pub mod status;
pub mod typosquats;

/// A whole list as one document.
#[derive(Clone, Debug, Serialize)]
pub struct ListView<'a, T> {
    /// The items, in the order of their view.
    pub items: &'a [T],
    /// The schema of the document and of each item.
    pub schema: &'a str,
}

/// One page of a list.
#[derive(Clone, Debug, Serialize)]
pub struct PageView<'a, T> {
    /// The instant that ages are measured against.
    pub as_of: AsOf,
    /// The version of the program that answers.
    pub engine_version: &'a str,
    /// The items of this page.
    pub items: &'a [T],
    /// The `after` of the next page; none on the last.
    pub next: Option<&'a str>,
    /// The digest (hex) of the program that answers; none where it could not be read.
    pub program_sha256: Option<&'a str>,
    /// The schema of the document and of each item.
    pub schema: &'a str,
    /// Items on all pages.
    pub total: usize,
}

/// Checks in a test that a view writes its keys in the order of the alphabet, at every depth.
#[cfg(test)]
pub(crate) fn assert_sorted(view: &impl Serialize) {
    let written = serde_json::to_string(view).expect("a view is JSON");
    // A map of serde_json is sorted.
    let sorted = serde_json::from_str::<serde_json::Value>(&written).expect("JSON").to_string();
    assert_eq!(written, sorted);
}

#[cfg(test)]
mod tests;
