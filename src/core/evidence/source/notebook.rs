//! Notebooks: the code cells of a Jupyter notebook, read as one Python program.
//!
//! What a cell holds is placed at the cell's first line. Must not judge. Cells of other languages are not read here: their
//! lines are strings of JSON, in which commands of a shell are looked for as in any.

use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;

use super::super::document::{Document, Language};
use super::{Dialect, Gap, GapReason, SourceView, WORTH_READING, findings, fits, view};

/// Whether a path is that of a notebook.
pub(super) fn is_notebook(path: &str) -> bool {
    path.ends_with(".ipynb")
}

/// Reads a notebook; `None` where its cells are no Python, or hold nothing that can matter. What cannot be read becomes
/// a gap.
pub(super) fn read(document: &Document, gaps: &mut Vec<Gap>) -> Option<SourceView> {
    if !WORTH_READING.is_match(document.text.as_bytes()) || !fits(document, gaps) {
        return None;
    }
    let value: Value = match serde_json::from_str(&document.text) {
        Ok(value) => value,
        Err(error) => {
            gaps.push(Gap::new(&document.path, GapReason::Malformed, format!("no notebook: {error}")));
            return None;
        }
    };
    if !is_python(&value) {
        return None;
    }
    let (text, starts) = program(&value, &document.text);
    let cells = Document::read("cells.py", text.as_bytes(), &mut Vec::new());
    debug_assert_eq!(cells.language, Language::Python);
    let mut findings = findings(&cells, Dialect::Python, &document.path, gaps)?;
    for (offset, _) in &mut findings.calls {
        let cell = starts.partition_point(|(start, _)| start <= offset).checked_sub(1);
        *offset = cell.and_then(|cell| starts.get(cell)).map_or(0, |(_, at)| *at);
    }
    findings.tools.clear();
    Some(view(document, findings, gaps))
}

/// Whether the cells are run by Python: by the kernel's name, which starts it, or by what it says of itself.
fn is_python(notebook: &Value) -> bool {
    let says = |pointer: &str| notebook.pointer(pointer).and_then(Value::as_str).map(str::to_ascii_lowercase);
    let said: Vec<String> =
        ["/metadata/kernelspec/name", "/metadata/kernelspec/language", "/metadata/language_info/name"]
            .iter()
            .filter_map(|pointer| says(pointer))
            .collect();
    said.is_empty() || said.iter().any(|said| said.contains("python"))
}

/// What begins a line that the notebook itself runs, and that is no Python: a command of a shell, a magic or a question
/// for help, whose result may be kept.
static OWN: LazyLock<Regex> = LazyLock::new(|| {
    let own = r"^(\s*)(?:\w+(?:\s*,\s*\w+)*\s*=\s*)?(?:!|\?|%{1,2}[A-Za-z])|^(\s*)[\w.]+\?{1,2}\s*$";
    Regex::new(own).expect("the pattern is fixed and valid")
});
/// Cells of these magics are Python all the same.
const PYTHON_MAGICS: [&str; 8] = ["time", "timeit", "capture", "prun", "memit", "python", "python3", "pypy"];

/// The code of all cells, and for each where it begins there and in the notebook.
fn program(notebook: &Value, written: &str) -> (String, Vec<(usize, usize)>) {
    let (mut text, mut starts, mut at) = (String::new(), Vec::new(), 0);
    let cells = notebook.get("cells").and_then(Value::as_array).into_iter().flatten();
    for cell in cells.filter(|cell| cell.get("cell_type").and_then(Value::as_str) == Some("code")) {
        let pieces: Vec<&str> = match cell.get("source") {
            Some(Value::String(source)) => vec![source],
            Some(Value::Array(lines)) => lines.iter().filter_map(Value::as_str).collect(),
            _ => continue,
        };
        let first = pieces.first().map(|first| Value::from(*first).to_string()).unwrap_or_default();
        at += written.get(at..).and_then(|rest| rest.find(&first)).unwrap_or(0);
        let source = pieces.concat();
        if !is_foreign(&source) {
            starts.push((text.len(), at));
            push_python(&mut text, &source);
        }
    }
    (text, starts)
}

/// Whether the first line of a cell hands the whole of it to something else than this Python.
fn is_foreign(cell: &str) -> bool {
    let first = cell.trim_start().lines().next().and_then(|line| line.strip_prefix("%%"));
    let magic = first.map(|line| line.split_whitespace().next().unwrap_or_default());
    magic.is_some_and(|magic| !PYTHON_MAGICS.contains(&magic))
}

/// Adds a cell to a program, with what the notebook runs itself as comments.
fn push_python(program: &mut String, cell: &str) {
    for line in cell.lines() {
        if let Some(own) = OWN.captures(line) {
            let indent = own.get(1).or_else(|| own.get(2)).map_or("", |indent| indent.as_str());
            program.push_str(indent);
            program.push_str("pass #");
        }
        program.push_str(line);
        program.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

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
    fn the_name_of_the_kernel_tells_what_runs() {
        let cells = ["import os\nos.system('make')"];
        let spec = |name: &str, language: &str| json!({"kernelspec": {"name": name, "language": language}});
        assert_eq!(callees(&spec("python3", "r"), &cells), ["os.system"]);
        assert_eq!(callees(&spec("own", "Python"), &cells), ["os.system"]);
        assert!(callees(&spec("ir", "R"), &cells).is_empty());
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
