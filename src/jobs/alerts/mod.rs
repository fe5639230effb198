//! The alerts stage: decides what each notifier is told, and tells them what they have not taken yet.
//!
//! Deciding is one transaction a notifier; telling marks each message when its notifier has taken it. A run that is killed
//! anywhere loses nothing, and the next one goes on with the same ids. The store's lock keeps two processes from sending at once.

use std::collections::BTreeMap;

use anyhow::Context as _;
use capdex_crawlers::http::{AllowedBaseUrl, Http, HttpSettings, Secret, origin_of};
use capdex_dataset::stopwatch::Stopwatch;
use capdex_db::{Reader, Store};
use capdex_model::alert::plan::{Plan, PlanInput, plan};
use capdex_model::time::AsOf;
use serde::Serialize;

use crate::config::{AlertSettings, NotifierTarget, certificates};
use crate::shutdown::ShutdownFlag;

mod files;
mod hand_over;
mod origins;
mod ruled;
mod send;

pub use origins::origins;
pub use ruled::ruled;

/// The result of the stage. Written into the ledger of runs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct AlertsReport {
    /// Alerts that the run raised.
    pub raised: u64,
    /// The results for each notifier, in the order of the schedule.
    pub sinks: Vec<NotifierReport>,
    /// Wall time.
    pub wall_ms: u64,
}

impl AlertsReport {
    /// Messages that notifiers took.
    pub fn sent(&self) -> u64 {
        self.sinks.iter().map(|sink| sink.sent).sum()
    }

    /// Messages that wait for the next run.
    pub fn waiting(&self) -> u64 {
        self.sinks.iter().map(|sink| sink.waiting).sum()
    }

    /// Tries that failed.
    pub fn failed(&self) -> u64 {
        self.sinks.iter().map(|sink| sink.failed).sum()
    }
}

/// The result of telling one notifier.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct NotifierReport {
    /// The notifier.
    pub sink: String,
    /// Messages that are new for it.
    pub new: u64,
    /// Messages that it took.
    pub sent: u64,
    /// Tries that failed.
    pub failed: u64,
    /// Messages that wait for the next run.
    pub waiting: u64,
    /// Why, where any do.
    pub error: Option<String>,
}

/// The messages that each notifier would be sent now, in the order of the schedule. Stores nothing.
///
/// # Errors
/// Errors of the store.
pub fn plans(reader: &Reader, alerts: &AlertSettings, as_of: AsOf) -> anyhow::Result<Vec<(String, Plan)>> {
    // Read once for all notifiers, so that every plan is made from the same alerts and acknowledgements.
    let (raised, acks) = (reader.raised()?, reader.acks()?);
    let origins = origins(reader, &raised)?;
    let ruled = ruled(reader, &raised, as_of)?;
    let mut plans = Vec::new();
    for sink in &alerts.notifiers {
        let deliveries = reader.deliveries(&sink.name)?;
        let known = PlanInput {
            alerts: &raised,
            acks: &acks,
            suppressions: &alerts.suppressions,
            ruled: &ruled,
            origins: &origins,
            deliveries: &deliveries,
            as_of,
        };
        plans.push((sink.name.clone(), plan(&sink.name, &sink.policy, &known)));
    }
    Ok(plans)
}

/// Decides what each notifier is told, and tells them. Nothing that goes wrong at a notifier is an error of the run.
///
/// # Errors
/// Errors of the store.
pub fn run(store: &Store, alerts: &AlertSettings, as_of: AsOf, stop: &ShutdownFlag) -> anyhow::Result<AlertsReport> {
    let watch = Stopwatch::start();
    // Stored before anything is sent: a crash during sending leaves messages with their ids in the queue.
    let new = queue(store, alerts, as_of)?;
    let seed = u64::try_from(as_of.0.unix_seconds()).unwrap_or_default();
    // One thread is enough: notifiers are few, and nearly all of the time is spent waiting for receivers.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().context("no runtime")?;
    let sender = send::NotificationSender { store, alerts, http: client(alerts, seed)?, seed, stop };
    let mut sinks = runtime.block_on(sender.send_all())?;
    // Sending counts what was tried; only the plan knows which messages are new.
    for report in &mut sinks {
        report.new = new.get(&report.sink).copied().unwrap_or_default();
    }
    let wall_ms = u64::try_from(watch.elapsed().as_millis()).unwrap_or(u64::MAX);
    Ok(AlertsReport { raised: 0, sinks, wall_ms })
}

/// Puts the messages for each notifier into the store, with the deliveries of the alerts; gives the number of messages.
fn queue(store: &Store, alerts: &AlertSettings, as_of: AsOf) -> anyhow::Result<BTreeMap<String, u64>> {
    let plans = plans(&store.reader()?, alerts, as_of)?;
    // Counted before the plans move into the transaction.
    let counts = plans.iter().map(|(sink, plan)| (sink.clone(), plan.messages.len() as u64)).collect();
    let suppressions = alerts.suppressions.clone();
    store.write(move |writer| {
        // The rules that suppress go in with the plans that they shaped, so that the store never shows one without the other.
        writer.set_suppressions(&suppressions)?;
        plans.iter().try_for_each(|(sink, plan)| writer.queue(sink, plan))
    })?;
    Ok(counts)
}

/// A client of its own: notifiers have nothing to do with sources, their credentials or their recordings.
fn client(alerts: &AlertSettings, seed: u64) -> anyhow::Result<Http> {
    let own = HttpSettings::default();
    let address = |target: &NotifierTarget| -> Option<Secret> {
        match target {
            NotifierTarget::Webhook { url, .. }
            | NotifierTarget::CloudEvents { url, .. }
            | NotifierTarget::Slack { url } => Some(url.clone()),
            // Mail, feeds and files are no HTTP targets and need no entry in the list of allowed addresses.
            _ => None,
        }
    };
    let deadline_ms = u64::try_from(alerts.deadline.as_millis()).unwrap_or(u64::MAX);
    // Only the configured receivers may be asked: their addresses are often secrets in themselves.
    let settings = HttpSettings {
        contact: alerts.contact.clone().unwrap_or(own.contact.clone()),
        allowed_base_urls: alerts
            .notifiers
            .iter()
            .filter_map(|sink| Some(AllowedBaseUrl::new("", origin_of(&address(&sink.target)?)?)))
            .collect(),
        // A receiver inside a company has a certificate of the company's.
        certificates: certificates(),
        connect_deadline_ms: deadline_ms,
        idle_deadline_ms: deadline_ms,
        seed,
        ..own
    };
    Http::new(settings).context("failed to set up the client for alerts")
}
