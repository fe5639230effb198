//! The table `packages`: the verdict of each package, and SaferSkills' number of a repository.

use capdex_model::fact::Severity;
use capdex_model::points::Points;
use capdex_model::purl::Purl;
use capdex_model::score::Band;
use capdex_rubrics::rank::place;
use capdex_rubrics::saferskills::RollUp;

use crate::export::field::Nested;
use crate::export::table_row::table_row;

table_row! {
    /// one package with its verdict, and the number that SaferSkills gives a repository
    table packages: counted;
    pub struct PackageRow<'a> read as ReadPackageRow {
        /// the locator's identity, such as npm:@scope/name
        key package: &'a str,
        /// how many of its capabilities have a value; the rest of a package only where it is all
        public capabilities: usize,
        /// mean of saferskills/seed over them, under the ceiling; null without any
        public saferskills_seed: Option<Points>,
        /// its colour, or n/a
        public grade: &'a str,
        /// severity of the worst active finding, where its ceiling cut the mean
        public ceiling: Option<Severity>,
        /// package URL of the package without a version; null where its ecosystem has none
        public purl: Option<String>,
        /// strictest verdict of its capabilities, in the order ok, watch, unknown, caution, block
        public band: Option<Band>,
        /// the sentence behind it; quotes strangers
        public reason: Option<&'a str>,
        /// slug of the capability that decides, the first in the order
        public slug: Option<&'a str>,
        /// trust of that capability
        public trust: Option<Points>,
        /// place of that capability among its kind
        public rank_kind: Option<u64>,
        /// most known users of its capabilities
        public users: Option<u64>,
        /// licence that the first of its capabilities with one states
        public licence: Option<&'a str>,
        /// address of the source repository, as its listing states it; untrusted
        public repository: Option<&'a str>,
        /// the other things that its listing names, such as github:owner/repo; null where it names none
        public links: Option<Nested<&'a [String]>>,
        /// strictest band of its capabilities by the operator's word; null where he has none on any of them
        public operator_band: Option<Band>,
        /// the sentence behind it; quotes strangers
        public operator_reason: Option<&'a str>,
    }
}

/// The verdict of a package: that of the capability that decides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackageVerdict {
    /// The strictest band.
    pub band: Band,
    /// The sentence behind it.
    pub reason: String,
    /// The slug of the capability.
    pub slug: String,
    /// Its trust.
    pub trust: Option<Points>,
    /// Its place among its kind.
    pub rank_kind: Option<u64>,
}

/// What one capability says of its package.
#[derive(Clone, Debug)]
pub struct CapabilityPart {
    /// Its verdict.
    pub verdict: PackageVerdict,
    /// Band and sentence by the operator's word; none where he has none.
    pub operator: Option<(Band, String)>,
    /// Its known users.
    pub users: Option<u64>,
    /// The licence that it states.
    pub licence: Option<String>,
    /// The repository that its listing states.
    pub repository: Option<String>,
    /// The other things that its listing names.
    pub links: Vec<String>,
}

/// What the capabilities of a package come to.
#[derive(Clone, Debug, Default)]
pub struct PackageSummary {
    verdict: Option<PackageVerdict>,
    /// The strictest band that the operator acts on, whether by his word or not.
    acting: Option<(Band, String)>,
    is_heard: bool,
    users: Option<u64>,
    licence: Option<String>,
    repository: Option<String>,
    links: Vec<String>,
}

impl PackageSummary {
    /// Takes a capability in. They come in their order, so that of equals the first stays.
    pub fn add(&mut self, part: CapabilityPart) {
        let CapabilityPart { verdict, operator, users, licence, repository, links } = part;
        self.is_heard |= operator.is_some();
        let acting = operator.unwrap_or_else(|| (verdict.band, verdict.reason.clone()));
        if self.acting.as_ref().is_none_or(|known| place(known.0) < place(acting.0)) {
            self.acting = Some(acting);
        }
        if self.verdict.as_ref().is_none_or(|known| place(known.band) < place(verdict.band)) {
            self.verdict = Some(verdict);
        }
        self.users = self.users.max(users);
        self.licence = self.licence.take().or(licence);
        self.repository = self.repository.take().or(repository);
        if self.links.is_empty() {
            self.links = links;
        }
    }
}

/// The cell of links; null where there are none.
pub fn links_of(links: &[String]) -> Option<Nested<&[String]>> {
    Some(Nested(links)).filter(|links| !links.0.is_empty())
}

impl<'a> PackageRow<'a> {
    /// The row of a package, by what its capabilities come to; no number where none of them has a value.
    pub fn of(package: &'a str, summary: &'a PackageSummary, rolled: Option<&'a RollUp>) -> Self {
        let verdict = summary.verdict.as_ref();
        let operator = summary.acting.as_ref().filter(|_| summary.is_heard);
        Self {
            package,
            capabilities: rolled.map_or(0, |rolled| rolled.capabilities),
            saferskills_seed: rolled.map(|rolled| rolled.value),
            grade: rolled.map_or("n/a", |rolled| &*rolled.grade),
            ceiling: rolled.and_then(|rolled| rolled.ceiling),
            purl: Purl::of_identity(package, None).map(|purl| purl.to_string()),
            band: verdict.map(|verdict| verdict.band),
            reason: verdict.map(|verdict| &*verdict.reason),
            slug: verdict.map(|verdict| &*verdict.slug),
            trust: verdict.and_then(|verdict| verdict.trust),
            rank_kind: verdict.and_then(|verdict| verdict.rank_kind),
            users: summary.users,
            licence: summary.licence.as_deref(),
            repository: summary.repository.as_deref(),
            links: links_of(&summary.links),
            operator_band: operator.map(|(band, _)| *band),
            operator_reason: operator.map(|(_, reason)| &**reason),
        }
    }
}
