//! Clones: families of capabilities whose texts are one text with changes, who copied whom, and what a copy added.
//!
//! The texts of all files count, not only the one that an agent loads first. An attack that changes a helper several
//! folders down leaves that one as it was.

mod difference;
mod families;
mod index;
mod likeness;
mod order;
mod sketch;
#[cfg(test)]
mod tests;
mod verdict;

pub use difference::{Difference, difference};
pub use families::{SketchedCapability, families};
pub use likeness::is_one_text;
pub use order::{CloneMember, OrderBasis, basis, original};
pub(crate) use sketch::name_in;
pub use sketch::{Files, SKETCH_VERSION, Sketch};
pub use verdict::{Copy, Judged, judge};
