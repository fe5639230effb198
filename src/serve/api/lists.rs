//! Packages, drift, alerts, look-alikes and collisions, page by page.

use std::collections::BTreeMap;

use capdex_model::fact::Severity;
use capdex_model::score::Band;
use serde_json::{Value, json};

use super::{Page, either, least, listed};
use crate::commands;
use crate::report::site::Site;
use crate::serve::answer::Said;
use crate::serve::routes::Ask;

/// `/api/v1/packages`
pub(in crate::serve) fn packages(ask: &Ask<'_>) -> anyhow::Result<Said> {
    let page = match Page::of(&ask.query) {
        Ok(page) => page,
        Err(said) => return Ok(said),
    };
    let mut packages: BTreeMap<&str, (u64, Band)> = BTreeMap::new();
    for row in &ask.site.rows {
        let (count, worst) = packages.entry(&row.package).or_insert((0, row.band));
        (*count, *worst) = (*count + 1, stricter(*worst, row.band));
    }
    let total = packages.len();
    let (packages, next) = page.cut(packages.into_iter());
    let items: Vec<Value> = packages
        .into_iter()
        .map(|(package, (count, band))| json!({ "package": package, "capabilities": count, "band": band.as_str() }))
        .collect();
    Ok(listed("capdex.packages/1", ask.site, total, &items, next))
}

/// The one of two bands that a person should know of: what is unknown is never clean, and no excuse for what is known.
fn stricter(one: Band, other: Band) -> Band {
    let weight = |band: Band| match band {
        Band::Ok => 0,
        Band::Watch => 1,
        Band::Unknown => 2,
        Band::Caution => 3,
        Band::Block => 4,
    };
    if weight(other) > weight(one) { other } else { one }
}

/// `/api/v1/drift`
pub(in crate::serve) fn drift(ask: &Ask<'_>) -> anyhow::Result<Said> {
    let heads = &ask.site.watch.drift;
    let part = part(ask, heads, |head| head.severity);
    let (heads, total, next) = match part {
        Ok(part) => part,
        Err(said) => return Ok(said),
    };
    let mut items = Vec::new();
    for head in heads {
        items.extend(ask.reader.drift_event(&head.key)?.as_ref().map(commands::drift::to_json));
    }
    Ok(listed("capdex.drift/1", ask.site, total, &items, next))
}

/// `/api/v1/alerts`
pub(in crate::serve) fn alerts(ask: &Ask<'_>) -> anyhow::Result<Said> {
    let object = |raised: &capdex_model::alert::Raised| {
        let mut alert = json!(raised.alert);
        if let Some(alert) = alert.as_object_mut() {
            alert.insert("alert".to_owned(), json!(raised.alert.handle()));
            alert.insert("rule".to_owned(), json!(raised.alert.rule()));
            alert.insert("raised".to_owned(), json!(raised.at));
        }
        alert
    };
    Ok(page_of(ask, "capdex.alerts/1", &ask.site.watch.alerts, |raised| raised.alert.severity, object))
}

/// `/api/v1/lookalikes`
pub(in crate::serve) fn lookalikes(ask: &Ask<'_>) -> anyhow::Result<Said> {
    let object = |(lead, at): &(_, _)| commands::lookalikes::object(lead, Some(*at));
    Ok(page_of(ask, "capdex.lookalikes/1", &ask.site.watch.leads, |(lead, _)| lead.severity, object))
}

/// `/api/v1/collisions`
pub(in crate::serve) fn collisions(ask: &Ask<'_>) -> anyhow::Result<Said> {
    let object = commands::collisions::to_json;
    Ok(page_of(ask, "capdex.collisions/1", &ask.site.watch.collisions, |(of, _)| of.severity, object))
}

/// A page of what is severe enough.
fn page_of<T>(
    ask: &Ask<'_>,
    schema: &str,
    all: &[T],
    severity: impl Fn(&T) -> Severity,
    object: impl Fn(&T) -> Value,
) -> Said {
    let site: &Site = ask.site;
    either(part(ask, all, severity).map(|(items, total, next)| {
        let items: Vec<Value> = items.into_iter().map(object).collect();
        listed(schema, site, total, &items, next)
    }))
}

/// Items, how many there are on all pages, and the `after` of the next page.
type Part<'a, T> = (Vec<&'a T>, usize, Option<usize>);

fn part<'a, T>(ask: &Ask<'_>, all: &'a [T], severity: impl Fn(&T) -> Severity) -> Result<Part<'a, T>, Said> {
    let (page, least) = (Page::of(&ask.query)?, least(&ask.query)?);
    let grave = || all.iter().filter(|item| severity(item) >= least);
    let (items, next) = page.cut(grave());
    Ok((items, grave().count(), next))
}
