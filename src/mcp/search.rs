//! The tool `search`: stored names that hold all words of a query.

use std::collections::BTreeSet;

use capdex_dataset::export::ranked_capability;
use serde_json::{Value, json};

use super::McpServer;
use super::tools::ToolAnswer;
use crate::quotation::{NAME, PASSAGE, quoted};

/// The most names of one answer.
pub(super) const MAX_FOUND: usize = 20;

pub(super) fn answer(server: &McpServer, query: &str) -> anyhow::Result<ToolAnswer> {
    let Some(reader) = server.reader()? else {
        let structured = json!({"schema": "capdex.mcp/1", "items": [], "items_beyond": 0});
        return Ok(ToolAnswer { text: "There is no store yet.".to_owned(), structured });
    };
    let query = query.to_lowercase();
    let words: BTreeSet<&str> = query.split_whitespace().collect();
    let (mut found, mut beyond) = (Vec::new(), 0_usize);
    reader.each_name(|name| {
        let text = format!("{} {} {}", name.slug, name.identity, name.path).to_lowercase();
        if !words.iter().all(|word| text.contains(word)) {
            return;
        }
        // Names come sorted, so that the same query gives the same names.
        if found.len() < MAX_FOUND { found.push(name) } else { beyond += 1 }
    })?;
    let as_of = ranked_capability::as_of(server.as_of, &reader)?;
    let (mut lines, mut items): (Vec<String>, Vec<Value>) = (Vec::new(), Vec::new());
    for name in found {
        let Some(current) = reader.current_of(&name.id)? else { continue };
        let (scores, verdict) = ranked_capability::scores(&reader, &current, as_of)?;
        let facts = ranked_capability::facts(&reader, &current)?;
        let operator = ranked_capability::operator(&reader, &current, &facts, (&scores, &verdict), as_of)?;
        let (slug, band) = (quoted(&name.slug, NAME), verdict.band.as_str());
        let said = operator.as_ref().map(|said| format!(" (by the operator's word: {})", said.band.as_str()));
        lines.push(format!("{band}: {} {slug}{}", name.kind, said.unwrap_or_default()));
        let operator = operator.map(|said| json!({"band": said.band, "reason": quoted(&said.reason, PASSAGE)}));
        let version = current.version.as_deref().map(|text| quoted(text, NAME));
        let package = quoted(&name.identity, NAME);
        items.push(
            json!({"slug": slug, "kind": name.kind, "package": package, "version": version, "verdict": {"band": band},
                "operator": operator}),
        );
    }
    match (lines.len(), beyond) {
        (0, _) => lines.push("No stored name holds all of these words.".to_owned()),
        (_, 0) => {}
        (_, beyond) => lines.push(format!("{beyond} more names are not shown.")),
    }
    let structured = json!({"schema": "capdex.mcp/1", "items": items, "items_beyond": beyond});
    Ok(ToolAnswer { text: lines.join("\n"), structured })
}
