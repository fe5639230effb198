//! `Source`: the trait of all directories, and the slice that lists them.
//!
//! A source lists; it never fetches an artifact, and it keeps nothing between calls: cursor and validators are given.

use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;

use capdex_core::ids::ListingKey;
use capdex_core::listing::{Listing, Validators};
use capdex_core::snapshot::Gap;

use crate::CrawlError;
use crate::http::Http;

/// What is known of a source without asking it. The manual is written from it.
#[derive(Clone, Copy, Debug)]
pub struct SourceMeta {
    /// The id, a noun of the site: `npm`.
    pub id: &'static str,
    /// One line for a person.
    pub title: &'static str,
    /// What its listings are and how "unchanged" is known, in Markdown.
    pub about: &'static str,
}

/// Where a source is and what to list there. Comes from the schedule, with the ecosystem's own settings filled in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceSettings {
    /// The base address, or the folder for local sources.
    pub base_url: String,
    /// Other base addresses for names in a scope (`@scope`), where the ecosystem has such. Usually empty.
    pub scopes: BTreeMap<String, String>,
    /// The names to list, sorted and each once.
    pub watchlist: Vec<String>,
}

/// Where a walk stands. Opaque to the driver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cursor(pub String);

/// One step of a walk.
pub struct ListRequest<'a> {
    /// The one client.
    pub http: &'a Http,
    /// Where and what.
    pub settings: &'a SourceSettings,
    /// Where the walk stands; none at its beginning.
    pub cursor: Option<&'a Cursor>,
    /// What the last visit left, by listing.
    pub known: &'a BTreeMap<ListingKey, Validators>,
}

/// What a source says about one of its entries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Listed {
    /// As it was at the last visit.
    Unchanged(ListingKey),
    /// New or different.
    Changed {
        /// What it says now.
        listing: Box<Listing>,
        /// What to ask with next time.
        validators: Validators,
    },
    /// The source says that it does not exist.
    Gone(ListingKey),
    /// It could not be read; what was known of it stands.
    Failed {
        /// Which.
        key: ListingKey,
        /// Why.
        gap: Gap,
        /// Whether a later try may succeed by itself.
        transient: bool,
    },
}

/// How much a step cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Requests sent, retries and redirects included.
    pub requests: u64,
    /// Body bytes received.
    pub bytes: u64,
}

/// What one step of a walk gave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// The entries, in the source's order.
    pub listed: Vec<Listed>,
    /// Where the walk stands now.
    pub next: Next,
}

/// Whether the walk goes on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Next {
    /// There is more.
    More(Cursor),
    /// The source's own end was reached.
    Complete,
}

/// A future that a source gives.
pub type Step<'a> = Pin<Box<dyn Future<Output = Result<Page, CrawlError>> + Send + 'a>>;

/// A directory of capabilities.
pub trait Source: Send + Sync {
    /// What is known of it without asking.
    fn meta(&self) -> &'static SourceMeta;
    /// Takes one step of a walk. An error means that the step gave nothing and the cursor stays.
    fn list<'a>(&'a self, request: ListRequest<'a>) -> Step<'a>;
}

/// Every source, in the order of the manual.
pub const SOURCES: &[&dyn Source] = &[crate::folder::SOURCE, crate::npm::SOURCE, crate::pypi::SOURCE];
