//! `plan`: the messages for one notifier after a run, and the new deliveries of its alerts.
//!
//! A pure function of what was raised, acknowledged, suppressed and decided before. Sending comes after, by the
//! message's id.

use std::collections::{BTreeMap, BTreeSet};

use super::ack::{self, Ack};
use super::behind::have_had;
use super::message::{Message, Named, Occasion};
use super::origin::{Origin, Origins};
use super::suppression::{self, Suppression};
use super::{Alert, Raised, by_rank};
use crate::fact::Severity;
use crate::time::AsOf;

/// The parts of a budget of which one publisher has one, before everybody else was told of. Whoever floods a night spends
/// his own.
const SHARES: usize = 4;

/// The settings of a notifier: which alerts it is told, and how many at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Policy {
    /// Alerts told one by one in a run; the rest is one digest.
    pub budget: usize,
    /// For so many days, more about the same subject and rule joins what was told, unless it is worse.
    pub cooldown_days: u32,
    /// Milder alerts are not for this notifier.
    pub min_severity: Severity,
}

/// The kind of a delivery: told, counted in a digest, or kept back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DeliveryKind {
    /// Told by itself.
    Told,
    /// Counted in a digest: the budget was spent.
    Digested,
    /// Counted in a digest: it joined an earlier one.
    Joined,
    /// Kept back by an acknowledgement.
    Acknowledged,
    /// Kept back by the operator's line about many.
    Suppressed,
    /// Kept back by the operator's ruling on this very content.
    Ruled,
}

impl DeliveryKind {
    /// Every kind.
    pub const ALL: [Self; 6] =
        [Self::Told, Self::Digested, Self::Joined, Self::Acknowledged, Self::Suppressed, Self::Ruled];

    /// The word that is stored and printed.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Told => "told",
            Self::Digested => "digested",
            Self::Joined => "joined",
            Self::Acknowledged => "acknowledged",
            Self::Suppressed => "suppressed",
            Self::Ruled => "ruled",
        }
    }

    /// True where nobody was told.
    pub const fn is_kept_back(self) -> bool {
        matches!(self, Self::Acknowledged | Self::Suppressed | Self::Ruled)
    }
}

/// A decision about one alert at one notifier: told, or kept back. Deliveries are only ever added.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delivery {
    /// The alert's key.
    pub alert: String,
    /// The kind of the delivery.
    pub kind: DeliveryKind,
    /// The severity that it had then.
    pub severity: Severity,
    /// The newest acknowledgement that was looked at (0: none).
    pub ack: u64,
    /// The id of the message in which it was told; none where it was kept back.
    pub message: Option<String>,
    /// When.
    pub at: AsOf,
}

/// Everything that a plan is made from.
#[derive(Clone, Copy, Debug)]
pub struct PlanInput<'a> {
    /// Every alert, as the passes have it now.
    pub alerts: &'a [Raised],
    /// In the order in which they were given.
    pub acks: &'a [Ack],
    /// The operator's.
    pub suppressions: &'a [Suppression],
    /// The keys of alerts whose subject the operator has ruled on, as it is.
    pub ruled: &'a BTreeSet<String>,
    /// Whose doing each alert is about.
    pub origins: &'a Origins,
    /// The earlier deliveries at this notifier, oldest first.
    pub deliveries: &'a [Delivery],
    /// The night.
    pub as_of: AsOf,
}

/// The messages for a notifier, and the deliveries that they make.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// In the order of rank, the digest last.
    pub messages: Vec<Message>,
    /// The deliveries that are decided now.
    pub deliveries: Vec<Delivery>,
}

/// An alert that is to be told, and why.
struct AlertCandidate<'a> {
    raised: &'a Raised,
    occasion: Occasion,
    ack: u64,
    /// The number of its earlier deliveries.
    earlier: usize,
}

