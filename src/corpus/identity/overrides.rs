//! The operator's file: which listings are one and which stand apart, whatever the evidence says.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use capdex_model::digest::Digest;
use capdex_model::ids::ListingKey;

/// The operator's decisions. TOML: `[[join]]` and `[[part]]`, each with `listings` and `reason`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Overrides {
    /// Listings that are one thing.
    pub join: Vec<OverrideDecision>,
    /// Listings that are one thing with each other and with nothing else, until a `join` says so.
    pub part: Vec<OverrideDecision>,
}

/// One decision.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OverrideDecision {
    /// The listings, as `source:name`.
    pub listings: Vec<ListingKey>,
    /// Why: kept with the edge and shown with it.
    pub reason: String,
}

/// An error in an operator's file.
#[derive(Debug, thiserror::Error)]
pub enum OverridesError {
    /// It is no TOML of this shape.
    #[error("{0}")]
    Shape(#[from] toml::de::Error),
    /// A decision without a reason, which nobody could check later.
    #[error("the decision over {0} gives no reason")]
    NoReason(String),
    /// A decision over too few listings to decide anything.
    #[error("a join needs two listings or more, a part one or more: {0}")]
    TooFew(String),
    /// A listing that stands in two parts.
    #[error("{0} is parted twice")]
    PartedTwice(ListingKey),
}

impl Overrides {
    /// Reads the file's text.
    ///
    /// # Errors
    /// The error, in words.
    pub fn read(text: &str) -> Result<Self, OverridesError> {
        let overrides: Self = toml::from_str(text)?;
        for (decisions, least) in [(&overrides.join, 2), (&overrides.part, 1)] {
            for decision in decisions {
                if decision.reason.trim().is_empty() {
                    return Err(OverridesError::NoReason(decision.names()));
                }
                if decision.listings.iter().collect::<BTreeSet<_>>().len() < least {
                    return Err(OverridesError::TooFew(decision.names()));
                }
            }
        }
        let mut parted = BTreeSet::new();
        for listing in overrides.part.iter().flat_map(|decision| &decision.listings) {
            if !parted.insert(listing) {
                return Err(OverridesError::PartedTwice(listing.clone()));
            }
        }
        Ok(overrides)
    }

    /// The text that tells one set of decisions from another.
    pub fn digest(&self) -> Digest {
        Digest::of_json(self)
    }
}

impl OverrideDecision {
    /// Its listings as text.
    pub(super) fn names(&self) -> String {
        self.listings.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_and_what_decides_nothing_is_refused() {
        let text = "[[join]]\nlistings = [\"npm:a\", \"glama:b\"]\nreason = \"asked them\"\n\
                    [[part]]\nlistings = [\"npm:c\"]\nreason = \"another author\"\n";
        let read = Overrides::read(text).expect("a file");
        assert_eq!(read.join[0].names().as_str(), "npm:a, glama:b");
        assert_eq!(read.part.len(), 1);
        for (text, part) in [
            ("[[join]]\nlistings = [\"npm:a\", \"npm:a\"]\nreason = \"x\"", "two listings"),
            ("[[part]]\nlistings = []\nreason = \"x\"", "two listings"),
            ("[[part]]\nlistings = [\"npm:a\"]\nreason = \" \"", "no reason"),
            ("[[part]]\nlistings = [\"npm\"]\nreason = \"x\"", "source:name"),
            ("[[parts]]\nlistings = [\"npm:a\"]\nreason = \"x\"", "parts"),
            (
                "[[part]]\nlistings = [\"npm:a\"]\nreason = \"x\"\n[[part]]\nlistings = [\"npm:a\"]\nreason = \"y\"",
                "twice",
            ),
        ] {
            let error = Overrides::read(text).expect_err("refused");
            assert!(error.to_string().contains(part), "{error}");
        }
    }
}
