//! The right of reply: appeals as they are filed, proved, answered and decided.
//!
//! An appeal changes no finding, score or verdict. What it comes to stands beside the finding (`capdex_model::appeal`).

pub mod answer;
pub mod case;
pub mod dns;
pub mod filing;
pub mod places;
pub mod proof;
pub mod settings;
pub mod tend;
pub mod token;

use capdex_db::{CurrentCapability, Reader};
use capdex_model::appeal::Appeal;
use capdex_model::ids::CapabilityId;

/// The version that a rule has today; none for a rule that is gone.
pub fn rule_now(rule: &str) -> Option<u32> {
    capdex_rules::INDEX.find(rule).map(|meta| meta.version)
}

/// The capability that an appeal is about as it stands now; none where it is gone. For a whole package it is the rest of it.
///
/// # Errors
/// Errors of the store.
pub fn subject_now(reader: &Reader, appeal: &Appeal) -> anyhow::Result<Option<CurrentCapability>> {
    let subject = &appeal.filing().subject;
    let Some((kind, path)) = &subject.part else { return Ok(None) };
    Ok(reader.current_of(&CapabilityId::of(&subject.identity, *kind, path))?)
}
