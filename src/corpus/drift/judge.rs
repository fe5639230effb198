//! `judge`: the class and the severity of a change, from its effects and from what surrounds it.
//!
//! The whole art is to say nothing about honest releases: most bring code, many bring hosts, programs and permissions,
//! and say so with another version. Effects are found elsewhere.

use std::collections::BTreeSet;

use super::effect::{DriftClass, Effect, EffectKind};
use super::release::VersionChange;
use capdex_model::fact::Severity;

/// The circumstances of a change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReleaseContext {
    /// The change of version.
    pub version_change: VersionChange,
    /// True where both sides claim to be the same bytes.
    pub is_same_release: bool,
    /// True where that claim is a tag, which may be moved.
    pub is_tag: bool,
    /// True where files came or went under the version, while those that stayed claim to be the same bytes.
    pub has_other_files: bool,
    /// True where the owner was replaced not long ago.
    pub is_of_new_owner: bool,
    /// True where the capability itself is new in its package.
    pub is_new: bool,
    /// True where other versions lie between the two.
    pub is_over_versions: bool,
}

/// The effects that somebody who took a package over would add first.
const OF_A_NEW_OWNER: [EffectKind; 7] = [
    EffectKind::InstallScript,
    EffectKind::Exec,
    EffectKind::NetworkSink,
    EffectKind::CredentialRead,
    EffectKind::Hook,
    EffectKind::NewAddress,
    EffectKind::PermissionWidened,
];

/// The effects that are told in a release that names another version, where they are graver than low by their particulars.
const TOLD_ALONE: [EffectKind; 4] =
    [EffectKind::BuildStep, EffectKind::Program, EffectKind::Dependency, EffectKind::Unread];

/// So many of the parts of a theft in one release are no accident.
const PARTS: usize = 3;
/// The part that a theft is about.
const SECRETS: u8 = 1;

/// True where the parts of a theft came together: it runs at installation, reads secrets, sends, names a new host, runs
/// programs. Each alone is what honest releases bring. Over several versions an honest package brings most of them in time,
/// so that reading secrets must be one.
pub(super) fn is_theft<'a>(effects: impl IntoIterator<Item = &'a Effect>, context: ReleaseContext) -> bool {
    let part = |kind| match kind {
        EffectKind::InstallScript | EffectKind::BuildStep => Some(0),
        EffectKind::CredentialRead => Some(SECRETS),
        EffectKind::NetworkSink => Some(2),
        EffectKind::NewHost => Some(3),
        EffectKind::Exec | EffectKind::Program => Some(4),
        _ => None,
    };
    let parts: BTreeSet<u8> = effects.into_iter().filter_map(|effect| part(effect.kind)).collect();
    parts.len() >= PARTS && (!context.is_over_versions || parts.contains(&SECRETS))
}

