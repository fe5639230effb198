//! The tables `appeals`, `appeal_events` and `annotations`: the right of reply, as it stands.

use capdex_db::Reader;
use capdex_model::appeal::{Appeal, AppealClocks, AppealEvent, AppealFault, Filing};
use capdex_model::digest::{Digest, bytes_of_hex};
use capdex_model::time::{AsOf, Timestamp};
use serde_json::{Map, Value, json};

use crate::export::cell::Cell;
use crate::export::field::AsSortedJson;
use crate::export::table::Emit;
use crate::export::table_row::table_row;

table_row! {
    /// one appeal against a finding or a verdict; it changes neither
    table appeals: stored(appeal_rows);
    pub struct AppealRow {
        /// A- and 16 hex digits of the digest of what was filed
        key appeal: String,
        /// the package's identity, with #kind:path for one capability
        public subject: String,
        /// verdict, rule:ID or finding:FINGERPRINT
        public scope: String,
        /// the content that is appealed against (hex)
        public content_sha256: Digest,
        /// the rule that is appealed against; null for the whole verdict
        public rule: Option<String>,
        /// its version when the appeal was filed
        public rule_version: Option<u32>,
        /// not_there, context, declared, fixed_in, stale, not_mine, severity or other
        public claim: &'static str,
        /// the version that is meant, with fixed_in
        public version: Option<String>,
        /// the vendor's words; untrusted; null until control was proved
        public text: Option<String>,
        /// whom to write to
        private contact: Option<String>,
        /// filed, challenged, lapsed, proven, answered, under_review, upheld, overturned, rule_changed, not_mine, reopened, withdrawn
        public state: &'static str,
        /// when it was filed first
        public filed: Option<AsOf>,
        /// how control was proved; null where it was not
        public proof: Option<&'static str>,
        /// the next thing that is due, by the usual clocks
        public due: Option<&'static str>,
        /// when it is due
        public due_at: Option<Timestamp>,
    }
}

table_row! {
    /// one thing that happened to an appeal, bound by digest to the one before it
    table appeal_events: stored(event_rows);
    pub struct AppealEventRow read as ReadAppealEventRow {
        /// the appeal
        key appeal: String,
        /// the place of the event, from 0
        key seq: u32,
        /// when
        public at: AsOf,
        /// vendor, operator or capdex
        public actor: &'static str,
        /// who, by name
        public by: String,
        /// filed, challenged, refused, proven, lapsed, answered, taken, decided, reopened, lost or withdrawn
        public event: &'static str,
        /// the particulars of the event; untrusted
        public payload: AsSortedJson<Value>,
        /// digest of the event before it (hex); null for the first
        public previous: Option<Digest>,
        /// digest of this one (hex)
        public digest: Digest,
    }
}

table_row! {
    /// what an appeal whose vendor is proved comes to beside a finding
    table annotations: stored(annotation_rows);
    pub(super) struct AnnotationRow {
        /// the appeal
        key appeal: String,
        /// the package's identity, with #kind:path for one capability
        public subject: String,
        /// verdict, rule:ID or finding:FINGERPRINT
        public scope: String,
        /// the content that it is bound to (hex)
        public content_sha256: Digest,
        /// disputed, upheld, overturned, rule_changed or not_mine
        public outcome: String,
        /// what was claimed
        public claim: &'static str,
        /// the vendor's words; untrusted
        public vendor: String,
        /// the reason of the decision
        public reason: Option<String>,
        /// who decided
        public decided_by: Option<String>,
        /// since when
        public since: AsOf,
    }
}

