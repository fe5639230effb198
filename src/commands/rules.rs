//! `capdex rules`: the catalogue, from the data that the engine runs.

use std::collections::BTreeMap;

use capdex_dataset::escape;
use capdex_model::appeal::{AppealClocks, ClockName};
use capdex_model::rule::{Lifecycle, RuleMeta};
use serde_json::json;

use super::appeal::list as appeals;
use super::{list_output, summary};
use crate::appeals::rule_now;
use crate::cli::{ListFormat, RulesCommand};
use crate::clock;
use crate::exit::{Exit, usage};
use crate::nearest::did_you_mean;
use crate::options::Global;
use crate::output::Out;

/// The schema of what decided appeals ask of rules.
const CHECK_SCHEMA: &str = "capdex.rules-check/1";

pub(super) fn run(global: &Global, command: &RulesCommand, out: &mut Out) -> anyhow::Result<Exit> {
    match command {
        RulesCommand::List { format } => list(*format, out)?,
        RulesCommand::Show { id } => {
            let meta = capdex_rules::INDEX.find(id).ok_or_else(|| usage(no_rule(id)))?;
            show(meta, out)?;
        }
        RulesCommand::Check { format } => return check(global, *format, out),
    }
    Ok(Exit::Done)
}

/// What decided appeals ask of the rules: a new version of each that was wrong, and a trial for one that often was. Overdue or too
/// often is a threshold met.
fn check(global: &Global, format: ListFormat, out: &mut Out) -> anyhow::Result<Exit> {
    let (clocks, now) = (AppealClocks::default(), global.as_of.map_or_else(clock::now, |at| at.0));
    let (mut items, mut rates, mut is_met) = (Vec::new(), BTreeMap::new(), false);
    super::reader(global)?.each_standing(|standing| {
        appeals::count(&mut rates, &standing);
        let due = standing.due(&clocks, rule_now).filter(|due| due.what == ClockName::Rule);
        if let (Some(due), Some(rule)) = (due, &standing.rule) {
            let is_overdue = due.at <= now;
            is_met |= is_overdue;
            items.push(json!({
                "schema": CHECK_SCHEMA, "rule": rule, "asks": "new_version", "appeal": standing.id,
                "version": standing.rule_version, "due": due.at, "overdue": is_overdue,
            }));
        }
    })?;
    for (rule, rate) in rates.iter().filter(|(_, rate)| appeals::is_doubtful(rate)) {
        // A rule that is on trial already, or gone, has nothing left to lose.
        let is_stable = capdex_rules::INDEX.find(rule).is_some_and(|meta| meta.lifecycle == Lifecycle::Stable);
        if is_stable {
            is_met = true;
            items.push(json!({ "schema": CHECK_SCHEMA, "rule": rule, "asks": "trial", "decided": rate.of, "overturned": rate.hits }));
        }
    }
    list_output::print(format, CHECK_SCHEMA, &items, out, |out| {
        if items.is_empty() {
            out.line("No decided appeal asks anything of a rule")?;
        }
        for item in &items {
            let word = |key: &str| item[key].as_str().unwrap_or_default();
            let rule = escape::escape(word("rule"));
            match word("asks") {
                "trial" => out.line(format_args!(
                    "{rule}: make it experimental; {} of {} decided appeals were overturned",
                    item["overturned"], item["decided"]
                ))?,
                _ => {
                    let late = if item["overdue"] == true { "overdue since" } else { "by" };
                    out.line(format_args!(
                        "{rule}: a silent example and a version above {} (or its card says why not, in known_false_positive), {late} {}; `capdex appeal case {}` writes the example",
                        item["version"],
                        word("due"),
                        word("appeal")
                    ))?;
                }
            }
        }
        Ok(())
    })?;
    Ok(Exit::of(is_met, false))
}

/// The words for an id that no rule has.
pub(super) fn no_rule(id: &str) -> String {
    let meant = did_you_mean(id, capdex_rules::INDEX.all().iter().map(|meta| meta.id.as_str()));
    format!("there is no rule {id:?}{meant}; `capdex rules list` names them all")
}

fn list(format: ListFormat, out: &mut Out) -> anyhow::Result<()> {
    list_output::print(format, "capdex.rules/1", capdex_rules::INDEX.all(), out, |out| {
        let mut table = summary::table();
        table.set_header(["rule", "severity", "confidence", "title"]);
        for meta in capdex_rules::INDEX.all() {
            table.add_row([meta.id.as_str(), meta.severity.as_str(), meta.confidence.as_str(), &meta.title]);
        }
        out.line(table)?;
        out.line(format_args!("{} rules, rule set {}", capdex_rules::INDEX.all().len(), capdex_rules::INDEX.digest()))?;
        Ok(())
    })
}

fn show(meta: &RuleMeta, out: &mut Out) -> anyhow::Result<()> {
    let kinds: Vec<&str> = meta.kinds.iter().map(|kind| kind.as_str()).collect();
    out.line(format_args!("{} (version {})\n{}\n", meta.id, meta.version, meta.title))?;
    out.line(format_args!("severity    {}, confidence {}", meta.severity.as_str(), meta.confidence.as_str()))?;
    out.line(format_args!("applies to  {}", kinds.join(", ")))?;
    out.line(format_args!("why         {}", meta.why))?;
    out.line(format_args!("fix         {}", meta.fix))?;
    out.line(format_args!("cannot see  {}", meta.cannot_see))?;
    out.line(format_args!("cites       {}", meta.cites.join(", ")))?;
    for (family, codes) in &meta.codes {
        out.line(format_args!("{family:<11} {}", codes.join(", ")))?;
    }
    for known in &meta.known_false_positive {
        out.line(format_args!("known wrong {}: {}", known.appeal, known.reason))?;
    }
    out.line(format_args!(
        "examples    {} that fire, {} that stay silent",
        meta.examples.fires.len(),
        meta.examples.silent.len()
    ))?;
    Ok(())
}
