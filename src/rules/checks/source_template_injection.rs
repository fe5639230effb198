//! source-template-injection: a tool's caller writes the template, which is a program.

use super::source_calls::report_calls;
use crate::FactSink;
use capdex_evidence::code::{Call, TaintSources};
use capdex_evidence::subject::Subject;
use capdex_model::fact::{Confidence, Severity};

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    report_calls(subject, facts, |file, call| {
        let input = call.taint.first;
        let chosen = input.any(TaintSources::TOOL_INPUT) && !input.any(TaintSources::CHECKED);
        // In a sandbox a template reaches no more than it is given.
        let sandboxed = || file.view.imports.iter().any(|module| module.starts_with("jinja2.sandbox"));
        (chosen && compiles_template(call, &file.view.imports) && !sandboxed())
            .then_some((Severity::High, Confidence::Medium))
    });
}

/// True for a call that makes a template of text, in an engine whose templates run expressions.
fn compiles_template(call: &Call, imports: &[String]) -> bool {
    match call.callee.as_str() {
        "jinja2.Template"
        | "mako.template.Template"
        | "Cheetah.Template.Template"
        | "tornado.template.Template"
        | "flask.render_template_string"
        | "ejs.render"
        | "ejs.compile"
        | "pug.render"
        | "pug.compile"
        | "nunjucks.renderString"
        | "nunjucks.compile"
        | "lodash.template"
        | "dot.template" => true,
        // The environment has whatever name the program gave it.
        callee => callee.ends_with(".from_string") && imports.iter().any(|module| module.starts_with("jinja2")),
    }
}
