//! The choice of the one event of a package that is raised for a person: the worst, with the others named beside it.
//!
//! Class and severity stand in the events and are not judged again.

use super::takedowns;
use capdex_corpus::drift::{DriftClass, Effect, EffectKind, VersionChange};
use capdex_db::DriftEvent;
use capdex_model::alert::{Alert, AlertEvidence, MOST_EVIDENCE, reach_of};
use capdex_model::fact::Severity;

/// Effects and changes named in an alert; the event itself names them all.
const DETAILS: usize = 20;

/// The alert of one package's events of one night; none where nothing is medium or worse. Its key is the event's, so
/// that the same change is raised once.
pub(super) fn worst(events: &[DriftEvent], popularity: Option<u64>) -> Option<Alert> {
    // Below medium an event stays in the tables and wakes nobody.
    let grave = || events.iter().filter(|event| event.severity >= Severity::Medium);
    // Ties fall to slug and key, so that the same events always choose the same alert.
    let worst = grave().min_by(|a, b| {
        (b.severity, b.class, a.slug.as_str(), &a.key).cmp(&(a.severity, a.class, b.slug.as_str(), &b.key))
    })?;
    let mut members: Vec<String> =
        grave().filter(|event| event.key != worst.key).map(|event| event.slug.clone()).collect();
    members.sort();
    Some(Alert {
        key: worst.key.clone(),
        pass: "drift".into(),
        class: class_of(worst),
        capability: Some(worst.capability),
        subject: worst.slug.clone(),
        severity: worst.severity,
        title: title(worst),
        why: why(worst),
        fix: fix(worst).into(),
        content: worst.to,
        details: details(worst),
        evidence: evidence(worst),
        diff: worst.diff.clone(),
        scores: worst.scores.clone(),
        members,
        reproduce: format!("capdex drift --since {}", worst.at),
        reach: reach_of(popularity),
    })
}

/// The class that an acknowledgement is bound to: the gravest effect, or that bytes changed under one version.
fn class_of(event: &DriftEvent) -> String {
    match (event.class, event.effects.first()) {
        // Bytes under one version outrank any effect: the version no longer says what it names.
        (DriftClass::SameVersion, _) | (_, None) => event.class.as_str().to_owned(),
        (_, Some(effect)) => effect.kind.word(),
    }
}

fn title(event: &DriftEvent) -> String {
    let version = event.to_version.as_deref();
    match (event.class, event.effects.first()) {
        // The version that was served with other bytes is what a reader has to look up.
        (DriftClass::SameVersion, _) => {
            format!("{} has other bytes under {}", event.slug, version.unwrap_or("the same version"))
        }
        // The version that people have is what it is about, and not the one after it.
        (_, Some(effect)) if takedowns::why(effect.kind, event.severity).is_some() => {
            format!("{} {}: {}", event.slug, effect.subject, effect.kind.title())
        }
        (_, Some(effect)) => {
            let since = version.map(|version| format!(" since {version}")).unwrap_or_default();
            // The rule's line says what; where it stands, only the effect knows.
            let is_text = matches!(effect.kind, EffectKind::InjectedProse | EffectKind::AttackCode);
            let place =
                if is_text && !effect.subject.is_empty() { format!(", in {}", effect.subject) } else { String::new() };
            format!("{}: {}{since}{place}", event.slug, effect.kind.title())
        }
        (_, None) => format!("{} changed", event.slug),
    }
}

fn why(event: &DriftEvent) -> String {
    let said = match event.moved {
        VersionChange::Yes => "The version moved, but hardly any honest release needs this.",
        VersionChange::No => {
            "The version did not move: whoever approved it gets something else than what was looked at."
        }
        VersionChange::Unversioned => {
            "Its source has no version numbers, so whoever approved it gets the changed content without notice."
        }
    };
    let departure = event.effects.first().and_then(|effect| takedowns::why(effect.kind, event.severity));
    match event.class {
        DriftClass::Identity if departure.is_some() => departure.unwrap_or_default().to_owned(),
        DriftClass::SameVersion => "Who pinned the version gets other bytes than those that were looked at.".to_owned(),
        DriftClass::Identity => "Somebody else may answer for it now than when it was approved.".to_owned(),
        _ => said.to_owned(),
    }
}

