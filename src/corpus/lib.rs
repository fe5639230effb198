//! Passes: they compare capabilities over time or across the corpus and raise alerts.
//!
//! Each is a pure function of what the store holds: the caller reads scan results before and sends alerts after.

#![warn(missing_docs)]
#![warn(clippy::disallowed_methods, clippy::disallowed_types)]

mod address;
pub mod campaign;
pub mod clone;
pub mod collision;
pub mod corpus;
pub mod drift;
pub mod established;
pub mod exposure;
pub mod identity;
pub mod publisher;
pub mod signals;
#[cfg(test)]
mod testing;
pub mod typosquat;
mod union;
mod wording;

/// Masks every secret in a text that is quoted. The rules know how secrets look; passes are handed this, so that a changed
/// rule does not build them again.
pub type MaskSecrets = for<'a> fn(&'a str) -> std::borrow::Cow<'a, str>;
