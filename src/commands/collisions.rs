//! `capdex collisions`: names of tools and listings that unlike entities share, from the store.

use capdex_corpus::collision::{Collision, CollisionClass};
use capdex_model::fact::Severity;
use capdex_model::time::AsOf;
use serde_json::json;

use super::listed;
use crate::cli::{Collisions, Global};
use crate::exit::Exit;
use crate::output::{self, Out};

pub(super) fn run(global: &Global, options: &Collisions, out: &mut Out) -> anyhow::Result<Exit> {
    let collisions = super::reader(global)?.collisions()?;
    let items: Vec<_> = collisions.iter().map(to_json).collect();
    listed::print(options.format, "capdex.collisions/1", &items, out, |out| table(&collisions, out))?;
    Ok(Exit::Done)
}

/// A collision as the formats and the service give it.
pub(crate) fn to_json((collision, at): &(Collision, AsOf)) -> serde_json::Value {
    json!({
        "schema": "capdex.collisions/1",
        "of": collision.of,
        "class": collision.class.as_str(),
        "severity": collision.severity,
        "name": collision.name,
        "entity": collision.entity,
        "holder": collision.holder,
        "target": collision.target,
        "parties": collision.parties,
        "reasons": collision.reasons,
        "first_seen": at,
    })
}

/// What weighs something, each with its reasons; of the rest how many there are.
fn table(collisions: &[(Collision, AsOf)], out: &mut Out) -> anyhow::Result<()> {
    let weighs = |collision: &Collision| collision.severity > Severity::Info;
    for (collision, at) in collisions.iter().filter(|(collision, _)| weighs(collision)) {
        let severity = output::styled(output::severity_style(collision.severity), collision.severity.as_str());
        out.line(format_args!(
            "{severity}  {}  {} {}: {} -> {}  ({at})",
            collision.class.as_str(),
            collision.of,
            output::escape(&collision.name),
            output::escape(collision.holder.as_deref().unwrap_or("-")),
            output::escape(collision.target.as_deref().unwrap_or("-")),
        ))?;
        for reason in &collision.reasons {
            out.line(format_args!("    {}", output::escape(reason)))?;
        }
    }
    let of_class = |class: CollisionClass| collisions.iter().filter(|(collision, _)| collision.class == class).count();
    let weighty = collisions.iter().filter(|(collision, _)| weighs(collision)).count();
    out.line(format_args!(
        "{}; without weight: {} generic, {} with a rare name in common, {} with most of a toolset in common \
         (--format jsonl shows all).",
        output::count(u64::try_from(weighty)?, "collision"),
        output::count(u64::try_from(of_class(CollisionClass::Generic))?, "name"),
        output::count(u64::try_from(of_class(CollisionClass::Shared))?, "holder"),
        output::count(u64::try_from(of_class(CollisionClass::Derived))?, "pair"),
    ))?;
    Ok(())
}
