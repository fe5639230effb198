//! Notebooks: the code cells of a Jupyter notebook, and of each what Python runs and what a shell runs.
//!
//! Cells of other languages are passed over.

use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;

/// True where a path is that of a notebook.
pub(super) fn is_notebook(path: &str) -> bool {
    path.ends_with(".ipynb")
}

/// The number of cells looked for in vain, each to the end of the text. Those behind them are placed at the last one
/// found.
const MISSED_MOST: usize = 8;

/// The code cells of a notebook, in order.
pub(super) struct Notebook(Vec<NotebookCell>);

/// One code cell.
#[derive(Debug, Default, PartialEq)]
pub(super) struct NotebookCell {
    /// The offset at which it begins in the text of the notebook, in bytes.
    pub(super) offset: usize,
    /// The lines that Python runs, with those that it does not as comments.
    pub(super) python: String,
    /// The lines that a shell runs, each ended.
    pub(super) shell: String,
}

/// The runner of cells that name no other.
#[derive(Clone, Copy, PartialEq)]
enum Kernel {
    Python,
    Shell,
    Other,
}

impl Notebook {
    /// Reads a notebook as it is stored.
    ///
    /// # Errors
    ///
    /// The text is no JSON.
    pub(super) fn read(text: &str) -> Result<Self, serde_json::Error> {
        let value: Value = serde_json::from_str(text)?;
        let kernel = kernel(&value);
        let (mut read, mut at, mut missed) = (Vec::new(), 0, 0);
        let cells = value.get("cells").and_then(Value::as_array).into_iter().flatten();
        for cell in cells.filter(|cell| cell.get("cell_type").and_then(Value::as_str) == Some("code")) {
            let pieces: Vec<&str> = match cell.get("source") {
                Some(Value::String(source)) => vec![source],
                Some(Value::Array(lines)) => lines.iter().filter_map(Value::as_str).collect(),
                _ => continue,
            };
            // As JSON writes it: the source stands in the text with its escapes.
            let first = pieces.first().map(|first| Value::from(*first).to_string()).unwrap_or_default();
            // Escapes can be written in several ways, and a search in vain runs to the end of the text.
            let rest = text.get(at..).filter(|_| missed < MISSED_MOST).unwrap_or_default();
            match rest.find(&first) {
                Some(further) => at += further,
                None => missed += 1,
            }
            read.push(NotebookCell { offset: at, ..NotebookCell::of(&pieces.concat(), kernel) });
        }
        Ok(Self(read))
    }

    /// Its code cells.
    pub(super) fn cells(&self) -> impl Iterator<Item = &NotebookCell> {
        self.0.iter()
    }
}

/// By the kernel's name, which starts it, or by what it says of itself.
fn kernel(notebook: &Value) -> Kernel {
    let says = |pointer: &str| notebook.pointer(pointer).and_then(Value::as_str).map(str::to_ascii_lowercase);
    let places = ["/metadata/kernelspec/name", "/metadata/kernelspec/language", "/metadata/language_info/name"];
    let said: Vec<String> = places.iter().filter_map(|pointer| says(pointer)).collect();
    // Without a kernel a notebook is read as Python: what does not parse becomes a gap.
    if said.is_empty() || said.iter().any(|said| said.contains("python")) {
        Kernel::Python
    } else if said.iter().any(|said| is_shell(said)) {
        Kernel::Shell
    } else {
        Kernel::Other
    }
}

fn is_shell(name: &str) -> bool {
    matches!(name, "bash" | "sh" | "zsh" | "calysto_bash")
}

/// A line that the notebook runs itself: a command of a shell, a magic or a question for help, whose result may be
/// kept.
static OWN: LazyLock<Regex> = LazyLock::new(|| {
    let own = r"^(?P<indent>\s*)(?:\w+(?:\s*,\s*\w+)*\s*=\s*)?(?:(?:!{1,2}|%(?:sx|system)\s)(?P<command>.*)|(?:\?|%{1,2}[A-Za-z]).*|[\w.]+\?{1,2}\s*)$";
    crate::expression::of(own)
});

impl NotebookCell {
    /// The parts of a cell that run.
    fn of(source: &str, kernel: Kernel) -> Self {
        let first = source.trim_start().lines().next().unwrap_or_default();
        let mut magic = first.strip_prefix("%%").unwrap_or_default().split_whitespace();
        let runs = match magic.next() {
            // `%%` alone names nothing that could run it.
            None if first.starts_with("%%") => Kernel::Other,
            None | Some("time" | "timeit" | "capture" | "prun" | "memit") => kernel,
            Some("python" | "python3" | "pypy") => Kernel::Python,
            Some("!" | "sx" | "system") => Kernel::Shell,
            Some("script") if magic.next().is_some_and(is_shell) => Kernel::Shell,
            Some(name) if is_shell(name) => Kernel::Shell,
            Some(_) => Kernel::Other,
        };
        match runs {
            Kernel::Python => Self::of_python(source),
            Kernel::Shell => {
                let lines = source.lines().filter(|line| !line.starts_with("%%"));
                Self { shell: lines.flat_map(|line| [line, "\n"]).collect(), ..Self::default() }
            }
            Kernel::Other => Self::default(),
        }
    }

