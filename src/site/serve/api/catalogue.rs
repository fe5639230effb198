//! The catalogue of the engine and the state of the store: rules, rubrics, status.

use super::whole;
use crate::serve::reply::RouteReply;
use crate::serve::route::ApiRequest;
use capdex_dataset::views::status::StatusView;
use capdex_model::rule::RuleMeta;
use capdex_rubrics::RUBRICS;
use serde_json::json;

/// `/api/v1/rules`
pub(in crate::serve) fn rules(ask: &ApiRequest<'_>) -> anyhow::Result<RouteReply> {
    let object = |meta: &&RuleMeta| {
        json!({ "id": meta.id, "version": meta.version, "title": meta.title, "severity": meta.severity,
                "confidence": meta.confidence, "kinds": meta.kinds, "cites": meta.cites, "codes": meta.codes })
    };
    whole("capdex.rules/1", ask.site, &ask.reader.rules().all().iter().map(object).collect::<Vec<_>>())
}

/// `/api/v1/rules/{rule}`
pub(in crate::serve) fn rule(ask: &ApiRequest<'_>) -> anyhow::Result<RouteReply> {
    let Some(meta) = ask.reader.rules().find(ask.name()) else {
        return Ok(RouteReply::Missing("there is no such rule; /api/v1/rules lists them all".to_owned()));
    };
    let mut rule = serde_json::to_value(meta)?;
    if let Some(rule) = rule.as_object_mut() {
        rule.insert("schema".to_owned(), json!("capdex.rule/1"));
        rule.insert("known_false_positive".to_owned(), json!(meta.known_false_positive));
        let rate = ask.site.appealed(meta.id.as_str());
        let (low, high) = rate.interval();
        let percent = |number: f64| (number * 10.0).round() / 10.0;
        let share = (rate.of > 0).then(|| json!({ "low": percent(low), "high": percent(high) }));
        rule.insert("appeals".to_owned(), json!({ "decided": rate.of, "overturned": rate.hits, "percent": share }));
    }
    RouteReply::json(&rule)
}

/// `/api/v1/rubrics`
pub(in crate::serve) fn rubrics(ask: &ApiRequest<'_>) -> anyhow::Result<RouteReply> {
    let items = RUBRICS.iter().map(|rubric| serde_json::to_value(rubric.meta())).collect::<Result<Vec<_>, _>>()?;
    whole("capdex.rubrics/1", ask.site, &items)
}

/// `/api/v1/status`: what `capdex status` says, without the operator's own receivers and command lines.
pub(in crate::serve) fn status(ask: &ApiRequest<'_>) -> anyhow::Result<RouteReply> {
    // Receivers of alerts and command lines are the operator's, and may hold secrets.
    RouteReply::json(&StatusView::of(ask.reader)?.for_strangers())
}
