//! `Appeal`: the right of reply to a finding. What its vendor claims, and all that happened to it since.
//!
//! An appeal is a filing and a chain of events, each bound to the one before it by its digest. Its state is what the events come
//! to. It changes no finding, no score and no verdict: what it comes to is shown beside them.

mod annotation;
mod clocks;
mod event;
mod record;

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::capability::Capability;
use crate::digest::Digest;
use crate::ruling::{RulingScope, RulingSubject};
use crate::time::AsOf;

pub use annotation::{Annotation, AnnotationOutcome};
pub use clocks::{AppealClocks, AppealStanding, ClockName, Due};
pub use event::{Actor, AppealDeed, AppealEvent, Outcome, ProofMethod};
pub use record::{AppealRecord, ProofRecord, read_record};

/// The word of alerts about appeals, as a pass has one. They are the operator's own affair: no dataset and no site has them.
pub const ALERT_PASS: &str = "appeals";

/// The name of an appeal: `A-` and 16 hex digits of the digest of what was filed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct AppealId(String);

impl TryFrom<String> for AppealId {
    type Error = AppealFault;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<AppealId> for String {
    fn from(id: AppealId) -> Self {
        id.0
    }
}

impl AppealId {
    /// The text form.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for AppealId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for AppealId {
    type Err = AppealFault;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let digits = text.strip_prefix("A-").unwrap_or_default();
        let is_id =
            digits.len() == 16 && digits.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte));
        is_id
            .then(|| Self(text.to_owned()))
            .ok_or_else(|| AppealFault(format!("{text:?} is no appeal such as A-0123456789abcdef")))
    }
}

/// What is wrong with an appeal, or with what should happen to it next.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct AppealFault(pub String);

/// What a vendor says of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClaimKind {
    /// The text is not in the content.
    NotThere,
    /// It is a test, a document or an example.
    Context,
    /// What it does is announced.
    Declared,
    /// Another version does not have it.
    FixedIn,
    /// What is published now does not have it.
    Stale,
    /// The thing is somebody else's.
    NotMine,
    /// It is true and less grave.
    Severity,
    /// Anything else.
    Other,
}

impl ClaimKind {
    /// Every kind.
    pub const ALL: [Self; 8] = [
        Self::NotThere,
        Self::Context,
        Self::Declared,
        Self::FixedIn,
        Self::Stale,
        Self::NotMine,
        Self::Severity,
        Self::Other,
    ];

    /// The word that is stored and printed.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::NotThere => "not_there",
            Self::Context => "context",
            Self::Declared => "declared",
            Self::FixedIn => "fixed_in",
            Self::Stale => "stale",
            Self::NotMine => "not_mine",
            Self::Severity => "severity",
            Self::Other => "other",
        }
    }
}

impl FromStr for ClaimKind {
    type Err = AppealFault;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let known = Self::ALL.into_iter().find(|kind| kind.as_str() == text);
        known.ok_or_else(|| {
            let words: Vec<&str> = Self::ALL.into_iter().map(Self::as_str).collect();
            AppealFault(format!("{text:?} is not one of {}", words.join(", ")))
        })
    }
}

/// What was filed. Whoever files the same again has filed one appeal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Filing {
    /// What it is about.
    pub subject: RulingSubject,
    /// What of its verdict.
    pub scope: RulingScope,
    /// The content that was judged.
    pub content: Digest,
    /// The rule that is appealed against; none for the whole verdict.
    pub rule: Option<String>,
    /// The rule's version when it was filed.
    pub rule_version: Option<u32>,
    /// What is claimed.
    pub claim: ClaimKind,
    /// The version that is meant; only with [`ClaimKind::FixedIn`].
    pub version: Option<String>,
    /// The vendor's words: Markdown without HTML, images and any link but https.
    pub text: String,
}

impl Filing {
    /// The name of the appeal that it begins.
    pub fn id(&self) -> AppealId {
        let hex = Digest::of_json(self).hex();
        AppealId(format!("A-{}", hex.get(..16).unwrap_or(&hex)))
    }
}

