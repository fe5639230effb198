//! A queue of one notifier, through the store.

use capdex_model::alert::Alert;
use capdex_model::alert::origin::Origins;
use capdex_model::alert::plan::{PlanInput, Policy, plan};

use super::*;
use crate::Store;
use crate::fixtures::{Folder, at, day, digest};

fn alert(key: &str, severity: Severity) -> Alert {
    let text = format!(
        r#"{{"key":"{key}","pass":"drift","class":"x","capability":null,"subject":"{key}","severity":"{}","title":"t","details":[]}}"#,
        severity.as_str()
    );
    Alert { content: Some(digest(key)), ..serde_json::from_str(&text).expect("an alert") }
}

fn queue(store: &Store, night: i64) -> Plan {
    let reader = store.reader().expect("opens");
    let (alerts, acks, deliveries) =
        (reader.raised().expect("reads"), reader.acks().expect("reads"), reader.deliveries("ops").expect("reads"));
    let policy = Policy { budget: 2, cooldown_days: 7, min_severity: Severity::Low };
    let known = PlanInput {
        alerts: &alerts,
        acks: &acks,
        suppressions: &[],
        ruled: &std::collections::BTreeSet::new(),
        origins: &Origins::new(),
        deliveries: &deliveries,
        as_of: day(night),
    };
    let planned = plan("ops", &policy, &known);
    let taken = planned.clone();
    store.write(move |writer| writer.queue("ops", &taken)).expect("queued");
    planned
}

fn ids(store: &Store) -> Vec<String> {
    let queued = store.reader().expect("opens").queued("ops").expect("reads");
    queued.into_iter().map(|queued| queued.message.id).collect()
}

#[test]
fn what_is_queued_waits_in_order_until_it_is_sent() {
    let folder = Folder::new();
    let store = folder.store();
    for (key, severity) in
        [("a", Severity::Low), ("b", Severity::Critical), ("c", Severity::High), ("d", Severity::Low)]
    {
        store.write(move |writer| writer.raise(&alert(key, severity), day(1))).expect("raised");
    }
    let planned = queue(&store, 1);
    assert_eq!(planned.messages.len(), 3);
    assert_eq!(queue(&store, 2), Plan::default(), "the fates came back as they went in");
    let expected: Vec<String> = planned.messages.iter().map(|message| message.id.clone()).collect();
    assert_eq!(ids(&store), expected);
    let reader = store.reader().expect("opens");
    assert_eq!(reader.alerts_in_message(&expected[2]).expect("reads"), Some(vec!["a".into(), "d".into()]));
    assert_eq!(reader.alerts_in_message("msg_none").expect("reads"), None);
    assert_eq!(reader.queued("other").expect("reads"), []);
    let (first, second) = (expected[0].clone(), expected[1].clone());
    store
        .write(move |writer| {
            writer.message_failed(&second, "status 500", at(60))?;
            writer.message_sent(&first, at(5))?;
            writer.message_failed(&first, "too late", at(70))
        })
        .expect("noted");
    assert_eq!(ids(&store), expected[1..]);
    let waiting = &reader.queued("ops").expect("reads")[0];
    assert_eq!(waiting.attempts, 1);
    assert_eq!(waiting.next_try, at(60));
    assert_eq!(waiting.error.as_deref(), Some("status 500"));
    let telling = &reader.delivery_history("b").expect("reads")[0];
    assert_eq!(telling.kind, DeliveryKind::Told);
    assert_eq!(telling.sent, Some(at(5)));
    assert_eq!(telling.error.as_deref(), None);
    assert_eq!(reader.message_counts("ops").expect("counts"), (2, 1));
    let shown: Vec<String> =
        reader.last_messages("ops", 2).expect("reads").into_iter().map(|message| message.id).collect();
    assert_eq!(shown, expected[..2], "taken or not");
}

#[test]
fn a_fate_of_an_alert_that_was_never_raised_is_refused_whole() {
    let folder = Folder::new();
    let store = folder.store();
    let delivery = Delivery {
        alert: "nobody".into(),
        kind: DeliveryKind::Suppressed,
        severity: Severity::Low,
        ack: 0,
        message: None,
        at: day(1),
    };
    let result =
        store.write(move |writer| writer.queue("ops", &Plan { messages: Vec::new(), deliveries: vec![delivery] }));
    assert!(matches!(result, Err(StoreError::Unknown { .. })));
    assert_eq!(store.reader().expect("opens").deliveries("ops").expect("reads"), []);
}
