//! What happens to appeals by itself: tokens that were seen, tokens that are over, answers, and clocks that were missed.
//!
//! Called by the nights and by the daemon between them. It reads the store and asks nobody.

use std::collections::BTreeMap;

use capdex_db::{Reader, Store, StoreError};
use capdex_model::alert::{Alert, AlertEvidence};
use capdex_model::appeal::{
    ALERT_PASS as PASS, Actor, Appeal, AppealDeed, AppealStanding, AppealState, ClockName, Due,
};
use capdex_model::bundle::Bundle;
use capdex_model::digest::Digest;
use capdex_model::fact::Severity;
use capdex_model::time::{AsOf, Timestamp};
use serde::Serialize;

use super::proof::{self, Look};
use super::settings::AppealSettings;
use super::{answer, rule_now, subject_now};

/// Seconds after which a proof is looked at again.
const PROOF_AGE_S: i64 = 30 * 86_400;

/// What was done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Tended {
    /// Open appeals that were looked at.
    pub open: u64,
    /// Events that were added.
    pub events: u64,
    /// Alerts that are new.
    pub alerts: u64,
}

/// Does what is due.
///
/// # Errors
/// Errors of the store.
pub fn tend(store: &Store, settings: &AppealSettings, now: AsOf) -> anyhow::Result<Tended> {
    let mut tended = Tended::default();
    let reader = store.reader()?;
    let open: Vec<Appeal> = reader
        .open_appeals()?
        .into_iter()
        .filter(|appeal| appeal.state().is_open() || appeal.due(&settings.clocks, rule_now).is_some())
        .collect();
    tended.open = open.len() as u64;
    for mut appeal in open {
        // Each appeal is a transaction of its own, so that one that fails holds up no other.
        let mut events = Vec::new();
        // Looked at before anything is done: an answer that comes late was late all the same.
        let was_late = overdue(&appeal, settings, now.0);
        while let Some(deed) = next_deed(&reader, &appeal, settings, now)? {
            let event = appeal.next(now, Actor::Capdex, "", deed)?;
            appeal.add(event.clone())?;
            events.push(event);
            // A token that was refused is refused again with the same words: once a look is enough.
            if events.last().is_some_and(|event| matches!(event.deed, AppealDeed::Refused { .. })) {
                break;
            }
        }
        let late = was_late.into_iter().chain(overdue(&appeal, settings, now.0)).collect();
        let alerts = alerts(&appeal, late, now);
        tended.events += events.len() as u64;
        if events.is_empty() && alerts.is_empty() {
            continue;
        }
        tended.alerts += store.write(move |writer| {
            events.iter().try_for_each(|event| writer.add_appeal_event(event))?;
            let mut new = 0;
            for alert in &alerts {
                new += u64::from(writer.raise(alert, now)?);
            }
            Ok::<u64, StoreError>(new)
        })?;
    }
    Ok(tended)
}

/// What happens next by itself; none where a person is waited for.
fn next_deed(
    reader: &Reader,
    appeal: &Appeal,
    settings: &AppealSettings,
    now: AsOf,
) -> anyhow::Result<Option<AppealDeed>> {
    match appeal.state() {
        AppealState::Challenged => {
            let Some((since, expires, _)) = proof::challenge(appeal) else { return Ok(None) };
            if expires <= now.0 {
                return Ok(Some(AppealDeed::Lapsed));
            }
            let (Some(key), Some((bundle, content))) = (&settings.key, fetched_after(reader, appeal, since)?) else {
                return Ok(None);
            };
            Ok(match proof::in_bundle(appeal, &bundle, Some(content), key, now) {
                Look::Proven(deed) => Some(deed),
                Look::Refused(deed) if !was_refused(appeal, &deed) => Some(deed),
                Look::Refused(_) | Look::Nothing(_) => None,
            })
        }
        AppealState::Proven => Ok(Some(AppealDeed::Answered { answer: answer::answer(reader, appeal, now)? })),
        state if state.is_disputed() && !appeal.is_control_lost() => lost(reader, appeal, now),
        _ => Ok(None),
    }
}

/// True where the newest thing that happened is the same refusal.
pub fn was_refused(appeal: &Appeal, deed: &AppealDeed) -> bool {
    appeal.events().last().is_some_and(|event| event.deed == *deed)
}

