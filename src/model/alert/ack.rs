//! `Ack`: a person has looked at an alert. It holds for the same subject, rule and content, until it expires.
//!
//! A target has no say: what it can change is the content, and then the alert is back. The caller decides who may
//! acknowledge.

use crate::digest::Digest;
use crate::time::{AsOf, Timestamp};

use super::Alert;

/// One acknowledgement. They are only ever added; of several for the same, the newest counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ack {
    /// Its place in the history, from 1.
    pub number: u64,
    /// The subject that the alert was about ([`Alert::about`]).
    pub about: String,
    /// The pass and class ([`Alert::rule`]).
    pub rule: String,
    /// The content ([`Alert::bound_content`]).
    pub content: Digest,
    /// The key of the alert that the person looked at.
    pub alert: String,
    /// Why it needs no more attention, in the person's words.
    pub reason: String,
    /// When it was given.
    pub at: AsOf,
    /// From when on it holds no more; none where it holds as long as the content stays. At or before `at`, it takes an
    /// earlier one back.
    pub expires: Option<Timestamp>,
}

impl Ack {
    /// The acknowledgement of an alert as it is now. The store gives it its number.
    pub fn of(alert: &Alert, at: AsOf, expires: Option<Timestamp>, reason: String) -> Self {
        Self {
            number: 0,
            about: alert.about(),
            rule: alert.rule(),
            content: alert.bound_content(),
            alert: alert.key.clone(),
            reason,
            at,
            expires,
        }
    }

    /// True where it was given for exactly what the alert says now.
    fn is_for(&self, alert: &Alert) -> bool {
        // The key of the alert plays no part: what the person looked at is this content.
        self.content == alert.bound_content() && self.rule == alert.rule() && self.about == alert.about()
    }

    fn holds_at(&self, now: AsOf) -> bool {
        self.expires.is_none_or(|expires| now.0 < expires)
    }
}

/// The acknowledgement that holds for an alert at an instant; none where nobody gave one, it has expired, or it was for
/// other content. `acks` are in the order in which they were given.
pub fn holding<'a>(acks: &'a [Ack], alert: &Alert, now: AsOf) -> Option<&'a Ack> {
    // Only the newest counts: one that takes an earlier back has expired already and must hide it.
    acks.iter().rfind(|ack| ack.is_for(alert)).filter(|ack| ack.holds_at(now))
}

/// The number of the newest acknowledgement that has to do with an alert, whether it holds or not. It is one of the
/// same, or one that was given for this alert when it had other content. 0 where there is none.
pub fn newest_number(acks: &[Ack], alert: &Alert) -> u64 {
    // By the key too, so that a notifier learns of an acknowledgement whose content has changed since.
    acks.iter().rfind(|ack| ack.alert == alert.key || ack.is_for(alert)).map_or(0, |ack| ack.number)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{alert, night};
    use super::*;
    use crate::fact::Severity;

    #[test]
    fn it_holds_for_the_same_content_and_rule_until_it_expires() {
        let given = alert("a", Severity::High);
        let ack = Ack { number: 1, ..Ack::of(&given, night(1), Some(night(8).0), "known".into()) };
        let acks = [ack];
        assert!(holding(&acks, &given, night(7)).is_some());
        assert!(holding(&acks, &given, night(8)).is_none(), "expired");
        let other_key = Alert { key: "flip back".into(), ..given.clone() };
        assert!(holding(&acks, &other_key, night(2)).is_some(), "the same was seen again under another key");
        for changed in [
            Alert { content: Some(Digest::of(b"other")), ..given.clone() },
            Alert { class: "owner".into(), ..given.clone() },
            Alert { subject: "somebody else".into(), ..given.clone() },
        ] {
            assert!(holding(&acks, &changed, night(2)).is_none(), "{changed:?}");
            assert_eq!(newest_number(&acks, &changed), 1, "it is this alert that was looked at");
        }
    }

    #[test]
    fn the_newest_counts_and_takes_back() {
        let given = alert("a", Severity::High);
        let first = Ack { number: 1, ..Ack::of(&given, night(1), None, String::new()) };
        let back = Ack { number: 2, ..Ack::of(&given, night(2), Some(night(2).0), String::new()) };
        assert!(holding(std::slice::from_ref(&first), &given, night(900)).is_some());
        assert!(holding(&[first, back], &given, night(2)).is_none());
    }

    #[test]
    fn what_is_about_no_content_is_acknowledged_alone() {
        let bare = Alert { content: None, ..alert("a", Severity::High) };
        let acks = [Ack { number: 1, ..Ack::of(&bare, night(1), None, String::new()) }];
        assert!(holding(&acks, &bare, night(2)).is_some());
        let later = Alert { key: "b".into(), ..bare };
        assert!(holding(&acks, &later, night(2)).is_none());
    }
}
