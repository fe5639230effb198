//! `capdex-model`: the values of the pipeline, from a listing to an alert.
//!
//! Plain, ordered and serialisable. They start nothing: no clock, file, environment, network, thread or table of rules.
//! Sources: `docs/ARCHITECTURE.md` (nouns and laws).

#![warn(missing_docs)]
#![warn(clippy::disallowed_methods, clippy::disallowed_types)]

pub mod abuse;
pub mod abuse_report;
pub mod alert;
pub mod appeal;
pub mod approved;
pub mod bundle;
mod canonical_json;
pub mod capability;
mod claim;
pub mod corpus_signal;
pub mod digest;
pub mod entity_signals;
pub mod fact;
pub mod facts;
pub mod foreign;
pub mod history;
pub mod ids;
pub mod image;
pub mod input;
mod kind;
pub mod listing;
pub mod listing_comparison;
pub mod locator;
pub mod points;
pub mod purl;
pub mod registries;
pub mod release_line;
pub mod repository_signals;
pub mod rule;
pub mod ruling;
pub mod score;
pub mod snapshot;
pub mod source_role;
pub mod spdx;
pub mod surface;
pub mod takedown;
pub mod time;
pub mod voice;
pub mod wildcard;