/// The files of the package with the content of what is appealed about, where they were fetched after an instant; none where they
/// were not, or are not kept.
pub fn fetched_after(reader: &Reader, appeal: &Appeal, since: AsOf) -> anyhow::Result<Option<(Bundle, Digest)>> {
    let Some(current) = subject_now(reader, appeal)?.filter(|current| current.revision_as_of > since) else {
        return Ok(None);
    };
    match reader.bundle(current.snapshot) {
        Err(StoreError::Pruned { .. }) => Ok(None),
        other => Ok(Some((other?, current.capability.content))),
    }
}

/// That the mark is gone from what was fetched a month after it was seen.
fn lost(reader: &Reader, appeal: &Appeal, now: AsOf) -> anyhow::Result<Option<AppealDeed>> {
    let Some((seen, ..)) = appeal.proof() else { return Ok(None) };
    if now.0.unix_seconds() - seen.at.0.unix_seconds() < PROOF_AGE_S {
        return Ok(None);
    }
    let Some((bundle, _)) = fetched_after(reader, appeal, seen.at)? else { return Ok(None) };
    let is_gone = super::places::method(&bundle.identity).is_some() && !proof::still_marked(appeal, &bundle);
    Ok(is_gone.then(|| AppealDeed::Lost { reason: "what was fetched a month later has no mark of it".to_owned() }))
}

/// What a person is told: that an appeal is there, that its vendor proved himself, and each clock that was missed.
fn alerts(appeal: &Appeal, late: Vec<Due>, now: AsOf) -> Vec<Alert> {
    let id = appeal.id();
    let subject = appeal.filing().subject.to_string();
    let alert = |class: &str, severity, title: String, why: &str, fix: &str| Alert {
        key: format!("{PASS}:{id}:{class}"),
        pass: PASS.to_owned(),
        class: class.split(':').next().unwrap_or(class).to_owned(),
        capability: None,
        subject: subject.clone(),
        severity,
        title,
        why: why.to_owned(),
        fix: fix.to_owned(),
        content: None,
        details: Vec::new(),
        evidence: vec![AlertEvidence::about("appeal", &subject, &id.to_string())],
        diff: Vec::new(),
        scores: Vec::new(),
        members: Vec::new(),
        reproduce: format!("capdex appeal show {id}"),
        reach: 0,
    };
    let mut told = vec![alert(
        "appeal-filed",
        Severity::Info,
        format!("{id} was filed"),
        "Nobody has proved yet to be the vendor.",
        "Give out a token with `capdex appeal challenge`.",
    )];
    if let Some((_, method, _)) = appeal.proof() {
        told.push(alert(
            "appeal-proven",
            Severity::Low,
            format!("the vendor of {id} is proved ({})", method.as_str()),
            "The machine has answered; a person decides.",
            "Take it up with `capdex appeal take`.",
        ));
    }
    for Due { what, at } in late {
        let severity = match what {
            ClockName::Take | ClockName::Rule => Severity::Medium,
            _ => Severity::High,
        };
        let late = age(now.0.unix_seconds() - at.unix_seconds());
        told.push(alert(
            &format!("appeal-overdue:{}", what.as_str()),
            severity,
            format!("{id} waits for its {} since {at}, {late} too long", words(what)),
            "The public page says so too.",
            "Do what is due; `capdex appeal show` says what that is.",
        ));
    }
    told
}

/// What is due and late.
pub fn overdue(appeal: &Appeal, settings: &AppealSettings, now: Timestamp) -> Option<Due> {
    late(&appeal.standing(), settings, now)
}

/// The same of where an appeal stands.
pub fn late(standing: &AppealStanding, settings: &AppealSettings, now: Timestamp) -> Option<Due> {
    standing.due(&settings.clocks, rule_now).filter(|due| due.what != ClockName::Lapse && due.at <= now)
}

/// What is waited for, in words.
pub const fn words(what: ClockName) -> &'static str {
    match what {
        ClockName::Lapse => "token",
        ClockName::Answer => "machine answer",
        ClockName::Take => "reader",
        ClockName::Decide => "decision",
        ClockName::DecideAgain => "second decision",
        ClockName::Rule => "new version of the rule",
    }
}

fn age(seconds: i64) -> String {
    let units: BTreeMap<i64, &str> = BTreeMap::from([(86_400, "d"), (3600, "h"), (60, "min")]);
    let fitting = units.iter().rev().find(|(unit, _)| seconds >= **unit);
    fitting.map_or_else(|| "under a minute".to_owned(), |(unit, word)| format!("{} {word}", seconds / unit))
}
