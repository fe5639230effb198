//! `Ruling`: the operator's word on a finding, a rule or a whole capability, with author, reason and end.
//!
//! It comes from the operator's own files and commands, never from anything that a target publishes. It changes no finding and
//! no score: what it comes to is shown beside the verdict.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::capability::{Capability, Kind};
use crate::digest::Digest;
use crate::ids::CapabilityId;
use crate::time::{AsOf, Timestamp};

/// The operator's answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RulingStatus {
    /// It is true, and the operator lives with it.
    Accepted,
    /// It is true of the text, and harmless where the operator uses it.
    NotAffected,
    /// It is not true.
    FalsePositive,
    /// Nobody here may use it.
    Blocked,
    /// An earlier ruling on the same counts no more.
    Withdrawn,
}

impl RulingStatus {
    /// Every answer.
    pub const ALL: [Self; 5] = [Self::Accepted, Self::NotAffected, Self::FalsePositive, Self::Blocked, Self::Withdrawn];

    /// The word that is stored and printed.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Accepted => "accepted",
            Self::NotAffected => "not_affected",
            Self::FalsePositive => "false_positive",
            Self::Blocked => "blocked",
            Self::Withdrawn => "withdrawn",
        }
    }

    /// The words that people read.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Accepted => "accepted",
            Self::NotAffected => "not affected",
            Self::FalsePositive => "false positive",
            Self::Blocked => "blocked",
            Self::Withdrawn => "withdrawn",
        }
    }

    /// True where it takes what it is about out of the operator's verdict.
    pub const fn sets_aside(self) -> bool {
        matches!(self, Self::Accepted | Self::NotAffected | Self::FalsePositive)
    }
}

/// A text that is no answer, no scope or no subject.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ParseRulingError(String);

impl FromStr for RulingStatus {
    type Err = ParseRulingError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let known = Self::ALL.into_iter().find(|status| status.as_str() == text);
        known.ok_or_else(|| {
            ParseRulingError(format!(
                "{text:?} is not one of accepted, not_affected, false_positive, blocked, withdrawn"
            ))
        })
    }
}

/// The part of a verdict that a ruling speaks of. Its text form is `verdict`, `rule:ID` or `finding:FINGERPRINT`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RulingScope {
    /// All of it.
    Whole,
    /// Every finding of a rule.
    Rule(String),
    /// One finding, by its fingerprint.
    Finding(String),
}

impl fmt::Display for RulingScope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole => f.write_str("verdict"),
            Self::Rule(id) => write!(f, "rule:{id}"),
            Self::Finding(fingerprint) => write!(f, "finding:{fingerprint}"),
        }
    }
}

impl FromStr for RulingScope {
    type Err = ParseRulingError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.split_once(':') {
            None if text == "verdict" => Ok(Self::Whole),
            Some(("rule", id)) if !id.is_empty() => Ok(Self::Rule(id.to_owned())),
            Some(("finding", fingerprint)) if !fingerprint.is_empty() => Ok(Self::Finding(fingerprint.to_owned())),
            _ => Err(ParseRulingError(format!("{text:?} is not verdict, rule:ID or finding:FINGERPRINT"))),
        }
    }
}

/// The thing that a ruling is about: a package with all that is in it, or one capability of it. Its text form is the identity
/// of a locator, with `#kind:path` behind it for a capability.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RulingSubject {
    /// The locator's identity, such as `npm:@scope/name`.
    pub identity: String,
    /// Kind and path of the one capability; none for the whole package.
    pub part: Option<(Kind, String)>,
}

impl RulingSubject {
    /// True where a capability is meant. Ids are digests over identity, kind and path, so that nothing else can fit.
    pub fn covers(&self, capability: &Capability) -> bool {
        let Capability { id, kind, path, .. } = capability;
        let is_meant = self.part.as_ref().is_none_or(|(of, at)| of == kind && at == path);
        is_meant && CapabilityId::of(&self.identity, *kind, path) == *id
    }
}

impl fmt::Display for RulingSubject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.part {
            None => f.write_str(&self.identity),
            Some((kind, path)) => write!(f, "{}#{kind}:{path}", self.identity),
        }
    }
}

