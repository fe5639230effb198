//! Names under which attacks were published.
//!
//! A weak sign and never a verdict: a name that was taken down may be taken by somebody honest.

use crate::FactSink;
use capdex_evidence::subject::Subject;
use capdex_model::capability::Kind;
use capdex_model::fact::Place;

use super::name_known::TAKEN_DOWN;

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    let capability = subject.capability;
    // The names were taken down as skills; a package that is called so is something else.
    if !matches!(capability.kind, Kind::Skill | Kind::Plugin) {
        return facts.not_applicable();
    }
    let folder = capability.path.trim_end_matches("/SKILL.md").rsplit('/').next().unwrap_or_default().to_lowercase();
    let name = capability.name.to_lowercase();
    let slug = capability.slug.to_lowercase();
    let is_it = |known: &&&str| match known.split_once('/') {
        // A common name was an attack by one publisher only: both parts must be met.
        Some((publisher, known)) => (name == known || folder == known) && slug.contains(publisher),
        None => name == **known || folder == **known,
    };
    if let Some(known) = TAKEN_DOWN.iter().find(is_it) {
        facts.found(Place::default(), known);
    }
}