/// The state of an appeal, as its events make it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum AppealState {
    /// Nobody has proved anything.
    Filed,
    /// A token was given out.
    Challenged,
    /// The token's time is over.
    Lapsed,
    /// Whoever filed it controls the thing.
    Proven,
    /// The machine has answered.
    Answered,
    /// A person looks at it.
    UnderReview,
    /// A person has decided.
    Decided(Outcome),
    /// It was taken up again after a decision.
    Reopened,
    /// Its vendor took it back.
    Withdrawn,
}

impl AppealState {
    /// Every state.
    pub const ALL: [Self; 12] = [
        Self::Filed,
        Self::Challenged,
        Self::Lapsed,
        Self::Proven,
        Self::Answered,
        Self::UnderReview,
        Self::Decided(Outcome::Upheld),
        Self::Decided(Outcome::Overturned),
        Self::Decided(Outcome::RuleChanged),
        Self::Decided(Outcome::NotMine),
        Self::Reopened,
        Self::Withdrawn,
    ];

    /// The word that is printed.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Filed => "filed",
            Self::Challenged => "challenged",
            Self::Lapsed => "lapsed",
            Self::Proven => "proven",
            Self::Answered => "answered",
            Self::UnderReview => "under_review",
            Self::Decided(outcome) => outcome.as_str(),
            Self::Reopened => "reopened",
            Self::Withdrawn => "withdrawn",
        }
    }

    /// True where control was proved and nobody has decided yet.
    pub const fn is_disputed(self) -> bool {
        matches!(self, Self::Proven | Self::Answered | Self::UnderReview | Self::Reopened)
    }

    /// True where something may still happen by itself or by a person.
    pub const fn is_open(self) -> bool {
        self.is_disputed() || matches!(self, Self::Filed | Self::Challenged)
    }

    /// The state after an event; none where that event cannot follow.
    const fn after(self, deed: &AppealDeed, is_second_reopening: bool) -> Option<Self> {
        use AppealDeed as D;
        Some(match (deed, self) {
            (D::Filed, Self::Lapsed) => Self::Filed,
            (D::Challenged { .. }, Self::Filed | Self::Challenged) => Self::Challenged,
            (D::Refused { .. }, Self::Challenged) => Self::Challenged,
            (D::Proven { .. }, Self::Challenged) => Self::Proven,
            (D::Lapsed, Self::Challenged) => Self::Lapsed,
            (D::Answered { .. }, Self::Proven) => Self::Answered,
            (D::Taken, Self::Proven | Self::Answered) => Self::UnderReview,
            (D::Decided { outcome, .. }, Self::Answered | Self::UnderReview | Self::Reopened) => {
                Self::Decided(*outcome)
            }
            (D::Reopened { .. }, Self::Decided(_)) if !is_second_reopening => Self::Reopened,
            (D::Lost { .. }, state) if !matches!(state, Self::Filed | Self::Challenged | Self::Lapsed) => state,
            (D::Withdrawn { .. }, state) if state.is_open() => Self::Withdrawn,
            _ => return None,
        })
    }
}

impl FromStr for AppealState {
    type Err = AppealFault;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let known = Self::ALL.into_iter().find(|state| state.as_str() == text);
        known.ok_or_else(|| AppealFault(format!("{text:?} is no state of an appeal")))
    }
}

/// A filing with its events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Appeal {
    filing: Filing,
    events: Vec<AppealEvent>,
    state: AppealState,
}

impl Appeal {
    /// An appeal that is filed now.
    pub fn begin(filing: Filing, at: AsOf, actor: Actor, by: &str) -> Self {
        let first = AppealEvent {
            appeal: filing.id(),
            seq: 0,
            at,
            actor,
            by: by.to_owned(),
            deed: AppealDeed::Filed,
            previous: None,
        };
        Self { filing, events: vec![first], state: AppealState::Filed }
    }

    /// Reads a filing with its events.
    ///
    /// # Errors
    /// An event that is another's, out of its order, not bound to the one before it, or that cannot follow.
    pub fn read(filing: Filing, events: Vec<AppealEvent>) -> Result<Self, AppealFault> {
        let mut events = events.into_iter();
        let first = events.next().ok_or_else(|| AppealFault(format!("{} has no events", filing.id())))?;
        let mut appeal = Self::begin(filing, first.at, first.actor, &first.by);
        if appeal.events != [first] {
            return Err(AppealFault(format!("{}: its first event is not its filing", appeal.id())));
        }
        for event in events {
            appeal.add(event)?;
        }
        Ok(appeal)
    }

