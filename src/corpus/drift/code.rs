//! Code: what a capability's source does that nothing in the package did before: programs, requests, secrets, hosts,
//! recipients, copies of what is sent.
//!
//! Most releases bring code, and many bring hosts; `judge` weighs them. Only a copy of what was sent before is an
//! attack's own.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use regex::Regex;

use super::effect::{Effect, EffectKind};
use super::hosts;
use super::outbound_calls::{OutboundCall as Sending, calls};
use super::package_version::{CapabilityVersion, PackageVersion, is_live};
use super::recipients::{Recipient, Use};
use super::requests::Request;
use crate::typosquat::{Likeness, Name, Targets, TyposquatKind, is_family};
use capdex_evidence::code::sinks::{evaluates, runs_shell, sends};
use capdex_evidence::code::{Argument, Call, SourceView, TaintSources, secret_paths};
use capdex_evidence::document::Document;
use capdex_evidence::file_role::FileRole;
use capdex_model::fact::Severity;

/// The effects of a capability's code.
pub(super) fn effects(
    before: &PackageVersion<'_>,
    after: &PackageVersion<'_>,
    version: &CapabilityVersion<'_>,
) -> Vec<Effect> {
    let mut effects = abilities(before, after, version);
    effects.extend(new_hosts(before, version, after));
    effects.extend(addresses(before, version, after));
    effects.extend(copies(before, version, after));
    effects
}

/// An ability that a call may have.
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
            // Python reads a path by a method of it.
            let method = callee.rsplit('.').next().unwrap_or_default();
            let reads_itself = matches!(method, "read_text" | "read_bytes" | "open");
            takes_all
                || call.taint.first.any(TaintSources::SECRET_PATH)
                || (reads_itself && call.taint.receiver.any(TaintSources::SECRET_PATH))
        }
    }
}

/// The abilities that the whole package did not have before, and new uses of those that it had: another file of secrets is
/// read, another host is given something.
fn abilities(before: &PackageVersion<'_>, after: &PackageVersion<'_>, version: &CapabilityVersion<'_>) -> Vec<Effect> {
    const ABILITIES: [(Ability, EffectKind); 3] = [
        (Ability::Run, EffectKind::Exec),
        (Ability::ReadSecret, EffectKind::CredentialRead),
        (Ability::Send, EffectKind::NetworkSink),
    ];
    let mut effects = Vec::new();
    for (ability, kind) in ABILITIES {
        // The whole package before: code that only moved to another file brings no ability.
        let is_known = first(ability, before.all_sources()).is_some();
        if let (false, Some((path, call))) = (is_known, first(ability, after.sources(version))) {
            effects.push(Effect::new(kind, Severity::Low, &format!("{path}:{}", call.place.line), &call.text));
        }
        // Many releases of a package that sends bring a host more; beside secrets that are read it is a part of its own.
        let reads = effects.iter().any(|effect: &Effect| effect.kind == EffectKind::CredentialRead);
        effects.extend(match ability {
            Ability::ReadSecret if is_known => other_secrets(before, after, version),
            Ability::Send if is_known && reads => other_receiver(before, after, version),
            _ => None,
        });
    }
    effects
}

/// The first read of a file of secrets that no source of the package named before.
fn other_secrets(
    before: &PackageVersion<'_>,
    after: &PackageVersion<'_>,
    version: &CapabilityVersion<'_>,
) -> Option<Effect> {
    let new_text = |path: &str| after.evidence.documents.get(path).map_or("", |document| document.text.as_str());
    let old_text = |path: &str| before.evidence.documents.get(path).map_or("", |document| document.text.as_str());
    after.sources(version).filter(|(path, _)| new_text(path) != old_text(path)).find_map(|(path, view)| {
        let call = view.calls.iter().find(|call| can(call, Ability::ReadSecret))?;
        let named = secret_paths(new_text(path));
        let new = named.into_iter().find(|named| {
            let mut known = before.all_sources();
            !known.any(|(path, _)| old_text(path).contains(named.as_str()))
        })?;
        let subject = format!("{path}:{}", call.place.line);
        Some(Effect::new(EffectKind::CredentialRead, Severity::Low, &subject, &format!("{} ({new})", call.text)))
    })
}

/// The first request that gives something to a place which nothing in the package named before.
fn other_receiver(
    before: &PackageVersion<'_>,
    after: &PackageVersion<'_>,
    version: &CapabilityVersion<'_>,
) -> Option<Effect> {
    let documents = version.capability.files.iter().filter_map(|path| after.evidence.documents.get(path));
    documents.filter(|document| is_live(Some(*document))).find_map(|document| {
        let is_other = |place: &str| !before.inventory.sites.contains_key(place);
        let requests = after.inventory.requests_of(&document.path).iter();
        let request =
            requests.filter(|request| request.gives).find(|request| is_other(&hosts::place_of(&request.host)))?;
        let subject = format!("{}:{}", document.path, document.place(request.offset).line);
        let detail = format!("{} is given something", request.host);
        Some(Effect::new(EffectKind::NetworkSink, Severity::Low, &subject, &detail))
    })
}

