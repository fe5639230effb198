//! `EntitySignals`: what the other listings of one entity lend a listing, each value with its origin and its proof.
//!
//! A value counts only where the link between both listings is proved. The rest is kept beside it, so that a person sees
//! what somebody merely says. Which listings are one entity, the pass `identity` decides.

use serde::{Deserialize, Serialize};

use crate::ids::ListingKey;
use crate::listing::{Claim, Claims};
use crate::time::Timestamp;

/// How it was proved that two listings belong together. In the order of its strength.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LinkProof {
    /// The operator's file says so.
    Operator,
    /// A registry checked it: an attestation, a verified namespace, equal bytes.
    Registry,
    /// Each names the other.
    BothSides,
    /// One names the other, which is silent. Such a link lends nothing.
    OneSide,
}

impl LinkProof {
    /// True where the link lends signals.
    pub const fn lends(self) -> bool {
        !matches!(self, Self::OneSide)
    }

    /// The words for a person.
    pub const fn as_words(self) -> &'static str {
        match self {
            Self::Operator => "the operator's word",
            Self::Registry => "proved by the registry",
            Self::BothSides => "proved from both sides",
            Self::OneSide => "claimed by one side, so it does not count",
        }
    }
}

/// The value of a signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SignalValue {
    /// A count.
    Count(u64),
    /// Whether something holds.
    Flag(bool),
    /// An instant.
    Time(Timestamp),
}

impl std::fmt::Display for SignalValue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Count(count) => write!(f, "{count}"),
            Self::Flag(holds) => f.write_str(if *holds { "yes" } else { "no" }),
            Self::Time(at) => write!(f, "{at}"),
        }
    }
}

/// A count that moves every day, cut to two digits, so that it makes news only where it moved by much: 5,432 is 5,400.
pub const fn rounded(count: u64) -> u64 {
    let mut unit = 1;
    while count / unit >= 100 {
        unit *= 10;
    }
    count / unit * unit
}

/// A count of uses since ever, cut to one digit: all rows of a directory move every night, and news is what moved by much.
pub const fn rounded_uses(count: u64) -> u64 {
    let mut unit = 1;
    while count / unit >= 10 {
        unit *= 10;
    }
    count / unit * unit
}

/// Which of two proved values counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Strictest {
    /// The lesser: fewer stars, the earlier push, no protection.
    Least,
    /// The greater: more open issues, the younger account, an archive.
    Greatest,
    /// The listing's own; a lent one only fills its place. Both are true of their own side, as downloads of two packages.
    Own,
}

