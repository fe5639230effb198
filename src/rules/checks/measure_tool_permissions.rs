//! `measure-tool-permissions`: tools by the risk that the first word of their names tells.
//!
//! The tool's actions are not read: AgentScore classifies by the beginning of the name, and says so. The word lists are
//! ours, since the method publishes none.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::{FactSink, cut};
use capdex_evidence::manifest::ManifestKind;
use capdex_evidence::sentences::{Keyed, Words};
use capdex_evidence::subject::Subject;
use capdex_evidence::surfaces::push_lower;
use capdex_model::fact::Severity;

use super::json_object::object;
use super::measure_permission_words::{
    ACTING_WORDS, DESTROY_OBJECTS, DESTROY_VERBS, FORMAT_OBJECTS, HIGH, LOW, PAY_OBJECTS, PAY_VERBS, PURPOSES,
    QUERY_OBJECTS, READING_PURPOSES, RUN_OBJECTS, SHELL_VERBS,
};

/// The longest tool name that is kept, in code points.
const NAME_LENGTH: usize = 128;

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    let names: BTreeSet<&str> = subject.tools().map(|tool| tool.name.as_str()).collect();
    if names.is_empty() {
        facts.unavailable("no tool definition could be read");
        return;
    }
    facts.measured(permissions(&names, &words_about(subject)));
}

/// The value over the tools that an agent asks for, held against its name and purpose.
pub(crate) fn of_agent(tools: &BTreeSet<&str>, name: &str, purpose: &str) -> Value {
    permissions(tools, &format!("{} {}", words_of(name), words_of(purpose)))
}

/// The value over names of tools and the words of who has them, in lower case with a blank between two.
fn permissions(names: &BTreeSet<&str>, said: &str) -> Value {
    let tools: Vec<Value> = names
        .iter()
        .map(|name| {
            let (class, purpose) = classify(name);
            object([
                ("class", class.as_str().into()),
                ("name", cut(name, NAME_LENGTH).into()),
                ("purpose", purpose.into()),
            ])
        })
        .collect();
    let words: Vec<Keyed> = said.split(' ').map(Keyed::of).collect();
    let declared = ("declared", declared(&words).into());
    // Left out where it is not so, which is nearly always.
    if only_reads(&words) {
        object([declared, ("only_reads", true.into()), ("tools", tools.into())])
    } else {
        object([declared, ("tools", tools.into())])
    }
}

/// The class of a name, and for a critical one the purpose that would explain it.
fn classify(name: &str) -> (Severity, &'static str) {
    let words = words_of(name);
    let mut words = words.split(' ').map(Keyed::of);
    let Some(verb) = words.next() else { return (Severity::Medium, "") };
    let names = |objects: &Words| words.clone().any(|word| objects.hold(word));
    // `execute_query` is a database's ordinary verb, `execute` alone runs what it is given.
    if SHELL_VERBS.hold(verb) && !names(&QUERY_OBJECTS) || verb.text == "run" && names(&RUN_OBJECTS) {
        (Severity::Critical, "shell")
    } else if DESTROY_VERBS.hold(verb) && names(&DESTROY_OBJECTS) || verb.text == "format" && names(&FORMAT_OBJECTS) {
        (Severity::Critical, "storage")
    } else if PAY_VERBS.hold(verb) && names(&PAY_OBJECTS) {
        (Severity::Critical, "payment")
    } else if HIGH.hold(verb) {
        (Severity::High, "")
    } else if LOW.hold(verb) {
        (Severity::Low, "")
    } else {
        (Severity::Medium, "")
    }
}

/// The words of a name in lower case, with a blank between two: parted at anything but letters and digits, and before a
/// capital that follows a small letter or digit.
fn words_of(name: &str) -> String {
    let mut words = String::with_capacity(name.len() + 8);
    let mut small_before = false;
    for letter in name.chars() {
        // `getUserHTTP` parts before the capitals and not within them: they begin no word each.
        let parts = !letter.is_alphanumeric() || letter.is_uppercase() && small_before;
        if parts && !words.is_empty() && !words.ends_with(' ') {
            words.push(' ');
        }
        if letter.is_alphanumeric() {
            push_lower(&mut words, letter);
        }
        small_before = letter.is_lowercase() || letter.is_numeric();
    }
    words.truncate(words.trim_end().len());
    words
}