fn first<'a>(
    ability: Ability,
    mut sources: impl Iterator<Item = (&'a str, &'a SourceView)>,
) -> Option<(&'a str, &'a Call)> {
    sources.find_map(|(path, view)| view.calls.iter().find(|call| can(call, ability)).map(|call| (path, call)))
}

/// New places that code names; of those that only name standards and hold documents, the ones that are given something.
fn new_hosts(before: &PackageVersion<'_>, version: &CapabilityVersion<'_>, after: &PackageVersion<'_>) -> Vec<Effect> {
    let live = || version.capability.files.iter().filter(|path| is_live(after.evidence.documents.get(*path)));
    let mut new = hosts::sites(after.evidence, live());
    new.retain(|site, _| !hosts::is_known(site) && !before.inventory.sites.contains_key(site));
    for document in live().filter_map(|path| after.evidence.documents.get(path)) {
        // At a place of documents only a request that gives something is news; reading there is what the place is for. What
        // stands in a file of data is named by nothing but the request.
        for request in after.inventory.requests_of(&document.path).iter().filter(|request| request.gives) {
            let place = hosts::place_of(&request.host);
            if !before.inventory.sites.contains_key(&place) {
                new.entry(place).or_insert_with(|| document.path.clone());
            }
        }
    }
    let almost = new.iter().filter_map(|(site, file)| {
        let known = almost_known(site, &before.inventory.sites)?;
        let detail = format!("{site} is almost {known}, which was named before");
        Some(Effect::new(EffectKind::CopiedSend, Severity::High, file, &detail))
    });
    let almost: Vec<Effect> = almost.collect();
    let named = new.into_iter().map(|(site, file)| Effect::new(EffectKind::NewHost, Severity::Low, &file, &site));
    named.chain(almost).collect()
}

/// The site of before for which a new one is written: another letter in its name sends everything elsewhere. Others of its
/// family (`acme2`) are honest more often than not.
fn almost_known<'a>(site: &str, known: &'a BTreeMap<String, String>) -> Option<&'a str> {
    let name = Name::read(site)?;
    let names = known.keys().filter_map(|known| Name::read(known));
    let targets = Targets::new(names.collect());
    let found = targets.of(&name).into_iter().find_map(|found| {
        let target = targets.name(found.target)?;
        let is_written_so = found.kind <= TyposquatKind::Replacement && !is_family(&name, target);
        let is_close = Likeness::of(found.kind, &name, target) == Likeness::Close;
        (is_written_so && is_close).then(|| target.text.clone())
    })?;
    known.keys().map(String::as_str).find(|known| **known == *found)
}

/// Constant addresses that are used in the code now and were not, or not in that way.
fn addresses(before: &PackageVersion<'_>, version: &CapabilityVersion<'_>, after: &PackageVersion<'_>) -> Vec<Effect> {
    let of_files: BTreeSet<&str> = version.capability.files.iter().map(String::as_str).collect();
    let mut known: BTreeMap<&str, Use> = BTreeMap::new();
    for recipient in &before.inventory.recipients {
        // The strongest use of an address counts: one that was copied to before may be named anywhere.
        let used = known.entry(recipient.address.as_str()).or_insert(recipient.used);
        *used = (*used).max(recipient.used);
    }
    let mut files = BTreeMap::new();
    let mut told = BTreeSet::new();
    let mut effects: Vec<Effect> = Vec::new();
    for found in after.inventory.recipients.iter().filter(|found| of_files.contains(found.file.as_str())) {
        if known.get(found.address.as_str()).is_some_and(|used| *used >= found.used) {
            continue;
        }
        // Asked once for each file: the comparison reads all of its lines.
        let was_there = *files.entry(found.file.as_str()).or_insert_with(|| was_there(before, &found.file, after));
        let effect = address(before, found, after, was_there);
        if told.insert((effect.kind, effect.subject.clone())) {
            effects.push(effect);
        }
    }
    effects
}

/// True where a file was there, under its path or mostly under others.
fn was_there(before: &PackageVersion<'_>, path: &str, after: &PackageVersion<'_>) -> bool {
    before.evidence.documents.contains_key(path)
        || after
            .evidence
            .documents
            .get(path)
            .is_some_and(|document| before.inventory.outbound_calls.has_most_of(document))
}

/// A key that copies is an attack's own wherever it comes; another constant recipient is one where the call that sends was
/// there before.
fn address(before: &PackageVersion<'_>, found: &Recipient, after: &PackageVersion<'_>, was_there: bool) -> Effect {
    let line = after.evidence.documents.get(&found.file).map_or(0, |document| document.place(found.offset).line);
    let subject = format!("{}:{line}", found.file);
    let call_was_there =
        was_there && found.call.as_ref().is_some_and(|call| before.inventory.outbound_calls.has_call(call));
    let detail = match (&found.call, found.used) {
        (Some(call), Use::Copy) => format!("{call} also sends to {}", found.address),
        (Some(call), _) => format!("{call} sends to {}", found.address),
        (None, _) => found.address.clone(),
    };
    match found.used {
        Use::Copy if was_there => Effect::new(EffectKind::Recipient, Severity::Critical, &subject, &detail),
        Use::Copy => Effect::new(EffectKind::Recipient, Severity::High, &subject, &detail),
        Use::Direct | Use::Argument if call_was_there => {
            Effect::new(EffectKind::Recipient, Severity::High, &subject, &detail)
        }
        _ => Effect::new(EffectKind::NewAddress, Severity::Low, &subject, &detail),
    }
}