    fn of_python(source: &str) -> Self {
        let mut cell = Self::default();
        // A command may go on in the next line.
        let mut goes_on = false;
        for line in source.lines() {
            let own = if goes_on { None } else { OWN.captures(line) };
            let command = match &own {
                Some(own) => own.name("command").map(|command| command.as_str()),
                None => goes_on.then_some(line),
            };
            if own.is_some() || goes_on {
                let indent = own.as_ref().and_then(|own| own.name("indent"));
                cell.python.push_str(indent.map_or("", |indent| indent.as_str()));
                // A statement in its place, so that a block with commands alone in it stays a block.
                cell.python.push_str("pass #");
            }
            cell.python.push_str(line);
            cell.python.push('\n');
            cell.shell.extend(command.into_iter().flat_map(|command| [command, "\n"]));
            goes_on = command.is_some() && line.ends_with('\\');
        }
        cell
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn one(metadata: &Value, source: &str) -> NotebookCell {
        let text = json!({"cells": [{"cell_type": "code", "source": source}], "metadata": metadata}).to_string();
        let notebook = Notebook::read(&text).expect("it is JSON");
        let cell = notebook.cells().next().expect("it has a cell");
        NotebookCell { python: cell.python.clone(), shell: cell.shell.clone(), offset: 0 }
    }

    fn cell(python: &str, shell: &str) -> NotebookCell {
        NotebookCell { offset: 0, python: python.to_owned(), shell: shell.to_owned() }
    }

    #[test]
    fn commands_are_told_from_python() {
        let python = json!({});
        assert_eq!(one(&python, "import os\n!ls -l"), cell("import os\npass #!ls -l\n", "ls -l\n"));
        assert_eq!(
            one(&python, "for x in y:\n  a = !ls {x}"),
            cell("for x in y:\n  pass #  a = !ls {x}\n", "ls {x}\n")
        );
        assert_eq!(
            one(&python, "!curl a \\\n  -o b\nc = 1"),
            cell("pass #!curl a \\\npass #  -o b\nc = 1\n", "curl a \\\n  -o b\n")
        );
        assert_eq!(
            one(&python, "%matplotlib inline\nx?\n?x"),
            cell("pass #%matplotlib inline\npass #x?\npass #?x\n", "")
        );
        assert_eq!(one(&python, "%sx ls\na % b\n!= c"), cell("pass #%sx ls\na % b\npass #!= c\n", "ls\n= c\n"));
    }

    #[test]
    fn the_first_line_of_a_cell_may_hand_it_to_something_else() {
        let python = json!({});
        for magic in ["%%bash", "%%sh -e", "%%script bash --bg", "%%!", "%%system", "\n%%zsh"] {
            assert_eq!(one(&python, &format!("{magic}\nls")).shell.trim(), "ls", "{magic}");
        }
        assert_eq!(one(&python, "%%time\nf()"), cell("pass #%%time\nf()\n", ""));
        for magic in ["%%writefile a.js", "%%html", "%%script perl", "%%"] {
            assert_eq!(one(&python, &format!("{magic}\nls")), cell("", ""), "{magic}");
        }
    }

    #[test]
    fn cells_that_are_written_oddly_are_not_looked_for_again_and_again() {
        // Each of them to the end of the text would be some hundred billion bytes: nobody waits for that.
        let cell = |source: &str| format!(r#"{{"cell_type":"code","source":"{source}"}}"#);
        let odd = vec![cell(r"\u0066()"); 100_000].join(",");
        let text = format!(r#"{{"cells":[{},{odd}]}}"#, cell("g()"));
        let notebook = Notebook::read(&text).expect("it is JSON");
        let found = text.find("\"g()").expect("it is there");
        let read = notebook.cells().skip(1).filter(|cell| cell.python == "f()\n" && cell.offset == found).count();
        assert_eq!(read, 100_000);
    }

    #[test]
    fn the_name_of_the_kernel_tells_what_runs() {
        let spec = |name: &str, language: &str| json!({"kernelspec": {"name": name, "language": language}});
        assert_eq!(one(&spec("python3", "r"), "f()"), cell("f()\n", ""));
        assert_eq!(one(&spec("own", "Python"), "f()"), cell("f()\n", ""));
        assert_eq!(one(&spec("bash", "bash"), "ls"), cell("", "ls\n"));
        assert_eq!(one(&spec("ir", "R"), "f()"), cell("", ""));
    }
}
