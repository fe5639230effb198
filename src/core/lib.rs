//! capdex-core turns bytes into evidence, evidence into facts, facts into scores, and compares what was stored.
//!
//! It is pure: it must not know a clock, a file, the environment, the network, a thread pool, a database or a terminal.
//! Everything that it needs is passed in; the same input gives the same bytes on any machine.
//! Sources: `docs/ARCHITECTURE.md` (nouns and laws).

#![warn(missing_docs)]
#![warn(clippy::disallowed_methods, clippy::disallowed_types)]

pub mod abuse;
pub mod alert;
pub mod bundle;
mod canonical;
pub mod capability;
pub mod decompose;
pub mod digest;
pub mod evidence;
pub mod exposure;
pub mod fact;
mod facts;
pub mod history;
pub mod ids;
pub mod listing;
pub mod locator;
pub mod passes;
pub mod points;
pub mod rank;
pub mod rubrics;
pub mod rules;
mod said;
pub mod score;
pub mod sighting;
mod site;
pub mod snapshot;
pub mod source_role;
pub mod standing;
pub mod time;
pub mod told;
