//! `appeal list`, `show` and `rules`: what there is.

use std::collections::BTreeMap;

use capdex_dataset::escape;
use capdex_model::appeal::{Appeal, AppealDeed, AppealRecord, AppealStanding, AppealState, Outcome};
use capdex_model::rule::measured::Rate;
use capdex_model::time::{AsOf, Timestamp};
use serde_json::{Value, json};

use super::super::{list_output, summary};
use super::{known, now, settings};
use crate::appeals::rule_now;
use crate::appeals::settings::AppealSettings;
use crate::appeals::tend::{late, overdue, words};
use crate::cli::{AppealListArgs, AppealRulesArgs, AppealShowArgs, ListFormat};
use crate::exit::Exit;
use crate::options::Global;
use crate::output::{self, Out};

/// Decided appeals from which on a rule is judged by them.
const ENOUGH: u64 = 10;
/// The share of overturned findings above which a rule is not trusted as it is.
const TOO_OFTEN: f64 = 0.2;

pub(super) fn list(global: &Global, options: &AppealListArgs, out: &mut Out) -> anyhow::Result<Exit> {
    let (settings, at) = (settings(&options.schedule)?, now(global));
    let reader = super::super::reader(global)?;
    let is_wanted = |one: &AppealStanding| !options.overdue || late(one, &settings, at.0).is_some();
    let appeals = if options.overdue || options.state.is_some() {
        // Nothing is late whose clock has not begun.
        let since = if options.overdue { at.0 } else { Timestamp::from_unix_seconds(i64::MAX) };
        reader.newest_appeals_that(options.state, since, is_wanted, options.limit)?
    } else {
        reader.newest_appeals(options.limit)?
    };
    let items: Vec<Value> = appeals.iter().map(|appeal| item(appeal, &settings, at)).collect();
    list_output::print(options.format, "capdex.appeals/1", &items, out, |out| table(&appeals, &settings, at, out))?;
    Ok(Exit::of(options.overdue && !appeals.is_empty(), false))
}

fn item(appeal: &Appeal, settings: &AppealSettings, at: AsOf) -> Value {
    let filing = appeal.filing();
    let due = appeal.due(&settings.clocks, rule_now);
    json!({
        "schema": "capdex.appeals/1", "id": appeal.id(), "capability": filing.subject, "scope": filing.scope, "rule": filing.rule,
        "claim": filing.claim, "state": appeal.state().as_str(), "filed_at": appeal.filed_at(),
        "due": due.map(|due| json!({ "what": due.what.as_str(), "at": due.at })),
        "overdue": overdue(appeal, settings, at.0).is_some(),
    })
}

fn table(appeals: &[Appeal], settings: &AppealSettings, at: AsOf, out: &mut Out) -> anyhow::Result<()> {
    if appeals.is_empty() {
        out.line("There is no appeal")?;
        return Ok(());
    }
    let mut table = summary::table();
    table.set_header(["appeal", "state", "about", "against", "claim", "due"]);
    for appeal in appeals {
        let filing = appeal.filing();
        let text = |text: &str| escape::escape(text).into_owned();
        let against = filing.rule.as_deref().unwrap_or("the whole verdict");
        let due = appeal.due(&settings.clocks, rule_now).map_or_else(String::new, |due| {
            let late = if overdue(appeal, settings, at.0).is_some() { "overdue since" } else { "by" };
            format!("{} {late} {}", words(due.what), due.at)
        });
        table.add_row([
            appeal.id().to_string(),
            appeal.state().as_str().to_owned(),
            text(&filing.subject.to_string()),
            text(against),
            filing.claim.as_str().to_owned(),
            due,
        ]);
    }
    out.line(table)?;
    Ok(())
}

