//! `scan --format jsonl`: the contract of `docs/cli.md`, one object of schema `capdex.scan/1` a line.

use super::{JudgedCapability, Printer, ScanFormat};
use crate::output::Out;
use capdex_dataset::program;

pub(super) struct JsonLinesFormat;

impl ScanFormat for JsonLinesFormat {
    fn id(&self) -> &'static str {
        "jsonl"
    }

    fn about(&self) -> &'static str {
        "One JSON object a line"
    }

    fn printer(&self) -> Box<dyn Printer> {
        program::prepare();
        Box::new(JsonLinesPrinter)
    }
}

struct JsonLinesPrinter;

impl Printer for JsonLinesPrinter {
    fn add(&mut self, judged: &JudgedCapability, out: &mut Out) -> anyhow::Result<()> {
        out.json(&judged.scan_record())
    }
}
