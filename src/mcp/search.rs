//! The tool `search`: names of the store or of a dataset that hold all words of a query.

use std::collections::BTreeSet;
use std::slice;

use capdex_dataset::export::lookup::{DatasetLookup, LookupKey};
use capdex_dataset::export::ranked_capability;
use capdex_db::Reader;
use capdex_model::score::Band;
use capdex_rubrics::operator::OperatorVerdict;
use serde_json::{Value, json};

use super::McpServer;
use super::tools::ToolAnswer;
use crate::check::dataset;
use crate::judging;
use crate::quotation::{NAME, PASSAGE, quoted};

/// The most names of one answer.
pub(super) const MAX_FOUND: usize = 20;

/// One name with its verdict.
struct FoundName {
    slug: String,
    kind: &'static str,
    package: String,
    version: Option<String>,
    band: Band,
    operator: Option<OperatorVerdict>,
    answered_by: &'static str,
}

/// What was found, and how many more there are.
#[derive(Default)]
struct FoundNames {
    names: Vec<FoundName>,
    beyond: usize,
}

pub(super) fn answer(server: &McpServer, query: &str) -> anyhow::Result<ToolAnswer> {
    let query = query.to_lowercase();
    let words: BTreeSet<&str> = query.split_whitespace().collect();
    let (reader, lookup) = (server.reader()?, server.lookup(server.now())?);
    let mut found = reader.as_ref().map(|reader| stored(server, reader, &words)).transpose()?.unwrap_or_default();
    if let Some(lookup) = &lookup {
        let known: BTreeSet<String> = found.names.iter().map(|name| name.slug.clone()).collect();
        let published = published(server, lookup, &words, &known, MAX_FOUND - found.names.len())?;
        found.names.extend(published.names);
        found.beyond += published.beyond;
    }
    let (mut lines, mut items): (Vec<String>, Vec<Value>) = (Vec::new(), Vec::new());
    for FoundName { slug, kind, package, version, band, operator, answered_by } in found.names {
        let (slug, band) = (quoted(&slug, NAME), band.as_str());
        let said = operator.as_ref().map(|said| format!(" (by the operator's word: {})", said.band.as_str()));
        lines.push(format!("{band}: {kind} {slug}{}", said.unwrap_or_default()));
        let operator = operator.map(|said| json!({"band": said.band, "reason": quoted(&said.reason, PASSAGE)}));
        let version = version.as_deref().map(|text| quoted(text, NAME));
        items.push(json!({"slug": slug, "kind": kind, "package": quoted(&package, NAME), "version": version,
                "verdict": {"band": band}, "operator": operator, "answered_by": answered_by}));
    }
    match (lines.len(), found.beyond) {
        (0, _) if reader.is_none() && lookup.is_none() => lines.push("There is no store yet.".to_owned()),
        (0, _) => lines.push("No stored name holds all of these words.".to_owned()),
        (_, 0) => {}
        (_, beyond) => lines.push(format!("{beyond} more names are not shown.")),
    }
    let structured = json!({"schema": "capdex.mcp/1", "items": items, "items_beyond": found.beyond});
    Ok(ToolAnswer { text: lines.join("\n"), structured })
}

/// True where a name, its package or its path hold all words.
fn holds(texts: [&str; 3], words: &BTreeSet<&str>) -> bool {
    let text = texts.join(" ").to_lowercase();
    words.iter().all(|word| text.contains(word))
}

fn stored(server: &McpServer, reader: &Reader, words: &BTreeSet<&str>) -> anyhow::Result<FoundNames> {
    let (mut chosen, mut found) = (Vec::new(), FoundNames::default());
    reader.each_name(|name| {
        if !holds([&name.slug, &name.identity, &name.path], words) {
            return;
        }
        // Names come sorted, so that the same query gives the same names.
        if chosen.len() < MAX_FOUND { chosen.push(name) } else { found.beyond += 1 }
    })?;
    let as_of = ranked_capability::as_of(server.as_of, reader)?;
    for name in chosen {
        let Some(current) = reader.current_of(&name.id)? else { continue };
        let (scores, verdict) = ranked_capability::scores(reader, &current, as_of)?;
        let facts = ranked_capability::facts(reader, &current)?;
        let operator = ranked_capability::operator(reader, &current, &facts, (&scores, &verdict), as_of)?;
        found.names.push(FoundName {
            slug: name.slug,
            kind: name.kind.as_str(),
            package: name.identity,
            version: current.version,
            band: verdict.band,
            operator,
            answered_by: "store",
        });
    }
    Ok(found)
}

/// What a dataset has beyond those that are known, `room` at most. Verdicts are worked out from its facts.
fn published(
    server: &McpServer,
    lookup: &DatasetLookup,
    words: &BTreeSet<&str>,
    known: &BTreeSet<String>,
    room: usize,
) -> anyhow::Result<FoundNames> {
    let mut names = Vec::new();
    lookup.each_name(&mut |name| {
        if holds([&name.slug, &name.package, &name.path], words) && !known.contains(&name.slug) {
            names.push((name.slug, name.id));
        }
    })?;
    names.sort();
    let beyond = names.len().saturating_sub(room);
    let ids: BTreeSet<String> = names.into_iter().take(room).map(|(_, id)| id).collect();
    if ids.is_empty() {
        return Ok(FoundNames { names: Vec::new(), beyond });
    }
    let policy = server.policy()?;
    let mut rows = lookup.capabilities(LookupKey::Id, &ids)?;
    rows.sort_by(|one, other| one.capability.slug.cmp(&other.capability.slug));
    let names = rows.into_iter().map(|row| {
        let scanned = dataset::scanned(&row);
        let (verdict, operator) = judging::verdict(slice::from_ref(&scanned), &policy, lookup.as_of());
        FoundName {
            slug: row.capability.slug,
            kind: row.capability.kind.as_str(),
            package: row.package,
            version: row.version,
            band: verdict.band,
            operator,
            answered_by: "dataset",
        }
    });
    Ok(FoundNames { names: names.collect(), beyond })
}
