//! The page of coverage: every published code, and what answers it.

use std::fmt::Write as _;

use capdex_rubrics::catalogue::{self, Catalogue, CatalogueEntry};

use super::pages::{cell, page};

const INTRODUCTION: &str = "\
Every code that a method or taxonomy publishes, where it stands there, the data that an answer needs, and what answers
it here. A rule answers a code by carrying it or by citing it; it says `unavailable` while nobody has given the data.
A test fails where a row is empty, and where a rule names something that no catalogue lists.
";

/// The page.
pub(super) fn coverage() -> String {
    let mut text = page("Coverage");
    text.push_str(INTRODUCTION);
    for catalogue in catalogue::all().iter().filter(|catalogue| catalogue.asks()) {
        let _ = writeln!(
            text,
            "\n## {}\n\n{}, read {}; {} entries.\n",
            catalogue.title,
            catalogue.published_at,
            catalogue.read,
            catalogue.entries.len()
        );
        let _ = writeln!(text, "| code | name | severity | there | needs | answered by |\n|---|---|---|---|---|---|");
        for entry in &catalogue.entries {
            let _ = writeln!(
                text,
                "| {} | {} | {} | {} | {} | {} |",
                code(entry),
                cell(&entry.name),
                entry.severity.map_or("–", |severity| severity.as_str()),
                mapping_status(entry),
                entry.needs.as_str(),
                answers(catalogue, entry)
            );
        }
    }
    text
}

fn code(entry: &CatalogueEntry) -> String {
    if entry.generations.is_empty() {
        format!("`{}`", entry.code)
    } else {
        format!("`{}` ({})", entry.code, entry.generations)
    }
}

/// The standing of the entry in its own method, with whatever else is to be said of it.
fn mapping_status(entry: &CatalogueEntry) -> String {
    let mut parts = vec![entry.status.as_str().to_owned()];
    if !entry.marks.is_empty() {
        parts.push(format!("seen: {}", entry.marks));
    }
    // A reviewed mapping is shown only where it differs from the published one.
    if entry.as_published != entry.reviewed && !entry.as_published.is_empty() {
        parts.push(format!("cites {}; fits {}", entry.as_published.join(", "), entry.reviewed.join(", ")));
    }
    if !entry.note.is_empty() {
        parts.push(cell(&entry.note));
    }
    parts.join("; ")
}

fn answers(catalogue: &Catalogue, entry: &CatalogueEntry) -> String {
    let rules = catalogue.rules(entry, &capdex_rules::INDEX);
    let rules = rules.iter().map(|meta| format!("[{id}](rules.md#{id})", id = meta.id));
    let elsewhere = entry.elsewhere.iter().map(|elsewhere| elsewhere.as_str().to_owned());
    rules.chain(elsewhere).collect::<Vec<_>>().join(", ")
}
