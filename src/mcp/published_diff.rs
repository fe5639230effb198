//! The tool `diff` over a dataset, which has no files: the changes that its nights saw between two versions.

use std::collections::BTreeSet;

use capdex_corpus::drift::{Effect, newly};
use capdex_dataset::export::lookup::{KnownChange, LookupKey};
use capdex_model::time::AsOf;
use serde_json::json;

use super::McpServer;
use super::diff::{EFFECTS, tell};
use super::store::target_of;
use super::tools::ToolAnswer;
use crate::check::registries::Question;
use crate::check::{self, dataset};
use crate::config::Resolved;
use crate::quotation::{NAME, quoted};

/// The answer of the dataset; none where none was named, or where it saw no way from the first version to the second.
pub(super) fn answer(
    server: &McpServer,
    before: &str,
    after: &str,
    resolved: &Resolved,
    at: AsOf,
) -> anyhow::Result<Option<ToolAnswer>> {
    let question = |text: &str| check::question(resolved, &target_of(text).subject).ok();
    let (Some(before), Some(after)) = (question(before), question(after)) else { return Ok(None) };
    let (Some(package), Some(from), Some(to)) = (one_package(&before, &after), version(&before), version(&after))
    else {
        return Ok(None);
    };
    let Some(lookup) = server.lookup(at)? else { return Ok(None) };
    let known = lookup.capabilities(LookupKey::Package, &BTreeSet::from([package.clone()]))?;
    let ids: BTreeSet<String> = known.iter().map(|known| known.capability.id.0.hex()).collect();
    if ids.is_empty() {
        return Ok(None);
    }
    let Some(changes) = lookup.changes(&ids)? else { return Ok(None) };
    let Some(effects) = way(&changes, from, to) else { return Ok(None) };
    let newly = newly(effects.iter().copied());
    let (from, to) = (quoted(from, NAME), quoted(to, NAME));
    let name = quoted(&package, NAME);
    let mut lines = vec![format!("{name} {from} -> {to}, by the changes in a dataset of {}", lookup.as_of())];
    let told = tell(&newly, &mut lines);
    lines.push("Files of the two versions were not compared: more may be new.".to_owned());
    let side = |version: &str| json!({"name": name, "version": version, "band": null, "operator": null});
    let structured = json!({
        "schema": "capdex.mcp/1", "from": side(&from), "to": side(&to), "whole": false, "answered_by": "dataset",
        "as_of": lookup.as_of().to_string(), "newly": told, "newly_beyond": newly.len().saturating_sub(EFFECTS),
        "new_findings": null, "new_findings_beyond": null,
    });
    Ok(Some(ToolAnswer { text: lines.join("\n"), structured }))
}

/// The package that both questions are about.
fn one_package(before: &Question, after: &Question) -> Option<String> {
    let package = dataset::identity(before)?;
    (dataset::identity(after)? == package).then_some(package)
}

fn version(question: &Question) -> Option<&str> {
    dataset::line_of(question).or(question.commit.as_deref())
}

/// What the changes on the way from one version to another did, in the order in which nights saw them; none where they do not
/// lead there.
fn way<'a>(changes: &'a [KnownChange], from: &str, to: &str) -> Option<Vec<&'a Effect>> {
    let (mut reached, mut effects) = (BTreeSet::from([from]), Vec::new());
    for change in changes {
        // From the second version on there is a way further, which is not asked about.
        if reached.contains(change.from_version.as_str()) && change.from_version != to {
            reached.insert(&change.to_version);
            effects.extend(&change.effects);
        }
    }
    reached.contains(to).then_some(effects)
}

#[cfg(test)]
mod tests {
    use capdex_corpus::drift::EffectKind;
    use capdex_model::fact::Severity;

    use super::*;

    #[test]
    fn a_way_goes_over_the_versions_between_and_no_further() {
        let change = |from: &str, to: &str| {
            let effects = vec![Effect::new(EffectKind::Exec, Severity::High, to, "")];
            KnownChange { from_version: from.to_owned(), to_version: to.to_owned(), effects }
        };
        let changes = [change("1", "2"), change("2", "3"), change("3", "4")];
        let told = |from, to| {
            way(&changes, from, to).map(|found| found.iter().map(|one| one.subject.clone()).collect::<Vec<_>>())
        };
        assert_eq!(told("1", "3"), Some(vec!["2".to_owned(), "3".to_owned()]));
        assert_eq!(told("2", "3"), Some(vec!["3".to_owned()]));
        assert_eq!(told("3", "1"), None);
        assert_eq!(told("1", "9"), None);
    }
}
