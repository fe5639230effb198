//! `Message`: the text for one notifier, word for word the same however often it must be sent.
//!
//! Its id is stable, so that a receiver that remembers ids sees nothing twice. Each notifier writes it in its own form.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::behind::{Standing, by_account};
use super::{Alert, Raised};
use crate::digest::Digest;
use crate::fact::Severity;
use crate::time::AsOf;

/// Alerts that a digest names one by one; it counts them all.
const NAMED: usize = 10;
/// Groups that a message names at most.
const GROUPS: usize = 10;
/// Subjects that a group names at most.
const SUBJECTS: usize = 3;

/// One message to one notifier.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Message {
    /// Stable: the same for every try, and the same again where a store is made anew from the same nights.
    pub id: String,
    /// The run that it is from.
    pub at: AsOf,
    /// The content.
    pub body: Body,
    /// In the first of several messages of a run: what all of them are about, by publisher and rule.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<AlertGroup>,
}

/// The alerts about one publisher's things under one rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AlertGroup {
    /// The publisher that answers for them, joined by " and " with those whom all of them name too; or the one thing that
    /// they are about. Untrusted text.
    pub publisher: String,
    /// The pass and class.
    pub rule: String,
    /// The worst severity.
    pub severity: Severity,
    /// The number of alerts.
    pub alerts: u64,
    /// The first few subjects, each once. Untrusted text.
    pub subjects: Vec<String>,
}

/// An alert with those to whose account it goes.
pub(super) struct Named<'a> {
    pub(super) raised: &'a Raised,
    pub(super) accounts: BTreeSet<String>,
}

/// The content of a message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Body {
    /// One alert.
    Alert(Box<SingleAlert>),
    /// Alerts that were too many, or too much of the same, to be told one by one.
    Digest(Roundup),
}

/// One alert, told by itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SingleAlert {
    /// The alert.
    pub alert: Alert,
    /// When it was first raised.
    pub raised: AsOf,
    /// Why it is told now.
    pub occasion: Occasion,
}

/// Why an alert is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Occasion {
    /// It is new to the notifier.
    Raised,
    /// It is worse than when it was told.
    Rose,
    /// An acknowledgement or a suppression holds no more.
    Returned,
}

impl Occasion {
    /// The word that is stored and printed.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Raised => "raised",
            Self::Rose => "rose",
            Self::Returned => "returned",
        }
    }
}

/// The digest of what was not told one by one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Roundup {
    /// The number of alerts.
    pub alerts: u64,
    /// The number of them that joined an earlier alert about the same within the cooldown.
    pub joined: u64,
    /// The number of alerts of each pass.
    pub passes: BTreeMap<String, u64>,
    /// The number of alerts of each `pass/class`.
    pub rules: BTreeMap<String, u64>,
    /// The number of alerts of each severity, worst first.
    pub severities: Vec<(Severity, u64)>,
    /// A few, each subject once: the first of each group, then others by rank.
    pub first: Vec<AlertLine>,
    /// All of them by publisher and rule.
    #[serde(default)]
    pub groups: Vec<AlertGroup>,
    /// The command that lists them all.
    pub command: String,
}

/// An alert in one line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AlertLine {
    /// Its short name.
    pub handle: String,
    /// The severity.
    pub severity: Severity,
    /// Its title. Untrusted text.
    pub title: String,
}

impl Message {
    /// A message of one alert. `earlier` is the number of its earlier deliveries at the notifier.
    pub(super) fn of_alert(notifier: &str, raised: &Raised, occasion: Occasion, earlier: usize, at: AsOf) -> Self {
        let earlier = earlier.to_string();
        // The count of earlier deliveries sets this message apart from the first one about the alert.
        let id = id_of([notifier, "alert", raised.alert.key.as_str(), earlier.as_str()]);
        let single = SingleAlert { alert: raised.alert.clone(), raised: raised.at, occasion };
        Self { id, at, body: Body::Alert(Box::new(single)), others: Vec::new() }
    }

