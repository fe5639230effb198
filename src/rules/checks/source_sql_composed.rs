//! source-sql-composed: a database statement is put together from text.

use std::sync::LazyLock;

use super::source_calls::{source_files, weighed};
use crate::{FactSink, Rule, RuleMeta};
use capdex_evidence::code::{Argument, Call};
use capdex_evidence::subject::Subject;
use capdex_model::fact::{Confidence, Severity};

/// See the file's first line.
pub(super) struct SourceSqlComposed;

static META: LazyLock<RuleMeta> = LazyLock::new(|| toml::from_str(CARD).expect("the card is valid"));

const CARD: &str = r##"
id = "source-sql-composed"
version = 1
title = "A database statement is built from changing text"
why = "A quotation mark in a value ends the value and begins a statement."
fix = "Use placeholders and pass the values beside the statement."
cannot_see = "Whether the changing part is a table name that the program itself chose."
severity = "medium"
confidence = "medium"
kinds = ["skill", "mcp_server", "hook", "plugin", "package"]
lifecycle = "stable"
cites = ["CWE-89", "owasp-mcp:MCP05"]
[codes]
spiderrating = ["sql_injection", "ts_sql_injection"]
[[examples.fires]]
note = "An f-string."
[examples.fires.files]
"server.py" = '''
def user(cursor, name):
    cursor.execute(f"SELECT * FROM users WHERE name = {name!r}")
'''
[[examples.silent]]
note = "Placeholders."
[examples.silent.files]
"server.py" = '''
def user(cursor, name):
    cursor.execute("SELECT * FROM users WHERE name = ?", (name,))
'''
[[examples.silent]]
note = "A list of placeholders."
[examples.silent.files]
"server.js" = 'export const f = (db, ids) => db.query(`SELECT * FROM users WHERE id IN (${ids.map(() => "?")})`, ids);'
"##;

impl Rule for SourceSqlComposed {
    fn meta(&self) -> &RuleMeta {
        &META
    }

    fn check(&self, subject: &Subject<'_>, facts: &mut FactSink<'_>) {
        for file in source_files(subject) {
            for call in file.view.calls.iter().filter(|call| is_statement(call)) {
                let structural = call.arguments.len() > 1 || !has_value(call);
                let plain =
                    if structural { (Severity::Low, Confidence::Low) } else { (Severity::Medium, Confidence::Medium) };
                let (severity, confidence) = weighed(&file, plain.0, plain.1);
                facts.found_as(severity, confidence, call.place.clone(), &call.text);
            }
        }
    }
}

/// Whether a composed SQL statement is run. A list of placeholders with values beside it is the safe form.
fn is_statement(call: &Call) -> bool {
    let method = call.callee.rsplit('.').next().unwrap_or_default();
    if !matches!(
        method,
        "query"
            | "execute"
            | "executemany"
            | "executescript"
            | "raw"
            | "prepare"
            | "$queryRawUnsafe"
            | "$executeRawUnsafe"
    ) {
        return false;
    }
    let Some(Argument::Composed(text)) = call.arguments.first() else { return false };
    let upper = text.trim_start().to_ascii_uppercase();
    let verb = ["SELECT ", "INSERT ", "UPDATE ", "DELETE ", "DROP ", "CREATE ", "ALTER ", "REPLACE "]
        .iter()
        .any(|verb| upper.starts_with(verb));
    let placeholders = upper.contains("IN ({") && call.arguments.len() > 1;
    verb && upper.contains("{}") | upper.contains('%') && !placeholders
}

/// Whether a hole stands where a value stands: after a comparison, in quotation marks, or in a list of values.
fn has_value(call: &Call) -> bool {
    let Some(Argument::Composed(text)) = call.arguments.first() else { return false };
    ["={}", "= {}", "'{}", "\"{}", "LIKE {}", "like {}", "({}", "%s'", "'%", "> {}", "< {}"]
        .iter()
        .any(|hole| text.contains(hole))
}
