//! `appeal leads`: where else an overturned finding stands.

use capdex_dataset::escape;
use capdex_db::StoreError;
use serde_json::{Value, json};

use super::super::{list_output, summary};
use super::known;
use crate::appeals::leads::{among, families};
use crate::cli::AppealLeadsArgs;
use crate::options::Global;
use crate::output::Out;

/// The schema of leads.
const SCHEMA: &str = "capdex.appeal-leads/1";

pub(super) fn leads(global: &Global, options: &AppealLeadsArgs, out: &mut Out) -> anyhow::Result<()> {
    let reader = super::super::reader(global)?;
    let mut appeals = Vec::new();
    match &options.id {
        Some(id) => appeals.push(known(&reader, id)?),
        None => reader.each_appeal(|appeal| -> Result<(), StoreError> {
            appeals.push(appeal);
            Ok(())
        })?,
    }
    let families = families(&reader)?;
    let mut items: Vec<Value> = Vec::new();
    for appeal in &appeals {
        for lead in among(&reader, appeal, &families)? {
            let mut item = json!(lead);
            item["schema"] = json!(SCHEMA);
            item["same_as"] = json!(appeal.id());
            items.push(item);
        }
    }
    list_output::print(options.format, SCHEMA, &items, out, |out| {
        if items.is_empty() {
            return Ok(out.line("No copy has a finding that an appeal overturned")?);
        }
        let mut table = summary::table();
        table.set_header(["copy", "rule", "places", "same as"]);
        for item in &items {
            let word = |key: &str| escape::escape(item[key].as_str().unwrap_or_default()).into_owned();
            table.add_row([word("slug"), word("rule"), item["places"].to_string(), word("same_as")]);
        }
        Ok(out.line(table)?)
    })
}