    /// Adds an event.
    ///
    /// # Errors
    /// As [`Appeal::read`].
    pub fn add(&mut self, event: AppealEvent) -> Result<(), AppealFault> {
        let expected = self.next(event.at, event.actor, &event.by, event.deed.clone())?;
        if expected != event {
            return Err(AppealFault(format!("{}: event {} does not follow the one before it", self.id(), event.seq)));
        }
        self.state = self.after(&event.deed).unwrap_or(self.state);
        self.events.push(event);
        Ok(())
    }

    /// The event that comes next where this happens now. It is never earlier than the one before it.
    ///
    /// # Errors
    /// That it cannot happen now.
    pub fn next(&self, at: AsOf, actor: Actor, by: &str, deed: AppealDeed) -> Result<AppealEvent, AppealFault> {
        let Some(last) = self.events.last() else { return Err(AppealFault("an appeal without events".to_owned())) };
        if self.after(&deed).is_none() {
            let (id, word) = (self.id(), deed.as_str());
            return Err(AppealFault(format!("{id} is {}: {word} cannot follow", self.state.as_str())));
        }
        let seq = last.seq.saturating_add(1);
        // A clock that was set back must not put an answer before its question.
        let at = at.max(last.at);
        Ok(AppealEvent { appeal: self.id(), seq, at, actor, by: by.to_owned(), deed, previous: Some(last.digest()) })
    }

    fn after(&self, deed: &AppealDeed) -> Option<AppealState> {
        let reopened = self.events.iter().any(|event| matches!(event.deed, AppealDeed::Reopened { .. }));
        self.state.after(deed, reopened)
    }

    /// Its name.
    pub fn id(&self) -> AppealId {
        self.filing.id()
    }

    /// What was filed.
    pub const fn filing(&self) -> &Filing {
        &self.filing
    }

    /// All that happened, oldest first.
    pub fn events(&self) -> &[AppealEvent] {
        &self.events
    }

    /// What it has come to.
    pub const fn state(&self) -> AppealState {
        self.state
    }

    /// The contents that it is about: the one that was judged, and the one that came with the proof.
    pub fn contents(&self) -> impl Iterator<Item = Digest> {
        let proven = self.newest(|event| match event.deed {
            AppealDeed::Proven { subject, .. } => subject,
            _ => None,
        });
        std::iter::once(self.filing.content).chain(proven.filter(|of| *of != self.filing.content))
    }

    /// True where it is about this capability as it is.
    pub fn is_about(&self, capability: &Capability) -> bool {
        self.filing.subject.covers(capability) && self.contents().any(|content| content == capability.content)
    }

    /// When it was filed first.
    pub fn filed_at(&self) -> Option<AsOf> {
        self.events.first().map(|event| event.at)
    }

    /// The newest event for which there is an answer.
    pub fn newest<'a, T>(&'a self, of: impl Fn(&'a AppealEvent) -> Option<T>) -> Option<T> {
        self.events.iter().rev().find_map(of)
    }

    /// The proof of control; none where there is none.
    pub fn proof(&self) -> Option<(&AppealEvent, ProofMethod, &str)> {
        self.newest(|event| match &event.deed {
            AppealDeed::Proven { method, locator, .. } => Some((event, *method, locator.as_str())),
            _ => None,
        })
    }

    /// The newest decision.
    pub fn decision(&self) -> Option<(&AppealEvent, Outcome, &str)> {
        self.newest(|event| match &event.deed {
            AppealDeed::Decided { outcome, reason } => Some((event, *outcome, reason.as_str())),
            _ => None,
        })
    }

    /// The words that count as the vendor's: those of who proved control, the newest. None before the proof.
    pub fn vendor_words(&self) -> Option<&str> {
        self.proof()?;
        let again = self.newest(|event| match &event.deed {
            AppealDeed::Reopened { text } => Some(text.as_str()),
            _ => None,
        });
        Some(again.unwrap_or(&self.filing.text))
    }

    /// True where the mark by which control was proved is gone: the words are those of the owner of that time.
    pub fn is_control_lost(&self) -> bool {
        self.events.iter().any(|event| matches!(event.deed, AppealDeed::Lost { .. }))
    }
}

#[cfg(test)]
mod tests;
