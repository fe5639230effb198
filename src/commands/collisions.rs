//! `capdex collisions`: names of tools and listings that unlike entities share, from the store.

use super::list_output;
use crate::cli::CollisionsArgs;
use crate::exit::Exit;
use crate::options::Global;
use crate::output::{self, Out};
use capdex_corpus::collision::CollisionClass;
use capdex_dataset::escape;
use capdex_dataset::views::collisions::{CollisionView, SCHEMA};

pub(super) fn run(global: &Global, options: &CollisionsArgs, out: &mut Out) -> anyhow::Result<Exit> {
    let collisions = super::reader(global)?.collisions()?;
    let views: Vec<CollisionView<'_>> = collisions.iter().map(CollisionView::of).collect();
    list_output::print(options.format, SCHEMA, &views, out, |out| table(&views, out))?;
    Ok(Exit::Done)
}

/// Collisions that weigh something, each with its reasons, and the number of the others.
fn table(collisions: &[CollisionView<'_>], out: &mut Out) -> anyhow::Result<()> {
    for collision in collisions.iter().filter(|collision| collision.weighs()) {
        let severity = output::styled(output::severity_style(collision.severity), collision.severity.as_str());
        out.line(format_args!(
            "{severity}  {}  {} {}: {} -> {}  ({})",
            collision.class.as_str(),
            collision.of,
            escape::escape(collision.name),
            escape::escape(collision.holder.unwrap_or("-")),
            escape::escape(collision.target.unwrap_or("-")),
            collision.first_seen,
        ))?;
        for reason in collision.reasons {
            out.line(format_args!("    {}", escape::escape(reason)))?;
        }
    }
    let of_class = |class: CollisionClass| collisions.iter().filter(|collision| collision.class == class).count();
    // The others are counted and not listed: generic names are thousands.
    let weighty = collisions.iter().filter(|collision| collision.weighs()).count();
    out.line(format_args!(
        "{}; without weight: {} generic, {} with a rare name in common, {} with most of a toolset in common \
         (--format jsonl shows all).",
        escape::count(u64::try_from(weighty)?, "collision"),
        escape::count(u64::try_from(of_class(CollisionClass::Generic))?, "name"),
        escape::count(u64::try_from(of_class(CollisionClass::Shared))?, "holder"),
        escape::count(u64::try_from(of_class(CollisionClass::Derived))?, "pair"),
    ))?;
    Ok(())
}
