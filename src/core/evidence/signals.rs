//! Signals: what is known of a package beside its text: licence, repository, dependencies, scripts, documents.
//!
//! Joins the listing's claims with the manifests inside the bytes; missing stays missing.