static NAME: LazyLock<Regex> = LazyLock::new(|| capdex_evidence::expression::of(r"[A-Za-z_$][\w$]*"));

/// The distance between the two calls at most, in bytes.
const NEAR: usize = 1500;
/// Pairs of calls that are compared in one file.
const MAX_PAIRS: usize = 20_000;

/// Requests to a new host that carry what a request beside them carries that was there before, in whatever file.
/// Whoever adds a feature sends something else, whoever mirrors sends the same.
fn copies(before: &PackageVersion<'_>, version: &CapabilityVersion<'_>, after: &PackageVersion<'_>) -> Vec<Effect> {
    let mut effects = Vec::new();
    let documents = version.capability.files.iter().filter_map(|path| after.evidence.documents.get(path));
    for document in documents.filter(|document| document.role == FileRole::Source && is_live(Some(document))) {
        let was = before.evidence.documents.get(&document.path);
        // A file that did not change holds no new request, however its neighbours changed.
        if was.is_none_or(|was| was.text != document.text) {
            effects.extend(copies_in(before, document, after.inventory.requests_of(&document.path)));
        }
    }
    effects
}

/// The first such request to each host.
fn copies_in(before: &PackageVersion<'_>, document: &Document, requests: &[Request<'_>]) -> Vec<Effect> {
    let is_new = |request: &&Request<'_>| {
        let is_receiver = request.gives || !hosts::is_known(&request.host);
        // Reading from a known place is ordinary; sending to it is not.
        is_receiver && !before.inventory.sites.contains_key(&hosts::place_of(&request.host))
    };
    let new: Vec<&Request<'_>> = requests.iter().filter(is_new).collect();
    if new.is_empty() {
        return Vec::new();
    }
    let mut known = calls(document);
    known.retain(|call| before.inventory.outbound_calls.is_given(call.text));
    let (mut pairs, mut told, mut effects) = (0, BTreeSet::new(), Vec::new());
    for request in new {
        let from = known.partition_point(|call| call.offset + NEAR < request.offset);
        let near = known.iter().skip(from).take_while(|call| call.offset <= request.offset + NEAR);
        // The request itself is also among the calls that send.
        let is_other = |call: &&Sending<'_>| !call.text.ends_with(request.text);
        for call in near.filter(is_other) {
            pairs += 1;
            // A generated file can hold thousands of calls; the bound keeps the product of both lists small.
            if pairs > MAX_PAIRS || told.contains(&request.host) {
                break;
            }
            if shares(call.text, request.text) {
                told.insert(request.host.clone());
                let subject = format!("{}:{}", document.path, document.place(request.offset).line);
                let detail = format!("{} gets what {} gets", request.host, call.name);
                effects.push(Effect::new(EffectKind::CopiedSend, Severity::High, &subject, &detail));
            }
        }
    }
    effects
}

/// True where two calls are given a name in common that is no word of the library: `message` in `send(message)` and in
/// `fetch(url, {body: JSON.stringify(message)})`.
fn shares(one: &str, other: &str) -> bool {
    const WORDS: [&str; 42] = [
        "body",
        "method",
        "headers",
        "JSON",
        "stringify",
        "POST",
        "GET",
        "PUT",
        "Content",
        "Type",
        "application",
        "json",
        "await",
        "async",
        "const",
        "let",
        "return",
        "new",
        "this",
        "self",
        "true",
        "false",
        "null",
        "None",
        "True",
        "False",
        "data",
        "timeout",
        "signal",
        "url",
        "process",
        "env",
        "Authorization",
        "Bearer",
        "token",
        "apiKey",
        "config",
        "options",
        "undefined",
        "function",
        "client",
        "https",
    ];
    let names = |text: &str| -> BTreeSet<String> {
        // Two calls may quote the same header or path without sending the same thing.
        let plain = without_literals(text);
        let found = NAME.find_iter(&plain).map(|name| name.as_str().to_owned());
        found.filter(|name| name.len() > 2 && !WORDS.contains(&name.as_str())).collect()
    };
    let (one, other) = (names(one), names(other));
    one.intersection(&other).next().is_some()
}

/// A text without what stands between quotation marks.
fn without_literals(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut open = None;
    for letter in text.chars() {
        match open {
            Some(mark) if mark == letter => open = None,
            Some(_) => {}
            None if matches!(letter, '"' | '\'') => open = Some(letter),
            None => plain.push(letter),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_calls_share_what_is_no_word_of_the_library() {
        assert!(shares("{ body: JSON.stringify(message) }", "message"));
        assert!(!shares("{ method: 'POST', body: JSON.stringify(report) }", "{ body: JSON.stringify(message) }"));
        assert!(!shares("'message'", "message"));
    }
}
