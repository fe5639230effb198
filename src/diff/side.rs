//! Sides of a comparison that are targets of `check`: packages, repositories and endpoints.

use crate::check;
use crate::check::answer::Refusal;
use crate::check::registries::{FetchedPackage, Registries};
use crate::check::stored::StoredAnswers;
use crate::check::target::{CheckSubject, CheckTarget};
use crate::config::Resolved;
use crate::jobs::run;

use super::DiffSide;
use capdex_model::time::AsOf;

/// A side as its registry has it now.
///
/// # Errors
/// A target that cannot be fetched, with the reason.
pub fn fetched(target: &CheckTarget, resolved: &Resolved, at: AsOf) -> anyhow::Result<DiffSide> {
    let own = match &target.subject {
        CheckSubject::Endpoint { url, is_own: true } => vec![url.clone()],
        _ => Vec::new(),
    };
    let of = |refusal: Refusal| anyhow::anyhow!("{}: {}", target.name, refusal.reason);
    let question = check::question(resolved, &target.subject).map_err(of)?;
    let registries = Registries::open(resolved, &own, None, at)?;
    let package = run::runtime()?.block_on(registries.package(&question)).map_err(of)?;
    Ok(of_package(target, package))
}

/// A side as the store keeps its files.
///
/// # Errors
/// A target whose files the store does not keep, and errors of the store.
pub fn stored(target: &CheckTarget, resolved: &Resolved, store: Option<&StoredAnswers>) -> anyhow::Result<DiffSide> {
    let of = |refusal: Refusal| anyhow::anyhow!("{}: {}", target.name, refusal.reason);
    let question = check::question(resolved, &target.subject).map_err(of)?;
    // A commit is not kept by its name.
    let store = store.filter(|_| question.commit.is_none());
    let package = store.map(|store| store.files(&question.key)).transpose()?.flatten();
    let package = package.ok_or_else(|| of(Refusal::of("the store does not keep its files; --offline")))?;
    Ok(of_package(target, package))
}

/// A side of files that are there.
pub fn of_package(target: &CheckTarget, package: FetchedPackage) -> DiffSide {
    DiffSide { name: target.name.clone(), version: package.version, bundle: package.bundle }
}
