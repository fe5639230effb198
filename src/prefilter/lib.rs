//! The first pass over every text, worked out beforehand: which literals are looked for, and what each says of which
//! expressions.
//!
//! Reading all expressions of the rules takes longer than scanning a skill with them. The build script of `capdex-rules`
//! therefore does it, and the program begins with [`PrefilterTables`] as they came out. What runs over texts is in
//! `capdex-rules`; here nothing is matched.

#![warn(missing_docs)]
#![warn(clippy::disallowed_methods, clippy::disallowed_types)]

use regex_syntax::ParserBuilder;
use regex_syntax::hir::Hir;

mod card;
mod deed;
mod frequency;
mod literal;
mod literals;
mod needs;
mod reach;
mod search;
mod tables;

pub use card::{CardNeeds, Neighbour, Scope, Side};
pub use deed::{DeedCard, DeedFile};
pub use literal::{LONGEST, Literal, LiteralEdge};
pub use literals::{LiteralPlan, LiteralSet, Sight};
pub use needs::RequiredLiterals;
pub use reach::{MatchReach, Runs, is_blank, is_word, seen};
pub use search::{EDGE, Hint, KINDS, LiteralEntry, LiteralTables, NONE, numbers};
pub use tables::{Expected, Lists, PrefilterTables};

/// One expression, read as it is compiled: over bytes, with ASCII classes. None where it is not valid.
pub fn parsed(text: &str) -> Option<Hir> {
    ParserBuilder::new().unicode(false).utf8(false).build().parse(text).ok()
}
