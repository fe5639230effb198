//! Who stands behind alerts, where things name accounts that did nothing.
//!
//! Whoever publishes a thing can name anybody beside himself: helpers of his own, so that no two of his things look alike, and
//! his victim, so that her things look like his. No registry says who was asked. What he can't do is to leave himself out.

use std::collections::{BTreeMap, BTreeSet};

use super::Alert;
use super::message::Named;

/// Alerts of one account from which on it is asked who else stands behind them: fewer are named one by one.
const MANY: usize = 4;

/// True where an account that a thing does not name itself is named by at least half of those that share one with it: they
/// are that account's doing and not the thing's.
pub(super) fn are_of_somebody_else(own: &BTreeSet<String>, others: &[&BTreeSet<String>]) -> bool {
    let strangers = others.iter().flat_map(|accounts| accounts.iter()).filter(|account| !own.contains(*account));
    counts(strangers).values().any(|count| count * 2 >= others.len())
}

/// Each alert, in their order, with the one account that stands for it: the one of its own that most of them share. Who adds
/// another helper to each of his packages makes hardly more groups; who adds his victim to each keeps a group of his own.
pub(super) fn by_account<'n, 'a>(all: &[&'n Named<'a>]) -> Vec<(&'n str, &'a Alert)> {
    let counts = counts(all.iter().flat_map(|named| &named.accounts));
    let mut shared: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (at, named) in all.iter().enumerate() {
        let accounts = named.accounts.iter().map(String::as_str);
        let account = accounts.max_by_key(|account| counts.get(account).copied().unwrap_or(0)).unwrap_or_default();
        shared.entry(account).or_default().push(at);
    }
    let accounts_of = |at: &usize| all.get(*at).map(|named| &named.accounts);
    let mut standing: BTreeMap<usize, &str> = BTreeMap::new();
    for (account, mut group) in shared {
        while let Some(other) = behind_a_part(&group.iter().filter_map(accounts_of).collect::<Vec<_>>()) {
            let (theirs, rest): (Vec<usize>, Vec<usize>) =
                group.iter().partition(|at| accounts_of(at).is_some_and(|accounts| accounts.contains(other)));
            standing.extend(theirs.into_iter().map(|at| (at, other)));
            group = rest;
        }
        standing.extend(group.into_iter().map(|at| (at, account)));
    }
    let account = |at: usize| standing.get(&at).copied().unwrap_or_default();
    all.iter().enumerate().map(|(at, named)| (account(at), &named.raised.alert)).collect()
}

/// The account that most of a group of many name and not all do, where it is a third of them at least. So few parts come of
/// it that somebody's helpers, however he spreads them, fill no message.
fn behind_a_part<'n>(group: &[&'n BTreeSet<String>]) -> Option<&'n str> {
    let counts = counts(group.iter().flat_map(|accounts| accounts.iter()));
    let is_part = |count: usize| group.len() >= MANY && count < group.len() && count * 3 >= group.len();
    counts.into_iter().filter(|(_, count)| is_part(*count)).max_by_key(|(_, count)| *count).map(|(account, _)| account)
}

fn counts<'n>(accounts: impl Iterator<Item = &'n String>) -> BTreeMap<&'n str, usize> {
    let mut counts = BTreeMap::new();
    accounts.for_each(|account| *counts.entry(account.as_str()).or_insert(0) += 1);
    counts
}
