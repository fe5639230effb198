//! `LONGEST`: how long the literals are that the prefilter looks for.

/// The longest literal, in bytes.
pub(super) const LONGEST: usize = 16;
