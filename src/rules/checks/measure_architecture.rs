//! `measure-architecture`: what of a server's project can be counted: tests, error handling, README, types, dependency
//! files, configuration.
//!
//! A rubric weighs the counts. Source: the public engine of SpiderRating, version 0.3.4.

use std::sync::LazyLock;

use regex::Regex;
use serde_json::json;

use crate::FactSink;
use capdex_evidence::document::Document;
use capdex_evidence::rated_files::{is_rated, is_skipped, is_source};
use capdex_evidence::subject::Subject;

static RETURN_TYPE: LazyLock<Regex> = LazyLock::new(|| pattern(r"def (?-u:\w)+\((?s:.)*?\)\s*->"));
static TYPE: LazyLock<Regex> =
    LazyLock::new(|| pattern(r":(?-u:\s)*(?:str|int|float|bool|list|dict|tuple|Path|Optional)(?-u:\b)"));
static CONFIGURATION: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?i)(?:environment|env|config).{0,20}(?:variable|setting|key)"));

const DEPENDENCY_FILES: [&str; 11] = [
    "package-lock.json",
    "yarn.lock",
    "pnpm-lock.yaml",
    "requirements.txt",
    "poetry.lock",
    "Pipfile.lock",
    "uv.lock",
    "pyproject.toml",
    "setup.py",
    "setup.cfg",
    "package.json",
];
const ENVIRONMENT_FILES: [&str; 4] = [".env.example", ".env.template", ".env.sample", "env.example"];
const READMES: [&str; 4] = ["README.md", "readme.md", "README.rst", "README"];
const TEST_FOLDERS: [&str; 4] = ["tests", "test", "__tests__", "spec"];

fn pattern(text: &str) -> Regex {
    capdex_evidence::expression::of(text)
}

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    // Without a source file every count would be nought, which a rubric would read as bad instead of unknown.
    let source: Vec<&Document> = subject.documents().filter(|document| is_source(&document.path)).collect();
    if source.is_empty() {
        facts.unavailable("no source file of a language that is read");
        return;
    }
    let python: Vec<&&Document> = source.iter().filter(|document| document.path.ends_with(".py")).collect();
    let root = |name: &&&str| at_root(subject, name).is_some();
    let readme = READMES.iter().find_map(|name| at_root(subject, name));
    facts.measured(json!({
        "test_files": test_files(subject),
        "source_files": source.len(),
        "rated_files": source.iter().filter(|document| is_rated(&document.path)).count(),
        "handling_files": source.iter().filter(|document| handles_errors(&document.text)).count(),
        "readme_length": readme.map(|document| document.text.chars().count()),
        "python_files": python.len(),
        "typed_python_files": python.iter().filter(|document| is_typed(&document.text)).count(),
        "typescript_files": source.iter().filter(|document| document.path.ends_with(".ts")).count(),
        "dependency_files": DEPENDENCY_FILES.iter().filter(root).count(),
        "environment_example": ENVIRONMENT_FILES.iter().any(|name| at_root(subject, name).is_some()),
        "environment_documented": readme.is_some_and(|document| CONFIGURATION.is_match(&document.text)),
    }));
}

/// A document at the root of the capability, else of the whole input.
fn at_root<'a>(subject: &Subject<'a>, name: &str) -> Option<&'a Document> {
    let documents = &subject.evidence.documents;
    let own = format!("{}/{name}", subject.capability.path);
    // A server in a folder of a larger repository has its README beside it, or shares that of the whole.
    documents.get(&own).or_else(|| documents.get(name))
}

fn handles_errors(text: &str) -> bool {
    text.contains("try:") || text.contains("try {") || text.contains("catch")
}

fn is_typed(text: &str) -> bool {
    TYPE.is_match(text) || RETURN_TYPE.is_match(text)
}

/// The files that are tests by name; where there are none, the code in the first folder that is one of tests.
fn test_files(subject: &Subject<'_>) -> usize {
    let paths = || subject.evidence.documents.keys().filter(|path| !is_skipped(path));
    let named = paths().filter(|path| is_test_name(path.rsplit('/').next().unwrap_or_default())).count();
    // As the reference does: files that are tests by name end the search, also where folders hold more.
    if named > 0 {
        return named;
    }
    let in_folder = |folder: &&str| {
        let prefix = format!("{folder}/");
        paths().filter(|path| path.starts_with(&prefix) && is_test_code(path)).count()
    };
    TEST_FOLDERS.iter().map(in_folder).find(|count| *count > 0).unwrap_or(0)
}

fn is_test_name(name: &str) -> bool {
    let python = name.ends_with(".py") && (name.starts_with("test_") || name.ends_with("_test.py"));
    python || [".test.ts", ".spec.ts", ".test.js", ".spec.js"].iter().any(|ending| name.ends_with(ending))
}

fn is_test_code(path: &str) -> bool {
    let code = [".py", ".ts", ".js", ".go"].iter().any(|ending| path.ends_with(ending));
    code && !path.ends_with("/__init__.py") && !path.ends_with("/conftest.py")
}

#[cfg(test)]
mod tests {
    use super::super::measure_fixtures::{measured, outcome};
    use super::*;
    use capdex_model::capability::Kind;
    use capdex_model::fact::Outcome;

    #[test]
    fn files_are_counted_as_the_reference_counts_them() {
        let files = [
            ("README.md", "Set the environment variable."),
            ("pyproject.toml", ""),
            ("server.py", "def run(a: int) -> str:\n    try:\n        pass\n"),
            ("plain.py", "x = 1\n"),
            ("tests/test_run.py", "def test_run(): pass\n"),
            ("node_modules/a/index.test.js", ""),
        ];
        let value = measured("measure-architecture", Kind::McpServer, &files);
        let expected = json!({
            "test_files": 1, "source_files": 3, "rated_files": 2, "handling_files": 1, "readme_length": 29, "python_files": 3,
            "typed_python_files": 1, "typescript_files": 0, "dependency_files": 1, "environment_example": false,
            "environment_documented": true,
        });
        assert_eq!(value, expected);
    }

    #[test]
    fn a_test_folder_counts_where_no_name_says_test() {
        let value =
            measured("measure-architecture", Kind::McpServer, &[("a.ts", ""), ("spec/one.go", ""), ("spec/x", "")]);
        assert_eq!(&value["test_files"], &json!(1));
        assert_eq!(&value["typescript_files"], &json!(1));
    }

    #[test]
    fn without_source_it_is_unavailable() {
        assert_eq!(outcome("measure-architecture", Kind::McpServer, &[("dist/a.js", "")]), Outcome::Unavailable);
    }
}