macro_rules! signal_kinds {
    ($($(#[$doc:meta])* $kind:ident, $word:literal, $value:ident, $strictest:ident, $($field:ident).+;)*) => {
        /// A signal that listings of one entity lend each other: of popularity, of upkeep, of the account behind it.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum SignalKind {
            $($(#[$doc])* $kind,)*
        }

        impl SignalKind {
            /// Every signal.
            pub const ALL: &[Self] = &[$(Self::$kind,)*];

            /// The word that is printed.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$kind => $word,)* }
            }

            /// The value that claims state; none where they state none.
            pub fn of(self, claims: &Claims) -> Option<SignalValue> {
                match self { $(Self::$kind => claims.$($field).+.known().copied().map(SignalValue::$value),)* }
            }

            const fn strictest(self) -> Strictest {
                match self { $(Self::$kind => Strictest::$strictest,)* }
            }

            /// Writes a value; one of another type is left out.
            fn set(self, claims: &mut Claims, value: SignalValue) {
                match (self, value) {
                    $((Self::$kind, SignalValue::$value(value)) => claims.$($field).+ = Claim::Known(value),)*
                    _ => {}
                }
            }
        }
    };
}

signal_kinds! {
    /// Stars of the repository.
    Stars, "stars", Count, Least, repository_signals.stars;
    /// Forks of the repository.
    Forks, "forks", Count, Least, repository_signals.forks;
    /// Watchers of the repository.
    Watchers, "watchers", Count, Least, repository_signals.watchers;
    /// People with commits in the repository.
    Contributors, "contributors", Count, Least, repository_signals.contributors;
    /// Commits of the last year.
    CommitsYear, "commits in a year", Count, Least, repository_signals.commits_year;
    /// Commits of the last 90 days.
    CommitsQuarter, "commits in 90 days", Count, Least, repository_signals.commits_quarter;
    /// Hours until an issue gets its first answer.
    ResponseHours, "hours to an answer", Count, Greatest, repository_signals.response_hours;
    /// Issues of the last year that are open.
    IssuesOpen, "open issues", Count, Greatest, repository_signals.issues_open;
    /// Issues of the last year that are closed.
    IssuesClosed, "closed issues", Count, Least, repository_signals.issues_closed;
    /// Whether workflows run on changes.
    Workflows, "workflows", Flag, Greatest, repository_signals.workflows;
    /// Whether the main branch is protected.
    BranchProtected, "protected branch", Flag, Least, repository_signals.branch_protected;
    /// When something was last pushed.
    Pushed, "last push", Time, Least, repository_signals.pushed;
    /// Whether the repository is archived.
    Archived, "archived", Flag, Greatest, repository_signals.archived;
    /// Releases of the repository at its forge.
    Releases, "releases", Count, Own, repository_signals.releases;
    /// When the account behind the repository was made.
    AccountCreated, "account made", Time, Greatest, repository_signals.account_created;
    /// Public repositories of that account.
    AccountRepositories, "account's repositories", Count, Least, repository_signals.account_repositories;
    /// Followers of that account.
    AccountFollowers, "account's followers", Count, Least, repository_signals.account_followers;
    /// Organisations in which that account is a public member.
    AccountOrganizations, "account's organisations", Count, Least, repository_signals.account_organizations;
    /// Of a hundred runs of workflows on the main branch, those that failed.
    FailingRuns, "failing runs of a hundred", Count, Greatest, repository_signals.failing_runs;
    /// Installs, pulls or uses since ever, as a directory counts them.
    Installs, "installs", Count, Own, repository_signals.installs;
    /// Downloads of the package in the last month.
    Downloads, "downloads in a month", Count, Own, downloads_monthly;
    /// When the package first appeared.
    Created, "first appeared", Time, Own, created;
    /// Whether the official registry lists it.
    Official, "officially listed", Flag, Own, repository_signals.official;
}

impl SignalKind {
    /// True for a signal of a repository, which it lends every package in it. What a package lends a repository is of the
    /// package alone, so that only the one thing in a repository lends it.
    pub const fn is_of_repository(self) -> bool {
        !matches!(self, Self::Downloads | Self::Installs | Self::Created | Self::Official)
    }
}

/// One value that another listing of the entity states.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LentSignal {
    /// Which signal.
    pub kind: SignalKind,
    /// Its value there.
    pub value: SignalValue,
    /// The listing that states it.
    pub from: ListingKey,
    /// Since when that listing says what it says.
    pub at: Timestamp,
    /// How the link to that listing was proved.
    pub proof: LinkProof,
    /// The reason of the identity pass on which the proof rests, in its word.
    pub reason: String,
}

/// What the entity of a listing adds to its claims.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EntitySignals {
    /// Values that other listings state, those that do not count among them; sorted.
    pub lent: Vec<LentSignal>,
    /// The number of directories that list the entity; unknown while none was walked.
    pub registries: Claim<u64>,
    /// False where the official registry was walked whole and has no row of the entity; unknown otherwise.
    pub official: Claim<bool>,
    /// Installs as the listing's own source counts them, cut to one digit. Left out of the text where unknown.
    #[serde(default, skip_serializing_if = "Claim::is_unknown")]
    pub installs: Claim<u64>,
    /// Whether the operator's own list names the listing; unknown without a list, and left out of the text then.
    #[serde(default, skip_serializing_if = "Claim::is_unknown")]
    pub approved: Claim<bool>,
}

impl EntitySignals {
    /// True where the entity adds nothing and nothing is to be shown.
    pub fn is_empty(&self) -> bool {
        let counts = [&self.registries, &self.installs];
        let flags = [&self.official, &self.approved];
        self.lent.is_empty() && counts.iter().all(|of| of.is_unknown()) && flags.iter().all(|of| of.is_unknown())
    }

    /// The values of one signal that count, as the listings state them.
    fn counting(&self, kind: SignalKind) -> impl Iterator<Item = SignalValue> {
        self.lent.iter().filter(move |lent| lent.kind == kind && lent.proof.lends()).map(|lent| lent.value)
    }