/// Adds what follows from the effects together with what surrounds them, and judges; the effects come out sorted, the
/// gravest first.
pub fn judge(effects: &mut Vec<Effect>, context: ReleaseContext) -> (DriftClass, Severity) {
    let by_new_owner = effects.iter().find(|effect| OF_A_NEW_OWNER.contains(&effect.kind)).cloned();
    if let (true, Some(effect)) = (context.is_of_new_owner, by_new_owner) {
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
    let class = effects.iter().map(|effect| effect.kind.class()).max().unwrap_or(DriftClass::Editorial);
    let worst =
        DriftClass::ORDER.iter().map(|class| severity_of(*class, effects, context)).max().unwrap_or(Severity::Info);
    if context.has_other_files && !context.is_same_release {
        // Honest projects add wheels for another platform days later: only the effects decide who must hear of it.
        return (DriftClass::SameVersion, worst);
    }
    if !context.is_same_release {
        return (class, worst);
    }
    // A registry lets people move a tag, so that other bytes under it are no proof of tampering.
    let least = if context.is_tag { Severity::Medium } else { Severity::High };
    (DriftClass::SameVersion, worst.max(least))
}

/// The severity of the effects of one class.
fn severity_of(class: DriftClass, effects: &[Effect], context: ReleaseContext) -> Severity {
    let of_class = || effects.iter().filter(|effect| effect.kind.class() == class);
    let Some(worst) = of_class().map(|effect| effect.severity).max() else { return Severity::Info };
    match class {
        DriftClass::Volatile | DriftClass::Editorial | DriftClass::Surface => Severity::Info,
        // A contract that changes with the version is what versions are for.
        DriftClass::Contract => {
            if context.version_change == VersionChange::No {
                Severity::Low
            } else {
                Severity::Info
            }
        }
        DriftClass::Privilege if context.version_change == VersionChange::No => {
            // Under an unchanged version each privilege is unannounced: two kinds at once are no slip.
            let kinds: BTreeSet<EffectKind> =
                of_class().filter(|effect| effect.severity > Severity::Info).map(|effect| effect.kind).collect();
            match (kinds.len(), worst) {
                (0, _) => Severity::Info,
                (1, Severity::Info | Severity::Low) => Severity::Medium,
                _ => Severity::High,
            }
        }
        // A release that names another version announces itself, and most bring hosts or programs. What hardly any honest
        // one needs is told all the same, and so is what makes a theft only together.
        DriftClass::Privilege => {
            let told =
                of_class().filter(|effect| TOLD_ALONE.contains(&effect.kind)).map(|effect| effect.severity).max();
            let told = told.unwrap_or(Severity::Info).min(Severity::Medium);
            let together = if is_theft(effects, context) { Severity::Medium } else { Severity::Info };
            worst.min(Severity::Low).max(told).max(together)
        }
        // What is new altogether was never trusted; what the rules say of it stands in its own findings too.
        DriftClass::RuleCue if context.is_new && worst < Severity::Critical => Severity::Medium,
        DriftClass::RuleCue | DriftClass::Identity | DriftClass::SameVersion => worst,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(kinds: &[(EffectKind, Severity)], context: ReleaseContext) -> (DriftClass, Severity) {
        let mut effects = kinds.iter().map(|(kind, severity)| Effect::new(*kind, *severity, "a.js", "")).collect();
        judge(&mut effects, context)
    }

    const BUMPED: ReleaseContext = ReleaseContext {
        version_change: VersionChange::Yes,
        is_same_release: false,
        is_tag: false,
        has_other_files: false,
        is_of_new_owner: false,
        is_new: false,
        is_over_versions: false,
    };

    #[test]
    fn an_honest_release_is_no_alert() {
        let low = Severity::Low;
        let many = [
            (EffectKind::NewHost, low),
            (EffectKind::Exec, low),
            (EffectKind::PermissionWidened, low),
            (EffectKind::Code, Severity::Info),
        ];
        assert_eq!(judged(&many, BUMPED), (DriftClass::Privilege, Severity::Low));
        assert_eq!(judged(&[(EffectKind::Contract, low)], BUMPED), (DriftClass::Contract, Severity::Info));
        assert_eq!(judged(&[(EffectKind::Text, Severity::Info)], BUMPED), (DriftClass::Editorial, Severity::Info));
    }

    #[test]
    fn three_parts_of_a_theft_in_one_release_are_one() {
        use EffectKind::{BuildStep, CredentialRead, Exec, InstallScript, NetworkSink, NewHost, Program};
        let severity = |kinds: &[EffectKind]| {
            judged(&kinds.iter().map(|kind| (*kind, Severity::Low)).collect::<Vec<_>>(), BUMPED).1
        };
        assert_eq!(severity(&[InstallScript, CredentialRead, NetworkSink]), Severity::Medium);
        assert_eq!(severity(&[BuildStep, NewHost, Program]), Severity::Medium);
        // Two names of one part are one part.
        assert_eq!(severity(&[InstallScript, BuildStep, Exec, Program]), Severity::Low);
        assert_eq!(severity(&[NewHost, NetworkSink]), Severity::Low);
        let slow = ReleaseContext { is_over_versions: true, ..BUMPED };
        let over_versions =
            |kinds: &[EffectKind]| judged(&kinds.iter().map(|kind| (*kind, Severity::Low)).collect::<Vec<_>>(), slow).1;
        assert_eq!(over_versions(&[InstallScript, NewHost, NetworkSink, Exec]), Severity::Low);
        assert_eq!(over_versions(&[InstallScript, CredentialRead, NetworkSink]), Severity::Medium);
    }

    #[test]
    fn what_hardly_any_honest_release_brings_is_told_whatever_the_version_says() {
        use EffectKind::{BuildStep, Dependency, NewHost, Program, Unread};
        for kind in [BuildStep, Dependency, Program, Unread] {
            assert_eq!(judged(&[(kind, Severity::Medium)], BUMPED), (DriftClass::Privilege, Severity::Medium));
            assert_eq!(judged(&[(kind, Severity::Low)], BUMPED), (DriftClass::Privilege, Severity::Low));
        }
        assert_eq!(judged(&[(NewHost, Severity::Medium)], BUMPED).1, Severity::Low);
    }

    #[test]
    fn the_same_without_a_version_is_one() {
        let same = ReleaseContext { version_change: VersionChange::No, ..BUMPED };
        let low = Severity::Low;
        assert_eq!(judged(&[(EffectKind::NewHost, low)], same), (DriftClass::Privilege, Severity::Medium));
        assert_eq!(judged(&[(EffectKind::NewHost, low), (EffectKind::FreeFormParameter, low)], same).1, Severity::High);
        assert_eq!(judged(&[(EffectKind::AuthChanged, Severity::Info)], same).1, Severity::Info);
    }

    #[test]
    fn what_only_attacks_do_is_one_whatever_the_version_says() {
        assert_eq!(
            judged(&[(EffectKind::Recipient, Severity::Critical)], BUMPED),
            (DriftClass::RuleCue, Severity::Critical)
        );
        let new = ReleaseContext { is_new: true, ..BUMPED };
        assert_eq!(
            judged(&[(EffectKind::InjectedProse, Severity::High)], new),
            (DriftClass::RuleCue, Severity::Medium)
        );
    }

    #[test]
    fn a_new_owner_and_a_script_at_installation_are_one() {
        let new = ReleaseContext { is_of_new_owner: true, ..BUMPED };
        assert_eq!(judged(&[(EffectKind::InstallScript, Severity::Low)], new), (DriftClass::Identity, Severity::High));
        assert_eq!(judged(&[(EffectKind::Code, Severity::Info)], new), (DriftClass::Surface, Severity::Info));
    }

    #[test]
    fn a_file_that_was_added_under_the_version_is_as_grave_as_what_it_brings() {
        let added = ReleaseContext { version_change: VersionChange::No, has_other_files: true, ..BUMPED };
        let of = |kinds: &[(EffectKind, Severity)]| judged(kinds, added);
        assert_eq!(of(&[(EffectKind::Packaging, Severity::Info)]), (DriftClass::SameVersion, Severity::Info));
        assert_eq!(of(&[(EffectKind::NewCode, Severity::Low)]), (DriftClass::SameVersion, Severity::Medium));
        let sending = [(EffectKind::NewCode, Severity::Low), (EffectKind::NetworkSink, Severity::Low)];
        assert_eq!(of(&sending), (DriftClass::SameVersion, Severity::High));
    }

    #[test]
    fn other_bytes_under_one_version_are_their_own_top_class() {
        let same = ReleaseContext { version_change: VersionChange::No, is_same_release: true, ..BUMPED };
        assert_eq!(judged(&[(EffectKind::Text, Severity::Info)], same), (DriftClass::SameVersion, Severity::High));
        let tag = ReleaseContext { is_tag: true, ..same };
        assert_eq!(judged(&[(EffectKind::Text, Severity::Info)], tag), (DriftClass::SameVersion, Severity::Medium));
        assert_eq!(judged(&[(EffectKind::HiddenText, Severity::Critical)], same).1, Severity::Critical);
    }
}
