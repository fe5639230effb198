//! Nights of one notifier, planned one after the other.

use super::super::message::Body;
use super::super::testing::{night, raised};
use super::*;
use crate::digest::Digest;

/// One notifier over several nights.
struct Nights {
    policy: Policy,
    alerts: Vec<Raised>,
    acks: Vec<Ack>,
    suppressions: Vec<Suppression>,
    ruled: BTreeSet<String>,
    deliveries: Vec<Delivery>,
    origins: Origins,
}

impl Nights {
    fn new(budget: usize) -> Self {
        let policy = Policy { budget, cooldown_days: 7, min_severity: Severity::Low };
        Self {
            policy,
            alerts: Vec::new(),
            acks: Vec::new(),
            suppressions: Vec::new(),
            ruled: BTreeSet::new(),
            deliveries: Vec::new(),
            origins: Origins::new(),
        }
    }

    fn raise(&mut self, key: &str, subject: &str, severity: Severity, days: i64) {
        let mut new = raised(key, severity, 0, days);
        new.alert.subject = subject.into();
        self.alerts.push(new);
    }

    fn ack(&mut self, key: &str, days: i64, expires: Option<i64>) {
        let alert = &self.alerts.iter().find(|raised| raised.alert.key == key).expect("raised").alert;
        let number = self.acks.len() as u64 + 1;
        self.acks.push(Ack { number, ..Ack::of(alert, night(days), expires.map(|days| night(days).0), String::new()) });
    }

    /// What is told on a night: each message as the keys in it, with the occasion.
    fn run(&mut self, days: i64) -> Vec<String> {
        let plan_of = |nights: &Self| {
            let Self { alerts, acks, suppressions, ruled, deliveries, origins, .. } = nights;
            plan(
                "ops",
                &nights.policy,
                &PlanInput { alerts, acks, suppressions, ruled, origins, deliveries, as_of: night(days) },
            )
        };
        let planned = plan_of(self);
        self.deliveries.extend(planned.deliveries.clone());
        assert_eq!(plan_of(self), Plan::default(), "planned again, there is nothing to add");
        let said = |message: &Message| match &message.body {
            Body::Alert(single) => format!("{} {}", single.occasion.as_str(), single.alert.key),
            Body::Digest(roundup) => {
                let told = self.deliveries.iter().filter(|delivery| delivery.message.as_ref() == Some(&message.id));
                let keys: Vec<&str> = told.map(|delivery| delivery.alert.as_str()).collect();
                assert_eq!(keys.len() as u64, roundup.alerts);
                format!("digest {} joined {}", keys.join(","), roundup.joined)
            }
        };
        planned.messages.iter().map(said).collect()
    }
}

#[test]
fn the_budget_is_spent_by_rank_and_the_rest_is_one_digest() {
    let mut nights = Nights::new(2);
    for (key, severity) in
        [("a", Severity::Low), ("b", Severity::High), ("c", Severity::Low), ("d", Severity::Critical)]
    {
        nights.raise(key, key, severity, 1);
    }
    nights.raise("quiet", "quiet", Severity::Info, 1);
    assert_eq!(nights.run(1), ["raised d", "raised b", "digest a,c joined 0"]);
    assert_eq!(nights.run(2), Vec::<String>::new(), "raised once");
    nights.raise("e", "e", Severity::Low, 3);
    assert_eq!(nights.run(3), ["raised e"], "each run has its own budget");
}

#[test]
fn more_of_the_same_joins_for_a_while_unless_it_is_worse() {
    let mut nights = Nights::new(9);
    nights.raise("a", "pack", Severity::Medium, 1);
    nights.raise("b", "pack", Severity::Medium, 1);
    assert_eq!(nights.run(1), ["raised a", "digest b joined 1"]);
    nights.raise("c", "pack", Severity::Low, 3);
    nights.raise("d", "other", Severity::Low, 3);
    assert_eq!(nights.run(3), ["raised d", "digest c joined 1"]);
    nights.raise("e", "pack", Severity::High, 4);
    assert_eq!(nights.run(4), ["raised e"], "it is worse");
    nights.raise("f", "pack", Severity::High, 10);
    assert_eq!(nights.run(10), ["digest f joined 1"]);
    nights.raise("g", "pack", Severity::High, 11);
    assert_eq!(nights.run(11), ["raised g"], "what joined does not prolong the cooldown");
}

