//! Typosquat candidates: names that are almost the name of something established.
//!
//! A name alone makes a candidate and never a verdict: of a million real names tens of thousands are two letters from a
//! popular one, and hardly any of them is hostile. Everything here is pure and works on one name at a time, so that the
//! program spreads it over its threads. Sources: UTS #39; the classes of published typosquats (omission, repetition,
//! transposition, homoglyph, delimiter, word order, combosquat, scope); the public suffix list.

mod buckets;
mod candidate;
mod deletions;
pub mod distance;
mod drawn;
mod hosts;
pub mod index;
pub mod judge;
mod kinds;
mod likeness;
pub mod list;
mod name;
pub mod night;
mod punycode;
mod reading;
mod targets;
mod words;

pub use candidate::{Space, TyposquatCandidate};
pub use hosts::{Host, Hosts};
pub use kinds::TyposquatKind;
pub(crate) use kinds::is_family;
pub use likeness::Likeness;
pub use name::{MOST_LETTERS, Name};
pub use targets::{TargetMatch, Targets, distance_of};
