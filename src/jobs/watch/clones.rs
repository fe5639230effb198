//! Clones: puts what stands into families, says who copied whom and what the copy added.
//!
//! Contents are sketched once. A copy is compared with its original text by text when the pair is new; what was found
//! stays with it. Judging is left to the pass in core.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use capdex_corpus::clone::{
    Copy, Difference, Judged, OrderBasis, Sketch, SketchedCapability, basis, difference, families, is_one_text, judge,
    original,
};
use capdex_db::{FamilyMember, Reader};
use capdex_model::alert::{Alert, AlertEvidence, MOST_EVIDENCE, reach_of};
use capdex_model::bundle::BundleFile;
use capdex_model::digest::Digest;
use capdex_model::fact::Severity;
use capdex_model::facts::SparseFacts;
use capdex_model::ids::CapabilityId;
use capdex_model::time::Timestamp;

use super::active_capabilities::{ActiveCapabilities, ActiveCapability, files_of, sketch_unseen};
use super::{JobContext, StageReport};
use crate::progress::StageProgress;

/// Lines of each kind that an alert shows.
const SHOWN: usize = 12;
/// Rows that are written in one transaction.
const BATCH: usize = 512;

/// Finds the families and raises copies that do what their originals do not.
///
/// # Errors
/// Errors of the store.
pub(super) fn run(context: &JobContext, active: &ActiveCapabilities) -> anyhow::Result<StageReport> {
    sketch_unseen(context)?;
    // Unsketched contents would look like members that left their families, so a stopped run compares nothing.
    if context.stop.is_asked() {
        return Ok(StageReport::default());
    }
    let reader = context.store.reader()?;
    let standing = active.all(&reader)?;
    let found = found(&reader, standing)?;
    let mut report = StageReport { items: standing.len() as u64, ..StageReport::default() };
    let progress = StageProgress::stage("watch", Some(found.len() as u64), context.quiet);
    let mut pairs = Pairs { reader: &reader, original: None };
    let (mut there, mut changed) = (BTreeSet::new(), Vec::new());
    for family in found {
        progress.advance(1);
        there.extend(family.iter().map(|(member, _)| member.id));
        changed.extend(pairs.family(&family)?);
    }
    progress.finish();
    let known = reader.family_originals()?;
    let gone = known.into_keys().filter(|member| !there.contains(member)).collect();
    report.done = write(context, gone, changed)?;
    Ok(report)
}

/// The members of a family, each with the night that first saw the text in it.
type Family<'a> = Vec<(&'a ActiveCapability, Timestamp)>;

/// The night from which on a capability has had the text that it has now, with whatever changes. What it was before, under
/// the same name, says nothing about who copied whom.
fn text_since(
    reader: &Reader,
    sketches: &BTreeMap<Digest, Sketch>,
    one: &ActiveCapability,
) -> anyhow::Result<Timestamp> {
    // Most were met in the snapshot that stands, and have no other text before it.
    if one.first_seen == one.revision_as_of {
        return Ok(one.first_seen.0);
    }
    let now = sketches.get(&one.content);
    let history = reader.capability_history(&one.id)?;
    let is_same = |content: &Digest| {
        *content == one.content || now.zip(sketches.get(content)).is_some_and(|(now, then)| is_one_text(now, then))
    };
    let since = history.iter().rev().take_while(|revision| is_same(&revision.content)).last();
    Ok(since.map_or(one.first_seen, |revision| revision.snapshot_as_of).0)
}

/// The families that go beyond one thing, each with its original first.
fn found<'a>(reader: &Reader, standing: &'a [ActiveCapability]) -> anyhow::Result<Vec<Family<'a>>> {
    let sketches = reader.sketches()?;
    // Packages have traits and no sketch: their text repeats that of the capabilities inside.
    let sketched: Vec<&ActiveCapability> = standing.iter().filter(|one| sketches.contains_key(&one.content)).collect();
    let items = sketched.iter().filter_map(|one| {
        let sketch = sketches.get(&one.content)?;
        // Earliest first, then most popular: the member that leads a family when nothing else is known.
        let rank = (one.first_seen, Reverse(one.popularity), one.created, one.id);
        Some(SketchedCapability { kind: one.kind, rank, sketch })
    });
    let items: Vec<_> = items.collect();
    let mut found = Vec::new();
    for family in families(&items) {
        let members: Vec<&ActiveCapability> = family.iter().filter_map(|at| sketched.get(*at).copied()).collect();
        // Versions of one thing resemble each other, and that is no news.
        if members.iter().all(|member| members.first().is_some_and(|first| first.entity == member.entity)) {
            continue;
        }
        let mut members = members
            .into_iter()
            .map(|member| Ok((member, text_since(reader, &sketches, member)?)))
            .collect::<anyhow::Result<Vec<_>>>()?;
        let seen: Vec<_> = members.iter().map(|(member, since)| member.seen(*since)).collect();
        let first = mildest(reader, &members, original(&seen))?;
        // The original moves to the front, and the order of the others stays.
        members.get_mut(..=first).into_iter().for_each(|senior| senior.rotate_right(1));
        found.push(members);
    }
    Ok(found)
}

