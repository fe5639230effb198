//! capdex-crawlers lists what strangers publish and fetches its bytes, politely and within bounds.
//!
//! It must not know the store, the rules or the terminal: it is given validators and limits, and gives back listings,
//! files and gaps. Alerts and letters to an operator go out through `deliver/`. The only HTTP client is in `http/`, the
//! only decoders of archives are in `unpack/`.

#![warn(missing_docs)]

pub mod awesome_lists;
pub mod catalogue;
mod claims;
pub mod clawhub;
mod collect;
#[cfg(test)]
mod conformance;
pub mod deliver;
pub mod docker_mcp_registry;
mod documents;
mod error;
pub mod fetch;
pub mod folder;
mod forge;
pub mod git;
#[cfg(feature = "github")]
pub mod github;
pub mod glama;
pub mod http;
mod images;
mod json;
pub mod marketplaces;
pub mod mcp;
pub mod mcp_so;
mod names;
pub mod npm;
pub mod oci;
pub mod official_registry;
mod package_lines;
mod page;
pub mod pypi;
mod references;
mod registry;
pub mod revisit;
mod robots;
pub mod settings;
mod sitemaps;
pub mod skills_sh;
pub mod skillsmp;
pub mod smithery;
mod source;
#[cfg(test)]
mod testing;
pub mod unpack;
mod walk;
mod walked_names;

pub use collect::{Answers, CollectFuture, CollectRequest, Collected, Collector};
pub use error::CrawlError;
pub use forge::path::ForgePaths;
pub use http::Usage;
pub use references::{OperatorForge, at_own_forge, endpoint, npm_at, of_repository, pypi_at};
pub use registry::{SOURCES, roles, source};
pub use source::{
    KeyMeta, ListFuture, ListPage, ListRequest, ListedEntry, NextPage, Source, SourceMeta, SourceSettings,
    ValidatorLookup, WalkCursor, WalkKind, WalkScope,
};
pub use walked_names::WalkedNames;
