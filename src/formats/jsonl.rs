//! `scan --format jsonl`: the contract of `docs/cli.md`, one object of schema `capdex.scan/1` a line.

use super::{Format, Judged, Printer};
use crate::output::Out;

pub(super) struct Jsonl;

impl Format for Jsonl {
    fn id(&self) -> &'static str {
        "jsonl"
    }

    fn about(&self) -> &'static str {
        "One JSON object a line"
    }

    fn printer(&self) -> Box<dyn Printer> {
        Box::new(Lines)
    }
}

struct Lines;

impl Printer for Lines {
    fn add(&mut self, judged: &Judged, out: &mut Out) -> anyhow::Result<()> {
        out.json(&judged.item())
    }
}