/// The place of the original. For an unknown order it is the member of which the rules say least. Whatever another has more
/// was added, or left out here, and must be looked at either way.
fn mildest(reader: &Reader, members: &[(&ActiveCapability, Timestamp)], first: usize) -> anyhow::Result<usize> {
    let Some((senior, since)) = members.get(first) else { return Ok(first) };
    let mut best = (grave(reader, senior)?, first);
    // Nothing grave in the first: no other member can be milder, and no facts need be read.
    if best.0 == 0 {
        return Ok(first);
    }
    for (at, (member, member_since)) in members.iter().enumerate() {
        // The same bytes have the same findings, and a publisher's own second copy is no suspect.
        let differs = member.content != senior.content;
        let is_tie = basis(&senior.seen(*since), &member.seen(*member_since)) == Some(OrderBasis::Unknown);
        if differs && is_tie && !senior.same_publisher(member) {
            best = best.min((grave(reader, member)?, at));
        }
    }
    Ok(best.1)
}

/// The number of grave things that the rules found.
fn grave(reader: &Reader, one: &ActiveCapability) -> anyhow::Result<usize> {
    let facts = one.found_facts(reader)?;
    Ok(facts.findings_of_its_own().filter(|fact| fact.severity >= Severity::High).count())
}

/// Compares members with their original. The original's files and facts are read once for all its copies.
struct Pairs<'a> {
    reader: &'a Reader,
    original: Option<(CapabilityId, BTreeMap<String, BundleFile>)>,
}

impl Pairs<'_> {
    /// The rows of a family that are otherwise than they are kept, or carry the alerts that its members deserve. What is kept is
    /// read one by one: all additions of all copies are more than the rest of a night holds.
    fn family(
        &mut self,
        family: &[(&ActiveCapability, Timestamp)],
    ) -> anyhow::Result<Vec<(FamilyMember, Option<Alert>)>> {
        let Some((first, since)) = family.first() else { return Ok(Vec::new()) };
        let mut rows = Vec::with_capacity(family.len());
        let mut facts = None;
        for (member, member_since) in family {
            // No basis means that nobody can say who was first, which the judgement has to know.
            let basis = basis(&first.seen(*since), &member.seen(*member_since)).unwrap_or(OrderBasis::Unknown);
            let known = self.reader.family_member(&member.id)?;
            let difference = self.difference(first, member, known.as_ref())?;
            let same_publisher = first.same_publisher(member);
            let mut judged = None;
            // A publisher may change its own text, and a copy without additions harms nobody; neither needs the facts.
            if !same_publisher && !difference.adds_nothing() {
                // Read only once a member needs them: most families have no suspicious member.
                if facts.is_none() {
                    facts = Some(first.found_facts(self.reader)?);
                }
                judged = judge(&Copy {
                    same_publisher,
                    basis,
                    original_popularity: first.popularity,
                    difference: &difference,
                    // Findings that the original has too are not what the copy added.
                    original_facts: facts.as_ref().unwrap_or(&SparseFacts::new(
                        &capdex_rules::INDEX,
                        first.kind,
                        Vec::new(),
                    )),
                    facts: &member.found_facts(self.reader)?,
                    folder: &member.path,
                });
            }
            let row = row(first, member, (basis, same_publisher), family.len(), difference, judged.as_ref());
            let grave = judged.filter(|judged| judged.severity >= Severity::Medium);
            let alert = grave.map(|judged| alert(&row, first, &judged.lines));
            // A row that stayed is written again only to carry an alert.
            if known.as_ref() != Some(&row) || alert.is_some() {
                rows.push((row, alert));
            }
        }
        Ok(rows)
    }

    /// The additions of a member: as they were found when the same two contents were compared before, else from their files.
    fn difference(
        &mut self,
        first: &ActiveCapability,
        member: &ActiveCapability,
        known: Option<&FamilyMember>,
    ) -> anyhow::Result<Difference> {
        // Equal bytes: nothing to read, and the likeness is whole.
        if first.content == member.content {
            return Ok(Difference { likeness: 1000, ..Difference::default() });
        }
        // A difference stays true as long as neither content nor the original changes.
        let same = |known: &&FamilyMember| {
            (known.content, known.original_content, known.original) == (member.content, first.content, first.id)
        };
        if let Some(known) = known.filter(same) {
            return Ok(known.difference.clone());
        }
        // One original at a time in memory; families come one after the other.
        if self.original.as_ref().is_none_or(|(id, _)| *id != first.id) {
            self.original = Some((first.id, first.files(self.reader)?));
        }
        let files = member.files(self.reader)?;
        let Some((_, originals)) = &self.original else { return Ok(Difference::default()) };
        // Secrets are masked before lines of a stranger's file are stored or shown.
        Ok(difference(&files_of(&first.path, originals), &files_of(&member.path, &files), capdex_rules::mask_secrets))
    }
}

