//! `capdex rulings`: the operator's word on findings and capabilities, given, taken back, read from and written as OpenVEX.

use std::path::Path;

use anyhow::Context as _;
use capdex_dataset::escape;
use capdex_dataset::export::ranked_capability;
use capdex_dataset::finding::findings;
use capdex_db::{CurrentCapability, Decisions, Reader};
use capdex_model::ruling::{Ruling, RulingScope, RulingStatus, RulingSubject, newest};
use capdex_model::time::AsOf;
use serde_json::{Value, json};

use super::rules::no_rule;
use super::{list_output, summary};
use crate::capability_lookup;
use crate::cli::{ListFormat, RulingsCommand, RulingsGiveArgs, WaitArgs};
use crate::exit::{Exit, usage};
use crate::options::Global;
use crate::output::Out;
use crate::{clock, files, instant, openvex, operator};

/// Digits of a fingerprint that say which finding is meant.
const LEAST_DIGITS: usize = 8;

pub(super) fn run(global: &Global, command: &RulingsCommand, out: &mut Out) -> anyhow::Result<Exit> {
    match command {
        RulingsCommand::List { format } => list(global, *format, out)?,
        RulingsCommand::Give(options) => give(global, options, out)?,
        RulingsCommand::Withdraw { number, author, reason, waiting } => {
            withdraw(global, *number, (author, reason), waiting, out)?;
        }
        RulingsCommand::Import { file, any_content, waiting } => import(global, file, *any_content, waiting, out)?,
        RulingsCommand::Export { file, author } => export(global, file.as_deref(), author, out)?,
    }
    Ok(Exit::Done)
}

fn now(global: &Global) -> AsOf {
    global.as_of.unwrap_or_else(|| AsOf(clock::now()))
}

