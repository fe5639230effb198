//! Docstrings: the text that a Python function or class begins with.

use rustpython_ruff_python_ast as ast;

use ast::{Expr, Stmt};

/// The docstring without its indentation, as `inspect.cleandoc` gives it.
pub(crate) fn docstring(body: &[Stmt]) -> Option<String> {
    let Some(Stmt::Expr(statement)) = body.first() else { return None };
    let Expr::StringLiteral(text) = &*statement.value else { return None };
    let text = text.value.to_str();
    // The first line stands behind the quotation marks, so its indentation is not compared.
    let margin = text
        .lines()
        .skip(1)
        .filter(|line| !line.trim().is_empty())
        .map(|line| line.len() - line.trim_start().len())
        .min();
    let mut clean = String::new();
    for (index, line) in text.lines().enumerate() {
        if index > 0 {
            clean.push('\n');
            // The margin may fall inside a letter of several bytes; the line is trimmed by itself then.
            clean.push_str(line.get(margin.unwrap_or(0)..).unwrap_or_else(|| line.trim_start()));
        } else {
            clean.push_str(line.trim_start());
        }
    }
    Some(clean.trim().to_owned())
}
