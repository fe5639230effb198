//! `appeal take`, `decide`, `reopen`, `withdraw` and `case`: what persons do.

use std::collections::BTreeSet;

use capdex_dataset::escape;
use capdex_db::{Reader, StoreError};
use capdex_model::appeal::{Actor, Appeal, AppealDeed};
use serde_json::Value;

use super::{add, known, text_of};
use crate::appeals::{answer, case as labelled, filing, leads, subject_now};
use crate::cli::{AppealCaseArgs, AppealDecideArgs, AppealReopenArgs, AppealTakeArgs, AppealWithdrawArgs};
use crate::exit::usage;
use crate::options::Global;
use crate::output::{self, Out};

/// Lines around a finding that a case holds on each side.
const LINES: usize = 10;
/// A larger file is most often generated.
const FILE_BYTES: u64 = 1 << 20;

pub(super) fn take(global: &Global, options: &AppealTakeArgs, out: &mut Out) -> anyhow::Result<()> {
    let appeal = known(&super::super::reader(global)?, &options.id)?;
    let appeal = add(global, &options.waiting, appeal, (Actor::Operator, &options.by), vec![AppealDeed::Taken])?;
    out.line(format_args!("{} is {}", appeal.id(), appeal.state().as_str()))?;
    Ok(())
}

pub(super) fn decide(global: &Global, options: &AppealDecideArgs, out: &mut Out) -> anyhow::Result<()> {
    let reader = super::super::reader(global)?;
    let appeal = known(&reader, &options.id)?;
    if let Some((first, ..)) = appeal.decision().filter(|(first, ..)| first.by == options.by) {
        return Err(usage(format!("{} decided the first time; another person decides now", first.by)));
    }
    let reason = text_of(&options.reason)?;
    let evidence = evidence(&reader, &appeal)?;
    let mut earlier: BTreeSet<String> = BTreeSet::new();
    reader.each_appeal(|one| -> Result<(), StoreError> {
        earlier.extend(one.events().iter().filter_map(|event| match &event.deed {
            AppealDeed::Decided { reason, .. } => Some(reason.clone()),
            _ => None,
        }));
        Ok(())
    })?;
    let earlier: Vec<String> = earlier.into_iter().collect();
    filing::check_reason(&reason, appeal.filing().rule.as_deref(), &evidence, &earlier).map_err(usage)?;
    let deed = AppealDeed::Decided { outcome: options.outcome, reason };
    let appeal = add(global, &options.waiting, appeal, (Actor::Operator, &options.by), vec![deed])?;
    out.line(format_args!("{} is {}; no number changes", appeal.id(), appeal.state().as_str()))?;
    let copies = leads::of(&super::super::reader(global)?, &appeal)?.len() as u64;
    if copies > 0 {
        let copies = escape::count(copies, "near-equal copy");
        out.line(format_args!("{copies} with the same finding: `capdex appeal leads {}`", appeal.id()))?;
    }
    Ok(())
}

/// What the finding quotes; empty where nothing is known of it any more.
fn evidence(reader: &Reader, appeal: &Appeal) -> anyhow::Result<String> {
    let Some(current) = subject_now(reader, appeal)? else { return Ok(String::new()) };
    let Some(facts) = answer::facts(reader, appeal, &current)? else { return Ok(String::new()) };
    let found = answer::named(&facts, &appeal.filing().scope);
    Ok(found.first().map_or_else(String::new, |(_, finding)| finding.evidence.to_owned()))
}

pub(super) fn reopen(global: &Global, options: &AppealReopenArgs, out: &mut Out) -> anyhow::Result<()> {
    let appeal = known(&super::super::reader(global)?, &options.id)?;
    let text = text_of(&options.text)?;
    filing::check_text(&text).map_err(|why| usage(format!("the text is not taken: {why}")))?;
    if text == appeal.filing().text {
        return Err(usage("the text is the one that was decided on; say something new"));
    }
    if appeal.is_control_lost() {
        return Err(usage("its author controls the package no more; file anew and prove it"));
    }
    let appeal = add(global, &options.waiting, appeal, (Actor::Vendor, ""), vec![AppealDeed::Reopened { text }])?;
    out.line(format_args!("{} is {}; another person decides", appeal.id(), appeal.state().as_str()))?;
    Ok(())
}

pub(super) fn withdraw(global: &Global, options: &AppealWithdrawArgs, out: &mut Out) -> anyhow::Result<()> {
    let appeal = known(&super::super::reader(global)?, &options.id)?;
    let deed = AppealDeed::Withdrawn { reason: options.reason.clone() };
    let appeal = add(global, &options.waiting, appeal, (Actor::Vendor, ""), vec![deed])?;
    out.line(format_args!("{} is {}", appeal.id(), appeal.state().as_str()))?;
    Ok(())
}

pub(super) fn case(global: &Global, options: &AppealCaseArgs, out: &mut Out) -> anyhow::Result<()> {
    let reader = super::super::reader(global)?;
    if let Some(id) = &options.id {
        let appeal = known(&reader, id)?;
        let Some(label) = labelled::label(&appeal) else {
            return Err(usage(format!("{id} is {}: it labels nothing", appeal.state().as_str())));
        };
        return match record(&reader, &appeal, label)? {
            Ok(record) => Ok(out.json(&record)?),
            Err(why) => Err(usage(why)),
        };
    }
    let mut decided = Vec::new();
    reader.each_appeal(|appeal| -> Result<(), StoreError> {
        decided.extend(labelled::label(&appeal).map(|label| (appeal, label)));
        Ok(())
    })?;
    for (appeal, label) in decided {
        match record(&reader, &appeal, label)? {
            Ok(record) => out.json(&record)?,
            // The others are no less worth for it.
            Err(why) => output::say(format_args!("left out: {why}")),
        }
    }
    Ok(())
}

/// The case of an appeal with its label, or why there is none.
fn record(reader: &Reader, appeal: &Appeal, label: &str) -> anyhow::Result<Result<Value, String>> {
    let gone = format!("the content of {} is not what stands now, and its lines are not kept", appeal.id());
    let current = subject_now(reader, appeal)?.filter(|now| appeal.is_about(&now.capability));
    let Some(current) = current else { return Ok(Err(gone)) };
    let Some(facts) = answer::facts(reader, appeal, &current)? else { return Ok(Err(gone)) };
    let found = answer::named(&facts, &appeal.filing().scope);
    let Some((_, finding)) = found.first() else {
        return Ok(Err(format!("{} is about no finding, and a whole verdict is no case", appeal.id())));
    };
    let Some(file) = reader.files_of(current.snapshot)?.into_iter().find(|file| file.path == finding.file) else {
        return Ok(Err(gone));
    };
    let Some(bytes) = reader.small_blob(&file.digest, FILE_BYTES)? else { return Ok(Err(gone)) };
    let text = String::from_utf8_lossy(&bytes);
    // The lines around it and no more: whoever wrote the file has not given it away.
    let line = finding.line as usize;
    let kept: Vec<&str> = text.lines().skip(line.saturating_sub(LINES + 1)).take(2 * LINES + 1).collect();
    Ok(Ok(labelled::case(appeal, label, finding.file, &kept.join("\n"))))
}
