//! Leads: copies of what an overturned finding was about, which have the same finding. Nobody is annotated for being a copy.

use capdex_dataset::export::ranked_capability;
use capdex_dataset::finding::findings;
use capdex_db::{FamilyMember, Reader};
use capdex_model::appeal::{Appeal, AppealState, Outcome};
use capdex_model::digest::Digest;
use capdex_model::ids::CapabilityId;
use serde::Serialize;

/// A copy with the same finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Lead {
    /// Its readable name.
    pub slug: String,
    /// Its id.
    pub capability: CapabilityId,
    /// Its content, which an appeal of its own would be about.
    pub content_sha256: Digest,
    /// The rule.
    pub rule: String,
    /// The places at which it fires there.
    pub places: usize,
}

/// The leads of an appeal, by name; none unless its finding was overturned.
///
/// # Errors
/// Errors of the store.
pub fn of(reader: &Reader, appeal: &Appeal) -> anyhow::Result<Vec<Lead>> {
    // Most decisions lead nowhere, and families are many.
    if overturned(appeal).is_none() {
        return Ok(Vec::new());
    }
    among(reader, appeal, &families(reader)?)
}

/// The rule and the capability of a finding that was overturned.
fn overturned(appeal: &Appeal) -> Option<(&str, CapabilityId)> {
    let filing = appeal.filing();
    let (rule, (kind, path)) = filing.rule.as_deref().zip(filing.subject.part.as_ref())?;
    let is_overturned = appeal.state() == AppealState::Decided(Outcome::Overturned);
    is_overturned.then(|| (rule, CapabilityId::of(&filing.subject.identity, *kind, path)))
}

/// Every member of every family of clones, as the last night saw them.
///
/// # Errors
/// Errors of the store.
pub fn families(reader: &Reader) -> anyhow::Result<Vec<FamilyMember>> {
    Ok(reader.family_members()?.into_iter().map(|(member, _)| member).collect())
}

/// The same among families that were read before.
///
/// # Errors
/// Errors of the store.
pub fn among(reader: &Reader, appeal: &Appeal, families: &[FamilyMember]) -> anyhow::Result<Vec<Lead>> {
    let Some((rule, own)) = overturned(appeal) else { return Ok(Vec::new()) };
    // A family is known by its original, which may have no line of its own.
    let original = families.iter().find(|member| member.capability == own).map_or(own, |member| member.original);
    let ids = families.iter().filter(|member| member.original == original).map(|member| member.capability);
    let mut ids: Vec<CapabilityId> = ids.chain([original]).filter(|id| *id != own).collect();
    ids.sort();
    ids.dedup();
    let mut leads = Vec::new();
    for id in ids {
        let Some(current) = reader.current_of(&id)? else { continue };
        let facts = ranked_capability::facts(reader, &current)?;
        let places = findings(&facts).iter().filter(|finding| *finding.rule == *rule).count();
        if places > 0 {
            leads.push(Lead {
                slug: current.capability.slug.clone(),
                capability: id,
                content_sha256: current.capability.content,
                rule: rule.to_owned(),
                places,
            });
        }
    }
    leads.sort_by(|one, other| one.slug.cmp(&other.slug));
    Ok(leads)
}
