//! source-unsafe-deserialization: data is loaded by a format that can run code.

use super::source_calls::{SourceFile, source_files, weighed};
use crate::FactSink;
use capdex_evidence::code::sinks::named;
use capdex_evidence::code::{Argument, Call, TaintSources};
use capdex_evidence::subject::Subject;
use capdex_model::fact::{Confidence, Severity};

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    for file in source_files(subject) {
        for call in file.view.calls.iter().filter(|call| loads_code(call) && is_of_module(&file, call)) {
            // `loads` takes bytes from anywhere; `load` takes a file, mostly one that the program wrote.
            let received = call.callee.ends_with("loads")
                || call.callee.contains("unserialize")
                || call.callee.starts_with("yaml.");
            // YAML from a server is a configuration more often than an attack, so that it stays at "received".
            let unsafe_yaml = call.text.contains("Unsafe") || call.text.contains("unsafe_load");
            let from_network = TaintSources::ANSWER | TaintSources::FETCHED_FILE;
            let fetched = call.taint.first.any(from_network) && (!call.callee.starts_with("yaml.") || unsafe_yaml);
            let input = call.taint.first;
            let chosen = input.any(TaintSources::TOOL_INPUT) && !input.any(TaintSources::CHECKED);
            let plain = if fetched || (received && chosen) {
                (Severity::High, Confidence::Medium)
            } else if received {
                (Severity::Medium, Confidence::Medium)
            } else {
                (Severity::Low, Confidence::Low)
            };
            let (severity, confidence) = weighed(&file, plain.0, plain.1);
            facts.found_as(severity, confidence, call.place.clone(), &call.text);
        }
    }
}

/// False for a method of an object that happens to be called as the module is.
fn is_of_module(file: &SourceFile<'_>, call: &Call) -> bool {
    let is_module = |import: &String| import == "yaml" || import.starts_with("yaml.");
    !call.callee.starts_with("yaml.") || file.view.imports.iter().any(is_module)
}

fn loads_code(call: &Call) -> bool {
    match call.callee.as_str() {
        "pickle.load"
        | "pickle.loads"
        | "cPickle.loads"
        | "cPickle.load"
        | "_pickle.loads"
        | "dill.load"
        | "dill.loads"
        | "cloudpickle.loads"
        | "cloudpickle.load"
        | "jsonpickle.decode"
        | "marshal.load"
        | "marshal.loads"
        | "shelve.open"
        | "joblib.load"
        | "yaml.unsafe_load"
        | "node-serialize.unserialize" => true,
        "yaml.load" => {
            // A safe loader is given by name or in its place: both forms are common.
            let safe = |text: &str| text.contains("Safe") || text.contains("BaseLoader");
            let by_position =
                call.arguments.iter().any(|argument| matches!(argument, Argument::Name(name) if safe(name)));
            !named(call, "Loader").is_some_and(safe) && !by_position
        }
        _ => false,
    }
}
