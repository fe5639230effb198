//! The table `alerts`: what was raised for a person.

use capdex_db::Reader;
use capdex_model::alert::{AlertEvidence, Raised, ScoreChange};
use capdex_model::appeal::ALERT_PASS;
use capdex_model::digest::Digest;
use capdex_model::fact::Severity;
use capdex_model::ids::CapabilityId;
use capdex_model::time::AsOf;

use crate::export::field::Nested;
use crate::export::table::Emit;
use crate::export::table_row::table_row;

table_row! {
    /// one alert
    table alerts: stored(rows);
    pub(super) struct AlertRow {
        /// stable over nights
        key alert: String,
        /// the pass that raised it
        public pass: String,
        /// what the pass saw, a closed word of that pass
        public class: String,
        /// the capability's id, where it is about one
        public capability: Option<CapabilityId>,
        /// what it is about, readable; untrusted
        public subject: String,
        /// info, low, medium, high or critical
        public severity: Severity,
        /// one sentence; holds untrusted names
        public title: String,
        /// why it matters
        public why: String,
        /// what to do
        public fix: String,
        /// the content at which it was raised (hex): what an acknowledgement is bound to
        public content_sha256: Option<Digest>,
        /// the particulars
        public details: Nested<Vec<String>>,
        /// what it rests on, in parts: effect, rule, severity, path, line, quote
        public evidence: Nested<Vec<AlertEvidence>>,
        /// lines that changed, secrets masked
        public diff: Nested<Vec<String>>,
        /// what became of each rubric's score
        public scores: Nested<Vec<ScoreChange>>,
        /// everything that is raised together with it
        public members: Nested<Vec<String>>,
        /// the command that shows it again
        public reproduce: String,
        /// how many people it may concern, 0 to 1000
        public reach: u32,
        /// as_of of the night that raised it
        public raised: AsOf,
    }
}

fn rows(reader: &Reader, emit: Emit<'_, AlertRow>) -> anyhow::Result<()> {
    reader.each_raised(|Raised { alert, at: raised }| {
        // What the operator owes to vendors is his own affair, and stands in the table of appeals.
        if alert.pass == ALERT_PASS {
            return Ok(());
        }
        emit(AlertRow {
            alert: alert.key,
            pass: alert.pass,
            class: alert.class,
            capability: alert.capability,
            subject: alert.subject,
            severity: alert.severity,
            title: alert.title,
            why: alert.why,
            fix: alert.fix,
            content_sha256: alert.content,
            details: Nested(alert.details),
            evidence: Nested(alert.evidence),
            diff: Nested(alert.diff),
            scores: Nested(alert.scores),
            members: Nested(alert.members),
            reproduce: alert.reproduce,
            reach: alert.reach,
            raised,
        })
    })
}
