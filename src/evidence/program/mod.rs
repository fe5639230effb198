//! Programs: the modules of a package in one form, and the values that their names and expressions stand for.
//!
//! A reader for each language outlines a module (`outline`); names are followed across the modules of the package.
//! Nothing is run: an expression is worked out only as far as the text says what it is, within bounds.

mod build;
mod javascript;
pub mod outline;
