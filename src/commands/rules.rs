//! `capdex rules`: the catalogue, from the data that the engine runs.

use capdex_model::rule::RuleMeta;

use super::{list_output, summary};
use crate::cli::{ListFormat, RulesCommand};
use crate::exit::{Exit, usage};
use crate::nearest::did_you_mean;
use crate::output::Out;

pub(super) fn run(command: &RulesCommand, out: &mut Out) -> anyhow::Result<Exit> {
    match command {
        RulesCommand::List { format } => list(*format, out)?,
        RulesCommand::Show { id } => {
            let meta = capdex_rules::INDEX.find(id).ok_or_else(|| usage(no_rule(id)))?;
            show(meta, out)?;
        }
    }
    Ok(Exit::Done)
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
    out.line(format_args!(
        "examples    {} that fire, {} that stay silent",
        meta.examples.fires.len(),
        meta.examples.silent.len()
    ))?;
    Ok(())
}
