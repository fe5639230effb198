//! The order of a family: which member was there first, and how that is known.
//!
//! Our own nights' observations weigh most, because nobody can date himself back in them. When a package appeared says
//! its registry, but not whether the capability was in it then. A copy is less used than what it was made from, and an
//! honest one names its upstream. The order is unknown, and says so, where nothing tells.

use serde::{Deserialize, Serialize};

use capdex_model::time::Timestamp;

/// The factor of users that makes one member the likelier original.
const MORE_USED: u64 = 10;

/// The way in which the order of two members is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OrderBasis {
    /// An earlier night of ours saw the original.
    Seen,
    /// The original's package is older, by its source.
    Created,
    /// The copy names the original as where it comes from.
    Stated,
    /// The original has ten times the users.
    Popularity,
    /// Nothing tells: both were met in the same night.
    Unknown,
}

impl OrderBasis {
    /// The word that is stored and printed.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Seen => "seen",
            Self::Created => "created",
            Self::Stated => "stated",
            Self::Popularity => "popularity",
            Self::Unknown => "unknown",
        }
    }
}

/// The knowledge of when a member came and how it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CloneMember<'a> {
    /// When a night of ours first saw the text in it, however long it was there with another one.
    pub first_seen: Timestamp,
    /// When its package first appeared, where the source says so.
    pub created: Option<Timestamp>,
    /// When its version was published, where the source says so.
    pub published: Option<Timestamp>,
    /// The number of users, where somebody counts.
    pub popularity: Option<u64>,
    /// The names that it is a listing of, one word for each: its keys and identities.
    pub names: &'a [String],
    /// The names that it gives as where it comes from, in the same words.
    pub upstream: &'a [String],
}

/// The way in which it is known that `original` was there before `copy`; none where the opposite is known.
pub fn basis(original: &CloneMember<'_>, copy: &CloneMember<'_>) -> Option<OrderBasis> {
    // Our own observation comes first: dates, names and counts are what others say.
    if original.first_seen != copy.first_seen {
        return (original.first_seen < copy.first_seen).then_some(OrderBasis::Seen);
    }
    let states =
        |one: &CloneMember<'_>, other: &CloneMember<'_>| one.upstream.iter().any(|name| other.names.contains(name));
    // Where each names the other, neither statement tells the order.
    match (states(copy, original), states(original, copy)) {
        (true, false) => return Some(OrderBasis::Stated),
        (false, true) => return None,
        _ => {}
    }
    if let (Some(one), Some(other)) = (original.created, copy.created)
        // Registries and forges differ by hours for one release; within a day the order is chance.
        && one.days_until(other) != 0
        // An old package may have had another text until yesterday.
        && !is_contradicted((one, original.published), (other, copy.published))
    {
        return (one < other).then_some(OrderBasis::Created);
    }
    let (one, other) = (original.popularity.unwrap_or(0), copy.popularity.unwrap_or(0));
    // Nobody's count is taken as one user, or ten times none would be reached by anybody.
    if one >= other.max(1).saturating_mul(MORE_USED) {
        return Some(OrderBasis::Popularity);
    }
    // The copy's users may likewise be ten times the original's: then the order is the opposite.
    (other < one.max(1).saturating_mul(MORE_USED)).then_some(OrderBasis::Unknown)
}

/// True where the older of two packages published what it holds after the other one.
fn is_contradicted(
    (one, published): (Timestamp, Option<Timestamp>),
    (other, other_published): (Timestamp, Option<Timestamp>),
) -> bool {
    published.zip(other_published).is_some_and(|(published, other_published)| {
        if one < other { published > other_published } else { published < other_published }
    })
}

/// The place of the member that the others were made from: the one that most members came after, the first given of
/// several. Compares each member with the best so far, and so costs no more than the family is long.
pub fn original(members: &[CloneMember<'_>]) -> usize {
    let mut best = 0;
    for (at, member) in members.iter().enumerate().skip(1) {
        // Unknown order keeps the first given, so that the caller's order decides ties.
        if members.get(best).is_some_and(|senior| basis(senior, member).is_none()) {
            best = at;
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: i64 = 86_400;

    fn seen(first_seen: i64, created: Option<i64>, popularity: Option<u64>) -> CloneMember<'static> {
        let at = Timestamp::from_unix_seconds;
        CloneMember {
            first_seen: at(first_seen * DAY),
            created: created.map(|day| at(day * DAY)),
            published: None,
            popularity,
            names: &[],
            upstream: &[],
        }
    }

    #[test]
    fn each_ground_counts_only_where_those_before_are_silent() {
        let cases = [
            (seen(1, Some(9), None), seen(2, Some(3), Some(9_000)), Some(OrderBasis::Seen)),
            (seen(2, Some(3), None), seen(1, None, None), None),
            (seen(1, Some(3), None), seen(1, Some(9), Some(9_000)), Some(OrderBasis::Created)),
            (seen(1, None, Some(9_000)), seen(1, Some(9), Some(40)), Some(OrderBasis::Popularity)),
            (seen(1, None, Some(40)), seen(1, Some(9), Some(9_000)), None),
            (seen(1, None, Some(40)), seen(1, Some(9), Some(70)), Some(OrderBasis::Unknown)),
            (seen(1, None, None), seen(1, None, None), Some(OrderBasis::Unknown)),
        ];
        for (original, copy, expected) in cases {
            assert_eq!(basis(&original, &copy), expected, "{original:?} {copy:?}");
        }
    }

    #[test]
    fn an_old_package_with_a_new_text_is_no_original() {
        let at = |day: i64| Some(Timestamp::from_unix_seconds(day * DAY));
        let squat = CloneMember { published: at(400), ..seen(500, Some(1), Some(3)) };
        let victim = CloneMember { published: at(300), ..seen(500, Some(200), Some(9_000)) };
        assert_eq!(basis(&victim, &squat), Some(OrderBasis::Popularity));
        assert_eq!(original(&[squat.clone(), victim.clone()]), 1);
        let older = CloneMember { published: at(100), ..squat };
        assert_eq!(basis(&older, &victim), Some(OrderBasis::Created));
    }

    #[test]
    fn a_copy_that_names_its_upstream_is_the_copy() {
        let (names, other) = (["github:acme/kit".to_owned()], ["github:bob/kit".to_owned()]);
        let upstream = CloneMember { names: &names, ..seen(1, Some(9), None) };
        let fork = CloneMember { names: &other, upstream: &names, ..seen(1, Some(3), None) };
        assert_eq!(basis(&upstream, &fork), Some(OrderBasis::Stated));
        assert_eq!(basis(&fork, &upstream), None);
        assert_eq!(original(&[fork.clone(), upstream.clone()]), 1);
        assert_eq!(original(&[upstream, fork]), 0);
    }
}
