//! `capdex.appeal/1`: an appeal as the export, the API and the import have it.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{Appeal, AppealClocks, AppealDeed, AppealEvent, AppealFault, ClaimKind, Filing, ProofMethod};
use crate::digest::Digest;
use crate::rule::RuleMeta;
use crate::ruling::{RulingScope, RulingSubject};
use crate::time::AsOf;

/// The schema.
const SCHEMA: &str = "capdex.appeal/1";

/// How control was proved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProofRecord {
    /// The method.
    pub method: ProofMethod,
    /// The place.
    pub locator: String,
    /// The digest of the bytes that held the token.
    pub snapshot_sha256: Digest,
    /// When it was seen.
    pub observed_at: AsOf,
}

/// One appeal, in the order of its keys.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AppealRecord {
    schema: String,
    id: String,
    capability: RulingSubject,
    scope: RulingScope,
    content_sha256: Digest,
    rule: Option<String>,
    rule_version: Option<u32>,
    claim: ClaimKind,
    version: Option<String>,
    /// The vendor's words; null where nobody has proved to be the vendor.
    text: Option<String>,
    filed_at: Option<AsOf>,
    state: String,
    proof: Option<ProofRecord>,
    answer: Option<Value>,
    decision: Option<Value>,
    due: Option<Value>,
    events: Vec<EventRecord>,
}

/// An event with its own digest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct EventRecord {
    #[serde(flatten)]
    event: AppealEvent,
    digest: Digest,
}

impl AppealRecord {
    /// The record of an appeal. Words of a vendor who has proved nothing stand in it only where `is_whole`.
    pub fn of<'a>(
        appeal: &Appeal,
        clocks: &AppealClocks,
        rule_now: impl Fn(&str) -> Option<&'a RuleMeta>,
        is_whole: bool,
    ) -> Self {
        let filing = appeal.filing();
        let due = appeal.due(clocks, rule_now);
        let words =
            if is_whole { Some(filing.text.as_str()) } else { appeal.vendor_words().map(|_| filing.text.as_str()) };
        Self {
            schema: SCHEMA.to_owned(),
            id: appeal.id().to_string(),
            capability: filing.subject.clone(),
            scope: filing.scope.clone(),
            content_sha256: filing.content,
            rule: filing.rule.clone(),
            rule_version: filing.rule_version,
            claim: filing.claim,
            version: filing.version.clone(),
            text: words.map(str::to_owned),
            filed_at: appeal.filed_at(),
            state: appeal.state().as_str().to_owned(),
            proof: appeal.newest(|event| match &event.deed {
                AppealDeed::Proven { method, locator, content, .. } => Some(ProofRecord {
                    method: *method,
                    locator: locator.clone(),
                    snapshot_sha256: *content,
                    observed_at: event.at,
                }),
                _ => None,
            }),
            answer: appeal.newest(|event| match &event.deed {
                AppealDeed::Answered { answer } => Some(json!({ "at": event.at, "answer": answer })),
                _ => None,
            }),
            decision: appeal.decision().map(|(event, outcome, reason)| {
                json!({ "outcome": outcome, "reason": reason, "by": event.by, "at": event.at })
            }),
            due: due.map(|due| json!({ "what": due.what.as_str(), "at": due.at })),
            events: appeal.events().iter().map(|event| EventRecord { event: event.clone(), digest: event.digest() }).collect(),
        }
    }
}

/// Reads a record. What follows from the events (state, proof, answer, decision, due) must be what they come to, but for `due`,
/// which is the sender's clock.
///
/// # Errors
/// What is wrong with it: a key that is none, an event out of order, another id than that of what was filed.
pub fn read_record(text: &str) -> Result<Appeal, AppealFault> {
    let fault = |error: serde_json::Error| AppealFault(error.to_string());
    let given: Value = serde_json::from_str(text).map_err(fault)?;
    let record: AppealRecord = serde_json::from_value(given.clone()).map_err(fault)?;
    let words =
        record.text.clone().ok_or_else(|| AppealFault("text: the words of the vendor are missing".to_owned()))?;
    let filing = Filing {
        subject: record.capability.clone(),
        scope: record.scope.clone(),
        content: record.content_sha256,
        rule: record.rule.clone(),
        rule_version: record.rule_version,
        claim: record.claim,
        version: record.version.clone(),
        text: words,
    };
    let events = record.events.iter().map(|one| one.event.clone()).collect();
    let appeal = Appeal::read(filing, events)?;
    // Compared as JSON: keys that events do not have would otherwise pass unseen.
    let mut own =
        serde_json::to_value(AppealRecord::of(&appeal, &AppealClocks::default(), |_| None, true)).map_err(fault)?;
    own["due"] = given["due"].clone();
    if own != given {
        let differs =
            own.as_object().and_then(|own| own.iter().find(|(key, value)| given.get(key.as_str()) != Some(*value)));
        let key = differs.map_or("record", |(key, _)| key.as_str());
        return Err(AppealFault(format!("{key}: it is not what the events of {} come to", appeal.id())));
    }
    Ok(appeal)
}
