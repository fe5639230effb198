//! Owners: what one listing's own history shows of who answers for it.
//!
//! Must not compare different listings: `identity` does.

use std::collections::BTreeSet;

use super::effect::{Effect, EffectKind};
use crate::fact::Severity;
use crate::listing::{Claim, Listing};

/// For how many days a release counts as one of somebody new.
pub const RECENT_DAYS: i64 = 90;

/// What changed between what a source said and what it says now about who answers for a listing.
pub fn effects(before: &Listing, now: &Listing) -> Vec<Effect> {
    let (old, new) = (&before.claims, &now.claims);
    let mut effects = Vec::new();
    effects.extend(maintainers(&old.maintainers, &new.maintainers));
    if let (Some(old), Some(new)) = (old.standing.repository_id.known(), new.standing.repository_id.known())
        && old != new
    {
        let detail = format!("number {old} -> {new}");
        effects.push(Effect::new(EffectKind::RepositoryReplaced, Severity::High, "repository", &detail));
    }
    effects
}

/// Nobody of before is there: somebody else has the package. Somebody came beside them: a colleague or the beginning of it.
fn maintainers(before: &Claim<Vec<String>>, now: &Claim<Vec<String>>) -> Option<Effect> {
    let set = |names: &Vec<String>| names.iter().map(|name| name.to_lowercase()).collect::<BTreeSet<String>>();
    let (before, now) = (set(before.known()?), set(now.known()?));
    if before.is_empty() || now.is_empty() || now.is_subset(&before) {
        return None;
    }
    let text = |names: &BTreeSet<String>| names.iter().map(String::as_str).collect::<Vec<_>>().join(", ");
    let detail = format!("{} -> {}", text(&before), text(&now));
    Some(if before.is_disjoint(&now) {
        Effect::new(EffectKind::OwnerReplaced, Severity::Medium, "maintainers", &detail)
    } else {
        Effect::new(EffectKind::NewMaintainer, Severity::Low, "maintainers", &detail)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::ListingKey;
    use crate::listing::Claims;

    fn listing(owners: &[&str], repository: Option<u64>) -> Listing {
        let mut claims = Claims {
            maintainers: Claim::Known(owners.iter().map(|owner| (*owner).to_owned()).collect()),
            ..Claims::default()
        };
        claims.standing.repository_id = repository.map_or(Claim::Unknown, Claim::Known);
        Listing { key: ListingKey::new("npm", "a"), locators: Vec::new(), claims, references: Vec::new() }
    }

    #[test]
    fn who_came_and_who_went() {
        let kinds = |before: &Listing, now: &Listing| -> Vec<EffectKind> {
            effects(before, now).iter().map(|effect| effect.kind).collect()
        };
        let ann = listing(&["ann"], Some(1));
        assert_eq!(kinds(&ann, &listing(&["bob"], Some(1))), [EffectKind::OwnerReplaced]);
        assert_eq!(kinds(&ann, &listing(&["Ann", "bob"], Some(1))), [EffectKind::NewMaintainer]);
        assert_eq!(kinds(&ann, &listing(&["ann"], Some(2))), [EffectKind::RepositoryReplaced]);
        assert!(kinds(&ann, &listing(&[], None)).is_empty());
        assert!(kinds(&listing(&["ann", "bob"], None), &ann).is_empty());
    }
}