fn row(
    first: &ActiveCapability,
    member: &ActiveCapability,
    (basis, same_publisher): (OrderBasis, bool),
    members: usize,
    difference: Difference,
    judged: Option<&Judged>,
) -> FamilyMember {
    FamilyMember {
        capability: member.id,
        slug: member.slug.clone(),
        kind: member.kind,
        listing: member.listing.clone(),
        publishers: member.publishers.iter().cloned().collect(),
        content: member.content,
        original: first.id,
        original_slug: first.slug.clone(),
        original_content: first.content,
        basis,
        same_publisher,
        members: members as u64,
        difference,
        severity: judged.map(|judged| judged.severity),
        findings: judged.map(|judged| judged.findings.clone()).unwrap_or_default(),
    }
}

/// The alert about a copy that does what its original does not.
/// `lines` are those of the row's findings.
fn alert(row: &FamilyMember, first: &ActiveCapability, lines: &[u32]) -> Alert {
    let FamilyMember { difference, .. } = row;
    let order = match row.basis {
        OrderBasis::Unknown => "order unknown: both were met in the same night".to_owned(),
        basis => format!("the original was first ({})", basis.as_str()),
    };
    let mut details = vec![
        format!(
            "original {} of {}",
            row.original_slug,
            first.publishers.iter().cloned().collect::<Vec<_>>().join(", ")
        ),
        format!("copy of {}", row.publishers.join(", ")),
        format!("{} ‰ of the text is the same; {order}", difference.likeness),
    ];
    let mut list = |what: &str, items: &[String]| {
        // Bounded, because an attacker chooses how many files and hosts a copy adds.
        details.extend(items.iter().take(SHOWN).map(|item| format!("{what} {item}")));
    };
    list("adds file", &difference.files_added);
    list("changes file", &difference.files_changed);
    list("adds host", &difference.hosts);
    list("no text:", &difference.binaries);
    let findings = row.findings.iter().take(SHOWN);
    details
        .extend(findings.map(|(rule, severity, file, text)| format!("{} {rule} in {file}: {text}", severity.as_str())));
    Alert {
        // The copy's content is part of the key: other bytes are another alert.
        key: format!("clones:{}:{}:{}", row.capability, row.original, digest_text(row.content)),
        pass: "clones".into(),
        class: "copy_with_additions".into(),
        capability: Some(row.capability),
        subject: row.slug.clone(),
        severity: row.severity.unwrap_or(Severity::Medium),
        title: format!("{} is {} with something added that it does not do", row.slug, row.original_slug),
        why: "Another publisher's copy of a known text is trusted for the original's sake; what was added is what it is for.".into(),
        fix: "Use the original, or read what was added before the copy is used.".into(),
        content: Some(row.content),
        details,
        evidence: evidence(row, lines),
        diff: difference.lines.iter().take(2 * SHOWN).map(|(file, line)| format!("+{file}: {line}")).collect(),
        scores: Vec::new(),
        members: Vec::new(),
        reproduce: format!("capdex clones {}", row.slug),
        // The people at risk are those who look for the original.
        reach: reach_of(first.popularity),
    }
}

/// The findings in what was added, and the hosts that came with it.
fn evidence(row: &FamilyMember, lines: &[u32]) -> Vec<AlertEvidence> {
    let mut findings: Vec<_> = row.findings.iter().zip(lines).collect();
    // The gravest first, because the list is bounded; equal ones stay in the order of their places.
    findings.sort_by_key(|((_, severity, ..), _)| std::cmp::Reverse(*severity));
    let found = findings
        .into_iter()
        .map(|((rule, severity, file, text), line)| AlertEvidence::finding(rule, *severity, (file, *line), text));
    let hosts = row.difference.hosts.iter().map(|host| AlertEvidence::about("new_host", &row.slug, host));
    found.chain(hosts).take(MOST_EVIDENCE).collect()
}

fn digest_text(content: Digest) -> String {
    content.hex().chars().take(16).collect()
}

/// Writes the rows that differ from those kept, with their alerts in the same transaction; gives the number of changes.
fn write(
    context: &JobContext,
    gone: Vec<CapabilityId>,
    mut changed: Vec<(FamilyMember, Option<Alert>)>,
) -> anyhow::Result<u64> {
    let at = context.as_of;
    // In one order, whatever the families are.
    changed.sort_by_key(|(row, _)| row.capability);
    let mut done = gone.len() as u64;
    // Dropped before new rows are put, so that a stopped run leaves too few members rather than stale ones.
    context.store.write(move |writer| gone.iter().try_for_each(|id| writer.drop_family_member(id)))?;
    let mut changed = changed.into_iter();
    loop {
        let batch: Vec<_> = changed.by_ref().take(BATCH).collect();
        if batch.is_empty() {
            return Ok(done);
        }
        done += context.store.write(move |writer| {
            let mut raised = 0;
            for (row, alert) in &batch {
                writer.put_family_member(row, at)?;
                if let Some(alert) = alert {
                    raised += u64::from(writer.raise(alert, at)?);
                }
            }
            Ok(raised)
        })?;
    }
}
