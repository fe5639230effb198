//! An entry of `[[alerts.sinks]]`: the keys of each kind, and the places of its secrets.
//!
//! Nothing is sent here. An address of an operator's may be on this machine or a private network.

use capdex_crawlers::deliver::mail::{self, MailServer, Protection};
use capdex_crawlers::http::{Secret, origin_of};
use capdex_model::alert::plan::Policy;
use capdex_model::fact::Severity;
use serde::Deserialize;

use super::keys::{ConfigValue, REQUIRED, ValueKind, keys};
use super::notifier::{MIN_SEVERITY, Notifier, NotifierTarget};
use crate::exit::usage;

/// Entries of a feed, where the schedule says nothing else.
const MAX_ENTRIES: usize = 100;

/// The kind of a sink.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NotifierKind {
    /// JSON by POST, signed.
    Webhook,
    /// The same as an event of CloudEvents.
    Cloudevents,
    /// Slack, or what is compatible with it.
    Slack,
    /// Letters.
    Smtp,
    /// A feed.
    Atom,
    /// JSON lines.
    Jsonl,
}

/// The protection of the way to a mail server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TlsSection {
    /// TLS after STARTTLS.
    #[default]
    Starttls,
    /// TLS from the first byte.
    Tls,
    /// None; for a server on this machine only.
    None,
}

impl ConfigValue for NotifierKind {
    fn kind() -> ValueKind {
        ValueKind::Words(vec!["webhook", "cloudevents", "slack", "smtp", "atom", "jsonl"])
    }
}

impl ConfigValue for TlsSection {
    fn kind() -> ValueKind {
        ValueKind::Words(vec!["starttls", "tls", "none"])
    }
}

keys! {
    /// One receiver of alerts. A key that its kind has no use for is an error.
    #[derive(Clone, Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    pub struct NotifierSection {
        /// The name by which the store knows what the sink was told; a new name is told everything that is open.
        #[key(default = REQUIRED, example = r#""ops""#)]
        pub name: String,
        /// The kind of sink.
        #[key(default = REQUIRED, example = r#""webhook""#)]
        pub kind: NotifierKind,
        /// The mildest severity that is told.
        #[key(default = MIN_SEVERITY.as_str(), example = r#""medium""#)]
        pub min_severity: Option<Severity>,
        /// As `alerts.budget`, for this sink.
        #[key(default = "that of `alerts.budget`", example = "5")]
        pub budget: Option<usize>,
        /// webhook, cloudevents, slack: the address of the receiver. atom: the address at which readers find the feed.
        #[key(default = "webhook, cloudevents, slack: this or `url_env`", example = r#""https://hooks.example.org/capdex""#)]
        pub url: Option<String>,
        /// webhook, cloudevents, slack: the variable that holds the address, which is a secret where it proves who sends.
        #[key(default = "webhook, cloudevents, slack: this or `url`", example = r#""CAPDEX_HOOK_URL""#)]
        pub url_env: Option<String>,
        /// webhook, cloudevents: the variable that holds the secret of the signature. smtp: the one that holds the password.
        #[key(default = "webhook, cloudevents: required", example = r#""CAPDEX_HOOK_SECRET""#)]
        pub secret_env: Option<String>,
        /// smtp: the server.
        #[key(default = "smtp: required", example = r#""mail.example.org""#)]
        pub host: Option<String>,
        /// smtp: the port of the server.
        #[key(default = "587; 465 for `tls`, 25 for `none`", example = "2525")]
        pub port: Option<u16>,
        /// smtp: the protection of the way there: `starttls`, `tls` from the first byte, or `none` to a server on this machine.
        #[key(default = "starttls", example = r#""tls""#)]
        pub tls: Option<TlsSection>,
        /// smtp: the name that logs in, together with `secret_env`.
        #[key(default = "no login", example = r#""capdex""#)]
        pub username: Option<String>,
        /// smtp: the sender of the letters.
        #[key(default = "smtp: required", example = r#""capdex <capdex@example.org>""#)]
        pub from: Option<String>,
        /// smtp: the addressees of the letters.
        #[serde(default)]
        #[key(default = "smtp: required", example = r#"["ops@example.org"]"#)]
        pub to: Vec<String>,
        /// atom, jsonl: the file.
        #[key(default = "atom, jsonl: required", example = r#""alerts.xml""#)]
        pub path: Option<std::path::PathBuf>,
        /// atom: entries at most.
        #[key(default = MAX_ENTRIES, example = "500")]
        pub max_entries: Option<usize>,
    }
}