fn appeal_rows(reader: &Reader, emit: Emit<'_, AppealRow>) -> anyhow::Result<()> {
    let rule_now = |rule: &str| reader.rules().find(rule);
    reader.each_appeal(|appeal| {
        let (filing, due) = (appeal.filing(), appeal.due(&AppealClocks::default(), rule_now));
        emit(AppealRow {
            appeal: appeal.id().to_string(),
            subject: filing.subject.to_string(),
            scope: filing.scope.to_string(),
            content_sha256: filing.content,
            rule: filing.rule.clone(),
            rule_version: filing.rule_version,
            claim: filing.claim.as_str(),
            version: filing.version.clone(),
            text: appeal.vendor_words().map(|_| filing.text.clone()),
            contact: reader.appeal_contact(&appeal.id())?,
            state: appeal.state().as_str(),
            filed: appeal.filed_at(),
            proof: appeal.proof().map(|(_, method, _)| method.as_str()),
            due: due.map(|due| due.what.as_str()),
            due_at: due.map(|due| due.at),
        })
    })
}

/// The members of an event that columns of their own hold.
const COLUMNS: [&str; 7] = ["appeal", "seq", "at", "actor", "by", "event", "previous"];

fn event_rows(reader: &Reader, emit: Emit<'_, AppealEventRow>) -> anyhow::Result<()> {
    reader.each_appeal(|appeal| {
        for event in appeal.events() {
            let mut payload = serde_json::to_value(event)?;
            if let Some(members) = payload.as_object_mut() {
                members.retain(|name, _| !COLUMNS.contains(&name.as_str()));
            }
            emit(AppealEventRow {
                appeal: event.appeal.to_string(),
                seq: event.seq,
                at: event.at,
                actor: event.actor.as_str(),
                by: event.by.clone(),
                event: event.deed.as_str(),
                payload: AsSortedJson(payload),
                previous: event.previous,
                digest: event.digest(),
            })?;
        }
        Ok(())
    })
}

fn annotation_rows(reader: &Reader, emit: Emit<'_, AnnotationRow>) -> anyhow::Result<()> {
    reader.each_appeal(|appeal: Appeal| {
        let Some(annotation) = appeal.annotation() else { return Ok(()) };
        let Filing { subject, scope, content, .. } = appeal.filing();
        emit(AnnotationRow {
            appeal: annotation.appeal.to_string(),
            subject: subject.to_string(),
            scope: scope.to_string(),
            content_sha256: *content,
            outcome: json!(annotation.outcome).as_str().unwrap_or_default().to_owned(),
            claim: annotation.claim,
            vendor: annotation.vendor,
            reason: annotation.reason,
            decided_by: annotation.by,
            since: annotation.at,
        })
    })
}

/// The event of a row.
///
/// # Errors
/// That the row is none, or that it has another digest than it says.
pub fn written(row: &ReadAppealEventRow) -> Result<AppealEvent, AppealFault> {
    let wrong = |what: String| {
        AppealFault(format!("event {} of {} {what}", row.seq.as_integer().unwrap_or(-1), row.appeal.as_text()))
    };
    let digest = |cell: &Cell| {
        let bytes = bytes_of_hex(cell.as_text())?;
        Some(Digest::from_bytes(bytes.try_into().ok()?))
    };
    let payload: Value = serde_json::from_str(row.payload.as_text()).map_err(|error| wrong(error.to_string()))?;
    let Value::Object(payload) = payload else { return Err(wrong("has particulars that are no object".to_owned())) };
    let previous = match &row.previous {
        Cell::Null => Value::Null,
        cell if cell.as_text().is_empty() => Value::Null,
        cell => json!(digest(cell)),
    };
    let columns = [
        ("appeal", json!(row.appeal.as_text())),
        ("seq", json!(row.seq.as_integer())),
        ("at", json!(row.at.to_string())),
        ("actor", json!(row.actor.as_text())),
        ("by", json!(row.by.as_text())),
        ("event", json!(row.event.as_text())),
        ("previous", previous),
    ];
    let mut members: Map<String, Value> = payload;
    members.extend(columns.map(|(name, value)| (name.to_owned(), value)));
    let event: AppealEvent =
        serde_json::from_value(Value::Object(members)).map_err(|error| wrong(error.to_string()))?;
    if digest(&row.digest) != Some(event.digest()) {
        return Err(wrong("has another digest than it says".to_owned()));
    }
    Ok(event)
}