#[test]
fn an_alert_that_grows_worse_is_told_again_once() {
    let mut nights = Nights::new(9);
    nights.raise("a", "pack", Severity::Low, 1);
    assert_eq!(nights.run(1), ["raised a"]);
    nights.alerts[0].alert.severity = Severity::High;
    assert_eq!(nights.run(2), ["rose a"]);
    nights.alerts[0].alert.severity = Severity::Medium;
    assert_eq!(nights.run(3), Vec::<String>::new());
}

#[test]
fn what_is_acknowledged_is_not_told_and_comes_back_when_that_ends() {
    let mut nights = Nights::new(9);
    nights.raise("a", "pack", Severity::High, 1);
    nights.ack("a", 1, Some(5));
    assert_eq!(nights.run(1), Vec::<String>::new());
    assert_eq!(nights.run(4), Vec::<String>::new());
    assert_eq!(nights.run(5), ["returned a"]);
    assert_eq!(nights.run(6), Vec::<String>::new());
    nights.ack("a", 6, Some(7));
    assert_eq!(nights.run(8), ["returned a"], "also where it came and went between two runs");
}

#[test]
fn an_acknowledged_alert_at_other_content_is_back() {
    let mut nights = Nights::new(9);
    nights.raise("a", "pack", Severity::High, 1);
    assert_eq!(nights.run(1), ["raised a"]);
    nights.ack("a", 1, None);
    assert_eq!(nights.run(2), Vec::<String>::new());
    let before = nights.alerts[0].alert.content.replace(Digest::of(b"other"));
    assert_eq!(nights.run(3), ["returned a"]);
    nights.alerts[0].alert.content = before;
    assert_eq!(nights.run(4), Vec::<String>::new(), "that content was acknowledged");
}

#[test]
fn acknowledging_one_says_nothing_of_another() {
    let mut nights = Nights::new(9);
    nights.raise("a", "pack", Severity::High, 1);
    assert_eq!(nights.run(1), ["raised a"]);
    nights.raise("b", "pack", Severity::Critical, 2);
    assert_eq!(nights.run(2), ["raised b"]);
    nights.ack("b", 2, Some(3));
    assert_eq!(nights.run(3), ["returned b"]);
}

#[test]
fn only_the_operator_suppresses_and_only_for_a_while() {
    let mut nights = Nights::new(9);
    nights.raise("a", "pack", Severity::High, 1);
    nights.suppressions.push(Suppression {
        subject: Some("pa*".into()),
        rule: None,
        content: None,
        reason: "ours".into(),
        expires: night(4).0,
    });
    assert_eq!(nights.run(1), Vec::<String>::new());
    assert_eq!(nights.deliveries.last().map(|delivery| delivery.kind), Some(DeliveryKind::Suppressed));
    assert_eq!(nights.run(4), ["returned a"]);
}

#[test]
fn what_the_operator_ruled_on_is_not_told_until_his_ruling_ends() {
    let mut nights = Nights::new(9);
    nights.raise("a", "pack", Severity::High, 1);
    nights.raise("b", "other", Severity::High, 1);
    nights.ruled.insert("a".to_owned());
    assert_eq!(nights.run(1), ["raised b"]);
    let kinds: Vec<(&str, DeliveryKind)> = nights.deliveries.iter().map(|one| (one.alert.as_str(), one.kind)).collect();
    assert!(kinds.contains(&("a", DeliveryKind::Ruled)), "counted, though nobody was told: {kinds:?}");
    assert_eq!(nights.run(2), Vec::<String>::new());
    nights.ruled.clear();
    assert_eq!(nights.run(3), ["returned a"]);
}