fn keep(global: &Global, waiting: &WaitArgs, rulings: Vec<Ruling>) -> anyhow::Result<u64> {
    super::decide(global, waiting, move |decisions: &Decisions<'_>| decisions.rule(&rulings))
}

fn give(global: &Global, options: &RulingsGiveArgs, out: &mut Out) -> anyhow::Result<()> {
    let reader = super::reader(global)?;
    let current = capability_lookup::find(&reader, &options.capability)?;
    let at = now(global);
    let expires = options.expires.as_deref().map(|text| {
        let end = instant::end(text, at).filter(|end| *end > at.0);
        end.ok_or_else(|| usage(format!("{text:?} is neither a number of days nor a date to come")))
    });
    let expires = expires.transpose()?;
    if options.any_content && expires.is_none() && options.status.sets_aside() {
        // It would excuse for ever what nobody has seen.
        return Err(usage("--any-content needs --expires where something is set aside"));
    }
    let scope = scope(&reader, &current, options)?;
    let subjects = match (options.package, options.any_content) {
        (true, true) => vec![(RulingSubject { identity: current.identity.clone(), part: None }, None)],
        (true, false) => {
            let ids = reader.capabilities_of(&current.identity)?;
            let mut subjects = Vec::new();
            for id in ids {
                let one = reader.current_of(&id)?;
                subjects.extend(one.map(|one| (of(&one), Some(one.capability.content))));
            }
            subjects
        }
        (false, any) => vec![(of(&current), Some(current.capability.content).filter(|_| !any))],
    };
    let rulings: Vec<Ruling> = subjects
        .into_iter()
        .map(|(subject, content)| Ruling {
            subject,
            scope: scope.clone(),
            content,
            status: options.status,
            author: options.author.clone(),
            reason: options.reason.clone(),
            at,
            expires,
        })
        .collect();
    let told = rulings.clone();
    let number = keep(global, &options.waiting, rulings)?;
    for (number, ruling) in (number + 1 - told.len() as u64..).zip(&told) {
        let (subject, scope) = (ruling.subject.to_string(), ruling.scope.to_string());
        let words = ruling.words();
        out.line(format_args!(
            "{number}: {} of {}: {}",
            escape::escape(&scope),
            escape::escape(&subject),
            escape::escape(&words)
        ))?;
    }
    Ok(())
}

/// A capability as the subject of a ruling.
fn of(current: &CurrentCapability) -> RulingSubject {
    let part = Some((current.capability.kind, current.capability.path.clone()));
    RulingSubject { identity: current.identity.clone(), part }
}

/// The part of the verdict that is ruled on: a rule must be one, and a finding must be there.
fn scope(reader: &Reader, current: &CurrentCapability, options: &RulingsGiveArgs) -> anyhow::Result<RulingScope> {
    if let Some(id) = &options.rule {
        let rule = capdex_rules::INDEX.find(id);
        return rule.map(|_| RulingScope::Rule(id.clone())).ok_or_else(|| usage(no_rule(id)));
    }
    let Some(digits) = &options.finding else { return Ok(RulingScope::Whole) };
    if digits.len() < LEAST_DIGITS {
        return Err(usage(format!("give at least {LEAST_DIGITS} digits of the fingerprint")));
    }
    let facts = ranked_capability::facts(reader, current)?;
    let found = findings(&facts);
    let fitting: Vec<&str> =
        found.iter().map(|one| one.fingerprint.as_str()).filter(|one| one.starts_with(digits.as_str())).collect();
    match fitting.as_slice() {
        [one] => Ok(RulingScope::Finding((*one).to_owned())),
        [] => {
            Err(usage(format!("no finding has a fingerprint that begins with {digits}; `capdex explain` shows them")))
        }
        _ => Err(usage(format!("{} findings have a fingerprint that begins with {digits}", fitting.len()))),
    }
}

fn withdraw(
    global: &Global,
    number: u64,
    (author, reason): (&str, &str),
    waiting: &WaitArgs,
    out: &mut Out,
) -> anyhow::Result<()> {
    let given = super::reader(global)?.rulings()?;
    let known = given.into_iter().find(|(known, _)| *known == number).map(|(_, ruling)| ruling);
    let known = known.ok_or_else(|| usage(format!("there is no ruling {number}; `capdex rulings list` shows them")))?;
    let (author, reason) = (author.to_owned(), reason.to_owned());
    let back = Ruling { status: RulingStatus::Withdrawn, author, reason, at: now(global), expires: None, ..known };
    let subject = back.subject.to_string();
    keep(global, waiting, vec![back])?;
    out.line(format_args!("{number} on {} is taken back", escape::escape(&subject)))?;
    Ok(())
}

fn import(global: &Global, file: &Path, any_content: bool, waiting: &WaitArgs, out: &mut Out) -> anyhow::Result<()> {
    let read = operator::read(file, any_content)?;
    let known: Vec<Ruling> = super::reader(global)?.rulings()?.into_iter().map(|(_, ruling)| ruling).collect();
    // The same document twice is one word.
    let new: Vec<Ruling> = read.rulings.into_iter().filter(|ruling| !known.contains(ruling)).collect();
    let count = escape::count(new.len() as u64, "ruling");
    keep(global, waiting, new)?;
    let others = match read.others {
        0 => String::new(),
        others => format!("; {} about other things left out", escape::count(others as u64, "statement")),
    };
    out.line(format_args!("{count} taken{others}"))?;
    Ok(())
}

fn export(global: &Global, file: Option<&Path>, author: &str, out: &mut Out) -> anyhow::Result<()> {
    let rulings = super::reader(global)?.operator_policy()?.rulings;
    if rulings.is_empty() {
        // A document has at least one statement.
        return Err(usage("there is no ruling to write"));
    }
    let text = openvex::write(&rulings, author, now(global))?;
    match file {
        Some(path) => {
            files::replace(path, text.as_bytes()).with_context(|| format!("failed to write {}", path.display()))?;
        }
        None => out.raw(text.as_bytes())?,
    }
    Ok(())
}

fn list(global: &Global, format: ListFormat, out: &mut Out) -> anyhow::Result<()> {
    let reader = super::reader(global)?;
    let (given, policy, at) = (reader.rulings()?, reader.operator_policy()?, now(global));
    let scheduled = policy.rulings.iter().filter(|one| !given.iter().any(|(_, known)| known == *one));
    let all: Vec<(Option<u64>, &Ruling)> =
        given.iter().map(|(number, one)| (Some(*number), one)).chain(scheduled.map(|one| (None, one))).collect();
    let counts = newest(policy.rulings.iter().cloned());
    let standing = |ruling: &Ruling| match ruling {
        ruling if !counts.contains(ruling) => "replaced",
        Ruling { status: RulingStatus::Withdrawn, .. } => "withdrawn",
        Ruling { expires: Some(expires), .. } if *expires <= at.0 => "expired",
        _ => "stands",
    };
    let items: Vec<Value> = all
        .iter()
        .map(|(number, ruling)| {
            let mut item = json!(ruling);
            item["schema"] = json!("capdex.rulings/1");
            item["number"] = json!(number);
            item["standing"] = json!(standing(ruling));
            item
        })
        .collect();
    list_output::print(format, "capdex.rulings/1", &items, out, |out| {
        if all.is_empty() {
            out.line("There is no ruling")?;
            return Ok(());
        }
        let mut table = summary::table();
        table.set_header(["", "standing", "subject", "on", "ruling"]);
        for (number, ruling) in &all {
            let number = number.map_or_else(|| "schedule".to_owned(), |number| number.to_string());
            let text = |text: &str| escape::escape(text).into_owned();
            let (subject, scope) = (text(&ruling.subject.to_string()), text(&ruling.scope.to_string()));
            let bound = if ruling.content.is_some() { "" } else { ", any content" };
            let words = format!("{}{bound}", text(&ruling.words()));
            table.add_row([number, standing(ruling).to_owned(), subject, scope, words]);
        }
        out.line(table)?;
        Ok(())
    })
}
