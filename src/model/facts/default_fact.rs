//! `DefaultFact`: a fact that many capabilities share, with its canonical text.

use std::sync::Arc;

use crate::fact::Fact;

use super::canonical;

/// A fact that many capabilities share, with its canonical text: digests write hundreds of them.
#[derive(Debug)]
pub(super) struct DefaultFact {
    fact: Fact,
    canonical: String,
}

impl DefaultFact {
    /// Wraps a fact and writes its canonical text.
    pub(super) fn new(fact: Fact) -> Arc<Self> {
        Arc::new(Self { canonical: canonical::of_fact(&fact), fact })
    }

    /// The fact itself.
    pub(super) const fn fact(&self) -> &Fact {
        &self.fact
    }

    /// The canonical text of the fact.
    pub(super) fn canonical(&self) -> &str {
        &self.canonical
    }
}
