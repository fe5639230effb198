//! `Collector`: what a source is asked of its listings beside the listings themselves, seldom and within a budget.
//!
//! Downloads, attestations, issues and accounts cost requests of their own, and change while a listing stays as it is. The
//! driver says which listings are due, and keeps what is answered beside them.

use std::future::Future;
use std::pin::Pin;

use capdex_model::ids::ListingKey;
use capdex_model::listing::{Claims, Listing};
use capdex_model::snapshot::Gap;
use capdex_model::time::AsOf;

use crate::http::Http;
use crate::{CrawlError, SourceSettings};

/// One step: some listings of a source, of which more is asked.
#[derive(Clone, Copy)]
pub struct CollectRequest<'a> {
    /// The id under which the schedule names the source.
    pub id: &'a str,
    /// The one client.
    pub http: &'a Http,
    /// The addresses.
    pub settings: &'a SourceSettings,
    /// The listings, at most [`Collector::step`] of them.
    pub listings: &'a [Listing],
    /// The instant of the night.
    pub as_of: AsOf,
}

/// What a source answered of one listing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Collected {
    /// All that was asked.
    Told(Box<Claims>),
    /// A part: the source still counts the rest, and is asked again the next night.
    Unfinished(Box<Claims>),
    /// Nothing, and why. It is asked again the next night.
    Failed(Gap),
}

impl Collected {
    /// The failure of one listing.
    pub(crate) fn failed(key: &ListingKey, error: &CrawlError) -> Self {
        Self::Failed(Gap { subject: key.to_string(), ..error.to_gap() })
    }
}

/// The answers to a step, by listing.
pub type Answers = Vec<(ListingKey, Collected)>;

/// A future that a collector gives.
pub type CollectFuture<'a> = Pin<Box<dyn Future<Output = Result<Answers, CrawlError>> + Send + 'a>>;

/// The part of a source that answers beside its listings.
pub trait Collector: Send + Sync {
    /// The listings of one step at most.
    fn step(&self) -> usize;

    /// The days for which an answer stands.
    fn days(&self) -> i64;

    /// True where an answer is about the version that is listed, so that a changed listing is asked for at once.
    fn is_of_version(&self) -> bool;

    /// Asks. A failure that concerns one listing is its answer; an error means that the source is to be left alone tonight.
    fn collect<'a>(&'a self, request: CollectRequest<'a>) -> CollectFuture<'a>;
}