    /// The rest of a run for a notifier, in the order of rank; `joined` of them are more of the same.
    pub(super) fn of_rest(notifier: &str, rest: &[&Named<'_>], joined: usize, at: AsOf) -> Self {
        let night = at.to_string();
        let keys = rest.iter().map(|named| named.raised.alert.key.as_str());
        // Two runs of one instant may each have a digest: the keys tell them apart.
        let id = id_of([notifier, "digest", night.as_str()].into_iter().chain(keys));
        let (mut passes, mut rules, mut severities) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        for alert in rest.iter().map(|named| &named.raised.alert) {
            *passes.entry(alert.pass.clone()).or_insert(0) += 1;
            *rules.entry(alert.rule()).or_insert(0) += 1;
            *severities.entry(alert.severity).or_insert(0) += 1;
        }
        let line =
            |alert: &Alert| AlertLine { handle: alert.handle(), severity: alert.severity, title: alert.title.clone() };
        let body = Body::Digest(Roundup {
            alerts: rest.len() as u64,
            joined: joined as u64,
            passes,
            rules,
            // The map is in ascending order, and people read the worst first.
            severities: severities.into_iter().rev().collect(),
            first: first_of(rest).into_iter().map(line).collect(),
            groups: groups(rest),
            command: format!("capdex alerts list --message {id}"),
        });
        Self { id, at, body, others: Vec::new() }
    }

    /// Names what all messages of its run are about.
    pub(super) fn name_others(&mut self, all: &[&Named<'_>]) {
        self.others = groups(all);
    }

    /// The worst that it speaks of.
    pub fn severity(&self) -> Severity {
        match &self.body {
            Body::Alert(single) => single.alert.severity,
            // The first of the list is the worst, as `of_rest` writes it.
            Body::Digest(roundup) => roundup.severities.first().map_or(Severity::Info, |(severity, _)| *severity),
        }
    }

    /// One line that says what it is. Holds untrusted text.
    pub fn headline(&self) -> String {
        match &self.body {
            Body::Alert(single) => {
                let again = match single.occasion {
                    Occasion::Raised => "",
                    Occasion::Rose => " (worse than before)",
                    Occasion::Returned => " (back)",
                };
                format!("{}: {}{again}", single.alert.severity.as_str(), single.alert.title)
            }
            Body::Digest(roundup) => {
                let noun = if roundup.alerts == 1 { "alert" } else { "alerts" };
                format!("{} more {noun}, the worst {}", roundup.alerts, self.severity().as_str())
            }
        }
    }

    /// Its place among others: alerts before digests, each by rank.
    pub fn order(&self) -> impl Ord + use<> {
        let (is_digest, reach, since, name) = match &self.body {
            Body::Alert(single) => (false, single.alert.reach, single.raised, &single.alert.key),
            Body::Digest(_) => (true, 0, self.at, &self.id),
        };
        // A later alert of the same weight is fresher and comes first; the name only makes the order total.
        (is_digest, std::cmp::Reverse((self.severity(), reach, since)), name.clone())
    }
}

/// The alerts that a digest names: of each publisher and rule the first, then the others, each subject once.
fn first_of<'a>(rest: &[&Named<'a>]) -> Vec<&'a Alert> {
    let (mut groups, mut subjects) = (BTreeSet::new(), BTreeSet::new());
    let (mut first, mut others) = (Vec::new(), Vec::new());
    for (standing, alert) in by_account(rest) {
        if subjects.insert(alert.about()) {
            let is_new = groups.insert((standing, alert.rule()));
            if is_new { &mut first } else { &mut others }.push(alert);
        }
    }
    first.into_iter().chain(others).take(NAMED).collect()
}