/// The words of the server's name, description and keywords, with a blank between two.
fn words_about(subject: &Subject<'_>) -> String {
    let mut words = words_of(&subject.capability.name);
    let mut say = |text: &str| {
        words.push(' ');
        words.push_str(&words_of(text));
    };
    let claims = subject.claims;
    // A server that says it is a terminal is expected to run commands: a rubric weighs its tools by that.
    let keywords = claims.keywords.known().into_iter().flatten();
    keywords.chain(claims.description.known()).for_each(|text| say(text));
    for manifest in subject.evidence.manifests.values() {
        if is_about_the_server(manifest.kind) {
            let said = ["name", "title", "description"].iter().filter_map(|key| manifest.value.get(key)?.as_str());
            said.for_each(&mut say);
        }
    }
    words
}

/// The purposes that a server's words declare.
fn declared(words: &[Keyed<'_>]) -> Vec<&'static str> {
    let says = |of: &Words| words.iter().any(|word| of.hold(*word));
    PURPOSES.iter().filter(|(_, of)| says(of)).map(|(purpose, _)| *purpose).collect()
}

/// True where a server declares a purpose for which reading is enough, and says nothing of acting.
fn only_reads(words: &[Keyed<'_>]) -> bool {
    let says = |of: &Words| words.iter().any(|word| of.hold(*word));
    says(&READING_PURPOSES) && !says(&ACTING_WORDS) && declared(words).is_empty()
}

const fn is_about_the_server(kind: ManifestKind) -> bool {
    matches!(kind, ManifestKind::PackageJson | ManifestKind::ServerJson | ManifestKind::Mcpb)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::measure_fixtures::Scene;
    use super::*;
    use capdex_model::capability::Kind;
    use capdex_model::listing::Claim;

    #[test]
    fn the_first_word_decides() {
        let class = |name| classify(name).0;
        let low = ["get_post", "listIssues", "read.file", "search"];
        assert!(low.iter().all(|name| class(name) == Severity::Low));
        let medium = ["create_issue", "safe_delete", "frobnicate", "run_query", "format_table", ""];
        assert!(medium.iter().all(|name| class(name) == Severity::Medium));
        let high = ["delete_safe", "DeleteNote", "write_file", "execute_graphql", "execute-query"];
        assert!(high.iter().all(|name| class(name) == Severity::High), "{:?}", high.map(class));
        let critical = ["exec", "runCommand", "format_disk", "drop_table", "transfer_tokens", "execute"];
        assert!(critical.iter().all(|name| class(name) == Severity::Critical));
    }

    #[test]
    fn a_server_that_declares_to_read_is_held_to_it_unless_it_speaks_of_acting() {
        let of = |description: &str| {
            let mut scene = Scene::of(Kind::McpServer, &[]).with_tools(&[("get_forecast", ""), ("delete_files", "")]);
            scene.name = "x".into();
            scene.claims.description = Claim::Known(description.into());
            scene.value("measure-tool-permissions")["only_reads"].clone()
        };
        assert_eq!(of("Current weather and forecast for any city"), json!(true));
        for acting in ["Weather station control", "Search and manage notes", "Create weather alerts", "Notes", ""] {
            assert_eq!(of(acting), Value::Null, "{acting}");
        }
    }

    #[test]
    fn a_purpose_is_declared_by_name_claim_or_manifest() {
        let scene = Scene::of(Kind::McpServer, &[]).with_tools(&[("exec", "")]);
        assert_eq!(scene.value("measure-tool-permissions")["declared"], json!([]));
        let named = Scene { name: "my-terminal".into(), ..scene };
        assert_eq!(named.value("measure-tool-permissions")["declared"], json!(["shell"]));
        let mut scene = Scene { name: "x".into(), ..named };
        scene.claims.description = Claim::Known("Pay invoices with your wallet".into());
        let scene =
            scene.with_manifest("package.json", ManifestKind::PackageJson, json!({"description": "a database"}));
        assert_eq!(scene.value("measure-tool-permissions")["declared"], json!(["payment", "storage"]));
    }
}
