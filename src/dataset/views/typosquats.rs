//! A typosquat candidate: a name that is almost the name of something established.

use capdex_corpus::typosquat::judge::TyposquatSignal;
use capdex_corpus::typosquat::{Space, TyposquatCandidate, TyposquatKind};
use capdex_model::fact::Severity;
use capdex_model::time::AsOf;
use serde::Serialize;

/// The schema of a list of typosquat candidates, and of each.
pub const SCHEMA: &str = "capdex.lookalikes/1";

/// A typosquat candidate, as a candidate and never a verdict. Texts come from strangers: escape them where they are shown.
#[derive(Clone, Debug, Serialize)]
pub struct TyposquatView<'a> {
    /// Edits between the two names in small letters; a swap of neighbours counts one.
    pub distance: u64,
    /// The night that found it first; none where two plain lists are compared.
    pub first_seen: Option<AsOf>,
    /// The kind of likeness.
    pub kind: TyposquatKind,
    /// The newcomer's listing, where it comes from a directory.
    pub listing: Option<&'a str>,
    /// The newcomer's name, as written.
    pub name: &'a str,
    /// Those who prove to answer for the newcomer.
    pub owners: &'a [String],
    /// The newcomer's users, as its source counts them.
    pub popularity: Option<u64>,
    /// The order within one severity, 0 to 1000, highest first.
    pub rank: u32,
    /// Everything known of the two, one a line.
    pub reasons: &'a [String],
    /// [`SCHEMA`].
    pub schema: &'static str,
    /// The severity; `low` at most by the name alone.
    pub severity: Severity,
    /// Signs of intent beside the name, as words.
    pub signals: &'a [TyposquatSignal],
    /// The kind of thing that both are names of.
    pub space: Space,
    /// The established name.
    pub target: &'a str,
    /// The target's listing, where it comes from a directory.
    pub target_listing: Option<&'a str>,
    /// Those who prove to answer for the target.
    pub target_owners: &'a [String],
    /// The target's users.
    pub target_popularity: Option<u64>,
}

impl<'a> TyposquatView<'a> {
    /// The view of a candidate and of the night that found it first.
    pub fn of(candidate: &'a TyposquatCandidate, first_seen: Option<AsOf>) -> Self {
        Self {
            distance: candidate.distance,
            first_seen,
            kind: candidate.kind,
            listing: candidate.listing.as_deref(),
            name: &candidate.name,
            owners: &candidate.owners,
            popularity: candidate.popularity,
            rank: candidate.rank,
            reasons: &candidate.reasons,
            schema: SCHEMA,
            severity: candidate.severity,
            signals: &candidate.signals,
            space: candidate.space,
            target: &candidate.target,
            target_listing: candidate.target_listing.as_deref(),
            target_owners: &candidate.target_owners,
            target_popularity: candidate.target_popularity,
        }
    }
}
