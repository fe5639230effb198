//! One receiver of alerts, as the schedule makes it.

use std::path::PathBuf;

use capdex_crawlers::deliver::mail::MailServer;
use capdex_crawlers::http::Secret;
use capdex_model::alert::plan::Policy;
use capdex_model::fact::Severity;

/// The mildest severity that is told unless the schedule says otherwise.
pub(super) const MIN_SEVERITY: Severity = Severity::Low;

/// One receiver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notifier {
    /// Its name, by which the store knows what it was told.
    pub name: String,
    /// Its limits: budget, cooldown and mildest severity.
    pub policy: Policy,
    /// Its kind and address.
    pub target: NotifierTarget,
}

/// The kind and address of a receiver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotifierTarget {
    /// JSON by POST, signed.
    Webhook {
        /// The address.
        url: Secret,
        /// The secret of the signature.
        secret: Secret,
    },
    /// The same as an event of CloudEvents 1.0, by POST, signed.
    CloudEvents {
        /// The address.
        url: Secret,
        /// The secret of the signature.
        secret: Secret,
    },
    /// The JSON that Slack and what is compatible with it take.
    Slack {
        /// The address; usually a secret itself.
        url: Secret,
    },
    /// Email.
    Smtp {
        /// Through which server.
        server: MailServer,
        /// From whom.
        from: String,
        /// To whom.
        to: Vec<String>,
    },
    /// A feed, one file.
    Atom {
        /// The file.
        path: PathBuf,
        /// The address at which readers find it, if they do.
        url: Option<String>,
        /// Entries that it has at most.
        max_entries: usize,
    },
    /// A file of JSON lines, only added to.
    Jsonl {
        /// The file.
        path: PathBuf,
    },
    /// One that cannot be told anything, and why: its secret is not in the environment. Its messages wait.
    Unready(String),
}

impl NotifierTarget {
    /// The word for it in schedules.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Webhook { .. } => "webhook",
            Self::CloudEvents { .. } => "cloudevents",
            Self::Slack { .. } => "slack",
            Self::Smtp { .. } => "smtp",
            Self::Atom { .. } => "atom",
            Self::Jsonl { .. } => "jsonl",
            Self::Unready(_) => "unready",
        }
    }
}