pub(super) fn show(global: &Global, options: &AppealShowArgs, out: &mut Out) -> anyhow::Result<()> {
    let (settings, at) = (settings(&options.schedule)?, now(global));
    let reader = super::super::reader(global)?;
    let appeal = known(&reader, &options.id)?;
    let record = AppealRecord::of(&appeal, &settings.clocks, rule_now, true);
    match options.format {
        ListFormat::Json => return out.json_pretty(&serde_json::to_value(record)?),
        ListFormat::Jsonl => return out.json(&serde_json::to_value(record)?),
        ListFormat::Table => {}
    }
    let filing = appeal.filing();
    let text = |text: &str| escape::escape(text).into_owned();
    out.line(format_args!("{}: {}", appeal.id(), appeal.state().as_str()))?;
    out.line(format_args!("  about     {} with {}", text(&filing.subject.to_string()), filing.content))?;
    out.line(format_args!("  against   {}, claim {}", text(&filing.scope.to_string()), filing.claim.as_str()))?;
    if let (Some(rule), Some(version)) = (&filing.rule, filing.rule_version) {
        let today = rule_now(rule).map_or_else(|| "gone".to_owned(), |now| now.version.to_string());
        out.line(format_args!("  rule      {}, version {version} then, {today} now", text(rule)))?;
    }
    if let Some(due) = appeal.due(&settings.clocks, rule_now) {
        let late = if overdue(&appeal, &settings, at.0).is_some() { "overdue since" } else { "by" };
        out.line(format_args!("  due       {} {late} {}", words(due.what), due.at))?;
    }
    if let Some(contact) = reader.appeal_contact(&appeal.id())? {
        out.line(format_args!("  contact   {} (published nowhere)", text(&contact)))?;
    }
    let whose = match appeal.vendor_words() {
        Some(_) if appeal.is_control_lost() => "words of the owner of that time",
        Some(_) => "vendor's words",
        None => "words of nobody who has proved anything; not shown anywhere else",
    };
    out.line(output::hanging(
        "  says      ",
        &format!("{whose}: {}", text(appeal.vendor_words().unwrap_or(&filing.text))),
    ))?;
    for event in appeal.events() {
        let by = if event.by.is_empty() { String::new() } else { format!(", {}", text(&event.by)) };
        let line = format!(
            "{} {} by {}{by}{}",
            event.at,
            event.deed.as_str(),
            event.actor.as_str(),
            text(&particulars(&event.deed))
        );
        out.line(output::hanging("  event     ", &line))?;
    }
    Ok(())
}

fn particulars(deed: &AppealDeed) -> String {
    match deed {
        AppealDeed::Challenged { expires, key } => format!(": until {expires}, key {key}"),
        AppealDeed::Refused { method, reason } => format!(": {}, {reason}", method.as_str()),
        AppealDeed::Proven { method, locator, .. } => format!(": {}, {locator}", method.as_str()),
        AppealDeed::Answered { answer } => {
            let words = answer.pointer("/checks/0/words").and_then(Value::as_str).unwrap_or_default();
            format!(": {words}")
        }
        AppealDeed::Decided { outcome, reason } => format!(": {}: {reason}", outcome.as_str()),
        AppealDeed::Reopened { text } => format!(": {text}"),
        AppealDeed::Lost { reason } | AppealDeed::Withdrawn { reason } if !reason.is_empty() => format!(": {reason}"),
        _ => String::new(),
    }
}

/// How the decided appeals against one rule came out.
pub(in crate::commands) fn count(rules: &mut BTreeMap<String, Rate>, standing: &AppealStanding) {
    if let (AppealState::Decided(outcome), Some(rule)) = (standing.state, &standing.rule) {
        let rate = rules.entry(rule.clone()).or_default();
        rate.of += 1;
        rate.hits += u64::from(outcome == Outcome::Overturned);
    }
}

/// True where a rule is overturned too often to be trusted as it is. Judged only by as many as say something.
pub(in crate::commands) fn is_doubtful(rate: &Rate) -> bool {
    rate.of >= ENOUGH && rate.share() > TOO_OFTEN
}

pub(super) fn rules(global: &Global, options: &AppealRulesArgs, out: &mut Out) -> anyhow::Result<()> {
    let mut rules: BTreeMap<String, Rate> = BTreeMap::new();
    super::super::reader(global)?.each_standing(|standing| count(&mut rules, &standing))?;
    let items: Vec<Value> = rules
        .iter()
        .map(|(rule, rate)| {
            let (low, high) = rate.interval();
            let percent = |number: f64| (number * 10.0).round() / 10.0;
            json!({ "schema": "capdex.appeal-rules/1", "rule": rule, "decided": rate.of, "overturned": rate.hits,
                    "percent_low": percent(low), "percent_high": percent(high), "demote": is_doubtful(rate) })
        })
        .collect();
    list_output::print(options.format, "capdex.appeal-rules/1", &items, out, |out| {
        if rules.is_empty() {
            out.line("No appeal against a rule was decided")?;
            return Ok(());
        }
        let mut table = summary::table();
        table.set_header(["rule", "decided", "overturned", "percent", ""]);
        for (rule, rate) in &rules {
            let doubt = if is_doubtful(rate) { "make it experimental" } else { "" };
            table.add_row([
                escape::escape(rule).into_owned(),
                rate.of.to_string(),
                rate.hits.to_string(),
                rate.to_string(),
                doubt.to_owned(),
            ]);
        }
        out.line(table)?;
        Ok(())
    })
}
