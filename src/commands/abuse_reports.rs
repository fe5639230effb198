//! `capdex abuse report`, `reports` and `moderate`: what is submitted, and what a person makes of it.

use std::fs;
use std::path::Path;

use capdex_dataset::escape;
use capdex_db::{StoreError, StoredReport};
use capdex_model::abuse_report::{AbuseReport, ReportDecision};
use capdex_model::time::AsOf;
use serde_json::{Value, json};

use super::{list_output, summary};
use crate::advice;
use crate::cli::{ListFormat, ModerateArgs, WaitArgs};
use crate::clock;
use crate::exit::usage;
use crate::options::Global;
use crate::output::Out;

/// A larger file holds no reports that a person wrote.
const MAX_BYTES: u64 = 16 << 20;

fn now(global: &Global) -> AsOf {
    global.as_of.unwrap_or_else(|| AsOf(clock::now()))
}

pub(super) fn submit(global: &Global, file: &Path, waiting: &WaitArgs, out: &mut Out) -> anyhow::Result<()> {
    let shown = file.display();
    let size =
        fs::metadata(file).map_err(|error| usage(format!("cannot read {shown}: {}", advice::told(&error))))?.len();
    if size > MAX_BYTES {
        return Err(usage(format!("{shown} has {size} bytes; a file of reports has at most {MAX_BYTES}")));
    }
    let text =
        fs::read_to_string(file).map_err(|error| usage(format!("cannot read {shown}: {}", advice::told(&error))))?;
    let reports = AbuseReport::parse_all(&text).map_err(|why| usage(format!("{shown}: {why}")))?;
    let (told, at) = (reports.clone(), now(global));
    let new = super::decide(global, waiting, move |to| {
        reports.iter().map(|report| to.submit_report(report, at)).collect::<Result<Vec<bool>, _>>()
    })?;
    for (report, is_new) in told.iter().zip(new) {
        let standing = if is_new { "submitted; a person decides what is made of it" } else { "submitted before" };
        let of = format!("{}:{}", report.registry, report.name);
        out.line(format_args!("{} about {}: {standing}", report.id(), escape::escape(&of)))?;
    }
    Ok(())
}

pub(super) fn moderate(global: &Global, options: &ModerateArgs, out: &mut Out) -> anyhow::Result<()> {
    let decision = ReportDecision {
        state: options.state,
        by: options.by.clone(),
        reason: options.reason.clone(),
        at: now(global),
    };
    let name = options.report.clone();
    match super::decide(global, &options.waiting, move |to| to.decide_report(&name, &decision)) {
        Err(error) => match error.downcast_ref::<StoreError>() {
            Some(refused @ StoreError::Refused { .. }) => Err(usage(refused.to_string())),
            _ => Err(error),
        },
        Ok(()) => {
            out.line(format_args!("{} is {}", escape::escape(&options.report), options.state.as_str()))?;
            Ok(())
        }
    }
}

pub(super) fn list(global: &Global, format: ListFormat, out: &mut Out) -> anyhow::Result<()> {
    let reports = super::reader(global)?.abuse_reports()?;
    let items: Vec<Value> = reports.iter().map(item).collect();
    list_output::print(format, "capdex.abuse-reports/1", &items, out, |out| {
        if reports.is_empty() {
            out.line("No report was submitted")?;
            return Ok(());
        }
        let mut table = summary::table();
        table.set_header(["report", "state", "about", "reason", "submitted"]);
        for stored in &reports {
            let text = |text: &str| escape::escape(text).into_owned();
            let about = format!("{}:{}", stored.report.registry, stored.report.name);
            let (name, state) = (stored.report.id(), stored.state().as_str().to_owned());
            table.add_row([name, state, text(&about), text(&stored.report.reason), stored.at.to_string()]);
        }
        out.line(table)?;
        Ok(())
    })
}

fn item(stored: &StoredReport) -> Value {
    let mut item = json!(stored.report);
    item["schema"] = json!("capdex.abuse-reports/1");
    item["id"] = json!(stored.report.id());
    item["state"] = json!(stored.state().as_str());
    item["submitted"] = json!(stored.at);
    item["decisions"] = json!(stored.decisions);
    item
}
