//! Notebooks: the code cells of a Jupyter notebook, read as one Python program.
//!
//! What a cell holds is placed at the cell's first line. Must not judge; cells of other languages are not read.

use serde_json::Value;

use super::super::document::{Document, Language};
use super::{Dialect, Gap, MAX_BYTES, Parsed, SourceView, WORTH_READING, nesting, parse, view};

/// Whether a path is that of a notebook.
pub(super) fn is_notebook(path: &str) -> bool {
    path.ends_with(".ipynb")
}

/// Reads a notebook; `None` where its cells are no Python, or hold nothing that can matter.
pub(super) fn read(document: &Document, gaps: &mut Vec<Gap>) -> Option<SourceView> {
    if document.text.len() > MAX_BYTES || !WORTH_READING.is_match(document.text.as_bytes()) {
        return None;
    }
    let value: Value = serde_json::from_str(&document.text).ok()?;
    let language = value.pointer("/metadata/kernelspec/language").and_then(Value::as_str).unwrap_or("python");
    if language != "python" {
        return None;
    }
    let (text, starts) = program(&value, &document.text);
    let bound = nesting::python(&text);
    if bound > nesting::LIMIT {
        return None;
    }
    let cells = Document::read("cells.py", text.as_bytes(), &mut Vec::new());
    debug_assert_eq!(cells.language, Language::Python);
    let mut findings = match parse(&cells, Dialect::Python, bound) {
        Parsed::Read(findings) | Parsed::Damaged(findings, _) => findings,
        Parsed::Refused(_) => return None,
    };
    for (offset, _) in &mut findings.calls {
        let cell = starts.partition_point(|(start, _)| start <= offset).checked_sub(1);
        *offset = cell.and_then(|cell| starts.get(cell)).map_or(0, |(_, at)| *at);
    }
    findings.tools.clear();
    Some(view(document, findings, gaps))
}

/// The code of all cells, and for each where it begins there and in the notebook.
fn program(value: &Value, written: &str) -> (String, Vec<(usize, usize)>) {
    let (mut text, mut starts, mut at) = (String::new(), Vec::new(), 0);
    let cells = value.get("cells").and_then(Value::as_array).into_iter().flatten();
    for cell in cells.filter(|cell| cell.get("cell_type").and_then(Value::as_str) == Some("code")) {
        let pieces: Vec<&str> = match cell.get("source") {
            Some(Value::String(source)) => vec![source],
            Some(Value::Array(lines)) => lines.iter().filter_map(Value::as_str).collect(),
            _ => continue,
        };
        let first = pieces.first().map(|first| Value::from(*first).to_string()).unwrap_or_default();
        at += written.get(at..).and_then(|rest| rest.find(&first)).unwrap_or(0);
        starts.push((text.len(), at));
        let source = pieces.concat();
        for line in source.lines() {
            // Magics and shell commands of the notebook are no Python.
            if line.trim_start().starts_with(['%', '!', '?']) {
                text.push_str("pass #");
            }
            text.push_str(line);
            text.push('\n');
        }
    }
    (text, starts)
}