#[test]
fn a_notifier_that_comes_later_is_told_what_stands() {
    let mut nights = Nights::new(1);
    nights.raise("a", "a", Severity::High, 1);
    nights.raise("b", "b", Severity::Critical, 1);
    nights.raise("c", "c", Severity::High, 1);
    nights.ack("a", 1, None);
    assert_eq!(nights.run(30), ["raised b", "digest c joined 0"]);
}

#[test]
fn whoever_floods_a_night_spends_his_own_share_and_the_first_message_names_everybody() {
    let mut nights = Nights::new(8);
    for number in 0..40 {
        let key = format!("k{number:02}");
        nights.raise(&key, &format!("npm-flood-{number}"), Severity::Critical, 1);
        let publishers = [format!("npm-user:helper{}", number % 7), "npm-user:mallory".into()].into();
        nights.origins.insert(key, Origin { artifact: None, publishers });
    }
    nights.raise("z", "npm-other", Severity::High, 1);
    let Nights { policy, alerts, acks, suppressions, ruled, deliveries, origins } = &nights;
    let planned =
        plan("ops", policy, &PlanInput { alerts, acks, suppressions, ruled, origins, deliveries, as_of: night(1) });
    let first = &planned.messages[0];
    assert_eq!(first.headline(), "critical: k00 has other bytes");
    assert!(first.others.iter().any(|group| group.subjects == ["npm-other"]), "{:?}", first.others);
    assert!(first.others.len() <= 10 && planned.messages[1].others.is_empty());
    let said = nights.run(1);
    assert_eq!(said.len(), 9);
    assert!(said.contains(&"raised z".to_owned()), "{said:?}");
}

#[test]
fn a_digest_names_each_subject_once() {
    let mut nights = Nights::new(0);
    for number in 0..30 {
        nights.raise(&format!("a{number:02}"), "npm-flood", Severity::High, 1);
    }
    nights.raise("b", "npm-other", Severity::Low, 1);
    let Nights { policy, alerts, acks, suppressions, ruled, deliveries, origins } = &nights;
    let planned =
        plan("ops", policy, &PlanInput { alerts, acks, suppressions, ruled, origins, deliveries, as_of: night(1) });
    let Body::Digest(roundup) = &planned.messages[0].body else { panic!("a digest") };
    assert_eq!((roundup.alerts, roundup.first.len()), (31, 2));
    assert_eq!(roundup.groups.iter().map(|group| group.alerts).collect::<Vec<_>>(), [30, 1]);
}

#[test]
fn a_victim_whom_a_flood_names_keeps_her_share_and_her_group() {
    let mut nights = Nights::new(8);
    let accounts = |names: &[&str]| names.iter().map(|name| format!("npm-user:{name}")).collect();
    for number in 0..40 {
        let key = format!("k{number:02}");
        nights.raise(&key, &format!("npm-flood-{number}"), Severity::Critical, 1);
        // Himself, one of theirs or both, and somebody of his own.
        let named: &[&str] = match number % 3 {
            0 => &["mallory", "ann"],
            1 => &["mallory", "ann", "bob"],
            _ => &["mallory", "bob", "helper"],
        };
        nights.origins.insert(key, Origin { artifact: None, publishers: accounts(named) });
    }
    for (key, owners) in [("y", &["ann", "bob"][..]), ("z", &["ann"])] {
        nights.raise(key, &format!("npm-own-{key}"), Severity::High, 1);
        nights.origins.insert(key.to_owned(), Origin { artifact: None, publishers: accounts(owners) });
    }
    let Nights { policy, alerts, acks, suppressions, ruled, deliveries, origins } = &nights;
    let planned =
        plan("ops", policy, &PlanInput { alerts, acks, suppressions, ruled, origins, deliveries, as_of: night(1) });
    let groups = &planned.messages[0].others;
    let named: Vec<&String> = groups.iter().flat_map(|group| &group.subjects).collect();
    assert!(["npm-own-y", "npm-own-z"].iter().all(|own| named.iter().any(|name| name == own)), "{groups:#?}");
    assert!(groups.len() <= 4, "{groups:#?}");
    let said = nights.run(1);
    assert!(["raised y", "raised z"].iter().all(|own| said.iter().any(|told| told == own)), "{said:?}");
}
