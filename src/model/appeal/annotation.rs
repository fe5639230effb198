//! `Annotation`: what an appeal comes to, as it stands beside a finding.

use serde::Serialize;

use super::{Appeal, AppealId, AppealState, Outcome};
use crate::ruling::RulingScope;
use crate::time::AsOf;

/// What is said of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum AnnotationOutcome {
    /// Its owner disputes it, and nobody has decided.
    Disputed,
    /// It was looked at again and is right.
    Upheld,
    /// It is wrong.
    Overturned,
    /// Its rule was changed.
    RuleChanged,
    /// The thing is not whose it seemed to be.
    NotMine,
}

impl AnnotationOutcome {
    /// The words that people read.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Disputed => "disputed",
            Self::Upheld => "upheld on appeal",
            Self::Overturned => "overturned on appeal",
            Self::RuleChanged => "rule changed on appeal",
            Self::NotMine => "not its owner's, by appeal",
        }
    }
}

/// What an appeal comes to, beside a finding or a verdict.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Annotation {
    /// The appeal.
    pub appeal: AppealId,
    /// What is said.
    pub outcome: AnnotationOutcome,
    /// What was claimed.
    pub claim: &'static str,
    /// What of the verdict it is about.
    #[serde(skip)]
    pub scope: RulingScope,
    /// Since when.
    pub at: AsOf,
    /// The vendor's words; untrusted.
    pub vendor: String,
    /// True where the owner of that time has gone since.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub of_a_former_owner: bool,
    /// The reason of the decision; none where there is none.
    pub reason: Option<String>,
    /// Who decided; none where nobody has.
    pub by: Option<String>,
}

impl Annotation {
    /// The outcome with its day, its author and its reason in one line, without the vendor's words.
    pub fn words(&self) -> String {
        let by = self.by.as_ref().map_or_else(String::new, |by| format!(" by {by}"));
        let reason = self.reason.as_ref().map_or_else(String::new, |reason| format!(": {reason}"));
        format!("{} since {}{by} ({}){reason}", self.outcome.words(), self.at, self.appeal)
    }

    /// Whose words the vendor's are.
    pub const fn speaker(&self) -> &'static str {
        if self.of_a_former_owner { "words of the owner of that time" } else { "vendor's words" }
    }
}

impl Appeal {
    /// What it comes to beside the finding; none where control was never proved or it was taken back.
    pub fn annotation(&self) -> Option<Annotation> {
        let (proof, ..) = self.proof()?;
        let decided = self.decision();
        let (outcome, at) = match self.state() {
            state if state.is_disputed() => (AnnotationOutcome::Disputed, proof.at),
            AppealState::Decided(outcome) => {
                let outcome = match outcome {
                    Outcome::Upheld => AnnotationOutcome::Upheld,
                    Outcome::Overturned => AnnotationOutcome::Overturned,
                    Outcome::RuleChanged => AnnotationOutcome::RuleChanged,
                    Outcome::NotMine => AnnotationOutcome::NotMine,
                };
                (outcome, decided?.0.at)
            }
            _ => return None,
        };
        Some(Annotation {
            appeal: self.id(),
            outcome,
            claim: self.filing().claim.as_str(),
            scope: self.filing().scope.clone(),
            at,
            vendor: self.vendor_words()?.to_owned(),
            of_a_former_owner: self.is_control_lost(),
            // One that was reopened keeps what was said before it.
            reason: decided.map(|(_, _, reason)| reason.to_owned()),
            by: decided.map(|(event, ..)| event.by.clone()),
        })
    }
}
