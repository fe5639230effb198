//! Identity: settles which listings are one thing, and tells what became of who stands behind a name.
//!
//! Decisions are made by the pass in core. Only what changed is written.

use std::collections::{BTreeMap, BTreeSet};

use capdex_corpus::corpus::{Corpus, CorpusMember};
use capdex_corpus::established::PopularityByEntity;
use capdex_corpus::identity::{
    self, EventKind, Given, Identified, IdentityAnchors, IdentityEvent, Look, Proofs, Statement,
};
use capdex_db::Reader;
use capdex_model::alert::{Alert, AlertEvidence, reach_of};
use capdex_model::fact::Severity;
use capdex_model::ids::ListingKey;

use super::super::{JobContext, StageReport, join};

/// Settles the entities of all listings.
///
/// # Errors
/// Errors of the store.
pub(super) fn run(context: &JobContext) -> anyhow::Result<StageReport> {
    let reader = context.store.reader()?;
    // Manifests of repositories are proofs for the joins below.
    join::read_repositories(context)?;
    let mut statements = reader.statements(&capdex_crawlers::roles())?;
    // Sorted, because entities must not depend on the order in which directories are read.
    identity::sort(&mut statements);
    let before = reader.anchors()?;
    let mut given = Given {
        proofs: Proofs { manifests: reader.manifests()?, skills: reader.skill_folders()? },
        overrides: context.overrides.clone(),
        known: reader.known_entities()?,
        replaced: BTreeSet::new(),
    };
    let mut identified = identity::identify(&statements, &given);
    let mut looks = identity::anchors(&statements, &identified, &before, context.as_of);
    // Names that changed hands must not inherit the entity of before: those are taken out, and the rest is joined once more.
    given.replaced = replaced(&before, &looks, context);
    if !given.replaced.is_empty() {
        identified = identity::identify(&statements, &given);
        looks = identity::anchors(&statements, &identified, &before, context.as_of);
    }
    let items = u64::try_from(statements.len())?;
    let standings = established_entities(statements, &identified);
    // Kept while they are still known: once a listing is gone its content is the only trace by which a copy is found.
    let untold = reader.untold_contents()?;
    context.store.write(move |writer| writer.keep_contents(&untold))?;
    let contents = reader.contents_of_gone()?;
    // Standing is asked for, because a change behind a name matters where people had the time to rely on it.
    let is_relied_on = |entity: &str| standings.long_before(entity, context.as_of.0).is_some();
    let events = identity::events(&before, &looks, &contents, is_relied_on, context.as_of);
    // Events stay true for ever, and one that is stored is not told twice.
    let known: BTreeSet<String> = reader.identity_events()?.into_iter().map(|event| event.key).collect();
    let events = events.into_iter().filter(|event| !known.contains(&event.key)).collect();
    let changed = changed(&reader, identified)?;
    let done = write(context, changed, (&before, looks), events, &standings)?;
    Ok(StageReport { items, done, ..StageReport::default() })
}

/// The listings whose artefact is another one than before, under the same name.
fn replaced(before: &IdentityAnchors, looks: &BTreeMap<String, Look>, context: &JobContext) -> BTreeSet<ListingKey> {
    // Without contents or standing: only the change of artefact is asked for here.
    let events = identity::events(before, looks, &BTreeMap::new(), |_| false, context.as_of);
    let is_other = |event: &&IdentityEvent| {
        matches!(event.kind, EventKind::RepositoryRecreated | EventKind::PackageReregistered)
            // A recreated name that weighs nothing stays with its entity.
            && event.severity > Severity::Info
    };
    events.iter().filter(is_other).filter_map(|event| event.subject.parse().ok()).collect()
}

fn established_entities(statements: Vec<Statement>, identified: &[Identified]) -> PopularityByEntity {
    let members = statements.into_iter().zip(identified);
    let members = members.map(|(said, of)| CorpusMember { entity: of.entity.clone(), ..said.member });
    PopularityByEntity::of(&Corpus::new(members.collect()))
}

/// The entities that differ from those stored.
fn changed(reader: &Reader, identified: Vec<Identified>) -> anyhow::Result<Vec<Identified>> {
    let stored: BTreeMap<ListingKey, Identified> =
        reader.identified()?.into_iter().map(|of| (of.listing.clone(), of)).collect();
    Ok(identified.into_iter().filter(|of| stored.get(&of.listing) != Some(of)).collect())
}

