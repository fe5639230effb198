//! `scan --format json`: one document that holds the objects of `jsonl`.

use super::{JudgedCapability, Printer, ScanFormat};
use crate::output::Out;
use capdex_dataset::escape;
use capdex_dataset::program::{self, Program};
use serde_json::json;

pub(super) struct JsonFormat;

impl ScanFormat for JsonFormat {
    fn id(&self) -> &'static str {
        "json"
    }

    fn about(&self) -> &'static str {
        "One JSON document"
    }

    fn printer(&self) -> Box<dyn Printer> {
        program::prepare();
        Box::new(JsonPrinter { is_begun: false })
    }
}

struct JsonPrinter {
    is_begun: bool,
}

impl Printer for JsonPrinter {
    fn add(&mut self, judged: &JudgedCapability, out: &mut Out) -> anyhow::Result<()> {
        // Begun with the first item, so that a run that fails before it prints nothing.
        if self.is_begun {
            out.raw(b",\n")?;
        } else {
            let Program { engine_version, program_sha256 } = program::program();
            let [version, digest] = [json!(engine_version), json!(program_sha256)];
            let lead = format!(
                "{{\"schema\":\"capdex.scan/1\",\"engine_version\":{version},\"program_sha256\":{digest},\"items\":[\n"
            );
            out.raw(lead.as_bytes())?;
        }
        self.is_begun = true;
        // JSON of strangers' text goes to a terminal too.
        out.raw(escape::escape_json(&serde_json::to_string(&judged.scan_record())?).as_bytes())?;
        Ok(())
    }

    fn finish(self: Box<Self>, out: &mut Out) -> anyhow::Result<()> {
        out.raw(b"\n]}\n")?;
        Ok(())
    }
}