fn fix(event: &DriftEvent) -> &'static str {
    let first = event.effects.first().map(|effect| effect.kind);
    match (event.class, first) {
        (DriftClass::SameVersion, _) => {
            "Compare the bytes with those of before, and ask the publisher; pin a digest, not a version."
        }
        // Whatever it sent has left already, so staying on the old version is not enough.
        (_, Some(EffectKind::Recipient | EffectKind::CopiedSend | EffectKind::CredentialSend)) => {
            "Do not update; stop the installed version, and treat what it sent as read by a stranger."
        }
        (_, Some(EffectKind::TakenDown)) => {
            "Uninstall that version, look at what it could reach, and change the secrets that it could read."
        }
        (_, Some(EffectKind::Withdrawn)) => {
            "Find out why, and take it out of what you install; do not install whatever comes under the name next unread."
        }
        (DriftClass::Identity, _) => {
            "Ask the publisher whether it was handed over, and read the next release before it is used."
        }
        _ if event.moved == VersionChange::Unversioned => {
            "Read the lines that changed before you go on using it; put the content of before back until then."
        }
        _ => "Read the lines that changed before the new version is approved; stay with the one before until then.",
    }
}

fn details(event: &DriftEvent) -> Vec<String> {
    // Effects of no weight stay in the event.
    let effects = event.effects.iter().filter(|effect| effect.severity > Severity::Info);
    let effects = effects.map(|effect| {
        let of = if effect.detail.is_empty() { String::new() } else { format!(" ({})", effect.detail) };
        format!("{}: {}{of}", effect.kind.title(), effect.subject)
    });
    let changes = event
        .changes
        .iter()
        .map(|change| format!("{} {} {}", change.what, change.part, change.subject).trim().to_owned());
    let version = |version: &Option<String>| version.clone().unwrap_or_else(|| "none".into());
    // What has no versions has no line about them.
    let has_versions = event.from_version.is_some() || event.to_version.is_some();
    let versions = has_versions
        .then(|| format!("version {} before, {} now", version(&event.from_version), version(&event.to_version)));
    // Effects first: where the list is cut, the graver part stays.
    effects.chain(versions).chain(changes).take(DETAILS).collect()
}

/// The effects in parts, as they stand in the event: the gravest first.
fn evidence(event: &DriftEvent) -> Vec<AlertEvidence> {
    let effects = event.effects.iter().filter(|effect| effect.severity > Severity::Info);
    let mut evidence: Vec<AlertEvidence> = effects.take(MOST_EVIDENCE).map(|effect| of_effect(event, effect)).collect();
    // Other bytes under one version need no effect: then the files that differ are what it rests on.
    if evidence.is_empty() {
        let word = event.class.as_str();
        let files = event.changes.iter().filter(|change| change.part == "file").take(MOST_EVIDENCE);
        evidence.extend(files.map(|change| AlertEvidence {
            path: Some(change.subject.clone()),
            ..AlertEvidence::about(word, "", &change.what)
        }));
    }
    evidence
}

