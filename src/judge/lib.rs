//! `capdex-judge`: what a language model is asked about a server's tools, and how its answer is read.
//!
//! Everything here is a pure function: of a server's evidence the units, of a unit the request, of a request and an answer the
//! findings. The model may add findings and clears nothing. Nobody is asked here. Sources: `README.md` beside this file.

#![warn(missing_docs)]
#![warn(clippy::disallowed_methods, clippy::disallowed_types)]

pub mod agreement;
pub mod answer;
pub mod check;
mod controls;
pub mod finding;
pub mod key;
pub mod prompt;
pub mod shown;
pub mod text;
pub mod unanswered;
pub mod unit;
pub mod wire;

pub use check::Check;
pub use finding::JudgeFinding;
pub use unanswered::Unanswered;
