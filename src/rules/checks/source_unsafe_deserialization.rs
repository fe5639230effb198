//! source-unsafe-deserialization: data is loaded by a format that can run code.

use std::sync::LazyLock;

use super::source_calls::{source_files, weighed};
use crate::{FactSink, Rule, RuleMeta};
use capdex_evidence::code::sinks::named;
use capdex_evidence::code::{Argument, Call, TaintSources};
use capdex_evidence::subject::Subject;
use capdex_model::fact::{Confidence, Severity};

/// See the file's first line.
pub(super) struct SourceUnsafeDeserialization;

static META: LazyLock<RuleMeta> = LazyLock::new(|| toml::from_str(CARD).expect("the card is valid"));

const CARD: &str = r##"
id = "source-unsafe-deserialization"
version = 2
title = "Data is loaded in a way that can run code"
why = "Pickle, marshal and unsafe YAML run what the data says. Data from elsewhere is then a program from elsewhere."
fix = "Use JSON, or yaml.safe_load."
cannot_see = "Whether the data can come from somebody else."
severity = "high"
confidence = "medium"
kinds = ["skill", "mcp_server", "hook", "plugin", "package"]
lifecycle = "stable"
cites = ["CWE-502", "owasp-mcp:MCP05", "owasp-ast:AST05"]
[codes]
spiderrating = ["unsafe_deserialization"]
[[examples.fires]]
note = "pickle of a body."
[examples.fires.files]
"x.py" = '''
import pickle
def load(body):
    return pickle.loads(body)
'''
[[examples.fires]]
note = "pickle of what a server answers."
[examples.fires.files]
"x.py" = '''
import pickle, requests
model = pickle.loads(requests.get("https://models.test/a.pkl").content)
'''
[[examples.silent]]
note = "Safe YAML."
[examples.silent.files]
"x.py" = '''
import yaml
def load(text):
    return yaml.load(text, Loader=yaml.SafeLoader)
'''
"##;

impl Rule for SourceUnsafeDeserialization {
    fn meta(&self) -> &RuleMeta {
        &META
    }

    fn check(&self, subject: &Subject<'_>, facts: &mut FactSink<'_>) {
        for file in source_files(subject) {
            for call in file.view.calls.iter().filter(|call| loads_code(call)) {
                let received = call.callee.ends_with("loads")
                    || call.callee.contains("unserialize")
                    || call.callee.starts_with("yaml.");
                let fetched = call.flows.first.any(TaintSources::ANSWER) && !call.callee.starts_with("yaml.");
                let plain = if fetched {
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
        | "yaml.unsafe_load"
        | "node-serialize.unserialize" => true,
        "yaml.load" => {
            let safe = |text: &str| text.contains("Safe") || text.contains("BaseLoader");
            let by_position =
                call.arguments.iter().any(|argument| matches!(argument, Argument::Name(name) if safe(name)));
            !named(call, "Loader").is_some_and(safe) && !by_position
        }
        _ => false,
    }
}
