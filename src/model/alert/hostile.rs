//! A message whose every text is hostile, for the tests of escaping.

use crate::alert::message::{AlertGroup, AlertLine, Body, Message, Occasion, Roundup, SingleAlert};
use crate::alert::{Alert, AlertEvidence, ScoreChange};
use crate::digest::Digest;
use crate::fact::Severity;
use crate::time::{AsOf, Timestamp};

/// What strangers would write to be heard, followed or hidden.
pub const HOSTILE: &str = "<!channel> @here @EVERYONE <https://evil.test|click> *b* `c` ```d``` \
                                  \u{202e}oversdrawkcab\u{200b}\u{e0041}\r\nBcc: all@victim.test\r\n\r\n\u{7}\u{1b}[31m\u{fffe}]]>&amp;<script>";

/// The night of the hostile messages.
pub fn night() -> AsOf {
    AsOf(Timestamp::from_unix_seconds(1_790_000_000))
}

/// An alert of hostile texts.
pub fn hostile_alert() -> Alert {
    let hostile = HOSTILE.to_owned();
    Alert {
        key: "drift:a".into(),
        pass: "drift".into(),
        class: "same_version".into(),
        capability: None,
        subject: hostile.clone(),
        severity: Severity::High,
        title: hostile.clone(),
        why: hostile.clone(),
        fix: hostile.clone(),
        content: Some(Digest::of(b"a")),
        details: vec![hostile.clone(); 3],
        evidence: vec![AlertEvidence::finding("reverse-shell", Severity::High, (&hostile, 3), &hostile)],
        diff: vec![format!("-{hostile}"), format!("+{hostile}")],
        scores: vec![ScoreChange {
            rubric: "saferskills/seed".into(),
            before: Some("92 A".into()),
            after: Some(hostile.clone()),
        }],
        members: vec![hostile.clone()],
        reproduce: "capdex drift --since 2026-11-21T01:00:00Z".into(),
        reach: 300,
    }
}

/// A message about a hostile alert.
pub fn hostile_message() -> Message {
    let single = SingleAlert { alert: hostile_alert(), raised: night(), occasion: Occasion::Raised };
    let body = Body::Alert(Box::new(single));
    Message { id: "msg_0123456789abcdef0123456789abcdef".into(), at: night(), body, others: vec![hostile_group()] }
}

/// A digest message whose texts are hostile.
pub fn hostile_digest() -> Message {
    let first = vec![AlertLine { handle: "0123456789ab".into(), severity: Severity::Low, title: HOSTILE.into() }];
    let roundup = Roundup {
        alerts: 7,
        joined: 2,
        passes: [("drift".to_owned(), 7)].into(),
        rules: [("drift/same_version".to_owned(), 7)].into(),
        severities: vec![(Severity::Low, 7)],
        first,
        groups: vec![hostile_group()],
        command: "capdex alerts list --message msg_1".into(),
    };
    Message { id: "msg_1".into(), at: night(), body: Body::Digest(roundup), others: Vec::new() }
}

fn hostile_group() -> AlertGroup {
    AlertGroup {
        publisher: HOSTILE.into(),
        rule: "drift/same_version".into(),
        severity: Severity::Low,
        alerts: 7,
        subjects: vec![HOSTILE.into()],
    }
}