/// An effect by its parts. A rule's words stand behind its id (`reverse-shell: bash -i`), and a file's line behind its path.
fn of_effect(event: &DriftEvent, effect: &Effect) -> AlertEvidence {
    let by_rule = effect.detail.split_once(": ").filter(|(rule, _)| capdex_rules::INDEX.find(rule).is_some());
    let (rule, quote) = by_rule.map_or((None, effect.detail.as_str()), |(rule, said)| (Some(rule), said));
    let numbered = effect.subject.rsplit_once(':').and_then(|(path, line)| Some((path, line.parse::<u32>().ok()?)));
    let (subject, line) = numbered.map_or((effect.subject.as_str(), None), |(path, line)| (path, Some(line)));
    let is_changed = |change: &capdex_corpus::drift::Change| change.part == "file" && change.subject == subject;
    let is_file = line.is_some() || event.changes.iter().any(is_changed);
    let evidence = AlertEvidence::about(&effect.kind.word(), if is_file { "" } else { subject }, quote);
    AlertEvidence {
        line,
        path: is_file.then(|| subject.to_owned()),
        rule: rule.map(str::to_owned),
        severity: Some(effect.severity),
        ..evidence
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use capdex_corpus::drift::{DriftKind, Effect};
    use capdex_model::capability::Kind;
    use capdex_model::digest::Digest;
    use capdex_model::ids::CapabilityId;
    use capdex_model::time::{AsOf, Timestamp};

    fn event(slug: &str, severity: Severity, kind: EffectKind) -> DriftEvent {
        DriftEvent {
            key: format!("drift:{slug}"),
            capability: CapabilityId::of("npm:a", Kind::Package, slug),
            slug: slug.into(),
            kind: DriftKind::Changed,
            from: Some(Digest::of(b"a")),
            to: Some(Digest::of(b"b")),
            from_version: Some("1".into()),
            to_version: Some("2".into()),
            changes: Vec::new(),
            class: kind.class(),
            severity,
            effects: vec![Effect::new(kind, severity, "a.js:1", "x")],
            moved: VersionChange::Yes,
            scores: Vec::new(),
            diff: Vec::new(),
            at: AsOf(Timestamp::from_unix_seconds(0)),
        }
    }

    #[test]
    fn a_takedown_is_told_of_the_version_that_people_have() {
        let mut gone = event("npm-a-package", Severity::High, EffectKind::TakenDown);
        gone.effects = vec![Effect::new(EffectKind::TakenDown, Severity::High, "1.0.1", "a holding package")];
        let alert = worst(&[gone], None).expect("an alert");
        assert_eq!(alert.title, "npm-a-package 1.0.1: taken down by the registry");
        assert!(alert.why.contains("has it still"), "{}", alert.why);
        assert!(alert.fix.contains("Uninstall"), "{}", alert.fix);
        assert_eq!(alert.class, "taken_down");
    }

    #[test]
    fn a_package_is_raised_once_by_its_worst_event() {
        let events = [
            event("a", Severity::Low, EffectKind::NewHost),
            event("b", Severity::High, EffectKind::InjectedProse),
            event("c", Severity::Critical, EffectKind::Recipient),
        ];
        let alert = worst(&events, Some(1000)).expect("an alert");
        assert_eq!(alert.subject.as_str(), "c");
        assert_eq!(alert.class.as_str(), "recipient");
        assert_eq!(alert.members, vec!["b".to_owned()]);
        let place = AlertEvidence::finding("", Severity::Critical, ("a.js", 1), "x");
        assert_eq!(alert.evidence, [AlertEvidence { effect: "recipient".into(), ..place }]);
        assert!(worst(&events[..1], None).is_none());
    }

    #[test]
    fn an_effect_is_taken_apart_into_rule_place_and_words() {
        let mut event = event("a", Severity::High, EffectKind::AttackCode);
        let parts = |event: &DriftEvent, subject: &str, detail: &str| {
            of_effect(event, &Effect::new(EffectKind::AttackCode, Severity::High, subject, detail))
        };
        let of_rule = parts(&event, "a.sh:7", "reverse-shell: bash -i");
        assert_eq!((of_rule.rule.as_deref(), of_rule.line), (Some("reverse-shell"), Some(7)));
        assert_eq!((of_rule.path.as_deref(), of_rule.quote.as_deref()), (Some("a.sh"), Some("bash -i")));
        let of_tool = parts(&event, "send_letter", "to: an address");
        assert_eq!((of_tool.rule, of_tool.path), (None, None));
        assert_eq!(
            (of_tool.subject.as_deref(), of_tool.quote.as_deref()),
            (Some("send_letter"), Some("to: an address"))
        );
        event.changes = vec![capdex_corpus::drift::Change::new("added", "file", "fast.node")];
        assert_eq!(parts(&event, "fast.node", "").path.as_deref(), Some("fast.node"));
    }
}