impl FromStr for RulingSubject {
    type Err = ParseRulingError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (identity, part) = match text.split_once('#') {
            None => (text, None),
            Some((identity, part)) => {
                let (kind, path) = part.split_once(':').unwrap_or((part, ""));
                let kind: Kind =
                    kind.parse().map_err(|error| ParseRulingError(format!("{text:?}: {error} before its path")))?;
                (identity, Some((kind, path.to_owned())))
            }
        };
        if !identity.contains(':') {
            return Err(ParseRulingError(format!("{text:?} does not begin with an identity such as npm:name")));
        }
        Ok(Self { identity: identity.to_owned(), part })
    }
}

/// Serialises a type by its text form.
macro_rules! by_text {
    ($($type:ty),+) => { $(
        impl Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
            }
        }
    )+ };
}

by_text! { RulingScope, RulingSubject }

/// One ruling. They are only ever added; of several about the same, the newest counts.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ruling {
    /// What it is about.
    pub subject: RulingSubject,
    /// What of its verdict.
    pub scope: RulingScope,
    /// The digest of the capability that was looked at. None where the ruling says that it holds for any content.
    pub content: Option<Digest>,
    /// The answer.
    pub status: RulingStatus,
    /// Who gave it.
    pub author: String,
    /// Why, in the author's words.
    pub reason: String,
    /// When it was given.
    pub at: AsOf,
    /// From when on it holds no more; none where it holds as long as the content stays.
    pub expires: Option<Timestamp>,
}

impl Ruling {
    /// True where it is about this capability as it is now: who changes the content loses it, unless it says otherwise.
    fn is_for(&self, capability: &Capability) -> bool {
        self.content.is_none_or(|content| content == capability.content) && self.subject.covers(capability)
    }

    fn holds_at(&self, now: AsOf) -> bool {
        self.status != RulingStatus::Withdrawn && self.expires.is_none_or(|expires| now.0 < expires)
    }

    /// True where it is about the same as another: then the newer counts.
    fn is_of(&self, other: &Self) -> bool {
        (&self.subject, &self.scope, self.content) == (&other.subject, &other.scope, other.content)
    }

    /// The author, the answer and the end in one line: `false positive, says Ann, until 2026-12-01T00:00:00Z: a test page`.
    pub fn words(&self) -> String {
        let until = self.expires.map_or_else(String::new, |expires| format!(", until {expires}"));
        let reason = if self.reason.is_empty() { String::new() } else { format!(": {}", self.reason) };
        format!("{}, says {} on {}{until}{reason}", self.status.words(), self.author, self.at)
    }
}

/// The rulings that stand beside each other: of several about the same the newest, whatever it says. Sorted.
pub fn newest(rulings: impl IntoIterator<Item = Ruling>) -> Vec<Ruling> {
    let mut kept: Vec<Ruling> = Vec::new();
    let mut given: Vec<Ruling> = rulings.into_iter().collect();
    // A stable sort: of the same instant the one that came later counts.
    given.sort_by_key(|ruling| ruling.at);
    for ruling in given {
        match kept.iter_mut().find(|known| known.is_of(&ruling)) {
            Some(known) => *known = ruling,
            None => kept.push(ruling),
        }
    }
    kept.sort();
    kept
}

/// The operator's say beside the verdict: rulings, and methods that were given a vote.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OperatorPolicy {
    /// The methods whose band counts like the verdict's own, such as `saferskills`.
    pub votes: Vec<String>,
    /// The rulings, as [`newest`] gives them.
    pub rulings: Vec<Ruling>,
}

impl OperatorPolicy {
    /// True where it says nothing at all.
    pub const fn is_empty(&self) -> bool {
        self.votes.is_empty() && self.rulings.is_empty()
    }

