//! Who stands behind alerts, where things name accounts that did nothing.
//!
//! Whoever publishes a thing can name anybody beside himself: helpers of his own, so that no two of his things look alike, and
//! his victim, so that her things look like his. No registry says who was asked. What he can't do is to leave himself out.

use std::collections::{BTreeMap, BTreeSet};

use super::Alert;
use super::message::Named;

/// Alerts of one account from which on it is asked who else stands behind them: fewer are named one by one.
const MANY: usize = 4;
/// Accounts that stand for one alert at most.
const DEPTH: usize = 3;

/// True where a thing's accounts have had so many told: of those that name one of them, leaving out what the one stranger
/// names that most of them do. Whoever drags somebody else in is named beside her every time.
pub(super) fn have_had(share: usize, own: &BTreeSet<String>, told: &[&BTreeSet<String>]) -> bool {
    let most = |told: &[&'_ BTreeSet<String>], is_own: bool| {
        let counts = counts(told.iter().flat_map(|accounts| accounts.iter()));
        let of = counts.into_iter().filter(|(account, _)| own.contains(*account) == is_own);
        of.max_by_key(|(_, count)| *count).map(|(account, count)| (account.to_owned(), count))
    };
    let akin: Vec<&BTreeSet<String>> = told.iter().copied().filter(|accounts| !accounts.is_disjoint(own)).collect();
    if akin.len() < share {
        return false;
    }
    let stranger = most(&akin, false).map(|(account, _)| account);
    let is_theirs =
        |accounts: &&BTreeSet<String>| stranger.as_ref().is_none_or(|stranger| !accounts.contains(stranger));
    let theirs: Vec<&BTreeSet<String>> = akin.into_iter().filter(is_theirs).collect();
    most(&theirs, true).is_some_and(|(_, count)| count >= share)
}

/// The accounts that stand for some alerts, the one that most alerts share first.
pub(super) type Standing<'n> = Vec<&'n str>;

/// Each alert, in their order, with the accounts that stand for it: the one of its own that most alerts share, and then those
/// that a part of its alerts shares besides. Who adds another helper to each of his packages makes hardly more groups; who
/// adds his victim to each keeps a group of his own.
pub(super) fn by_account<'n, 'a>(all: &[&'n Named<'a>]) -> Vec<(Standing<'n>, &'a Alert)> {
    let counts = counts(all.iter().flat_map(|named| &named.accounts));
    let mut shared: BTreeMap<&str, Vec<Member<'n>>> = BTreeMap::new();
    for (at, named) in all.iter().enumerate() {
        let accounts = named.accounts.iter().map(String::as_str);
        let account = accounts.max_by_key(|account| counts.get(account).copied().unwrap_or(0)).unwrap_or_default();
        shared.entry(account).or_default().push((at, &named.accounts));
    }
    let mut standing = vec![Standing::new(); all.len()];
    for (account, group) in shared {
        stand(vec![account], group, &mut standing);
    }
    standing.into_iter().zip(all).map(|(standing, named)| (standing, &named.raised.alert)).collect()
}

/// The place of an alert, and its accounts.
type Member<'n> = (usize, &'n BTreeSet<String>);

/// Says who stands for each of a group that some accounts share.
fn stand<'n>(shared: Standing<'n>, mut group: Vec<Member<'n>>, standing: &mut [Standing<'n>]) {
    // Who is named in parts of parts makes no more of them.
    while let Some(other) = behind_a_part(&group).filter(|_| shared.len() < DEPTH) {
        let (theirs, rest) = group.into_iter().partition(|(_, accounts)| accounts.contains(other));
        stand([&shared[..], &[other]].concat(), theirs, standing);
        group = rest;
    }
    for (at, _) in group {
        standing.get_mut(at).into_iter().for_each(|of| of.clone_from(&shared));
    }
}

/// The account that most of a group of many name and not all do, where it is a third of them at least. So few parts come of
/// it that somebody's helpers, however he spreads them, fill no message.
fn behind_a_part<'n>(group: &[Member<'n>]) -> Option<&'n str> {
    let counts = counts(group.iter().flat_map(|(_, accounts)| accounts.iter()));
    let is_part = |count: usize| group.len() >= MANY && count < group.len() && count * 3 >= group.len();
    counts.into_iter().filter(|(_, count)| is_part(*count)).max_by_key(|(_, count)| *count).map(|(account, _)| account)
}

fn counts<'n>(accounts: impl Iterator<Item = &'n String>) -> BTreeMap<&'n str, usize> {
    let mut counts = BTreeMap::new();
    accounts.for_each(|account| *counts.entry(account.as_str()).or_insert(0) += 1);
    counts
}
