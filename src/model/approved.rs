//! `ApprovedNames`: the operator's own list of what may be used.
//!
//! It says nothing of content: whoever publishes under a name that is on it is approved.

use serde::Serialize;

use crate::claim::Claim;
use crate::release_line;
use crate::wildcard;

/// The names that an operator approves: packages and listings as capdex prints them (`npm:@acme/tides`, `github:acme/tides`,
/// `clawhub:tides`); `*` stands for any text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct ApprovedNames(Option<Vec<String>>);

impl ApprovedNames {
    /// The list that was given; none where there is none, which forbids nothing. An empty list approves nothing.
    pub const fn of(names: Option<Vec<String>>) -> Self {
        Self(names)
    }

    /// True where there is no list.
    pub const fn is_none(&self) -> bool {
        self.0.is_none()
    }

    /// Whether something with these names is on the list; unknown without a list. A release line is on it with its package.
    pub fn has<'a>(&self, names: impl IntoIterator<Item = &'a str>) -> Claim<bool> {
        let Some(approved) = &self.0 else { return Claim::Unknown };
        let is_approved = |name: &str| {
            let package = release_line::package_of_identity(name);
            approved.iter().any(|pattern| wildcard::fits(pattern, name) || wildcard::fits(pattern, &package))
        };
        Claim::Known(names.into_iter().any(is_approved))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_approved_by_itself_or_by_a_pattern_and_nothing_is_forbidden_without_a_list() {
        let list = |names: &[&str]| ApprovedNames::of(Some(names.iter().map(|name| (*name).to_owned()).collect()));
        let acme = list(&["npm:tides", "github:acme/*"]);
        assert_eq!(acme.has(["npm:tides"]), Claim::Known(true));
        assert_eq!(acme.has(["clawhub:x", "github:acme/tools"]), Claim::Known(true));
        assert_eq!(acme.has(["npm:tides-kit"]), Claim::Known(false));
        assert_eq!(acme.has(["pypi:tides"]), Claim::Known(false));
        assert_eq!(list(&[]).has(["npm:tides"]), Claim::Known(false));
        assert_eq!(ApprovedNames::default().has(["npm:tides"]), Claim::Unknown);
    }
}
