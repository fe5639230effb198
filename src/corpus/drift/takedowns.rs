//! Takedowns: what one listing's own history shows of a registry that warns of what it holds, or does not hold it any more.
//!
//! Words of registries and publishers are claims; those that speak of malice are told in `capdex_model::takedown`.

use super::effect::{Effect, EffectKind};
use capdex_model::fact::Severity;
use capdex_model::listing::Listing;
use capdex_model::snapshot::{Gap, GapReason};
use capdex_model::takedown::speaks_of_malice;

/// The versions of which the registry says now, and did not say before, that they are malicious. One that was listed is
/// what people have.
pub fn effects(before: &Listing, now: &Listing) -> Vec<Effect> {
    let known = &before.claims.refused_versions;
    let listed = |version: &str| {
        let of = |listing: &Listing| {
            let mut lines = listing.claims.release_lines.versions.values();
            listing.locators.iter().any(|locator| locator.version() == Some(version))
                || lines.any(|line| line == version)
        };
        of(before) || of(now)
    };
    let mut effects: Vec<Effect> = now
        .claims
        .refused_versions
        .iter()
        .filter(|refused| !known.iter().any(|known| known.version == refused.version))
        .map(|refused| {
            let severity = if listed(&refused.version) { Severity::High } else { Severity::Medium };
            Effect::new(EffectKind::TakenDown, severity, &refused.version, &refused.reason)
        })
        .collect();
    let words = |listing: &Listing| listing.claims.deprecated.known().filter(|words| speaks_of_malice(words)).cloned();
    // A source that gives words for the listed version alone.
    if let (None, Some(words), true) = (words(before), words(now), effects.is_empty() && known.is_empty()) {
        let version = now.locators.first().and_then(|locator| locator.version()).unwrap_or("its listing");
        effects.push(Effect::new(EffectKind::TakenDown, Severity::High, version, &words));
    }
    effects
}

/// The effect of a listing that is not there any more, by the gap that was left of it.
pub fn of_departure(listing: &Listing, gap: Option<&Gap>) -> Effect {
    let version = listing.locators.first().and_then(|locator| locator.version()).unwrap_or("its listing");
    match gap.filter(|gap| gap.reason == GapReason::TakenDown) {
        // Publishers may delete rows of their own too; only words of malice are more than that.
        Some(gap) if speaks_of_malice(&gap.detail) => {
            Effect::new(EffectKind::TakenDown, Severity::High, version, &gap.detail)
        }
        Some(gap) => Effect::new(EffectKind::TakenDown, Severity::Medium, version, &gap.detail),
        None => {
            let detail = gap.map_or("the source says that it does not exist", |gap| gap.detail.as_str());
            Effect::new(EffectKind::Withdrawn, Severity::Medium, version, detail)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use capdex_model::ids::ListingKey;
    use capdex_model::listing::{Claim, Claims, Locator, RefusedVersion};

    fn listing(version: &str, refused: &[&str], deprecated: Option<&str>) -> Listing {
        let refused = refused.iter().filter_map(|version| RefusedVersion::of(version, "was compromised"));
        let locator = Locator::NpmPackage {
            registry: None,
            name: "a".into(),
            version: version.into(),
            url: String::new(),
            integrity: Vec::new(),
        };
        let claims = Claims {
            refused_versions: RefusedVersion::sorted(refused),
            deprecated: deprecated.map_or(Claim::Absent, |words| Claim::Known(words.to_owned())),
            ..Claims::default()
        };
        Listing { key: ListingKey::new("npm", "a"), locators: vec![locator], claims, references: Vec::new() }
    }

    fn told(before: &Listing, now: &Listing) -> Vec<(String, Severity)> {
        effects(before, now).into_iter().map(|effect| (effect.subject, effect.severity)).collect()
    }

    #[test]
    fn a_version_that_was_listed_is_graver_than_one_that_nobody_listed_and_each_is_told_once() {
        let one = listing("1.0.1", &[], None);
        let next = listing("1.0.2", &["1.0.1"], None);
        assert_eq!(told(&one, &next), [("1.0.1".to_owned(), Severity::High)]);
        assert_eq!(told(&one, &listing("1.0.2", &["0.9.0"], None)), [("0.9.0".to_owned(), Severity::Medium)]);
        assert!(told(&next, &listing("1.0.3", &["1.0.1"], None)).is_empty());
        let mut with_line = listing("2.0.0", &[], None);
        with_line.claims.release_lines.versions.insert("1".into(), "1.0.1".into());
        assert_eq!(told(&with_line, &listing("2.0.0", &["1.0.1"], None)), [("1.0.1".to_owned(), Severity::High)]);
        let words = "This package was found to be malicious.";
        assert_eq!(told(&one, &listing("1.0.1", &[], Some(words))), [("1.0.1".to_owned(), Severity::High)]);
        assert!(told(&one, &listing("1.0.1", &[], Some("use another"))).is_empty());
        let both = listing("1.0.1", &["1.0.1"], Some("was compromised"));
        assert_eq!(told(&one, &both).len(), 1, "one thing said in two places");
        assert!(told(&both, &both).is_empty());
    }

    #[test]
    fn what_went_is_as_grave_as_what_is_said_of_it() {
        let one = listing("1.0.1", &[], None);
        let of = |reason, detail: &str| {
            let effect = of_departure(&one, Some(&Gap::new("npm:a", reason, detail)));
            (effect.kind, effect.severity)
        };
        let holding = "the registry put a security holding package in its place (0.0.1-security)";
        assert_eq!(of(GapReason::TakenDown, holding), (EffectKind::TakenDown, Severity::High));
        let quarantine = "quarantined by the registry: reported as malware";
        assert_eq!(of(GapReason::TakenDown, quarantine), (EffectKind::TakenDown, Severity::High));
        let deleted = "the registry gives its status as deleted";
        assert_eq!(of(GapReason::TakenDown, deleted), (EffectKind::TakenDown, Severity::Medium));
        assert_eq!(of(GapReason::NotFound, "gone"), (EffectKind::Withdrawn, Severity::Medium));
        assert_eq!(of_departure(&one, None).kind, EffectKind::Withdrawn);
        assert_eq!(EffectKind::TakenDown.word(), capdex_model::takedown::TAKEN_DOWN, "the word that rules read");
    }
}
