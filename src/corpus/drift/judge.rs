//! Judge: the class and the severity of a change, from its effects and from what surrounds it.
//!
//! Must not look for effects. The whole art is to say nothing about honest releases: most bring code, many bring hosts,
//! programs and permissions, and say so with another version.

use std::collections::BTreeSet;

use super::effect::{Class, Effect, EffectKind};
use super::release::Moved;
use capdex_model::fact::Severity;

/// What surrounds a change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Around {
    /// Whether the version moved.
    pub moved: Moved,
    /// Whether both sides claim to be the same bytes.
    pub is_same_release: bool,
    /// Whether that claim is a tag, which may be moved.
    pub is_tag: bool,
    /// Whether the owner was replaced not long ago.
    pub is_of_new_owner: bool,
    /// Whether the capability itself is new in its package.
    pub is_new: bool,
}

/// What somebody who took a package over would add first.
const OF_A_NEW_OWNER: [EffectKind; 7] = [
    EffectKind::InstallScript,
    EffectKind::Exec,
    EffectKind::NetworkSink,
    EffectKind::CredentialRead,
    EffectKind::Hook,
    EffectKind::NewAddress,
    EffectKind::PermissionWidened,
];

/// Adds what follows from the effects together with what surrounds them, and judges; the effects come out sorted, the
/// gravest first.
pub fn judge(effects: &mut Vec<Effect>, around: Around) -> (Class, Severity) {
    let by_new_owner = effects.iter().find(|effect| OF_A_NEW_OWNER.contains(&effect.kind)).cloned();
    if let (true, Some(effect)) = (around.is_of_new_owner, by_new_owner) {
        let detail = format!("the first releases of another owner: {}", effect.kind.title());
        effects.push(Effect::new(EffectKind::OwnerReplaced, Severity::High, &effect.subject, &detail));
    }
    effects.sort_by(|a, b| {
        (b.kind.class(), b.severity, a.kind, &a.subject, &a.detail).cmp(&(
            a.kind.class(),
            a.severity,
            b.kind,
            &b.subject,
            &b.detail,
        ))
    });
    effects.dedup();
    let class = effects.iter().map(|effect| effect.kind.class()).max().unwrap_or(Class::D1);
    let worst = Class::ORDER.iter().map(|class| severity_of(*class, effects, around)).max().unwrap_or(Severity::Info);
    if !around.is_same_release {
        return (class, worst);
    }
    let least = if around.is_tag { Severity::Medium } else { Severity::High };
    (Class::SameVersion, worst.max(least))
}

/// How bad the effects of one class are.
fn severity_of(class: Class, effects: &[Effect], around: Around) -> Severity {
    let of_class = || effects.iter().filter(|effect| effect.kind.class() == class);
    let Some(worst) = of_class().map(|effect| effect.severity).max() else { return Severity::Info };
    match class {
        Class::D0 | Class::D1 | Class::D2 => Severity::Info,
        // A contract that changes with the version is what versions are for.
        Class::D3 => {
            if around.moved == Moved::No {
                Severity::Low
            } else {
                Severity::Info
            }
        }
        Class::D4 if around.moved == Moved::No => {
            let kinds: BTreeSet<EffectKind> =
                of_class().filter(|effect| effect.severity > Severity::Info).map(|effect| effect.kind).collect();
            match (kinds.len(), worst) {
                (0, _) => Severity::Info,
                (1, Severity::Info | Severity::Low) => Severity::Medium,
                _ => Severity::High,
            }
        }
        Class::D4 => worst.min(Severity::Low),
        // What is new altogether was never trusted; what the rules say of it stands in its own findings too.
        Class::D5 if around.is_new && worst < Severity::Critical => Severity::Medium,
        Class::D5 | Class::D6 | Class::SameVersion => worst,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(kinds: &[(EffectKind, Severity)], around: Around) -> (Class, Severity) {
        let mut effects = kinds.iter().map(|(kind, severity)| Effect::new(*kind, *severity, "a.js", "")).collect();
        judge(&mut effects, around)
    }

    const BUMPED: Around =
        Around { moved: Moved::Yes, is_same_release: false, is_tag: false, is_of_new_owner: false, is_new: false };

    #[test]
    fn an_honest_release_is_no_alert() {
        let low = Severity::Low;
        let many = [
            (EffectKind::NewHost, low),
            (EffectKind::Exec, low),
            (EffectKind::InstallScript, low),
            (EffectKind::Code, Severity::Info),
        ];
        assert_eq!(judged(&many, BUMPED), (Class::D4, Severity::Low));
        assert_eq!(judged(&[(EffectKind::Contract, low)], BUMPED), (Class::D3, Severity::Info));
        assert_eq!(judged(&[(EffectKind::Text, Severity::Info)], BUMPED), (Class::D1, Severity::Info));
    }

    #[test]
    fn the_same_without_a_version_is_one() {
        let same = Around { moved: Moved::No, ..BUMPED };
        let low = Severity::Low;
        assert_eq!(judged(&[(EffectKind::NewHost, low)], same), (Class::D4, Severity::Medium));
        assert_eq!(judged(&[(EffectKind::NewHost, low), (EffectKind::FreeFormParameter, low)], same).1, Severity::High);
        assert_eq!(judged(&[(EffectKind::AuthChanged, Severity::Info)], same).1, Severity::Info);
    }

    #[test]
    fn what_only_attacks_do_is_one_whatever_the_version_says() {
        assert_eq!(judged(&[(EffectKind::Recipient, Severity::Critical)], BUMPED), (Class::D5, Severity::Critical));
        let new = Around { is_new: true, ..BUMPED };
        assert_eq!(judged(&[(EffectKind::InjectedProse, Severity::High)], new), (Class::D5, Severity::Medium));
    }

    #[test]
    fn a_new_owner_and_a_script_at_installation_are_one() {
        let new = Around { is_of_new_owner: true, ..BUMPED };
        assert_eq!(judged(&[(EffectKind::InstallScript, Severity::Low)], new), (Class::D6, Severity::High));
        assert_eq!(judged(&[(EffectKind::Code, Severity::Info)], new), (Class::D2, Severity::Info));
    }

    #[test]
    fn other_bytes_under_one_version_are_their_own_top_class() {
        let same = Around { moved: Moved::No, is_same_release: true, ..BUMPED };
        assert_eq!(judged(&[(EffectKind::Text, Severity::Info)], same), (Class::SameVersion, Severity::High));
        let tag = Around { is_tag: true, ..same };
        assert_eq!(judged(&[(EffectKind::Text, Severity::Info)], tag), (Class::SameVersion, Severity::Medium));
        assert_eq!(judged(&[(EffectKind::HiddenText, Severity::Critical)], same).1, Severity::Critical);
    }
}