/// Stores everything in one transaction; gives the number of new things.
fn write(
    context: &JobContext,
    changed: Vec<Identified>,
    (before, looks): (&IdentityAnchors, BTreeMap<String, Look>),
    events: Vec<IdentityEvent>,
    standings: &PopularityByEntity,
) -> anyhow::Result<u64> {
    let anchors = looks.into_iter().map(|(subject, look)| (subject, look.into_anchor()));
    // Anchors that stayed are not written, so that a quiet night leaves the file as it was.
    let anchors: Vec<_> = anchors.filter(|(subject, anchor)| before.get(subject) != Some(anchor)).collect();
    let alerts: Vec<Alert> = events.iter().filter_map(|event| alert(event, standings)).collect();
    let at = context.as_of;
    let done = context.store.write(move |writer| {
        for of in &changed {
            writer.put_entity(of, at)?;
        }
        for (subject, anchor) in &anchors {
            writer.keep_anchor(subject, anchor)?;
        }
        let mut done = u64::try_from(changed.len()).unwrap_or(u64::MAX);
        for event in &events {
            done += u64::from(writer.record_identity_event(event)?);
        }
        for alert in &alerts {
            writer.raise(alert, at)?;
        }
        Ok(done)
    })?;
    Ok(done)
}

/// The alert for a person; none for what is only worth knowing.
fn alert(event: &IdentityEvent, standings: &PopularityByEntity) -> Option<Alert> {
    if event.severity == Severity::Info {
        return None;
    }
    let (title, why, fix) = words(event);
    let standing = standings.get(&event.entity);
    Some(Alert {
        key: format!("identity:{}", event.key),
        pass: "identity".into(),
        class: event.kind.as_str().into(),
        capability: None,
        subject: event.subject.clone(),
        severity: event.severity,
        title,
        why: why.into(),
        fix: fix.into(),
        content: None,
        details: event.details.clone(),
        evidence: vec![evidence(event)],
        diff: Vec::new(),
        scores: Vec::new(),
        members: Vec::new(),
        reproduce: "capdex export DIR --format jsonl  (table identity_events)".into(),
        reach: reach_of(standing.and_then(|standing| standing.popularity)),
    })
}

/// What was there before and what is there now.
fn evidence(event: &IdentityEvent) -> AlertEvidence {
    let change = format!("{} -> {}", event.before, event.after);
    let evidence = AlertEvidence::about(event.kind.as_str(), &event.subject, &change);
    AlertEvidence { severity: Some(event.severity), ..evidence }
}

fn words(event: &IdentityEvent) -> (String, &'static str, &'static str) {
    let subject = &event.subject;
    match event.kind {
        EventKind::RepositoryRenamed => (
            format!("{subject} is {} now", event.after),
            "Who names a repository by its old name reaches it as long as nobody takes that name.",
            "Use the new name.",
        ),
        EventKind::RepositoryTransferred => (
            format!("{subject} belongs to somebody else now: {}", event.after),
            "Another account decides what is published from the repository, and the old name may be taken by anybody.",
            "Ask whether the transfer was meant, and use the new name.",
        ),
        EventKind::RepositoryRecreated => (
            format!("{subject} is another repository than before"),
            "The repository of this name was deleted or moved, and somebody made another one under the same name: whoever installs by name gets a stranger's code.",
            "Do not use the name until its owner is known; pin a commit of the repository that you trust.",
        ),
        EventKind::ListingResurrected => (
            format!("{subject} was gone and is back as somebody else's"),
            "Trust and installations of before go to whoever has the name now.",
            "Look at it as at something new.",
        ),
        EventKind::PackageReregistered => (
            format!("the name {subject} was given out again, to somebody else"),
            "Whoever installs the package by its name gets a stranger's code.",
            "Remove it, or pin a version and digest of before; look at it as at something new.",
        ),
        EventKind::ReturnedElsewhere => (
            format!("{subject} is gone, and somebody else lists the same: {}", event.after),
            "What was taken down comes back under another name, or a copy takes the place of what its author withdrew.",
            "Find out why the first listing is gone before using the other.",
        ),
    }
}
