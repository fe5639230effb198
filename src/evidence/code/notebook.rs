//! Notebooks: what Python runs of their cells, read as one program.
//!
//! A call in a cell is placed at the cell's first line.

use super::super::document::Document;
use super::super::language::Language;
use super::super::notebook::Notebook;
use super::{Gap, GapReason, SourceDialect, SourceView, WORTH_READING, findings, fits, view};

/// Reads a notebook; `None` where it holds nothing that can matter. A notebook that cannot be read becomes a gap.
pub(super) fn read(document: &Document, gaps: &mut Vec<Gap>) -> Option<SourceView> {
    if !WORTH_READING.is_match(document.text.as_bytes()) || !fits(document, gaps) {
        return None;
    }
    let notebook = match Notebook::read(&document.text) {
        Ok(notebook) => notebook,
        Err(error) => {
            gaps.push(Gap::new(&document.path, GapReason::Malformed, format!("no notebook: {error}")));
            return None;
        }
    };
    // For each cell where it begins in the program and in the notebook.
    let (mut program, mut starts) = (String::new(), Vec::new());
    for cell in notebook.cells() {
        starts.push((program.len(), cell.offset));
        program.push_str(&cell.python);
    }
    // One program of all cells, because a later cell uses the names of an earlier.
    let cells = Document::read("cells.py", program.as_bytes(), &mut Vec::new());
    debug_assert_eq!(cells.language, Language::Python);
    let mut findings = findings(&cells, SourceDialect::Python, &document.path, gaps)?;
    for (offset, _) in &mut findings.calls {
        let cell = starts.partition_point(|(start, _)| start <= offset).checked_sub(1);
        *offset = cell.and_then(|cell| starts.get(cell)).map_or(0, |(_, at)| *at);
    }
    Some(view(document, findings, gaps))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::tests::{read_text, view_of};
    use super::*;

    fn notebook(metadata: &Value, cells: &[&str]) -> String {
        let cells: Vec<Value> = cells.iter().map(|cell| json!({"cell_type": "code", "source": cell})).collect();
        json!({"cells": cells, "metadata": metadata}).to_string()
    }

    fn callees(metadata: &Value, cells: &[&str]) -> Vec<String> {
        view_of("run.ipynb", &notebook(metadata, cells)).calls.into_iter().map(|call| call.callee).collect()
    }

    #[test]
    fn cells_are_one_program() {
        let cells = ["import os as system", "system.system('make')"];
        assert_eq!(callees(&json!({}), &cells), ["os.system"]);
        let text = r#"{"cells": [{"cell_type": "markdown", "source": ["os.system('no')"]},
            {"cell_type": "code", "source": ["import os\n", "os.system('make')"]}]}"#;
        assert_eq!(view_of("run.ipynb", text).calls.first().map(|call| call.place.line), Some(2));
    }

    #[test]
    fn what_the_notebook_runs_itself_is_no_damage() {
        let cells = [
            "%matplotlib inline\nfiles = !ls\n!pip install x\nrate = %timeit -o f()\nos.system?\n?os\nfor x in y:\n    !echo {x}",
            "%%bash\nif [ -f x ]; then eval $(cat x); fi",
            "%%time\nimport os\nos.system('make')",
            "%%writefile x.js\nfetch(`x`)",
        ];
        assert_eq!(callees(&json!({}), &cells), ["os.system"]);
    }

    #[test]
    fn what_cannot_be_read_is_a_gap() {
        let deep = format!("eval({}", "(".repeat(9_000));
        let large = format!("{}eval", " ".repeat(super::super::MAX_BYTES));
        let cases = [
            ("{eval".to_owned(), GapReason::Malformed),
            (notebook(&json!({}), &["eval(x) = = 3"]), GapReason::Malformed),
            (notebook(&json!({}), &[&deep]), GapReason::BudgetExhausted),
            (large, GapReason::BudgetExhausted),
        ];
        for (text, reason) in cases {
            let (_, gaps) = read_text("run.ipynb", &text);
            assert_eq!(gaps.iter().map(|gap| gap.reason).collect::<Vec<_>>(), [reason]);
            assert!(gaps.iter().all(|gap| gap.subject == "run.ipynb"), "{gaps:?}");
        }
        assert_eq!(read_text("run.ipynb", "no cells"), (None, Vec::new()));
    }
}