impl NotifierSection {
    /// The keys that are there, beside those that every sink has.
    fn keys(&self) -> Vec<&'static str> {
        let there = [
            ("url", self.url.is_some()),
            ("url_env", self.url_env.is_some()),
            ("secret_env", self.secret_env.is_some()),
            ("host", self.host.is_some()),
            ("port", self.port.is_some()),
            ("tls", self.tls.is_some()),
            ("username", self.username.is_some()),
            ("from", self.from.is_some()),
            ("to", !self.to.is_empty()),
            ("path", self.path.is_some()),
            ("max_entries", self.max_entries.is_some()),
        ];
        there.into_iter().filter(|(_, is_there)| *is_there).map(|(key, _)| key).collect()
    }

    const fn known_keys(&self) -> &'static [&'static str] {
        match self.kind {
            NotifierKind::Webhook | NotifierKind::Cloudevents => &["url", "url_env", "secret_env"],
            NotifierKind::Slack => &["url", "url_env"],
            NotifierKind::Smtp => &["host", "port", "tls", "username", "secret_env", "from", "to"],
            NotifierKind::Atom => &["path", "url", "max_entries"],
            NotifierKind::Jsonl => &["path"],
        }
    }
}

/// Why a sink cannot be made.
enum NotifierError {
    /// The schedule is wrong.
    Schedule(String),
    /// The environment lacks something.
    Environment(String),
}

/// The sink of an entry.
///
/// # Errors
/// Wrong configuration. A secret that is not in the environment is none: the sink is unready, and the others are told.
pub(super) fn notifier_of(section: &NotifierSection, policy: &Policy) -> anyhow::Result<Notifier> {
    let name = &section.name;
    // The name goes into the store and into messages, and stays readable there.
    if name.is_empty() || name.contains(|letter: char| !letter.is_ascii_alphanumeric() && letter != '-') {
        return Err(usage(format!("alerts: {name:?} is no name for a sink: letters, digits and dashes are")));
    }
    // A key of another kind is most often a wrong `kind`, and would be ignored silently.
    if let Some(key) = section.keys().into_iter().find(|key| !section.known_keys().contains(key)) {
        return Err(usage(format!("alerts: the sink {name} has no use for `{key}`")));
    }
    let target = match target(section) {
        Ok(target) => target,
        // The other sinks are told all the same, and this one's messages wait in the store.
        Err(NotifierError::Environment(reason)) => NotifierTarget::Unready(reason),
        Err(NotifierError::Schedule(reason)) => return Err(usage(format!("alerts: the sink {name} {reason}"))),
    };
    let policy = Policy {
        budget: section.budget.unwrap_or(policy.budget),
        min_severity: section.min_severity.unwrap_or(policy.min_severity),
        ..policy.clone()
    };
    Ok(Notifier { name: name.clone(), policy, target })
}

fn target(section: &NotifierSection) -> Result<NotifierTarget, NotifierError> {
    let path = || section.path.clone().ok_or_else(|| NotifierError::Schedule("needs a `path`".to_owned()));
    Ok(match section.kind {
        NotifierKind::Webhook => NotifierTarget::Webhook { url: address(section)?, secret: secret(section)? },
        NotifierKind::Cloudevents => NotifierTarget::CloudEvents { url: address(section)?, secret: secret(section)? },
        NotifierKind::Slack => NotifierTarget::Slack { url: address(section)? },
        NotifierKind::Smtp => smtp(section)?,
        NotifierKind::Atom => {
            let max_entries = section.max_entries.unwrap_or(MAX_ENTRIES);
            NotifierTarget::Atom { path: path()?, url: section.url.clone(), max_entries }
        }
        NotifierKind::Jsonl => NotifierTarget::Jsonl { path: path()? },
    })
}

fn secret(section: &NotifierSection) -> Result<Secret, NotifierError> {
    variable(section.secret_env.as_deref().ok_or_else(|| needs("secret_env"))?)
}

/// The address of a receiver: one in the schedule, or one in the environment.
fn address(section: &NotifierSection) -> Result<Secret, NotifierError> {
    match (&section.url, &section.url_env) {
        (Some(url), None) => {
            let url = Secret::new(url.clone());
            // Checked by its origin alone: the path is often the secret, and stays out of the error.
            origin_of(&url).ok_or_else(|| {
                NotifierError::Schedule(
                    "has a `url` that is no http or https address: write https://HOST/PATH".to_owned(),
                )
            })?;
            Ok(url)
        }
        (None, Some(name)) => {
            let url = variable(name)?;
            // The variable is named and its value is not.
            origin_of(&url).ok_or_else(|| NotifierError::Environment(format!("{name} is no http or https address")))?;
            Ok(url)
        }
        _ => Err(NotifierError::Schedule("needs either `url` or `url_env`".to_owned())),
    }
}