    /// Joins the claims of a listing with what its entity adds: of several proved values the strictest counts.
    pub fn apply(&self, claims: &mut Claims) {
        // Of the listing itself, so that it stands before what others count.
        if claims.repository_signals.installs.is_unknown() {
            claims.repository_signals.installs = self.installs.clone();
        }
        for kind in SignalKind::ALL.iter().copied() {
            let own = kind.of(claims);
            let all = own.into_iter().chain(self.counting(kind));
            let chosen = match kind.strictest() {
                Strictest::Least => all.min(),
                Strictest::Greatest => all.max(),
                Strictest::Own => own.or_else(|| self.counting(kind).min()),
            };
            if let Some(value) = chosen {
                kind.set(claims, value);
            }
        }
        let signals = &mut claims.repository_signals;
        if signals.registries.is_unknown() {
            signals.registries = self.registries.clone();
        }
        if signals.official.is_unknown() {
            signals.official = self.official.clone();
        }
        // No source can say it: the operator alone does.
        signals.approved = self.approved.clone();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lent(kind: SignalKind, value: SignalValue, proof: LinkProof) -> LentSignal {
        let at = Timestamp::from_unix_seconds(0);
        LentSignal { kind, value, from: ListingKey::new("github", "acme/x"), at, proof, reason: "manifest".into() }
    }

    fn joined(own: Claims, all: &[LentSignal]) -> Claims {
        let mut claims = own;
        EntitySignals { lent: all.to_vec(), ..EntitySignals::default() }.apply(&mut claims);
        claims
    }

    #[test]
    fn counts_keep_two_digits() {
        for (count, kept) in [(0, 0), (9, 9), (10, 10), (99, 99), (100, 100), (109, 100), (5_432, 5_400)] {
            assert_eq!(rounded(count), kept);
        }
        assert_eq!(rounded(u64::MAX), 18_000_000_000_000_000_000);
        for (count, kept) in [(0, 0), (9, 9), (10, 10), (19, 10), (5_432, 5_000)] {
            assert_eq!(rounded_uses(count), kept);
        }
        assert_eq!(rounded_uses(u64::MAX), 10_000_000_000_000_000_000);
    }

    #[test]
    fn a_directory_s_own_count_stands_before_another_s() {
        let mut claims = Claims::default();
        let other = lent(SignalKind::Installs, SignalValue::Count(900), LinkProof::BothSides);
        let all = EntitySignals { lent: vec![other], installs: Claim::Known(20), ..EntitySignals::default() };
        all.apply(&mut claims);
        assert_eq!(claims.repository_signals.installs, Claim::Known(20));
    }

    #[test]
    fn a_claimed_link_lends_nothing_and_a_proved_one_does() {
        let stars = |proof| lent(SignalKind::Stars, SignalValue::Count(5_400), proof);
        let claimed = joined(Claims::default(), &[stars(LinkProof::OneSide)]);
        assert_eq!(claimed, Claims::default());
        for proof in [LinkProof::Operator, LinkProof::Registry, LinkProof::BothSides] {
            let proved = joined(Claims::default(), &[stars(proof)]);
            assert_eq!(proved.repository_signals.stars, Claim::Known(5_400));
        }
    }

    #[test]
    fn of_contradictory_values_the_strictest_counts() {
        let count = |kind, value| lent(kind, SignalValue::Count(value), LinkProof::BothSides);
        let mut own = Claims::default();
        own.repository_signals.stars = Claim::Known(40);
        own.repository_signals.archived = Claim::Known(false);
        own.downloads_monthly = Claim::Known(9);
        let all = [
            count(SignalKind::Stars, 50),
            count(SignalKind::Stars, 30),
            count(SignalKind::IssuesOpen, 3),
            count(SignalKind::IssuesOpen, 8),
            lent(SignalKind::Archived, SignalValue::Flag(true), LinkProof::BothSides),
            count(SignalKind::Downloads, 2),
        ];
        let claims = joined(own, &all);
        assert_eq!(claims.repository_signals.stars, Claim::Known(30));
        assert_eq!(claims.repository_signals.issues_open, Claim::Known(8));
        assert_eq!(claims.repository_signals.archived, Claim::Known(true));
        assert_eq!(claims.downloads_monthly, Claim::Known(9), "downloads are of each package for itself");
    }

    #[test]
    fn every_signal_is_written_where_it_is_read() {
        for kind in SignalKind::ALL {
            let values =
                [SignalValue::Count(7), SignalValue::Flag(true), SignalValue::Time(Timestamp::from_unix_seconds(7))];
            let taken: Vec<_> = values
                .into_iter()
                .filter(|value| {
                    let claims = joined(Claims::default(), &[lent(*kind, *value, LinkProof::Registry)]);
                    kind.of(&claims) == Some(*value)
                })
                .collect();
            assert_eq!(taken.len(), 1, "{} has one type", kind.as_str());
        }
    }
}
