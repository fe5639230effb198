//! The page about configuration: a table of keys for each table of a schedule, made from the structs that read them.
//!
//! Prose that is about no single key stands in `config.md`.

use std::fmt::Write as _;

use super::pages::{cell, page};
use crate::config::keys::{ScheduleTable, Section as _, prose, tables};
use crate::config::{QUICKSTART, Schedule};

const INTRODUCTION: &str = "`capdex` runs without any configuration. `--config FILE` names a schedule in TOML; unknown keys are errors. A \
                            key without a default is marked required, or says when it is needed.\n";

/// The configuration reference.
pub(super) fn config() -> String {
    let mut text = page("Configuration");
    text.push_str(INTRODUCTION);
    // In the order of the structs, so that the page changes only where they do.
    for placed in tables(&Schedule::DOC) {
        table(&mut text, &placed);
    }
    text.push_str("\n## Beside the keys\n\n");
    text.push_str(include_str!("config.md"));
    let _ = writeln!(text, "\n## The quick start\n\n```toml\n{}\n```", QUICKSTART.trim_end());
    text
}

/// The keys of one table, but those that are tables of their own.
fn table(text: &mut String, ScheduleTable { path, header, doc }: &ScheduleTable) {
    // Keys without a shown value are tables, and have a section of their own.
    let keys: Vec<_> = doc.keys.iter().filter_map(|key| Some((key, key.shown.first()?))).collect();
    let _ = match header.as_str() {
        "" => writeln!(text, "\n## The schedule itself"),
        header => writeln!(text, "\n## `{header}`\n\n{}", prose(doc.about)),
    };
    let _ = writeln!(text, "\n| key | type | default | meaning | example |\n|---|---|---|---|---|");
    for (key, shown) in keys {
        let _ = writeln!(
            text,
            "| `{path}{}` | {} | {} | {} | `{}` |",
            key.name,
            cell(&(key.kind)().words()),
            cell(&(shown.default)()),
            cell(&prose(key.meaning)),
            cell(shown.example)
        );
    }
}
