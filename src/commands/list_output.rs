//! Lists of things as JSON: one document, or one object a line. Tables are each command's own.
//!
//! Items are anything that serde can write.

use capdex_dataset::program::{Program, program};
use serde::Serialize;
use serde_json::json;

use crate::cli::ListFormat;
use crate::output::Out;

/// Prints items in the format asked for; `table` prints them for people.
pub(super) fn print<T: Serialize>(
    format: ListFormat,
    schema: &str,
    items: &[T],
    out: &mut Out,
    table: impl FnOnce(&mut Out) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    match format {
        ListFormat::Table => table(out),
        ListFormat::Json => {
            let Program { engine_version, program_sha256 } = program();
            out.json_pretty(
                &json!({ "schema": schema, "engine_version": engine_version, "program_sha256": program_sha256,
                                     "items": items }),
            )?;
            Ok(())
        }
        ListFormat::Jsonl => {
            for item in items {
                out.json(item)?;
            }
            Ok(())
        }
    }
}
