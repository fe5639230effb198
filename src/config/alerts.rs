//! The `[alerts]` table of a schedule: whom to tell, how much, and what the operator keeps back.
//!
//! Secrets come from the environment, by the names that stand here; none can be written here. Must not send anything.

use std::collections::BTreeSet;
use std::time::Duration;

use capdex_crawlers::http::{Secret, origin_of};
use capdex_model::alert::plan::Policy;
use capdex_model::alert::suppression::Suppression;
use capdex_model::digest::Digest;
use serde::Deserialize;

use super::keys::{REQUIRED, keys};
use super::notifier::{MIN_SEVERITY, Notifier};
use super::notifier_section::{NotifierSection, notifier_of};
use crate::config::no_address;
use crate::exit::usage;
use crate::instant;

keys! {
    /// The receivers of alerts, and the limits of telling.
    #[derive(Clone, Debug, Default, Deserialize)]
    #[serde(default, deny_unknown_fields)]
    pub struct AlertsSection {
        /// Alerts told one by one to each sink in a run, worst first; the rest is one digest.
        #[key(default = BUDGET, example = "50")]
        pub budget: Option<usize>,
        /// Days in which more about the same subject and rule joins what was told, unless it is worse.
        #[key(default = COOLDOWN_DAYS, example = "14")]
        pub cooldown_days: Option<u32>,
        /// The address under which people find the site that `capdex report` writes or `capdex serve` serves; messages link to it.
        #[key(default = "no links", example = r#""https://capdex.example.org""#)]
        pub site_url: Option<String>,
        /// Milliseconds in which one run begins tries at one sink.
        #[key(default = AlertSettings::default().patience.as_millis(), example = "60000")]
        pub patience_ms: Option<u64>,
        /// Milliseconds that a receiver may take for one message.
        #[key(default = AlertSettings::default().deadline.as_millis(), example = "20000")]
        pub deadline_ms: Option<u64>,
        /// Milliseconds to wait after a first failure; the wait doubles with every failure, up to six hours.
        #[key(default = AlertSettings::default().backoff.as_millis(), example = "5000")]
        pub backoff_ms: Option<u64>,
        /// The alerts that are never told.
        pub suppress: Vec<SuppressSection>,
        /// The receivers.
        pub sinks: Vec<NotifierSection>,
    }
}

/// Alerts told one by one unless the schedule says otherwise.
const BUDGET: usize = 20;
/// Days in which more about one subject joins what was told, unless the schedule says otherwise.
const COOLDOWN_DAYS: u32 = 7;

keys! {
    /// Alerts that are never told. One of `subject`, `rule` and `content` is needed, and all that is given must fit.
    #[derive(Clone, Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    pub struct SuppressSection {
        /// The subjects: artifacts as their registry names them (`npm:@scope/name`), capability ids, and names of what is no
        /// capability; `*` stands for any text. A readable name is none: others may have one that reads the same.
        #[key(default = "one of the three", example = r#""npm:@our-own/*""#)]
        pub subject: Option<String>,
        /// The rules, as `pass/class`; `*` stands for any text.
        #[key(default = "one of the three", example = r#""drift/same_version""#)]
        pub rule: Option<String>,
        /// The digest of the content.
        #[key(
            default = "one of the three",
            example = r#""sha256:0000000000000000000000000000000000000000000000000000000000000000""#
        )]
        pub content: Option<Digest>,
        /// The reason.
        #[key(default = REQUIRED, example = r#""our builds are repeated under one version""#)]
        pub reason: String,
        /// The date or instant at which it ends.
        #[key(default = REQUIRED, example = r#""2027-01-01""#)]
        pub expires: String,
    }
}

/// The receivers and limits of alerts, with what the schedule leaves to the program filled in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AlertSettings {
    /// The time in which one run begins tries at one sink.
    pub patience: Duration,
    /// The longest time of a receiver for one message.
    pub deadline: Duration,
    /// The wait after a first failure.
    pub backoff: Duration,
    /// The alerts that are never told.
    pub suppressions: Vec<Suppression>,
    /// Whom to tell, in the order of the schedule.
    pub notifiers: Vec<Notifier>,
    /// The address for questions about our requests.
    pub contact: Option<String>,
    /// The address of the site, which messages link to.
    pub site: Option<String>,
}

impl Default for AlertSettings {
    fn default() -> Self {
        Self {
            patience: Duration::from_secs(30),
            deadline: Duration::from_secs(10),
            backoff: Duration::from_secs(2),
            suppressions: Vec::new(),
            notifiers: Vec::new(),
            contact: None,
            site: None,
        }
    }
}

impl AlertsSection {
    /// Fills in what is not written here.
    ///
    /// # Errors
    /// Wrong configuration, with the name of the sink or the number of the suppression.
    pub fn resolve(&self, contact: Option<String>) -> anyhow::Result<AlertSettings> {
        let own = AlertSettings::default();
        let millis = |given: Option<u64>, own: Duration| given.map_or(own, Duration::from_millis);
        let policy = Policy {
            budget: self.budget.unwrap_or(BUDGET),
            cooldown_days: self.cooldown_days.unwrap_or(COOLDOWN_DAYS),
            min_severity: MIN_SEVERITY,
        };
        let mut names = BTreeSet::new();
        let mut sinks = Vec::new();
        for section in &self.sinks {
            // The store knows sinks by name, so two of one name would share a queue.
            if !names.insert(&section.name) {
                return Err(usage(format!(
                    "alerts: two sinks are called {:?}: give one of them another name",
                    section.name
                )));
            }
            sinks.push(notifier_of(section, &policy)?);
        }
        // Numbered from 1, as a person counts the entries of a file.
        let site = self.site_url.clone();
        // It becomes a link in chats: anything else than an address of the web would be run there.
        if site.as_deref().is_some_and(|site| origin_of(&Secret::new(site)).is_none()) {
            return Err(usage(format!(
                "alerts: `site_url`: {}",
                no_address(site.as_deref().unwrap_or_default()).unwrap_or_else(|| "it has no host".to_owned())
            )));
        }
        let numbered = (1_usize..).zip(&self.suppress);
        Ok(AlertSettings {
            patience: millis(self.patience_ms, own.patience),
            deadline: millis(self.deadline_ms, own.deadline),
            backoff: millis(self.backoff_ms, own.backoff),
            suppressions: numbered.map(suppression).collect::<anyhow::Result<_>>()?,
            notifiers: sinks,
            contact,
            site,
        })
    }
}

fn suppression((number, section): (usize, &SuppressSection)) -> anyhow::Result<Suppression> {
    let wrong = |what: &str| usage(format!("alerts: suppression {number} {what}"));
    let expires = instant::parse(&section.expires).ok_or_else(|| wrong("needs a date or an instant as `expires`"))?;
    // A suppression outlives the memory of who wrote it.
    if section.reason.trim().is_empty() {
        return Err(wrong("needs a reason"));
    }
    let SuppressSection { subject, rule, content, reason, .. } = section.clone();
    let suppression = Suppression { subject, rule, content, reason, expires };
    // Without a condition it would silence every alert, and nobody would notice.
    if !suppression.is_narrow() {
        return Err(wrong("would keep everything back: name a subject, a rule or a content"));
    }
    Ok(suppression)
}
