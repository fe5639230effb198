//! Owners: what one listing's own history shows of who answers for it.
//!
//! Different listings are compared by the pass `identity`.

use std::collections::BTreeSet;

use super::effect::{Effect, EffectKind};
use super::manifest_declarations::plain;
use capdex_model::fact::Severity;
use capdex_model::listing::{Claim, Listing};

/// The number of days for which a release counts as one of somebody new.
pub const RECENT_DAYS: i64 = 90;

/// The changes between what a source said and what it says now about who answers for a listing.
pub fn effects(before: &Listing, now: &Listing) -> Vec<Effect> {
    let (old, new) = (&before.claims, &now.claims);
    let mut effects = Vec::new();
    effects.extend(maintainers(&now.key.name, &old.maintainers, &new.maintainers));
    if let (Some(old), Some(new)) =
        (old.repository_signals.repository_id.known(), new.repository_signals.repository_id.known())
        && old != new
    {
        let detail = format!("number {old} -> {new}");
        let (kind, severity) = if is_at_another_address(before, now) {
            (EffectKind::RepositoryMoved, Severity::Low)
        } else {
            (EffectKind::RepositoryReplaced, Severity::High)
        };
        effects.push(Effect::new(kind, severity, "repository", &detail));
    }
    effects
}

/// True where another repository is named: then another number is no news.
fn is_at_another_address(before: &Listing, now: &Listing) -> bool {
    let address =
        |listing: &Listing| listing.claims.repository.known().map(|text| plain(&BTreeSet::from([text.clone()])));
    matches!((address(before), address(now)), (Some(old), Some(new)) if old != new)
}

/// Nobody of before is there: somebody else has the package. Somebody came beside them: a colleague or the beginning of it.
/// Whoever owns the scope of the package's name could publish it before too: `acme` of `@acme/x`.
fn maintainers(package: &str, before: &Claim<Vec<String>>, now: &Claim<Vec<String>>) -> Option<Effect> {
    let set = |names: &Vec<String>| names.iter().map(|name| name.to_lowercase()).collect::<BTreeSet<String>>();
    let (before, now) = (set(before.known()?), set(now.known()?));
    // A silent source is no change of owners, and a colleague who left is none that anybody must fear.
    if before.is_empty() || now.is_empty() || now.is_subset(&before) {
        return None;
    }
    let text = |names: &BTreeSet<String>| names.iter().map(String::as_str).collect::<Vec<_>>().join(", ");
    let detail = format!("{} -> {}", text(&before), text(&now));
    let scope = package.strip_prefix('@').and_then(|name| Some(name.split_once('/')?.0.to_lowercase()));
    let is_of_scope = scope.is_some_and(|scope| now.contains(&scope));
    Some(if before.is_disjoint(&now) && !is_of_scope {
        Effect::new(EffectKind::OwnerReplaced, Severity::Medium, "maintainers", &detail)
    } else {
        Effect::new(EffectKind::NewMaintainer, Severity::Low, "maintainers", &detail)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use capdex_model::ids::ListingKey;
    use capdex_model::listing::Claims;

    fn listing(owners: &[&str], repository: Option<u64>) -> Listing {
        let mut claims = Claims {
            maintainers: Claim::Known(owners.iter().map(|owner| (*owner).to_owned()).collect()),
            ..Claims::default()
        };
        claims.repository_signals.repository_id = repository.map_or(Claim::Unknown, Claim::Known);
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
        let at = |address: &str, number| {
            let mut listing = listing(&["ann"], Some(number));
            listing.claims.repository = Claim::Known(address.to_owned());
            listing
        };
        let moved = kinds(&at("https://forge.test/a/x", 1), &at("https://forge.test/b/x", 2));
        assert_eq!(moved, [EffectKind::RepositoryMoved]);
        let of_scope = Listing { key: ListingKey::new("npm", "@Acme/a"), ..listing(&["acme"], Some(1)) };
        assert_eq!(kinds(&ann, &of_scope), [EffectKind::NewMaintainer]);
        assert!(kinds(&ann, &listing(&[], None)).is_empty());
        assert!(kinds(&listing(&["ann", "bob"], None), &ann).is_empty());
    }
}