/// Decides the messages for a notifier. Called again with its own deliveries, it adds nothing.
pub fn plan(notifier: &str, policy: &Policy, known: &PlanInput<'_>) -> Plan {
    let mut deliveries_of: BTreeMap<&str, Vec<&Delivery>> = BTreeMap::new();
    for delivery in known.deliveries {
        deliveries_of.entry(&delivery.alert).or_default().push(delivery);
    }
    let (mut plan, mut candidates) = (Plan::default(), Vec::new());
    // Milder alerts get no delivery, so that they are new should the operator lower the minimum.
    for raised in known.alerts.iter().filter(|raised| raised.alert.severity >= policy.min_severity) {
        let deliveries = deliveries_of.get(raised.alert.key.as_str()).map_or(&[][..], Vec::as_slice);
        match decide(raised, deliveries, known) {
            AlertDecision::Nothing => {}
            AlertDecision::KeepBack(kind, ack) => plan.deliveries.push(delivery(raised, kind, ack, None, known.as_of)),
            AlertDecision::Tell(occasion, ack) => {
                candidates.push(AlertCandidate { raised, occasion, ack, earlier: deliveries.len() });
            }
        }
    }
    // The budget goes to the first candidates, and so to the worst.
    candidates.sort_by(|one, other| by_rank(one.raised, other.raised));
    tell(notifier, policy, known, &candidates, &mut plan);
    plan
}

/// The thing that keeps an alert back at an instant; none where it is open.
pub fn kept_back(
    alert: &Alert,
    origin: Option<&Origin>,
    acks: &[Ack],
    suppressions: &[Suppression],
    ruled: &BTreeSet<String>,
    as_of: AsOf,
) -> Option<DeliveryKind> {
    // A person's word on this content says more than a pattern, and so is what is shown.
    if ack::holding(acks, alert, as_of).is_some() {
        return Some(DeliveryKind::Acknowledged);
    }
    if ruled.contains(&alert.key) {
        return Some(DeliveryKind::Ruled);
    }
    suppression::covering(suppressions, alert, origin, as_of).map(|_| DeliveryKind::Suppressed)
}

enum AlertDecision {
    /// It was decided before.
    Nothing,
    KeepBack(DeliveryKind, u64),
    Tell(Occasion, u64),
}

fn decide(raised: &Raised, deliveries: &[&Delivery], known: &PlanInput<'_>) -> AlertDecision {
    let Raised { alert, .. } = raised;
    let (last, newest) = (deliveries.last(), ack::newest_number(known.acks, alert));
    let origin = known.origins.get(&alert.key);
    if let Some(kind) = kept_back(alert, origin, known.acks, known.suppressions, known.ruled, known.as_of) {
        return match last {
            // The same state again is no news; another acknowledgement is worth a record.
            Some(last) if last.kind == kind && last.ack == newest => AlertDecision::Nothing,
            _ => AlertDecision::KeepBack(kind, newest),
        };
    }
    match last {
        None => AlertDecision::Tell(Occasion::Raised, newest),
        // An acknowledgement may come and go between two runs: its number tells.
        Some(last) if last.kind.is_kept_back() || newest > last.ack => AlertDecision::Tell(Occasion::Returned, newest),
        Some(last) if alert.severity > last.severity => AlertDecision::Tell(Occasion::Rose, newest),
        Some(_) => AlertDecision::Nothing,
    }
}

/// Spends the budget on the first candidates of each publisher, then on the rest; what is left, and more of the same, goes
/// into the digest.
fn tell(notifier: &str, policy: &Policy, known: &PlanInput<'_>, candidates: &[AlertCandidate<'_>], plan: &mut Plan) {
    let named =
        |raised| Named { raised, accounts: Origin::accounts(known.origins.get(&raised.alert.key), &raised.alert) };
    let candidates: Vec<(&AlertCandidate<'_>, Named<'_>)> =
        candidates.iter().map(|candidate| (candidate, named(candidate.raised))).collect();
    let same = more_of_the_same(policy, known, &candidates);
    let told = within_shares(policy.budget, &candidates, &same);
    let (mut rest, mut joined) = (Vec::new(), 0);
    for (at, (candidate, of)) in candidates.iter().enumerate() {
        let AlertCandidate { raised, occasion, ack, earlier } = *candidate;
        if told.contains(&at) {
            let message = Message::of_alert(notifier, raised, *occasion, *earlier, known.as_of);
            plan.deliveries.push(delivery(raised, DeliveryKind::Told, *ack, Some(message.id.clone()), known.as_of));
            plan.messages.push(message);
        } else {
            let is_same = same.contains(&at);
            joined += usize::from(is_same);
            rest.push((of, if is_same { DeliveryKind::Joined } else { DeliveryKind::Digested }, *ack));
        }
    }
    if !rest.is_empty() {
        let alerts: Vec<&Named<'_>> = rest.iter().map(|(of, ..)| *of).collect();
        let message = Message::of_rest(notifier, &alerts, joined, known.as_of);
        let id = Some(message.id.clone());
        let deliveries = rest.iter().map(|(of, kind, ack)| delivery(of.raised, *kind, *ack, id.clone(), known.as_of));
        plan.deliveries.extend(deliveries);
        plan.messages.push(message);
    }
    // Who reads one message of a night has to meet everybody who is in the others.
    let all: Vec<&Named<'_>> = candidates.iter().map(|(_, of)| of).collect();
    if let [first, _, ..] = plan.messages.as_mut_slice() {
        first.name_others(&all);
    }
}

