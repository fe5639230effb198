//! `Capability`: one thing that an agent loads, found in a bundle.
//!
//! `decompose` finds capabilities, `rules` and `rubrics` judge them.

use serde::{Deserialize, Serialize};

use crate::digest::Digest;
use crate::foreign::is_foreign;
use crate::ids::CapabilityId;
pub use crate::kind::{Kind, ParseKindError};

/// The part that a capability plays for whoever installs its package.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CapabilityRole {
    /// It is offered to others.
    #[default]
    Offer,
    /// A project's own client configuration: it is judged, and no offer that a rank could recommend.
    Config,
}

impl CapabilityRole {
    /// The word that is stored and printed.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Offer => "offer",
            Self::Config => "config",
        }
    }

    /// True for what has a place in ranks.
    pub const fn is_ranked(self) -> bool {
        matches!(self, Self::Offer)
    }

    // Serde hands a field over by reference.
    #[expect(clippy::trivially_copy_pass_by_ref)]
    const fn is_offer(&self) -> bool {
        matches!(self, Self::Offer)
    }
}

/// One thing that an agent loads, or the unclaimed rest of a package.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Capability {
    /// The id, which stays from night to night.
    pub id: CapabilityId,
    /// The kind.
    pub kind: Kind,
    /// The part that it plays; left out where it is an offer.
    #[serde(default, skip_serializing_if = "CapabilityRole::is_offer")]
    pub role: CapabilityRole,
    /// The folder or file that anchors it inside the input; empty for the input's root.
    pub path: String,
    /// The name it gives itself, else that of its anchor. Untrusted text.
    pub name: String,
    /// `npm:@scope/name#kind:path` in lower-case kebab.
    pub slug: String,
    /// The paths of its files in the bundle, sorted. Every file of a bundle is in exactly one capability's list.
    pub files: Vec<String>,
    /// The digest over its files.
    pub content: Digest,
}

impl Capability {
    /// The paths of its variants: the copies of its text for other agents, and its translations. Of skills and rules
    /// files alone; each of them would be a capability of its own otherwise.
    pub fn variants(&self) -> impl Iterator<Item = &str> {
        let is_text = |path: &&str| match self.kind {
            Kind::Skill => {
                let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
                name.eq_ignore_ascii_case("skill.md") && folder != self.path
            }
            Kind::Rules => *path != self.path,
            _ => false,
        };
        // A sample of a test belongs to the skill around it, and is no variant of it.
        self.files.iter().map(String::as_str).filter(is_text).filter(|path| !is_foreign(path))
    }
}
