//! `NumberedFact`: a fact with the number of its rule, either owned or shared with other capabilities.
//!
//! The number is the rule's place in its [`RuleDefaults`](super::RuleDefaults): rubrics count by number, not by name.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::sync::Arc;

use serde::{Serialize, Serializer};

use crate::fact::Fact;

use super::canonical;
use super::default_fact::DefaultFact;

/// One fact about one capability.
#[derive(Clone, Debug)]
pub struct NumberedFact {
    /// None for a rule that this rule set does not have.
    number: Option<usize>,
    held: Held,
}

#[derive(Clone, Debug)]
enum Held {
    Shared(Arc<DefaultFact>),
    Own(Box<Fact>),
}

impl NumberedFact {
    /// A fact that many capabilities share.
    pub(super) const fn shared(number: usize, fact: Arc<DefaultFact>) -> Self {
        Self { number: Some(number), held: Held::Shared(fact) }
    }

    /// A fact of this capability alone.
    pub fn own(number: Option<usize>, fact: Fact) -> Self {
        Self { number, held: Held::Own(Box::new(fact)) }
    }

    /// The number of the rule; none for a rule of another rule set.
    pub const fn number(&self) -> Option<usize> {
        self.number
    }

    /// The fact itself.
    pub fn fact(&self) -> &Fact {
        match &self.held {
            Held::Shared(shared) => shared.fact(),
            Held::Own(fact) => fact,
        }
    }

    /// The canonical text of the fact.
    pub(super) fn canonical(&self) -> Cow<'_, str> {
        match &self.held {
            Held::Shared(shared) => Cow::Borrowed(shared.canonical()),
            Held::Own(fact) => Cow::Owned(canonical::of_fact(fact)),
        }
    }

    /// The fact, to be changed. A shared fact is copied first.
    pub fn fact_mut(&mut self) -> &mut Fact {
        if let Held::Shared(shared) = &self.held {
            self.held = Held::Own(Box::new(shared.fact().clone()));
        }
        match &mut self.held {
            Held::Own(fact) => fact,
            Held::Shared(_) => unreachable!("a shared fact was copied above"),
        }
    }

    /// The order of facts: place, then rule, outcome and evidence.
    pub(super) fn order(&self, other: &Self) -> Ordering {
        let (a, b) = (self.fact(), other.fact());
        // Numbers are in the order of ids, and quicker to compare.
        let rules = || match (self.number, other.number) {
            (Some(a), Some(b)) => a.cmp(&b),
            _ => a.rule.cmp(&b.rule),
        };
        let placed = match (a.is_placed(), b.is_placed()) {
            (false, false) => Ordering::Equal,
            _ => a.place.cmp(&b.place),
        };
        placed.then_with(rules).then_with(|| (a.outcome, &a.evidence).cmp(&(b.outcome, &b.evidence)))
    }
}

impl PartialEq for NumberedFact {
    fn eq(&self, other: &Self) -> bool {
        match (&self.held, &other.held) {
            (Held::Shared(one), Held::Shared(other)) if Arc::ptr_eq(one, other) => true,
            _ => self.fact() == other.fact(),
        }
    }
}

impl Serialize for NumberedFact {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.fact().serialize(serializer)
    }
}
