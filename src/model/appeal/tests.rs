//! Chains, states, clocks and records.

use serde_json::json;

use super::*;
use crate::rule::{KnownFalsePositive, RuleMeta, testing};
use crate::time::Timestamp;

fn at(hours: i64) -> AsOf {
    AsOf(Timestamp::from_unix_seconds(1_760_000_000 + hours * 3600))
}

fn filing() -> Filing {
    Filing {
        subject: "npm:a#skill:skills/a".parse().expect("a subject"),
        scope: "rule:pipe-to-shell".parse().expect("a scope"),
        content: Digest::of(b"one"),
        rule: Some("pipe-to-shell".into()),
        rule_version: Some(3),
        claim: ClaimKind::Context,
        version: None,
        text: "It is a test.".into(),
    }
}

/// The deeds of an appeal that goes all the way, each with its hour.
fn whole() -> Vec<(i64, AppealDeed)> {
    vec![
        (1, AppealDeed::Challenged { expires: at(169).0, key: "k1".into() }),
        (2, AppealDeed::Refused { method: ProofMethod::Dns, reason: "no record".into() }),
        (
            3,
            AppealDeed::Proven {
                method: ProofMethod::Repository,
                locator: "x".into(),
                content: Digest::of(b"t"),
                subject: Some(Digest::of(b"two")),
            },
        ),
        (3, AppealDeed::Answered { answer: json!({ "a": 1 }) }),
        (4, AppealDeed::Taken),
        (5, AppealDeed::Decided { outcome: Outcome::Upheld, reason: "it is no test".into() }),
        (6, AppealDeed::Reopened { text: "It is one.".into() }),
        (7, AppealDeed::Decided { outcome: Outcome::Overturned, reason: "it is".into() }),
        (8, AppealDeed::Lost { reason: "gone".into() }),
    ]
}

fn after(deeds: usize) -> Appeal {
    let mut appeal = Appeal::begin(filing(), at(0), Actor::Vendor, "");
    for (hour, deed) in whole().into_iter().take(deeds) {
        let event = appeal.next(at(hour), Actor::Operator, "ann", deed).expect("follows");
        appeal.add(event).expect("added");
    }
    appeal
}

#[test]
fn events_come_to_a_state_and_some_cannot_follow() {
    let words: Vec<&str> = (0..=whole().len()).map(|deeds| after(deeds).state().as_str()).collect();
    let expected = [
        "filed",
        "challenged",
        "challenged",
        "proven",
        "answered",
        "under_review",
        "upheld",
        "reopened",
        "overturned",
        "overturned",
    ];
    assert_eq!(words, expected);
    let refused = |deeds: usize, deed: AppealDeed| after(deeds).next(at(9), Actor::Operator, "bo", deed).is_err();
    assert!(refused(0, AppealDeed::Taken) && refused(0, AppealDeed::Lapsed) && refused(3, AppealDeed::Filed));
    assert!(refused(8, AppealDeed::Reopened { text: "again".into() }), "once");
    assert!(refused(6, AppealDeed::Withdrawn { reason: String::new() }), "a decision stays");
    assert!(!refused(2, AppealDeed::Withdrawn { reason: String::new() }));
    assert!(refused(2, AppealDeed::Lost { reason: String::new() }), "there is no proof that could be lost");
}

#[test]
fn the_same_filing_is_one_appeal_and_its_texts_read_back() {
    assert_eq!(filing().id(), filing().id());
    assert_ne!(filing().id(), Filing { text: "Another.".into(), ..filing() }.id());
    let id = filing().id().to_string();
    assert_eq!(id.parse(), Ok(filing().id()));
    assert!("A-12".parse::<AppealId>().is_err() && "A-0123456789ABCDEF".parse::<AppealId>().is_err());
    for state in AppealState::ALL {
        assert_eq!(state.as_str().parse(), Ok(state));
    }
}

#[test]
fn a_changed_event_breaks_the_chain() {
    let appeal = after(9);
    let read = |events: Vec<AppealEvent>| Appeal::read(appeal.filing().clone(), events);
    assert_eq!(read(appeal.events().to_vec()), Ok(appeal.clone()));
    for place in 0..appeal.events().len() {
        let mut events = appeal.events().to_vec();
        events[place].by = "eve".into();
        let is_last = place + 1 == events.len();
        // The last is bound by nothing but the digest that is kept beside it.
        assert_eq!(read(events.clone()).is_ok(), is_last, "{place}");
        events.remove(place);
        assert_eq!(read(events).is_ok(), is_last, "{place} left out");
    }
}

