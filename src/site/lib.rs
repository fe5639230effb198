//! `capdex-site`: the static pages, and the same pages with a JSON API over HTTP.
//!
//! Reads the store through the dataset's views. Everything that strangers wrote is escaped by the templates.

pub mod atom;
pub mod links;
pub mod progress;
pub mod report;
pub mod serve;