    /// This policy and another's beside it, whose rulings count where both speak of the same at one instant.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        for method in other.votes {
            if !self.votes.contains(&method) {
                self.votes.push(method);
            }
        }
        Self { votes: self.votes, rulings: newest(self.rulings.into_iter().chain(other.rulings)) }
    }

    /// The rulings that hold at an instant, whatever they are about.
    pub fn at(&self, now: AsOf) -> impl Iterator<Item = &Ruling> {
        self.rulings.iter().filter(move |ruling| ruling.holds_at(now))
    }

    /// The rulings that hold for a capability at an instant.
    pub fn holding<'a>(&'a self, capability: &'a Capability, now: AsOf) -> impl Iterator<Item = &'a Ruling> {
        self.at(now).filter(move |ruling| ruling.is_for(capability))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capability::CapabilityRole;

    fn at(text: &str) -> AsOf {
        text.parse().expect("an instant")
    }

    fn capability(identity: &str, content: &[u8]) -> Capability {
        Capability {
            id: CapabilityId::of(identity, Kind::Skill, "skills/a"),
            kind: Kind::Skill,
            role: CapabilityRole::Offer,
            path: "skills/a".into(),
            name: "a".into(),
            slug: "a".into(),
            files: Vec::new(),
            content: Digest::of(content),
        }
    }

    fn ruling(subject: &str, content: Option<&[u8]>, day: u32) -> Ruling {
        Ruling {
            subject: subject.parse().expect("a subject"),
            scope: RulingScope::Whole,
            content: content.map(Digest::of),
            status: RulingStatus::Accepted,
            author: "ops".into(),
            reason: "known".into(),
            at: at(&format!("2026-11-{day:02}T00:00:00Z")),
            expires: Some(at("2026-12-01T00:00:00Z").0),
        }
    }

    fn holds(ruling: Ruling, capability: &Capability, now: &str) -> bool {
        let policy = OperatorPolicy { rulings: newest([ruling]), ..OperatorPolicy::default() };
        policy.holding(capability, at(now)).count() == 1
    }

    #[test]
    fn it_is_bound_to_identity_content_and_time() {
        let (looked_at, now) = (capability("npm:a", b"one"), "2026-11-20T00:00:00Z");
        for subject in ["npm:a", "npm:a#skill:skills/a"] {
            assert!(holds(ruling(subject, Some(b"one"), 1), &looked_at, now), "{subject}");
            assert!(!holds(ruling(subject, Some(b"one"), 1), &capability("npm:a", b"two"), now), "changed content");
            assert!(holds(ruling(subject, None, 1), &capability("npm:a", b"two"), now), "it says any content");
            assert!(!holds(ruling(subject, Some(b"one"), 1), &capability("npm:b", b"one"), now), "another's name");
            assert!(!holds(ruling(subject, Some(b"one"), 1), &looked_at, "2026-12-01T00:00:00Z"), "over");
        }
        assert!(!holds(ruling("npm:a#skill:skills/b", Some(b"one"), 1), &looked_at, now));
        assert!(!holds(ruling("npm:a#hook:skills/a", Some(b"one"), 1), &looked_at, now));
    }

    #[test]
    fn the_newest_counts_and_takes_back() {
        let (first, back) = (ruling("npm:a", None, 1), ruling("npm:a", None, 2));
        let back = Ruling { status: RulingStatus::Withdrawn, ..back };
        let kept = newest([back.clone(), first, ruling("npm:b", None, 1)]);
        assert_eq!(kept.len(), 2);
        assert!(kept.contains(&back));
        let policy = OperatorPolicy { rulings: kept, ..OperatorPolicy::default() };
        assert_eq!(policy.holding(&capability("npm:a", b"one"), at("2026-11-20T00:00:00Z")).count(), 0);
    }

    #[test]
    fn texts_read_back() {
        for text in ["npm:@s/n", "npm:@s/n#skill:skills/a", "github:o/r#mcp_server:"] {
            let subject: RulingSubject = text.parse().expect("a subject");
            assert_eq!(subject.to_string(), text);
        }
        for text in ["verdict", "rule:pipe-to-shell", "finding:0a1b"] {
            let scope: RulingScope = text.parse().expect("a scope");
            assert_eq!(scope.to_string(), text);
        }
        assert!("name".parse::<RulingSubject>().is_err() && "npm:a#thing:x".parse::<RulingSubject>().is_err());
        assert!("rule:".parse::<RulingScope>().is_err() && "all".parse::<RulingScope>().is_err());
        for status in RulingStatus::ALL {
            assert_eq!(status.as_str().parse(), Ok(status));
        }
    }
}