fn smtp(section: &NotifierSection) -> Result<NotifierTarget, NotifierError> {
    let host = section.host.clone().ok_or_else(|| needs("host"))?;
    let from = section.from.clone().ok_or_else(|| needs("from"))?;
    if section.to.is_empty() {
        return Err(needs("to"));
    }
    // A line feed in an address would add headers to the letter.
    if let Some(odd) = section.to.iter().chain([&from]).find(|address| !mail::is_address(address)) {
        return Err(NotifierError::Schedule(format!("names {odd:?}, which is no address for letters")));
    }
    let (protection, port) = match section.tls.unwrap_or_default() {
        TlsSection::Starttls => (Protection::StartTls, 587),
        TlsSection::Tls => (Protection::Tls, 465),
        // Without TLS the password and the alerts can be read on the way.
        TlsSection::None if mail::is_loopback(&host) => (Protection::None, 25),
        TlsSection::None => {
            return Err(NotifierError::Schedule("may do without TLS only to this machine".to_owned()));
        }
    };
    let login = match (&section.username, &section.secret_env) {
        // The password comes from the environment only.
        (Some(name), Some(secret)) => Some((name.clone(), variable(secret)?)),
        (None, None) => None,
        _ => return Err(NotifierError::Schedule("needs `username` and `secret_env` together".to_owned())),
    };
    let server = MailServer { host, port: section.port.unwrap_or(port), protection, login };
    Ok(NotifierTarget::Smtp { server, from, to: section.to.clone() })
}

fn needs(key: &str) -> NotifierError {
    NotifierError::Schedule(format!("needs `{key}`"))
}

fn variable(name: &str) -> Result<Secret, NotifierError> {
    // A variable that holds nothing but blanks is a mistake of the service's file.
    let value = std::env::var(name).ok().filter(|value| !value.trim().is_empty());
    // Trimmed, because files of secrets often end with a line feed.
    value.map(|value| Secret::new(value.trim())).ok_or_else(|| NotifierError::Environment(format!("{name} is not set")))
}

#[cfg(test)]
mod tests {
    use super::super::Schedule;
    use super::*;

    fn alerts(text: &str) -> anyhow::Result<super::super::AlertSettings> {
        Schedule::parse(&format!("name = \"x\"\n[sources.npm]\n{text}"), "x")?.alerts()
    }

    #[test]
    fn every_kind_is_read_with_its_defaults() {
        let read = alerts(
            "[alerts]\nbudget = 3\n\
             [[alerts.sinks]]\nname = \"feed\"\nkind = \"atom\"\npath = \"feed.xml\"\n\
             [[alerts.sinks]]\nname = \"log\"\nkind = \"jsonl\"\npath = \"a.jsonl\"\nmin_severity = \"info\"\nbudget = 9\n\
             [[alerts.sinks]]\nname = \"chat\"\nkind = \"slack\"\nurl_env = \"CAPDEX_NO_SUCH_VARIABLE\"\n\
             [[alerts.sinks]]\nname = \"mail\"\nkind = \"smtp\"\nhost = \"localhost\"\ntls = \"none\"\nfrom = \"capdex <c@example.test>\"\nto = [\"ops@example.test\"]\n\
             [[alerts.suppress]]\nsubject = \"npm-ours-*\"\nreason = \"ours\"\nexpires = \"2027-01-01\"\n",
        )
        .expect("read");
        let sinks: Vec<_> = read
            .notifiers
            .iter()
            .map(|sink| (sink.target.kind(), sink.policy.budget, sink.policy.min_severity))
            .collect();
        let expected = [
            ("atom", 3, Severity::Low),
            ("jsonl", 9, Severity::Info),
            ("unready", 3, Severity::Low),
            ("smtp", 3, Severity::Low),
        ];
        assert_eq!(sinks, expected);
        assert_eq!(read.suppressions.len(), 1);
    }

    #[test]
    fn what_is_wrong_is_told_with_its_sink() {
        let sink = |rest: &str| format!("[[alerts.sinks]]\nname = \"ops\"\n{rest}\n");
        for (text, part) in [
            (sink("kind = \"webhook\"\nurl = \"https://x.test/\""), "needs `secret_env`"),
            (sink("kind = \"slack\"\nurl = \"ftp://x.test/\""), "no http or https address"),
            (sink("kind = \"slack\""), "either `url` or `url_env`"),
            (sink("kind = \"jsonl\"\npath = \"a\"\nurl = \"https://x.test/\""), "no use for `url`"),
            (sink("kind = \"pager\""), "pager"),
            (sink("kind = \"webhook\"\nsecret = \"plain\""), "secret"),
            (
                sink("kind = \"smtp\"\nhost = \"mail.test\"\ntls = \"none\"\nfrom = \"a@x.test\"\nto = [\"b@x.test\"]"),
                "only to this machine",
            ),
            (
                sink("kind = \"smtp\"\nhost = \"mail.test\"\nfrom = \"a@x.test\\nBcc: c@x.test\"\nto = [\"b@x.test\"]"),
                "no address for letters",
            ),
            (
                "[[alerts.suppress]]\nsubject = \"*\"\nreason = \"x\"\nexpires = \"2027-01-01\"\n".to_owned(),
                "keep everything back",
            ),
            (
                "[[alerts.suppress]]\nsubject = \"a\"\nreason = \"x\"\nexpires = \"never\"\n".to_owned(),
                "a date or an instant",
            ),
            ("[[alerts.suppress]]\nsubject = \"a\"\nreason = \"x\"\n".to_owned(), "expires"),
        ] {
            let error = alerts(&text).expect_err("refused");
            assert!(format!("{error:#}").contains(part), "{error:#}");
        }
    }
}