#[test]
fn each_state_has_its_clock() {
    let rule = |version, known: &[(&AppealId, &str)]| {
        let known = known.iter().map(|(appeal, reason)| {
            let (appeal, reason) = ((*appeal).clone(), (*reason).to_owned());
            KnownFalsePositive { appeal, reason }
        });
        RuleMeta { version, known_false_positive: known.collect(), ..testing::meta("a").clone() }
    };
    let (then, newer) = (rule(3, &[]), rule(4, &[]));
    let due = |deeds: usize| {
        after(deeds).due(&AppealClocks::default(), |_| Some(&then)).map(|due| (due.what.as_str(), due.at))
    };
    assert_eq!(due(0), None);
    assert_eq!(due(1), Some(("lapse", at(169).0)));
    assert_eq!(due(3), Some(("answer", at(4).0)));
    assert_eq!(due(4), Some(("take", at(27).0)));
    assert_eq!(due(5), Some(("decide", at(3 + 7 * 24).0)));
    assert_eq!(due(6), None, "what is upheld is over");
    assert_eq!(due(7), Some(("decide_again", at(6 + 14 * 24).0)));
    assert_eq!(due(8), Some(("rule", at(7 + 30 * 24).0)));
    let by = |rule: Option<&RuleMeta>| after(8).due(&AppealClocks::default(), |_| rule).is_some();
    assert!(!by(Some(&newer)), "the rule has a new version");
    assert!(!by(None), "the rule is gone");
    let other: AppealId = "A-0123456789abcdef".parse().expect("a name");
    assert!(!by(Some(&rule(3, &[(&other, "x"), (&after(8).id(), "it cannot be told apart")]))), "its card says why");
    assert!(by(Some(&rule(3, &[(&other, "x")]))), "that was another");
}

#[test]
fn only_proven_words_are_shown() {
    assert_eq!(after(2).annotation(), None);
    assert_eq!(after(2).vendor_words(), None);
    assert_eq!(after(2).contents().count(), 1);
    assert_eq!(after(3).contents().collect::<Vec<_>>(), [Digest::of(b"one"), Digest::of(b"two")]);
    let said = after(4).annotation().expect("disputed");
    assert_eq!((said.outcome, said.vendor.as_str()), (AnnotationOutcome::Disputed, "It is a test."));
    let said = after(9).annotation().expect("decided");
    assert_eq!(
        (said.outcome, said.vendor.as_str(), said.of_a_former_owner),
        (AnnotationOutcome::Overturned, "It is one.", true)
    );
    assert!(
        said.words().starts_with("overturned on appeal since ") && said.words().ends_with(": it is"),
        "{}",
        said.words()
    );
}

#[test]
fn a_record_reads_back_and_what_is_added_or_moved_is_refused() {
    for deeds in 0..=whole().len() {
        let appeal = after(deeds);
        let record = |is_whole| {
            let record = AppealRecord::of(&appeal, &AppealClocks::default(), |_| Some(testing::meta("a")), is_whole);
            serde_json::to_value(record).expect("serialises")
        };
        assert_eq!(read_record(&record(true).to_string()), Ok(appeal.clone()));
        assert_eq!(record(false)["text"].is_null(), deeds < 3);
        for (place, value) in
            [("/more", json!(1)), ("/events/0/more", json!(1)), ("/state", json!("upheld")), ("/id", json!("A-0"))]
        {
            let mut changed = record(true);
            match changed.pointer_mut(place) {
                Some(known) if *known == value => continue,
                Some(known) => *known = value,
                None if place == "/more" => changed["more"] = value,
                None => changed["events"][0]["more"] = value,
            }
            assert!(read_record(&changed.to_string()).is_err(), "{deeds} {place}");
        }
        let mut turned = record(true);
        turned["events"].as_array_mut().expect("events").reverse();
        assert_eq!(read_record(&turned.to_string()).is_ok(), deeds == 0);
    }
}
