//! `Suppression`: alerts that an operator never wants to be told of, with a reason and an end.
//!
//! It comes from the operator's own configuration, never from anything that a target publishes.

use serde::{Deserialize, Serialize};

use crate::digest::Digest;
use crate::time::{AsOf, Timestamp};
use crate::wildcard::fits;

use super::Alert;
use super::origin::Origin;

/// One line of an operator's. A field that is none fits everything; at least one is given.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Suppression {
    /// The subjects: artifacts as their registry names them (`npm:@scope/name`), capability ids, or names of what is
    /// no capability; `*` stands for any text.
    pub subject: Option<String>,
    /// The rules, `pass/class`; `*` stands for any text.
    pub rule: Option<String>,
    /// The content.
    pub content: Option<Digest>,
    /// Why.
    pub reason: String,
    /// From when on it holds no more.
    pub expires: Timestamp,
}

impl Suppression {
    /// True where it narrows anything down at all.
    pub fn is_narrow(&self) -> bool {
        // `*` alone would silence everything, also what nobody has thought of.
        let says = |pattern: &Option<String>| pattern.as_ref().is_some_and(|text| text.contains(|one| one != '*'));
        says(&self.subject) || says(&self.rule) || self.content.is_some()
    }

    fn covers(&self, alert: &Alert, origin: Option<&Origin>, now: AsOf) -> bool {
        // Never by the readable name of a capability: anybody can publish another one whose name reads the same.
        let artifact = origin.and_then(|origin| origin.artifact.as_deref());
        let subject = |pattern: &String| {
            fits(pattern, &alert.about()) || artifact.is_some_and(|artifact| fits(pattern, artifact))
        };
        now.0 < self.expires
            && self.subject.as_ref().is_none_or(subject)
            && self.rule.as_ref().is_none_or(|pattern| fits(pattern, &alert.rule()))
            // An alert about no content is covered by no line that names one.
            && self.content.is_none_or(|content| Some(content) == alert.content)
    }
}

/// The first line that keeps an alert back at an instant.
pub fn covering<'a>(
    suppressions: &'a [Suppression],
    alert: &Alert,
    origin: Option<&Origin>,
    now: AsOf,
) -> Option<&'a Suppression> {
    suppressions.iter().find(|suppression| suppression.covers(alert, origin, now))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{alert, night};
    use super::*;
    use crate::fact::Severity;

    #[test]
    fn all_that_is_given_must_fit_and_it_ends() {
        let given = alert("a", Severity::High);
        let line = |subject: Option<&str>, rule: Option<&str>, content| Suppression {
            subject: subject.map(Into::into),
            rule: rule.map(Into::into),
            content,
            reason: "our own".into(),
            expires: night(5).0,
        };
        let covers = |line: Suppression, now| covering(&[line], &given, None, night(now)).is_some();
        assert!(covers(line(Some("s-*"), Some("drift/*"), given.content), 4));
        assert!(!covers(line(Some("s-*"), Some("drift/*"), given.content), 5), "expired");
        assert!(!covers(line(Some("t-*"), Some("drift/*"), None), 4));
        assert!(!covers(line(Some("s-a"), Some("campaigns/*"), None), 4));
        assert!(!covers(line(None, None, Some(Digest::of(b"other"))), 4));
        assert!(line(None, Some("a*"), None).is_narrow());
        assert!(!line(Some("**"), None, None).is_narrow());
    }

    #[test]
    fn a_twin_of_the_readable_name_is_not_covered() {
        let id = crate::ids::CapabilityId(Digest::of(b"twin"));
        let given =
            Alert { capability: Some(id), subject: "npm-acme-mcp-package".into(), ..alert("a", Severity::High) };
        let of = |artifact: &str| Origin { artifact: Some(artifact.into()), ..Origin::default() };
        let covers = |subject: &str, origin: &Origin| {
            let line = Suppression {
                subject: Some(subject.into()),
                rule: None,
                content: None,
                reason: "our own".into(),
                expires: night(5).0,
            };
            covering(&[line], &given, Some(origin), night(1)).is_some()
        };
        assert!(covers("npm:acme-mcp", &of("npm:acme-mcp")));
        assert!(covers("npm:acme-*", &of("npm:acme-mcp")));
        assert!(covers(&id.to_string(), &of("npm:acme-mcp")));
        assert!(!covers("npm:acme-mcp", &of("npm:@acme/mcp")));
        assert!(!covers("npm-acme-mcp-package", &of("npm:acme_mcp")), "a readable name is nobody's own");
    }
}
