//! Takes servers, skills and rules apart into units: each scan once, from the stored bytes.

use std::path::Path;

use anyhow::Context as _;
use capdex_db::{Reader, StoreError, Unprepared};
use capdex_evidence::Evidence;
use capdex_evidence::decompose::decompose_counted;
use capdex_evidence::subject::Subject;
use capdex_judge::unit::{JudgePart, parts};
use capdex_model::bundle::Bundle;
use capdex_model::capability::Kind;

use super::run::keep;

/// Servers that are written in one transaction.
const AT_ONCE: usize = 50;

/// Takes apart what was scanned since of some kinds; how many. What has no bytes any more stays as it is.
///
/// # Errors
/// Errors of the store.
pub fn prepare(path: &Path, kinds: &[Kind]) -> anyhow::Result<usize> {
    let reader = Reader::open(path, &capdex_rules::INDEX)
        .with_context(|| format!("failed to open the store {}", path.display()))?;
    let mut servers = reader.unprepared(kinds)?;
    // Servers of one package are next to each other, and its bytes are read once.
    servers.sort_by(|one, other| (&one.identity, one.id).cmp(&(&other.identity, other.id)));
    let mut taken = 0;
    for some in servers.chunks(AT_ONCE) {
        let mut found: Vec<(Unprepared, Vec<JudgePart>)> = Vec::new();
        for of_package in some.chunk_by(|one, other| one.snapshot == other.snapshot) {
            let Some(first) = of_package.first() else { continue };
            let bundle = match reader.bundle(first.snapshot) {
                Err(StoreError::Pruned { .. }) => continue,
                other => other?,
            };
            found.extend(of_bundle(&bundle, of_package));
        }
        taken += found.len();
        keep(path, move |decisions| {
            found.iter().try_for_each(|(server, parts)| decisions.put_judge_parts(server, parts))
        })?;
    }
    Ok(taken)
}

fn of_bundle(bundle: &Bundle, servers: &[Unprepared]) -> Vec<(Unprepared, Vec<JudgePart>)> {
    let evidence = Evidence::gather(bundle);
    let (capabilities, _) = decompose_counted(bundle, &evidence);
    let of = |server: &Unprepared| {
        let capability = capabilities.iter().find(|capability| capability.id == server.id)?;
        let subject = Subject { capability, evidence: &evidence, claims: &bundle.claims, gaps: &[] };
        Some((server.clone(), parts(&subject, &bundle.identity)))
    };
    servers.iter().filter_map(of).collect()
}
