//! Capabilities: ranked, filtered, one by one.

use std::collections::BTreeSet;

use capdex_model::capability::Kind;
use capdex_model::fact::Severity;
use capdex_model::ids::CapabilityId;
use capdex_model::score::Band;
use capdex_model::surface::SurfaceInventory;
use capdex_rubrics::RUBRICS;
use serde_json::{Map, Value, json};

use super::{ApiPage, listed, name_program, one_of, whole};
use crate::report::capability::past;
use crate::report::paths;
use crate::report::site::CapabilitySummary;
use crate::serve::reply::RouteReply;
use crate::serve::route::ApiRequest;
use capdex_dataset::annotations;
use capdex_dataset::export::ranked_capability;
use capdex_dataset::finding;
use capdex_dataset::judged;
use capdex_dataset::scan_record::ScanRecord;

/// Hex digits of an id that are needed at least.
const DIGITS: usize = 8;

/// A row as it is given.
pub(super) fn object(row: &CapabilitySummary) -> Map<String, Value> {
    let counts = Severity::ALL.into_iter().rev();
    let findings: Map<String, Value> =
        counts.map(|severity| (severity.as_str().to_owned(), json!(row.findings.count(severity)))).collect();
    let rubrics = RUBRICS.iter().map(|rubric| rubric.meta().rubric.id.to_string());
    let values: Map<String, Value> = rubrics.zip(&row.values).map(|(id, value)| (id, json!(value))).collect();
    let object = json!({
        "rank": row.rank,
        "id": row.id.to_string(),
        "slug": row.slug,
        "kind": row.kind,
        "name": row.name,
        "package": row.package,
        "path": row.path,
        "version": row.version,
        "listing": row.listing,
        "listing_state": row.listing_state.as_str(),
        "band": row.band.as_str(),
        "mark": row.mark,
        "reason": row.reason,
        "trust": row.trust,
        "rank_kind": row.rank_kind,
        "users": row.users,
        "disagreement": row.disagreement.map(|share| share.to_json()),
        "completeness": row.completeness,
        "findings": findings,
        "values": values,
        "first_seen": row.first_seen,
        "revision_seen": row.revised,
        "page": format!("/{}", paths::capability(&row.id)),
    });
    match object {
        Value::Object(object) => object,
        _ => Map::new(),
    }
}

/// `/api/v1/capabilities`
pub(in crate::serve) fn list(ask: &ApiRequest<'_>) -> anyhow::Result<RouteReply> {
    let (page, kind) = match asked(ask) {
        Ok(asked) => asked,
        Err(said) => return Ok(said),
    };
    let bands = Band::ALL.iter().map(|band| band.as_str());
    let sources = ask.site.sources.iter().map(|source| source.id.as_str());
    let chosen = one_of(&ask.query, "band", bands).and_then(|band| Ok((band, one_of(&ask.query, "source", sources)?)));
    let (band, source) = match chosen {
        Ok(chosen) => chosen,
        Err(said) => return Ok(said),
    };
    let package = ask.query.text("package");
    let rules = ask.site.rules.all().iter().map(|meta| meta.id.as_str());
    let rule = match one_of(&ask.query, "rule", rules) {
        Ok(rule) => rule,
        Err(said) => return Ok(said),
    };
    let holders: Option<BTreeSet<CapabilityId>> = rule
        .map(|rule| ask.site.figures.holders.get(rule).map(|ids| ids.iter().copied().collect()).unwrap_or_default());
    let words: Vec<String> =
        ask.query.text("q").unwrap_or_default().to_lowercase().split_whitespace().map(str::to_owned).collect();
    let holds = |row: &CapabilitySummary| {
        // Small letters on both sides: people do not type names as they are written.
        let texts = [&row.name, &row.package, &row.path, &row.slug].map(|text| text.to_lowercase());
        words.iter().all(|word| texts.iter().any(|text| text.contains(word)))
    };
    let wanted = |row: &&CapabilitySummary| {
        kind.is_none_or(|kind| row.kind == kind)
            && band.is_none_or(|band| row.band.as_str() == band)
            && source.is_none_or(|source| row.listing.source == source)
            && package.is_none_or(|package| row.package == package)
            && holders.as_ref().is_none_or(|holders| holders.contains(&row.id))
            && (words.is_empty() || holds(row))
    };
    // Counted by a second pass: holding all matches would cost memory for every request.
    let total = ask.site.rows.iter().filter(wanted).count();
    // Whoever types a whole name means that one, wherever it ranks.
    let whole_name = words.join(" ");
    let is_meant = |row: &&CapabilitySummary| {
        !whole_name.is_empty()
            && [&row.name, &row.package, &row.slug].iter().any(|text| is_name(&text.to_lowercase(), &whole_name))
    };
    let meant = ask.site.rows.iter().filter(wanted).filter(is_meant);
    let others = ask.site.rows.iter().filter(wanted).filter(|row| !is_meant(row));
    let (rows, next) = page.cut(meant.chain(others), |row| row.id.to_string());
    let items: Vec<Value> = rows.into_iter().map(|row| Value::Object(object(row))).collect();
    listed("capdex.capabilities/1", ask.site, total, &items, &next)
}

