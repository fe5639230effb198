//! `Source`: the trait of all directories, with what it is asked and what it answers.
//!
//! A source lists; it never fetches an artifact, and it keeps nothing between calls: cursor, watermark and validators
//! are given.

use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;

use crate::CrawlError;
use crate::collect::Collector;
use crate::http::{Http, RateLimit};
use crate::references::OperatorForge;
use crate::walked_names::WalkedNames;
use capdex_model::ids::ListingKey;
use capdex_model::listing::{Listing, Validators};
use capdex_model::snapshot::Gap;
use capdex_model::source_role::SourceRole;
use capdex_model::time::AsOf;

/// The card of a source: all that is known of it without asking it. The manual is written from it, all texts in
/// Markdown.
#[derive(Clone, Copy, Debug)]
pub struct SourceMeta {
    /// The id, a noun of the site: `npm`.
    pub id: &'static str,
    /// One line for a person.
    pub title: &'static str,
    /// Its listings, and how "unchanged" is known.
    pub about: &'static str,
    /// The addresses that are asked, one a line.
    pub endpoints: &'static str,
    /// The publisher's word on the rate limit at which it may be asked, and where that stands.
    pub limits: &'static str,
    /// The parts of its answers that are kept.
    pub stored: &'static str,
    /// Under which terms, as far as they are known.
    pub terms: &'static str,
    /// Its address; none where the ecosystem's own settings or the operator say so.
    pub base_url: Option<&'static str>,
    /// The rate limits of its hosts: the address of each with its rate limit. The first is for the source's own base address,
    /// wherever the operator says that is, and those below it for what lies below that.
    pub rate_limits: &'static [(&'static str, RateLimit)],
    /// The credentials that it knows.
    pub keys: &'static [KeyMeta],
    /// The way its entries are found.
    pub walk: WalkKind,
    /// Facts about it that the passes need.
    pub role: SourceRole,
}

/// A credential that a source knows. Its value comes from the environment and goes to the source's own host only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyMeta {
    /// The variable that holds it.
    pub variable: &'static str,
    /// The header that carries it.
    pub header: &'static str,
    /// Text before it in the header, such as `Bearer `.
    pub prefix: &'static str,
    /// True where the source answers nothing without it: then a source without it is skipped, and says so.
    pub is_required: bool,
}

/// The way a source's entries are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WalkKind {
    /// Names are given: those that the operator lists, and those that other sources refer to.
    Names,
    /// The source lists all its entries itself.
    Directory {
        /// True where it can also say what changed since a watermark.
        is_incremental: bool,
    },
}

/// The address of a source and what to list there. Comes from the schedule, with the ecosystem's own settings filled
/// in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceSettings {
    /// The base address, or the folder for local sources.
    pub base_url: String,
    /// Other base addresses for names in a scope (`@scope`), where the ecosystem has such. Usually empty.
    pub scopes: BTreeMap<String, String>,
    /// The names to list, sorted and each once.
    pub watchlist: Vec<String>,
    /// Searches in the source's own terms, where it can be searched. Sorted and each once.
    pub queries: Vec<String>,
    /// The forges that the operator configured: references to their repositories are followed.
    pub forges: Vec<OperatorForge>,
    /// The base address of the feed of changes, where the source has one beside its base address.
    pub changes_url: Option<String>,
    /// The base address of the counts of downloads, where the source has them beside its base address.
    pub downloads_url: Option<String>,
    /// Patterns of paths that are left out of what is read, for local sources.
    pub exclude: Vec<String>,
    /// True where installed dependencies and caches are read too, for local sources.
    pub with_dependencies: bool,
    /// Release lines of a package that are looked at beside its latest version and what others name, where the source has
    /// such.
    pub release_lines: usize,
    /// What the source made of the watchlist at the first step of the walk.
    pub walked: WalkedNames,
}

/// The place of a walk. Opaque to the driver, and never longer than [`WalkCursor::MAX_BYTES`].
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct WalkCursor(pub String);

