//! The tool `explain`: the findings behind the verdict on one capability of the store or of a dataset, with reason and fix.

use std::collections::BTreeSet;
use std::slice;

use capdex_dataset::export::lookup::{DatasetLookup, KnownCapability, LookupKey};
use capdex_dataset::export::ranked_capability;
use capdex_dataset::finding::findings;
use capdex_db::Reader;
use capdex_model::capability::Capability;
use capdex_model::facts::SparseFacts;
use capdex_model::score::Verdict;
use capdex_model::snapshot::Completeness;
use capdex_model::time::AsOf;
use capdex_rubrics::operator::OperatorVerdict;
use serde_json::json;

use super::McpServer;
use super::tools::ToolAnswer;
use crate::agent_verdict::{FindingWords, advice};
use crate::capability_lookup::{self, NameMatch};
use crate::check::dataset;
use crate::exit::UsageError;
use crate::judging;
use crate::quotation::{NAME, PASSAGE, quoted};

/// Findings that are explained.
const FINDINGS: usize = 20;

fn no_single(error: &anyhow::Error) -> String {
    format!("No single capability has that name: {}", quoted(&format!("{error:#}"), 4 * PASSAGE))
}

/// One capability with all that is told of it.
struct Explained {
    capability: Capability,
    version: Option<String>,
    facts: SparseFacts,
    completeness: Completeness,
    verdict: Verdict,
    operator: Option<OperatorVerdict>,
    as_of: AsOf,
    answered_by: &'static str,
}

pub(super) fn answer(server: &McpServer, name: &str) -> anyhow::Result<ToolAnswer> {
    let why = match server.reader()? {
        Some(reader) => match stored(server, &reader, name)? {
            Ok(explained) => return Ok(told(&explained)),
            Err(why) => why,
        },
        None => "There is no store yet.".to_owned(),
    };
    // The store first: it is of this machine, and knows the operator's word.
    let why = match server.lookup(server.now())? {
        Some(lookup) => match published(server, &lookup, name)? {
            Ok(explained) => return Ok(told(&explained)),
            Err(why) => why,
        },
        None => why,
    };
    Ok(ToolAnswer { text: why, structured: json!({"schema": "capdex.mcp/1", "items": []}) })
}

/// What the store knows; else why there is nothing.
fn stored(server: &McpServer, reader: &Reader, name: &str) -> anyhow::Result<Result<Explained, String>> {
    let current = match capability_lookup::search(reader, name) {
        Ok(NameMatch::One(current)) => *current,
        Err(error) if !error.is::<UsageError>() => return Err(error),
        Ok(NameMatch::None(error)) | Err(error) => return Ok(Err(no_single(&error))),
        Ok(NameMatch::Several(several)) => return Ok(Err(no_single(&several.into()))),
    };
    let as_of = ranked_capability::as_of(server.as_of, reader)?;
    let facts = ranked_capability::facts(reader, &current)?;
    let (scores, verdict) = ranked_capability::scores(reader, &current, as_of)?;
    let operator = ranked_capability::operator(reader, &current, &facts, (&scores, &verdict), as_of)?;
    let (version, answered_by) = (current.version.clone(), "store");
    let (capability, completeness) = (current.capability, current.completeness);
    Ok(Ok(Explained { capability, version, facts, completeness, verdict, operator, as_of, answered_by }))
}

/// What a dataset knows of the capability with a slug, of the only one of a package, or of the one that a package names with
/// `#kind:path`; else why there is nothing.
fn published(server: &McpServer, lookup: &DatasetLookup, name: &str) -> anyhow::Result<Result<Explained, String>> {
    let wanted = |name: &str| BTreeSet::from([name.to_owned()]);
    let mut found = lookup.capabilities(LookupKey::Slug, &wanted(&name.to_lowercase()))?;
    if found.is_empty() {
        let (package, part) = name.split_once('#').map_or((name, None), |(package, part)| (package, Some(part)));
        found = lookup.capabilities(LookupKey::Package, &wanted(package))?;
        if let Some((kind, path)) = part.and_then(|part| part.split_once(':')) {
            let is_meant =
                |known: &KnownCapability| known.capability.kind.as_str() == kind && known.capability.path == path;
            found.retain(is_meant);
        }
    }
    let [known] = found.as_slice() else {
        let slugs: Vec<String> =
            found.iter().take(FINDINGS).map(|known| quoted(&known.capability.slug, NAME)).collect();
        return Ok(Err(match slugs.as_slice() {
            [] => format!("No single capability has that name: {}", quoted(name, NAME)),
            slugs => format!("No single capability has that name; these are in it: {}", slugs.join(", ")),
        }));
    };
    let as_of = lookup.as_of();
    let scanned = dataset::scanned(known);
    let (verdict, operator) = judging::verdict(slice::from_ref(&scanned), &server.policy()?, as_of);
    let (capability, facts, completeness) = (scanned.capability, scanned.facts, scanned.completeness);
    let (version, answered_by) = (known.version.clone(), "dataset");
    Ok(Ok(Explained { capability, version, facts, completeness, verdict, operator, as_of, answered_by }))
}

fn told(explained: &Explained) -> ToolAnswer {
    let Explained { capability, version, facts, completeness, verdict, operator, as_of, answered_by } = explained;
    let mut found = findings(facts);
    found.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
    let explained: Vec<FindingWords> = found.iter().take(FINDINGS).map(FindingWords::explained).collect();
    let gaps: Vec<String> =
        completeness.gaps().iter().take(FINDINGS).map(|gap| quoted(&gap.to_string(), PASSAGE)).collect();
    let slug = quoted(&capability.slug, NAME);
    let mut lines =
        vec![format!("{} {slug}: {}. Advice: {}.", capability.kind, verdict.band.as_str(), advice(verdict.band))];
    if let Some(said) = operator {
        let (band, reason) = (said.band.as_str(), quoted(&said.reason, PASSAGE));
        lines.push(format!("By the operator's word: {band}, because: {reason}. Advice: {}.", advice(said.band)));
    }
    for one in &explained {
        lines.push(format!("- {}", one.line()));
        lines.extend(one.advice_line().map(|line| format!("  {line}")));
    }
    let beyond = found.len().saturating_sub(explained.len());
    if beyond > 0 {
        lines.push(format!("{beyond} more findings are not shown."));
    }
    lines.extend(gaps.iter().map(|gap| format!("Not looked at: {gap}")));
    let item = json!({
        "slug": slug, "kind": capability.kind, "version": version.as_deref().map(|text| quoted(text, NAME)),
        "verdict": {"band": verdict.band.as_str(), "advice": advice(verdict.band)},
        "operator": operator.as_ref().map(|said| json!({"band": said.band, "reason": quoted(&said.reason, PASSAGE),
                                                         "advice": advice(said.band)})),
        "findings": explained, "findings_beyond": beyond, "not_looked_at": gaps, "as_of": as_of.to_string(), "answered_by": answered_by,
    });
    if *answered_by == "dataset" {
        lines.push(format!("As a dataset of {as_of} has it."));
    }
    ToolAnswer { text: lines.join("\n"), structured: json!({"schema": "capdex.mcp/1", "items": [item]}) }
}