/// True where a text is the name that is asked for, with or without the ecosystem before it: `npm:kit` is `kit` too.
fn is_name(text: &str, asked: &str) -> bool {
    text == asked || text.split_once(':').is_some_and(|(_, name)| name == asked)
}

/// The page and the kind that are asked for.
fn asked(ask: &ApiRequest<'_>) -> Result<(ApiPage, Option<Kind>), RouteReply> {
    let kind = one_of(&ask.query, "kind", Kind::ALL.iter().map(|kind| kind.as_str()))?;
    Ok((ApiPage::of(&ask.query)?, Kind::ALL.into_iter().find(|of| Some(of.as_str()) == kind)))
}

/// The row that a path names: by its slug, or by at least eight digits of its id.
pub(in crate::serve) fn found<'a>(ask: &ApiRequest<'a>) -> Result<&'a CapabilitySummary, RouteReply> {
    let name = ask.name().to_lowercase();
    let hex = name.strip_prefix("sha256:").unwrap_or(&name);
    // Longer than a whole id is no id, and must not reach the padding.
    let is_hex = (DIGITS..=64).contains(&hex.len()) && hex.bytes().all(|byte| byte.is_ascii_hexdigit());
    let mut rows: Vec<&CapabilitySummary> = Vec::new();
    if is_hex {
        // A row is borrowed from the site, the digits only from here.
        let ids: Vec<_> = ask.site.rows_with_prefix(hex).take(2).map(|row| row.id).collect();
        rows.extend(ids.iter().filter_map(|id| ask.site.row(id)));
    }
    // Two are enough to know that a name is not unique.
    rows.extend(ask.site.rows.iter().filter(|row| row.slug == name).take(2));
    // A slug may look like the digits of the same capability's own id.
    rows.dedup_by_key(|row| row.id);
    match rows.as_slice() {
        [row] => Ok(row),
        [] => Err(RouteReply::Missing("there is no such capability; /api/v1/capabilities lists them all".to_owned())),
        _ => Err(RouteReply::Missing("several capabilities are meant; give more digits of the id".to_owned())),
    }
}

/// Runs `work` on the capability that a path names, as the store holds it.
fn with(
    ask: &ApiRequest<'_>,
    work: impl FnOnce(&CapabilitySummary, &capdex_db::CurrentCapability) -> anyhow::Result<RouteReply>,
) -> anyhow::Result<RouteReply> {
    let row = match found(ask) {
        Ok(row) => row,
        Err(said) => return Ok(said),
    };
    // The store may be ahead of the loaded site.
    match ask.reader.current_of(&row.id)? {
        Some(current) => work(row, &current),
        None => Ok(RouteReply::Missing("it is gone since the store was loaded".to_owned())),
    }
}

