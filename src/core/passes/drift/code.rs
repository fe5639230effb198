//! Code: what a capability's source does that nothing in the package did before: programs, requests, secrets, hosts,
//! recipients.
//!
//! Must not judge a release: most bring code, and many bring hosts. Only a constant that gets what was sent before is an
//! attack's own.

use std::collections::BTreeSet;

use super::effect::{Effect, EffectKind};
use super::recipients::{Recipient, Use};
use super::side::{Seen, Side, is_live};
use super::{copies, hosts};
use crate::evidence::source::{Argument, Call, Origins, SourceView};
use crate::fact::Severity;
use crate::rules::code::source_calls::{evaluates, runs_shell, sends};

/// The effects of a capability's code.
pub(super) fn effects(before: &Side<'_>, after: &Side<'_>, seen: &Seen<'_>) -> Vec<Effect> {
    let mut effects = abilities(before, after, seen);
    effects.extend(new_hosts(before, seen, after));
    effects.extend(addresses(before, seen, after));
    effects.extend(copies::copies(before, seen, after));
    effects
}

/// What a call can do.
#[derive(Clone, Copy, PartialEq)]
enum Ability {
    Run,
    Send,
    ReadSecret,
}

fn can(call: &Call, ability: Ability) -> bool {
    let callee = call.callee.as_str();
    match ability {
        Ability::Run => {
            runs_shell(call)
                || evaluates(call)
                || ["child_process.", "subprocess.", "Bun.spawn", "Deno.Command", "execa", "os.exec", "os.spawn"]
                    .iter()
                    .any(|start| callee.starts_with(start))
        }
        Ability::Send => sends(call),
        Ability::ReadSecret => {
            let takes_all = matches!(callee, "process.env" | "os.environ")
                && matches!(call.arguments.first(), Some(Argument::Name(taker)) if taker.ends_with("stringify") || taker.ends_with("dumps"));
            takes_all || call.flows.first.any(Origins::SECRET_PATH)
        }
    }
}

/// What the whole package could not do before.
fn abilities(before: &Side<'_>, after: &Side<'_>, seen: &Seen<'_>) -> Vec<Effect> {
    const ABILITIES: [(Ability, EffectKind); 3] = [
        (Ability::Run, EffectKind::Exec),
        (Ability::Send, EffectKind::NetworkSink),
        (Ability::ReadSecret, EffectKind::CredentialRead),
    ];
    let mut effects = Vec::new();
    for (ability, kind) in ABILITIES {
        let is_known = first(ability, before.all_sources()).is_some();
        if let (false, Some((path, call))) = (is_known, first(ability, after.sources(seen))) {
            effects.push(Effect::new(kind, Severity::Low, &format!("{path}:{}", call.place.line), &call.text));
        }
    }
    effects
}

fn first<'a>(
    ability: Ability,
    mut sources: impl Iterator<Item = (&'a str, &'a SourceView)>,
) -> Option<(&'a str, &'a Call)> {
    sources.find_map(|(path, view)| view.calls.iter().find(|call| can(call, ability)).map(|call| (path, call)))
}

fn new_hosts(before: &Side<'_>, seen: &Seen<'_>, after: &Side<'_>) -> Vec<Effect> {
    let live = seen.capability.files.iter().filter(|path| is_live(after.evidence.documents.get(*path)));
    let sites = hosts::sites(after.evidence, live);
    let new = sites.into_iter().filter(|(site, _)| !before.ground.sites.contains_key(site));
    new.map(|(site, file)| Effect::new(EffectKind::NewHost, Severity::Low, &file, &site)).collect()
}

/// Constant addresses that are used in the code now and were not, or not in that way.
fn addresses(before: &Side<'_>, seen: &Seen<'_>, after: &Side<'_>) -> Vec<Effect> {
    let of_files: BTreeSet<&str> = seen.capability.files.iter().map(String::as_str).collect();
    let is_known = |found: &Recipient| {
        before.ground.recipients.iter().any(|known| known.address == found.address && known.used >= found.used)
    };
    let mut effects: Vec<Effect> = Vec::new();
    for found in after.ground.recipients.iter().filter(|found| of_files.contains(found.file.as_str())) {
        if is_known(found) {
            continue;
        }
        let effect = address(before, found, after);
        if !effects.iter().any(|known| (known.kind, &known.subject) == (effect.kind, &effect.subject)) {
            effects.push(effect);
        }
    }
    effects
}

/// A key that copies is an attack's own wherever it comes; another constant recipient is one where the call that sends was
/// there before.
fn address(before: &Side<'_>, found: &Recipient, after: &Side<'_>) -> Effect {
    let line = after.evidence.documents.get(&found.file).map_or(0, |document| document.place(found.offset).line);
    let subject = format!("{}:{line}", found.file);
    let was_there = before.evidence.documents.get(&found.file);
    let call_was_there = found
        .call
        .as_ref()
        .is_some_and(|call| was_there.is_some_and(|document| document.text.contains(&format!("{call}("))));
    let detail = match (&found.call, found.used) {
        (Some(call), Use::Copy) => format!("{call} also sends to {}", found.address),
        (Some(call), _) => format!("{call} sends to {}", found.address),
        (None, _) => found.address.clone(),
    };
    match found.used {
        Use::Copy if was_there.is_some() => Effect::new(EffectKind::Recipient, Severity::Critical, &subject, &detail),
        Use::Copy => Effect::new(EffectKind::Recipient, Severity::High, &subject, &detail),
        Use::Direct | Use::Argument if call_was_there => {
            Effect::new(EffectKind::Recipient, Severity::High, &subject, &detail)
        }
        _ => Effect::new(EffectKind::NewAddress, Severity::Low, &subject, &detail),
    }
}