/// Alerts by publisher and rule, the worst first and the rarest of equals: one that floods a night stands last.
fn groups(all: &[&Named<'_>]) -> Vec<AlertGroup> {
    let mut by: BTreeMap<(Standing<'_>, String), Vec<&Alert>> = BTreeMap::new();
    for (standing, alert) in by_account(all) {
        by.entry((standing, alert.rule())).or_default().push(alert);
    }
    let group = |((standing, rule), alerts): ((Standing<'_>, String), Vec<&Alert>)| {
        let mut seen = BTreeSet::new();
        let subjects = alerts.iter().filter(|alert| seen.insert(alert.about())).map(|alert| alert.subject.clone());
        AlertGroup {
            publisher: standing.join(" and "),
            rule,
            severity: alerts.iter().map(|alert| alert.severity).max().unwrap_or(Severity::Info),
            subjects: subjects.take(SUBJECTS).collect(),
            alerts: alerts.len() as u64,
        }
    };
    let mut groups: Vec<AlertGroup> = by.into_iter().map(group).collect();
    groups.sort_by_key(|group| (std::cmp::Reverse(group.severity), group.alerts));
    groups.truncate(GROUPS);
    groups
}

fn id_of<'a>(fields: impl IntoIterator<Item = &'a str>) -> String {
    let digest = Digest::of_fields(fields.into_iter().map(str::as_bytes));
    // 128 bits of the digest are enough to be unique, and short enough to be shown.
    format!("msg_{}", digest.hex().chars().take(32).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::super::testing::{night, raised};
    use super::*;

    fn named(raised: &Raised) -> Named<'_> {
        Named { raised, accounts: BTreeSet::from([raised.alert.about()]) }
    }

    #[test]
    fn an_id_tells_notifiers_alerts_and_occasions_apart_and_nothing_else() {
        let one = raised("a", Severity::High, 0, 1);
        let id = |notifier, raised: &Raised, earlier| {
            let message = Message::of_alert(notifier, raised, Occasion::Raised, earlier, night(2));
            assert_eq!(message.id.len(), 36);
            message.id
        };
        let other_text = Raised { alert: Alert { title: "x".into(), ..one.alert.clone() }, at: night(9) };
        assert_eq!(id("ops", &one, 0), id("ops", &other_text, 0));
        let ids = [
            id("ops", &one, 0),
            id("mail", &one, 0),
            id("ops", &one, 1),
            id("ops", &raised("b", Severity::High, 0, 1), 0),
        ];
        assert_eq!(std::collections::BTreeSet::from(ids).len(), 4);
    }

    #[test]
    fn messages_wait_in_the_order_of_rank() {
        let of = |key, severity, reach, days| {
            Message::of_alert("ops", &raised(key, severity, reach, days), Occasion::Raised, 0, night(9))
        };
        let rest = raised("z", Severity::Critical, 0, 1);
        let mut queue = [
            Message::of_rest("ops", &[&named(&rest)], 0, night(9)),
            of("e", Severity::Low, 900, 5),
            of("d", Severity::High, 0, 1),
            of("c", Severity::High, 0, 1),
            of("b", Severity::High, 0, 2),
            of("a", Severity::High, 9, 1),
        ];
        queue.sort_by_cached_key(Message::order);
        let said: Vec<String> = queue.iter().map(Message::headline).collect();
        let expected = ["high: a", "high: b", "high: c", "high: d", "low: e", "1 more alert"];
        assert!(said.iter().zip(expected).all(|(said, begins)| said.starts_with(begins)), "{said:?}");
    }

    #[test]
    fn a_digest_counts_by_pass_rule_and_severity() {
        let mut many: Vec<Raised> =
            (0..12).map(|number| raised(&format!("k{number:02}"), Severity::Medium, 0, 1)).collect();
        many[0].alert.severity = Severity::High;
        many[1].alert.class = "owner".into();
        many[2].alert.pass = "campaigns".into();
        let named: Vec<Named<'_>> = many.iter().map(named).collect();
        let message = Message::of_rest("ops", &named.iter().collect::<Vec<_>>(), 3, night(1));
        assert_eq!(message.headline(), "12 more alerts, the worst high");
        let Body::Digest(roundup) = &message.body else { panic!("a digest") };
        assert_eq!(roundup.alerts, 12);
        assert_eq!(roundup.joined, 3);
        assert_eq!(roundup.first.len(), NAMED);
        assert_eq!(roundup.passes, [("campaigns".into(), 1), ("drift".into(), 11)].into());
        assert_eq!(roundup.rules.get("drift/owner"), Some(&1));
        assert_eq!(roundup.severities, [(Severity::High, 1), (Severity::Medium, 11)]);
        assert!(roundup.command.ends_with(&message.id));
    }
}
