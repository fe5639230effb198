//! Appeals, drift, alerts, typosquat candidates and collisions, page by page.

use capdex_corpus::typosquat::TyposquatCandidate;
use capdex_model::alert::Raised;
use capdex_model::appeal::{Appeal, AppealClocks, AppealRecord, AppealState};
use capdex_model::fact::Severity;
use capdex_model::time::AsOf;
use serde::Serialize;

use super::{ApiPage, least, listed, one_of};
use crate::serve::reply::RouteReply;
use crate::serve::route::ApiRequest;
use capdex_dataset::views::alerts::{self, RaisedView};
use capdex_dataset::views::collisions::{self, CollisionView};
use capdex_dataset::views::drift::{self, DriftView};
use capdex_dataset::views::typosquats::{self, TyposquatView};

/// `/api/v1/appeals`
pub(in crate::serve) fn appeals(ask: &ApiRequest<'_>) -> anyhow::Result<RouteReply> {
    let page = match ApiPage::of(&ask.query) {
        Ok(page) => page,
        Err(said) => return Ok(said),
    };
    let state = match one_of(&ask.query, "state", AppealState::ALL.iter().map(|state| state.as_str())) {
        Ok(state) => state,
        Err(said) => return Ok(said),
    };
    let wanted = || ask.site.appeals.iter().filter(|head| state.is_none_or(|state| head.state.as_str() == state));
    let total = wanted().count();
    let (heads, next) = page.cut(wanted(), |head| head.id.to_string());
    let mut items = Vec::new();
    for head in heads {
        // Only those of this page are read whole.
        items.extend(ask.reader.appeal(&head.id)?.map(|appeal| record(ask, &appeal)));
    }
    listed("capdex.appeals/1", ask.site, total, &items, &next)
}

/// `/api/v1/appeals/{appeal}`
pub(in crate::serve) fn appeal(ask: &ApiRequest<'_>) -> anyhow::Result<RouteReply> {
    let id = ask.name().parse().ok();
    match id.map(|id| ask.reader.appeal(&id)).transpose()?.flatten() {
        Some(appeal) => RouteReply::json(&serde_json::to_value(record(ask, &appeal))?),
        None => Ok(RouteReply::Missing("there is no such appeal; /api/v1/appeals lists them all".to_owned())),
    }
}

/// The record of an appeal, without the words of who has proved nothing.
fn record(ask: &ApiRequest<'_>, appeal: &Appeal) -> AppealRecord {
    let rule_now = |rule: &str| ask.site.rules.find(rule);
    AppealRecord::of(appeal, &AppealClocks::default(), rule_now, false)
}

/// `/api/v1/drift`
pub(in crate::serve) fn drift(ask: &ApiRequest<'_>) -> anyhow::Result<RouteReply> {
    let (heads, total, next) = match part(ask, &ask.site.watch.drift, |head| head.severity, |head| head.key.clone()) {
        Ok(part) => part,
        Err(said) => return Ok(said),
    };
    let mut events = Vec::new();
    for head in heads {
        // Only the events of this page are read from the store.
        events.extend(ask.reader.drift_event(&head.key)?);
    }
    let items: Vec<DriftView<'_>> = events.iter().map(DriftView::of).collect();
    listed(drift::SCHEMA, ask.site, total, &items, &next)
}

/// `/api/v1/alerts`
pub(in crate::serve) fn alerts(ask: &ApiRequest<'_>) -> anyhow::Result<RouteReply> {
    let severity = |raised: &Raised| raised.alert.severity;
    page_of(ask, alerts::SCHEMA, &ask.site.watch.alerts, severity, |raised| raised.alert.key.clone(), RaisedView::of)
}

/// `/api/v1/lookalikes`
pub(in crate::serve) fn typosquats(ask: &ApiRequest<'_>) -> anyhow::Result<RouteReply> {
    let leads = &ask.site.watch.typosquats;
    let key = |(lead, _): &(TyposquatCandidate, AsOf)| {
        [lead.space.as_str(), &lead.name, &lead.target, lead.listing.as_deref().unwrap_or_default()].join("\0")
    };
    page_of(
        ask,
        typosquats::SCHEMA,
        leads,
        |(lead, _)| lead.severity,
        key,
        |(lead, at)| TyposquatView::of(lead, Some(*at)),
    )
}

/// `/api/v1/collisions`
pub(in crate::serve) fn collisions(ask: &ApiRequest<'_>) -> anyhow::Result<RouteReply> {
    let all = &ask.site.watch.collisions;
    page_of(ask, collisions::SCHEMA, all, |(of, _)| of.severity, |(of, _)| of.key.clone(), CollisionView::of)
}

/// A page of the items that are severe enough.
fn page_of<'a, T, V: Serialize>(
    ask: &ApiRequest<'a>,
    schema: &str,
    all: &'a [T],
    severity: impl Fn(&T) -> Severity,
    key: impl Fn(&T) -> String,
    view: impl Fn(&'a T) -> V,
) -> anyhow::Result<RouteReply> {
    let (items, total, next) = match part(ask, all, severity, key) {
        Ok(part) => part,
        Err(said) => return Ok(said),
    };
    let items: Vec<V> = items.into_iter().map(view).collect();
    listed(schema, ask.site, total, &items, &next)
}

/// Items, the number on all pages, and the `after` of the next page.
type ApiListPart<'a, T> = (Vec<&'a T>, usize, Option<String>);

fn part<'a, T>(
    ask: &ApiRequest<'_>,
    all: &'a [T],
    severity: impl Fn(&T) -> Severity,
    key: impl Fn(&T) -> String,
) -> Result<ApiListPart<'a, T>, RouteReply> {
    // The query is checked before anything is counted.
    let (page, least) = (ApiPage::of(&ask.query)?, least(&ask.query)?);
    let grave = || all.iter().filter(|item| severity(item) >= least);
    let (items, next) = page.cut(grave(), |item| key(item));
    Ok((items, grave().count(), next))
}
