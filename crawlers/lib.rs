//! capdex-crawlers lists what strangers publish and fetches its bytes, politely and within bounds.
//!
//! It must not know the store, the rules or the terminal: it is given validators and limits, and gives back listings,
//! files and gaps. The only HTTP client is in `http/`, the only decoders of archives are in `unpack/`.

#![warn(missing_docs)]

mod claims;
#[cfg(test)]
mod conformance;
mod error;
pub mod fetch;
pub mod folder;
mod forge;
pub mod git;
#[cfg(feature = "github")]
pub mod github;
pub mod http;
mod json;
pub mod npm;
pub mod pypi;
mod references;
pub mod settings;
mod source;
pub mod unpack;
mod walk;

pub use error::CrawlError;
pub use source::{
    Cursor, KeyMeta, Known, ListRequest, Listed, Next, Page, SOURCES, Source, SourceMeta, SourceSettings, Step, Usage,
    Walk, WalkKind,
};
