//! The id of the official registry, by which packages name its rows.

/// The id.
pub(crate) const ID: &str = "official-registry";
