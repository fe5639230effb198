//! Packages of the type `oci`, in the form that the schema has since 2025-10-11.
//!
//! Before, the schema had registry, name and version apart; since then the identifier holds all of it.

use serde_json::{Map, Value};

use crate::{images, page};

/// Brings a package to that form. Those of other types stay as they are.
pub(super) fn normalise(package: &mut Map<String, Value>) {
    if page::text(package, "registryType") != Some("oci") {
        return;
    }
    let Some(identifier) = page::text(package, "identifier") else { return };
    let (base, version) = (page::text(package, "registryBaseUrl"), page::text(package, "version"));
    let (reference, tells_version) = images::reference(base, identifier, version);
    package.remove("registryBaseUrl");
    if tells_version {
        package.remove("version");
    }
    package.insert("identifier".to_owned(), Value::String(reference));
}
