//! The appeals, in a line each; the whole of one is read for its page.

use capdex_db::Reader;
use capdex_model::appeal::{
    Annotation, AnnotationOutcome, AppealClocks, AppealDeed, AppealId, AppealState, ClockName, Due, Outcome,
};
use capdex_model::ids::CapabilityId;
use capdex_model::rule::measured::Rate;
use capdex_model::ruling::RulingSubject;
use capdex_model::time::AsOf;

use super::Site;

/// An appeal in one line.
#[derive(Clone, Debug)]
pub(crate) struct AppealHead {
    /// Its name.
    pub(crate) id: AppealId,
    /// What it is about.
    pub(crate) subject: RulingSubject,
    /// The rule that is appealed against; none for the whole verdict.
    pub(crate) rule: Option<String>,
    /// What is claimed.
    pub(crate) claim: &'static str,
    /// Its state.
    pub(crate) state: AppealState,
    /// When it was filed.
    pub(crate) filed: Option<AsOf>,
    /// The newest event.
    pub(crate) changed: Option<AsOf>,
    /// Hours from the proof to the machine's answer; none where there is none yet.
    pub(crate) answer_hours: Option<i64>,
    /// Hours from the proof to the first decision; none where there is none yet.
    pub(crate) decision_hours: Option<i64>,
    /// What is due next, by the usual clocks.
    pub(crate) due: Option<Due>,
}

impl AppealHead {
    /// The capability that it is about; none for a whole package.
    pub(crate) fn capability(&self) -> Option<CapabilityId> {
        let (kind, path) = self.subject.part.as_ref()?;
        Some(CapabilityId::of(&self.subject.identity, *kind, path))
    }

    /// What is due and late at an instant.
    pub(crate) fn overdue(&self, now: AsOf) -> Option<Due> {
        self.due.filter(|due| due.at <= now.0 && due.what != ClockName::Lapse)
    }
}

impl Site {
    /// How the decided appeals against a rule ended: those of which the finding was overturned among all.
    pub(crate) fn appealed(&self, rule: &str) -> Rate {
        let of = self.appeals.iter().filter(|head| head.rule.as_deref() == Some(rule));
        of.fold(Rate::default(), |rate, head| match head.state {
            AppealState::Decided(outcome) => {
                Rate { of: rate.of + 1, hits: rate.hits + u64::from(outcome == Outcome::Overturned) }
            }
            _ => rate,
        })
    }
}

/// What annotations come to in a word: an open dispute before what was decided.
pub(super) fn mark(annotations: &[Annotation]) -> Option<&'static str> {
    let has = |outcome| annotations.iter().any(|annotation| annotation.outcome == outcome);
    match (has(AnnotationOutcome::Disputed), has(AnnotationOutcome::Overturned)) {
        (true, _) => Some("disputed"),
        (false, true) => Some("overturned"),
        (false, false) => None,
    }
}

/// Every appeal, the newest first.
pub(super) fn load(reader: &Reader) -> anyhow::Result<Vec<AppealHead>> {
    let rule_now = |rule: &str| reader.rules().find(rule);
    let mut heads = Vec::new();
    reader.each_appeal(|appeal| -> anyhow::Result<()> {
        let proven = appeal.proof().map(|(event, ..)| event.at);
        let hours = |until: Option<AsOf>| Some((until?.0.unix_seconds() - proven?.0.unix_seconds()) / 3600);
        let first =
            |is: fn(&AppealDeed) -> bool| appeal.events().iter().find(|event| is(&event.deed)).map(|event| event.at);
        heads.push(AppealHead {
            id: appeal.id(),
            subject: appeal.filing().subject.clone(),
            rule: appeal.filing().rule.clone(),
            claim: appeal.filing().claim.as_str(),
            state: appeal.state(),
            filed: appeal.filed_at(),
            changed: appeal.events().last().map(|event| event.at),
            answer_hours: hours(first(|deed| matches!(deed, AppealDeed::Answered { .. }))),
            decision_hours: hours(first(|deed| matches!(deed, AppealDeed::Decided { .. }))),
            due: appeal.due(&AppealClocks::default(), rule_now),
        });
        Ok(())
    })?;
    heads.reverse();
    Ok(heads)
}