/// The places of the candidates that are more of what was told within the cooldown, or of one before them.
fn more_of_the_same(
    policy: &Policy,
    known: &PlanInput<'_>,
    candidates: &[(&AlertCandidate<'_>, Named<'_>)],
) -> BTreeSet<usize> {
    let mut recent = recently_told(policy, known);
    let mut same = BTreeSet::new();
    for (at, (AlertCandidate { raised, occasion, .. }, _)) in candidates.iter().enumerate() {
        let subject = (raised.alert.about(), raised.alert.rule());
        let worst = recent.get(&subject).copied();
        // Only what is new to the notifier joins: an alert that rose or came back has to be told.
        if *occasion == Occasion::Raised && worst.is_some_and(|worst| worst >= raised.alert.severity) {
            same.insert(at);
        }
        // Within one run too, the second alert about a subject joins the first.
        let told = recent.entry(subject).or_insert(raised.alert.severity);
        *told = (*told).max(raised.alert.severity);
    }
    same
}

/// The places of the candidates that are told one by one: first those within the share of each of their publishers, then
/// others as far as the budget goes; both by rank. More of the same spends nothing, whoever floods it.
fn within_shares(
    budget: usize,
    candidates: &[(&AlertCandidate<'_>, Named<'_>)],
    same: &BTreeSet<usize>,
) -> BTreeSet<usize> {
    let share = (budget / SHARES).max(1);
    // The accounts of each that is told, and never more than the budget.
    let mut spent: Vec<&BTreeSet<String>> = Vec::new();
    let (mut told, mut beyond) = (BTreeSet::new(), Vec::new());
    for (at, (_, of)) in candidates.iter().enumerate().filter(|(at, _)| !same.contains(at)) {
        if told.len() < budget && !have_had(share, &of.accounts, &spent) {
            spent.push(&of.accounts);
            told.insert(at);
        } else {
            beyond.push(at);
        }
    }
    let left = budget.saturating_sub(told.len());
    told.extend(beyond.into_iter().take(left));
    told
}

/// The worst severity told of each subject and rule within the cooldown. Alerts that joined do not prolong it.
fn recently_told(policy: &Policy, known: &PlanInput<'_>) -> BTreeMap<(String, String), Severity> {
    let is_recent = |delivery: &&Delivery| {
        let days = delivery.at.0.days_until(known.as_of.0);
        // Joined deliveries are left out: otherwise frequent small changes would keep a subject silent for ever.
        matches!(delivery.kind, DeliveryKind::Told | DeliveryKind::Digested) && days < i64::from(policy.cooldown_days)
    };
    let mut told: BTreeMap<&str, Severity> = BTreeMap::new();
    for delivery in known.deliveries.iter().filter(is_recent) {
        let worst = told.entry(&delivery.alert).or_insert(delivery.severity);
        *worst = (*worst).max(delivery.severity);
    }
    let mut recent = BTreeMap::new();
    // A delivery has only the key of its alert; subject and rule are in the alerts of today.
    for Raised { alert, .. } in known.alerts {
        if let Some(severity) = told.get(alert.key.as_str()) {
            let worst = recent.entry((alert.about(), alert.rule())).or_insert(*severity);
            *worst = (*worst).max(*severity);
        }
    }
    recent
}

fn delivery(raised: &Raised, kind: DeliveryKind, ack: u64, message: Option<String>, at: AsOf) -> Delivery {
    let Alert { key, severity, .. } = &raised.alert;
    Delivery { alert: key.clone(), kind, severity: *severity, ack, message, at }
}

#[cfg(test)]
mod tests;