/// `/api/v1/capabilities/{capability}`
pub(in crate::serve) fn one(ask: &ApiRequest<'_>) -> anyhow::Result<RouteReply> {
    with(ask, |row, current| {
        let facts = ranked_capability::facts(ask.reader, current)?;
        let (scores, verdict) = ranked_capability::scores(ask.reader, current, ask.site.as_of)?;
        let input = current.listing.to_string();
        let surfaces = ask.reader.surfaces(&current.capability.id)?;
        let item = ScanRecord::new(&input, &current.capability, &current.completeness, &facts, &scores, &verdict);
        // Without them it says null: a list of before is unknown and not empty.
        let item = match &surfaces {
            Some(surfaces) => item.with_surfaces(surfaces),
            None => item,
        };
        let mut item = item;
        let operator = ranked_capability::operator(ask.reader, current, &facts, (&scores, &verdict), ask.site.as_of)?;
        item.verdict.operator = operator.as_ref();
        let annotations = annotations::of(ask.reader, current)?;
        item.verdict.annotations = annotations::of_whole(&annotations).collect();
        finding::put_beside(&mut item.findings, operator.as_ref(), &annotations);
        let mut object = object(row);
        object.insert("schema".to_owned(), json!("capdex.capability/1"));
        name_program(&mut object);
        object.insert("as_of".to_owned(), json!(ask.site.as_of));
        object.insert("ruleset_sha256".to_owned(), json!(current.ruleset.hex()));
        object.insert("facts_sha256".to_owned(), json!(current.facts.hex()));
        object.insert("scan".to_owned(), serde_json::to_value(&item)?);
        // Beside the scan, which is what rules found: no key where no model was ever asked.
        if let Some(word) = judged::of(ask.reader, &current.capability.id)? {
            object.insert(
                "judge".to_owned(),
                json!({ "word": word, "score": word.score(current.capability.kind, &facts) }),
            );
        }
        RouteReply::json(&Value::Object(object))
    })
}

/// `/api/v1/capabilities/{capability}/findings`
pub(in crate::serve) fn findings(ask: &ApiRequest<'_>) -> anyhow::Result<RouteReply> {
    with(ask, |_, current| {
        let facts = ranked_capability::facts(ask.reader, current)?;
        let annotations = annotations::of(ask.reader, current)?;
        let mut found = finding::findings(&facts);
        finding::annotate(&mut found, &annotations);
        let items = found.iter().map(serde_json::to_value).collect::<Result<Vec<_>, _>>()?;
        whole("capdex.findings/1", ask.site, &items)
    })
}

/// `/api/v1/capabilities/{capability}/surfaces`
pub(in crate::serve) fn surfaces(ask: &ApiRequest<'_>) -> anyhow::Result<RouteReply> {
    let page = match ApiPage::of(&ask.query) {
        Ok(page) => page,
        Err(said) => return Ok(said),
    };
    with(ask, |_, current| {
        let Some(SurfaceInventory { records, beyond }) = ask.reader.surfaces(&current.capability.id)? else {
            return Ok(RouteReply::Missing("it was scanned before surfaces were listed".to_owned()));
        };
        let total = records.len().saturating_add(usize::try_from(beyond).unwrap_or(usize::MAX));
        let (items, next) = page.cut(records.iter(), |record| serde_json::to_string(record).unwrap_or_default());
        listed("capdex.surfaces/1", ask.site, total, &items, &next)
    })
}

/// `/api/v1/capabilities/{capability}/scores`
pub(in crate::serve) fn scores(ask: &ApiRequest<'_>) -> anyhow::Result<RouteReply> {
    with(ask, |_, current| {
        let (scores, _) = ranked_capability::scores(ask.reader, current, ask.site.as_of)?;
        let items = scores.iter().map(serde_json::to_value).collect::<Result<Vec<_>, _>>()?;
        whole("capdex.scores/1", ask.site, &items)
    })
}

/// `/api/v1/capabilities/{capability}/history`
pub(in crate::serve) fn history(ask: &ApiRequest<'_>) -> anyhow::Result<RouteReply> {
    with(ask, |row, _| {
        let scans = ask.reader.capability_history(&row.id)?;
        let mut items: Vec<Value> = Vec::with_capacity(scans.len());
        for (scan, then) in scans.iter().zip(past::of_each(ask.reader, &scans)?) {
            items.push(json!({
                "scanned": scan.scan_as_of, "fetched": scan.snapshot_as_of, "version": scan.version,
                "content_sha256": scan.content.hex(), "ruleset_sha256": scan.ruleset.hex(), "facts_sha256": scan.facts.hex(),
                "band": then.as_ref().map(|then| then.verdict.band.as_str()),
                "reason": then.as_ref().map(|then| then.verdict.reason.as_str()),
                "values": then.as_ref().map(past::Past::values),
            }));
        }
        whole("capdex.history/1", ask.site, &items)
    })
}
