//! `appeal file` and `appeal import`: what comes in from outside.

use std::fs;

use capdex_dataset::escape;
use capdex_dataset::export::ranked_capability;
use capdex_dataset::finding::findings;
use capdex_db::{CurrentCapability, Reader};
use capdex_model::appeal::{Actor, Appeal, AppealDeed, ClaimKind, Filing, read_record};
use capdex_model::ruling::{RulingScope, RulingSubject};

use super::{now, settings, text_of};
use crate::advice;
use crate::appeals::{filing, rule_now};
use crate::capability_lookup;
use crate::cli::{AppealFileArgs, AppealImportArgs};
use crate::exit::usage;
use crate::options::Global;
use crate::output::Out;

/// Digits of a fingerprint that say which finding is meant.
const LEAST_DIGITS: usize = 8;
/// A larger file holds no appeals that a person wrote.
const MAX_BYTES: u64 = 256 << 20;

pub(super) fn file(global: &Global, options: &AppealFileArgs, out: &mut Out) -> anyhow::Result<()> {
    let (settings, at) = (settings(&options.schedule)?, now(global));
    let reader = super::super::reader(global)?;
    let current = capability_lookup::find(&reader, &options.capability)?;
    let (scope, rule) = scope(&reader, &current, options)?;
    if options.fixed_in.is_some() != (options.claim == ClaimKind::FixedIn) {
        return Err(usage("--fixed-in goes with the claim fixed_in, and that claim needs it"));
    }
    let text = text_of(&options.text)?;
    filing::check_text(&text).map_err(|why| usage(format!("the text is not taken: {why}")))?;
    let part = Some((current.capability.kind, current.capability.path.clone()));
    let filing = Filing {
        subject: RulingSubject { identity: current.identity.clone(), part },
        scope,
        content: current.capability.content,
        rule_version: rule.as_deref().and_then(rule_now).map(|meta| meta.version),
        rule,
        claim: options.claim,
        version: options.fixed_in.clone(),
        text,
    };
    let known = reader.appeals_about(&filing.subject.identity)?;
    let appeal = Appeal::begin(filing, at, Actor::Vendor, "");
    let id = appeal.id();
    if let Some(known) = known.iter().find(|one| one.id() == id) {
        out.line(format_args!("{id} was filed before and is {}", known.state().as_str()))?;
        return Ok(());
    }
    filing::check_number(appeal.filing(), &known, &settings, at).map_err(usage)?;
    let contact = options.contact.clone();
    super::super::decide(global, &options.waiting, move |to| to.file_appeal(&appeal, contact.as_deref()))?;
    out.line(&id)?;
    out.line(format_args!(
        "filed; `capdex appeal challenge {id}` gives the token by which its author proves to control it. Until then nothing of it is shown"
    ))?;
    Ok(())
}

/// What is appealed against, with its rule: a rule must be one that fires here, and a finding must be there.
fn scope(
    reader: &Reader,
    current: &CurrentCapability,
    options: &AppealFileArgs,
) -> anyhow::Result<(RulingScope, Option<String>)> {
    let facts = ranked_capability::facts(reader, current)?;
    let found = findings(&facts);
    if let Some(id) = &options.rule {
        let fires = found.iter().any(|one| one.rule == id);
        return match fires {
            true => Ok((RulingScope::Rule(id.clone()), Some(id.clone()))),
            false => Err(usage(format!("the rule {id:?} finds nothing here; `capdex explain` shows what is found"))),
        };
    }
    let Some(digits) = &options.finding else { return Ok((RulingScope::Whole, None)) };
    if digits.len() < LEAST_DIGITS {
        return Err(usage(format!("give at least {LEAST_DIGITS} digits of the fingerprint")));
    }
    let mut fitting = found.iter().filter(|one| one.fingerprint.starts_with(digits.as_str()));
    match (fitting.next(), fitting.next()) {
        (Some(one), None) => Ok((RulingScope::Finding(one.fingerprint.clone()), Some(one.rule.to_owned()))),
        (None, _) => {
            Err(usage(format!("no finding has a fingerprint that begins with {digits}; `capdex explain` shows them")))
        }
        _ => Err(usage(format!("several findings have a fingerprint that begins with {digits}"))),
    }
}

pub(super) fn import(global: &Global, options: &AppealImportArgs, out: &mut Out) -> anyhow::Result<()> {
    let shown = options.file.display();
    let size = fs::metadata(&options.file)
        .map_err(|error| usage(format!("cannot read {shown}: {}", advice::told(&error))))?
        .len();
    if size > MAX_BYTES {
        return Err(usage(format!("{shown} has {size} bytes; a file of appeals has at most {MAX_BYTES}")));
    }
    let text = fs::read_to_string(&options.file)
        .map_err(|error| usage(format!("cannot read {shown}: {}", advice::told(&error))))?;
    let mut appeals = Vec::new();
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let wrong = |why: String| usage(format!("{shown}: line {}: {why}", number + 1));
        let appeal = read_record(line).map_err(|fault| wrong(fault.to_string()))?;
        // What comes from another store is text from outside as well.
        let again = appeal.events().iter().filter_map(|event| match &event.deed {
            AppealDeed::Reopened { text } => Some(text),
            _ => None,
        });
        for text in std::iter::once(&appeal.filing().text).chain(again) {
            filing::check_text(text).map_err(|why| wrong(format!("the text is not taken: {why}")))?;
        }
        appeals.push(appeal);
    }
    let all = appeals.len() as u64;
    let new = super::super::decide(global, &options.waiting, move |to| {
        appeals.iter().try_fold(0, |new, appeal| Ok(new + u64::from(to.file_appeal(appeal, None)?)))
    })?;
    out.line(format_args!("{} taken, {} known", escape::count(new, "appeal"), all - new))?;
    Ok(())
}
