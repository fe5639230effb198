//! Rules that need structure, one file each, in one slice.

use super::Rule;

/// Every rule that is written in code.
pub const RULES: &[&dyn Rule] = &[];
