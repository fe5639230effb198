//! `Capability`: one thing that an agent loads, found in a bundle.
//!
//! `decompose` finds capabilities, `rules` and `rubrics` judge them.

use serde::{Deserialize, Serialize};

use crate::digest::Digest;
use crate::ids::CapabilityId;
pub use crate::kind::{Kind, ParseKindError};

/// One thing that an agent loads, or the unclaimed rest of a package.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Capability {
    /// The id, which stays from night to night.
    pub id: CapabilityId,
    /// The kind.
    pub kind: Kind,
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
