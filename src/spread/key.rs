//! `Key`: what one piece of work is about, by content. Work on the same key gives the same result.

use capdex_model::bundle::Bundle;
use capdex_model::digest::Digest;
use capdex_model::listing::Claims;
use capdex_model::snapshot::Gap;
use serde::{Deserialize, Serialize};

/// The identity, the bytes, the claims and the gaps of one input. Nothing else of it reaches an analysis.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Key {
    /// The identity, from which the ids of capabilities are derived. Untrusted text.
    pub subject: String,
    /// The digest over all files.
    pub tree: Digest,
    /// The digest of the claims.
    pub claims: Digest,
    /// The digest of the gaps, in their order.
    pub gaps: Digest,
}

impl Key {
    /// The key of an input whose tree is known already.
    pub fn new(subject: &str, tree: Digest, claims: &Claims, gaps: &[Gap]) -> Self {
        let (claims, gaps) = (Digest::of_json(claims), Digest::of_json(&gaps));
        Self { subject: subject.to_owned(), tree, claims, gaps }
    }

    /// The key of a bundle.
    pub fn of(bundle: &Bundle) -> Self {
        Self::new(&bundle.identity, bundle.tree(), &bundle.claims, &bundle.gaps)
    }

    /// The digest of the key.
    pub fn digest(&self) -> Digest {
        let Self { subject, tree, claims, gaps } = self;
        Digest::of_fields([subject.as_bytes(), tree.as_bytes(), claims.as_bytes(), gaps.as_bytes()])
    }
}