impl WalkCursor {
    /// The most bytes that a cursor may have: a hostile server chooses some of them.
    pub const MAX_BYTES: usize = 64 * 1024;
}

/// The part of a source that a walk is to see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WalkScope<'a> {
    /// Every entry.
    Full,
    /// Changes since the walk that left this watermark.
    Since(&'a str),
}

/// Validators that the last visits left, asked one listing at a time so that a directory of any size costs no memory.
pub trait ValidatorLookup: Sync {
    /// Validators to ask with about a listing; none for one that is new, or that was gone or failed when last seen.
    fn validators(&self, key: &ListingKey) -> Option<Validators>;
}

impl ValidatorLookup for BTreeMap<ListingKey, Validators> {
    fn validators(&self, key: &ListingKey) -> Option<Validators> {
        self.get(key).cloned()
    }
}

/// One step of a walk.
pub struct ListRequest<'a> {
    /// The id under which the schedule names this source: the `source` of all its listings' keys. The source's own id,
    /// unless the schedule has several of its kind.
    pub id: &'a str,
    /// The one client.
    pub http: &'a Http,
    /// The address, the names and the queries.
    pub settings: &'a SourceSettings,
    /// The part of the source to see.
    pub walk: WalkScope<'a>,
    /// The place of the walk; none at its beginning.
    pub cursor: Option<&'a WalkCursor>,
    /// Validators that the last visits left, by listing.
    pub known: &'a dyn ValidatorLookup,
    /// The instant of the night, for the few sources that ask by date.
    pub as_of: AsOf,
}

impl ListRequest<'_> {
    /// The key of an entry of this source.
    pub fn key(&self, name: impl Into<String>) -> ListingKey {
        ListingKey::new(self.id, name)
    }
}

/// A source's statement about one of its entries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ListedEntry {
    /// The entry is as it was at the last visit.
    Unchanged(ListingKey),
    /// Read. If the digest in `validators` is the one of the last visit, the driver takes the entry as unchanged.
    Changed {
        /// The entry as it is now.
        listing: Box<Listing>,
        /// Validators to ask with next time.
        validators: Validators,
    },
    /// The source says that it does not exist.
    Gone(ListingKey),
    /// The source says that it was taken down.
    TakenDown {
        /// Which.
        key: ListingKey,
        /// What the source says or shows. Untrusted text.
        detail: String,
    },
    /// The source says that it has another name now.
    Moved {
        /// The name under which it was known.
        key: ListingKey,
        /// The name that it has, which is listed by itself.
        to: String,
    },
    /// It could not be read; what was known of it stands.
    Failed {
        /// Which.
        key: ListingKey,
        /// Why.
        gap: Gap,
        /// True where a later try may succeed by itself.
        transient: bool,
    },
}

/// The result of one step of a walk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListPage {
    /// The entries, in the source's order.
    pub listed: Vec<ListedEntry>,
    /// The place of the walk now, or its end.
    pub next: NextPage,
}

/// The continuation of a walk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NextPage {
    /// There is more.
    More(WalkCursor),
    /// The source's own end was reached.
    Complete {
        /// From where the next walk may go on with [`WalkScope::Since`]; none where the source has no such thing.
        watermark: Option<String>,
    },
}

impl NextPage {
    /// The end of a walk that leaves no watermark.
    pub const END: Self = Self::Complete { watermark: None };
}

/// A future that a source gives.
pub type ListFuture<'a> = Pin<Box<dyn Future<Output = Result<ListPage, CrawlError>> + Send + 'a>>;

/// A directory of capabilities.
pub trait Source: Send + Sync {
    /// The card of the source.
    fn meta(&self) -> &'static SourceMeta;
    /// Takes one step of a walk. An error means that the step gave nothing and the cursor stays.
    fn list<'a>(&'a self, request: ListRequest<'a>) -> ListFuture<'a>;
    /// The part of it that answers beside its listings; none where it has nothing more to say.
    fn collector(&self) -> Option<&'static dyn Collector> {
        None
    }
}
