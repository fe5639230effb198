//! `appeal claims`: what maintainers claim in a file of their own, without an appeal.

use capdex_dataset::escape;
use capdex_dataset::export::ranked_capability;
use capdex_db::StoreError;
use serde_json::{Value, json};

use super::super::{list_output, summary};
use crate::appeals::scorecard;
use crate::capability_lookup;
use crate::cli::AppealClaimsArgs;
use crate::exit::usage;
use crate::options::Global;
use crate::output::Out;

/// The schema of claims.
const SCHEMA: &str = "capdex.appeal-claims/1";

pub(super) fn claims(global: &Global, options: &AppealClaimsArgs, out: &mut Out) -> anyhow::Result<()> {
    let reader = super::super::reader(global)?;
    let current = capability_lookup::find(&reader, &options.capability)?;
    let bundle = match reader.bundle(current.snapshot) {
        Err(StoreError::Pruned { .. }) => {
            return Err(usage(format!(
                "the files of {} are not kept any more",
                escape::escape(&current.capability.slug)
            )));
        }
        other => other?,
    };
    let facts = ranked_capability::facts(&reader, &current)?;
    let mut fired: Vec<&str> = facts.findings().map(|fact| fact.rule.as_str()).collect();
    fired.sort_unstable();
    fired.dedup();
    let items: Vec<Value> = scorecard::claims(&bundle)
        .iter()
        .map(|one| {
            let rules: Vec<&str> = fired.iter().copied().filter(|rule| one.is_about(rule)).collect();
            json!({ "schema": SCHEMA, "file": one.file, "check": one.check, "reason": one.reason, "claim": one.claim,
                    "words": one.words(), "rules": rules })
        })
        .collect();
    list_output::print(options.format, SCHEMA, &items, out, |out| {
        if items.is_empty() {
            return Ok(out.line("Its maintainers claim nothing in a file for OpenSSF Scorecard")?);
        }
        let mut table = summary::table();
        table.set_header(["check", "reason", "claim", "rules that fire here"]);
        for item in &items {
            let word = |key: &str| item[key].as_str().unwrap_or_default().to_owned();
            let rules: Vec<&str> = item["rules"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
            table.add_row([word("check"), word("reason"), word("claim"), rules.join(", ")]);
        }
        out.line(table)?;
        Ok(out.line("A claim changes nothing; `capdex appeal file` has a person look at one")?)
    })
}
