//! A collision: a name of a tool or listing that unlike entities share.

use capdex_corpus::collision::{Collision, CollisionClass};
use capdex_model::fact::Severity;
use capdex_model::time::AsOf;
use serde::Serialize;

/// The schema of a list of collisions, and of each.
pub const SCHEMA: &str = "capdex.collisions/1";

/// A collision. Texts come from strangers: escape them where they are shown.
#[derive(Clone, Debug, Serialize)]
pub struct CollisionView<'a> {
    /// The kind of collision.
    pub class: CollisionClass,
    /// The entity that came later, or that shares the name; none for a name of many.
    pub entity: Option<&'a str>,
    /// The night that found it first.
    pub first_seen: AsOf,
    /// The capability or listing of that entity that has the name.
    pub holder: Option<&'a str>,
    /// The name, folded.
    pub name: &'a str,
    /// The kind of thing that is named: `tool` or `listing`.
    pub of: &'a str,
    /// Parties that have the name and no publisher in common.
    pub parties: u64,
    /// The reasons, one a line.
    pub reasons: &'a [String],
    /// [`SCHEMA`].
    pub schema: &'static str,
    /// The severity; `info` weighs nothing.
    pub severity: Severity,
    /// The earlier entity.
    pub target: Option<&'a str>,
}

impl<'a> CollisionView<'a> {
    /// The view of a collision of the store and the night that found it first.
    pub fn of((collision, first_seen): &'a (Collision, AsOf)) -> Self {
        Self {
            class: collision.class,
            entity: collision.entity.as_deref(),
            first_seen: *first_seen,
            holder: collision.holder.as_deref(),
            name: &collision.name,
            of: &collision.of,
            parties: collision.parties,
            reasons: &collision.reasons,
            schema: SCHEMA,
            severity: collision.severity,
            target: collision.target.as_deref(),
        }
    }

    /// True where it is a finding: the others are facts without weight.
    pub fn weighs(&self) -> bool {
        self.severity > Severity::Info
    }
}
