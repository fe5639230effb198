//! The right of reply: appeals as they are filed, proved, answered and decided.
//!
//! An appeal changes no finding, score or verdict. What it comes to stands beside the finding (`capdex_model::appeal`).

pub mod answer;
pub mod case;
pub mod dns;
pub mod filing;
pub mod leads;
pub mod places;
pub mod proof;
pub mod scorecard;
pub mod settings;
pub mod tend;
pub mod token;

use capdex_db::{CurrentCapability, Reader};
use capdex_model::appeal::{Appeal, AppealState, Outcome};
use capdex_model::ids::CapabilityId;
use capdex_model::rule::RuleMeta;
use capdex_model::ruling::{Ruling, RulingStatus};

/// A rule as it is today; none for one that is gone.
pub fn rule_now(rule: &str) -> Option<&'static RuleMeta> {
    capdex_rules::INDEX.find(rule)
}

/// The rulings that an overturned finding comes to for who honours appeals, one for each content that it is about; none for any other.
pub fn as_rulings(appeal: &Appeal) -> Vec<Ruling> {
    let Some((event, outcome, reason)) = appeal.decision() else { return Vec::new() };
    let is_overturned = outcome == Outcome::Overturned && appeal.state() == AppealState::Decided(outcome);
    let filing = appeal.filing();
    let ruling = |content| Ruling {
        subject: filing.subject.clone(),
        scope: filing.scope.clone(),
        content: Some(content),
        status: RulingStatus::FalsePositive,
        author: format!("{} on appeal {}", event.by, appeal.id()),
        reason: reason.to_owned(),
        at: event.at,
        expires: None,
    };
    appeal.contents().filter(|_| is_overturned).map(ruling).collect()
}

/// The capability that an appeal is about as it stands now; none where it is gone. For a whole package it is the rest of it.
///
/// # Errors
/// Errors of the store.
pub fn subject_now(reader: &Reader, appeal: &Appeal) -> anyhow::Result<Option<CurrentCapability>> {
    let subject = &appeal.filing().subject;
    let Some((kind, path)) = &subject.part else { return Ok(None) };
    Ok(reader.current_of(&CapabilityId::of(&subject.identity, *kind, path))?)
}
