//! `scan --format json`: one document that holds the objects of `jsonl`.

use super::{JudgedCapability, Printer, ScanFormat};
use crate::output::Out;
use capdex_dataset::escape;

pub(super) struct JsonFormat;

impl ScanFormat for JsonFormat {
    fn id(&self) -> &'static str {
        "json"
    }

    fn about(&self) -> &'static str {
        "One JSON document"
    }

    fn printer(&self) -> Box<dyn Printer> {
        Box::new(JsonPrinter { is_begun: false })
    }
}

struct JsonPrinter {
    is_begun: bool,
}

impl Printer for JsonPrinter {
    fn add(&mut self, judged: &JudgedCapability, out: &mut Out) -> anyhow::Result<()> {
        // Begun with the first item, so that a run that fails before it prints nothing.
        let lead = if self.is_begun { ",\n" } else { "{\"schema\":\"capdex.scan/1\",\"items\":[\n" };
        self.is_begun = true;
        out.raw(lead.as_bytes())?;
        // JSON of strangers' text goes to a terminal too.
        out.raw(escape::escape_json(&serde_json::to_string(&judged.scan_record())?).as_bytes())?;
        Ok(())
    }

    fn finish(self: Box<Self>, out: &mut Out) -> anyhow::Result<()> {
        out.raw(b"\n]}\n")?;
        Ok(())
    }
}
