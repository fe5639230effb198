//! What the engine runs, and how the store stands: rules, rubrics, status.

use capdex_rubrics::RUBRICS;
use serde_json::{Value, json};

use super::whole;
use crate::commands;
use crate::serve::answer::Said;
use crate::serve::routes::Ask;

/// `/api/v1/rules`
pub(in crate::serve) fn rules(ask: &Ask<'_>) -> anyhow::Result<Said> {
    let object = |meta: &&capdex_rules::RuleMeta| {
        json!({ "id": meta.id, "version": meta.version, "title": meta.title, "severity": meta.severity,
                "confidence": meta.confidence, "kinds": meta.kinds, "cites": meta.cites, "codes": meta.codes })
    };
    Ok(whole("capdex.rules/1", ask.site, &capdex_rules::all().iter().map(object).collect::<Vec<_>>()))
}

/// `/api/v1/rules/{rule}`
pub(in crate::serve) fn rule(ask: &Ask<'_>) -> anyhow::Result<Said> {
    let Some(meta) = capdex_rules::find(ask.name()) else {
        return Ok(Said::Missing("there is no such rule; /api/v1/rules lists them all".to_owned()));
    };
    let mut rule = serde_json::to_value(meta)?;
    if let Some(rule) = rule.as_object_mut() {
        rule.insert("schema".to_owned(), json!("capdex.rule/1"));
    }
    Ok(Said::json(&rule))
}

/// `/api/v1/rubrics`
pub(in crate::serve) fn rubrics(ask: &Ask<'_>) -> anyhow::Result<Said> {
    let items = RUBRICS.iter().map(|rubric| serde_json::to_value(rubric.meta())).collect::<Result<Vec<_>, _>>()?;
    Ok(whole("capdex.rubrics/1", ask.site, &items))
}

/// `/api/v1/status`: what `capdex status` says, without the operator's own receivers and command lines.
pub(in crate::serve) fn status(ask: &Ask<'_>) -> anyhow::Result<Said> {
    let mut status = commands::status::collect(ask.reader)?;
    if let Some(alerts) = status.get_mut("alerts").and_then(Value::as_object_mut) {
        alerts.remove("sinks");
    }
    let runs = status.get_mut("runs").and_then(Value::as_array_mut).into_iter().flatten();
    for run in runs.filter_map(Value::as_object_mut) {
        run.remove("command");
        run.remove("summary");
    }
    Ok(Said::json(&status))
}
