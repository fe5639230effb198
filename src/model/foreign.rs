//! Foreign files: other people's code and samples of tests that lie inside an input.

/// Folders of other people's code that is shipped along.
const VENDORED: [&str; 10] = [
    "bower_components",
    "vendor",
    "vendored",
    "third_party",
    "third-party",
    "site-packages",
    "dist-packages",
    ".venv",
    "venv",
    ".git",
];

/// Folders of samples that tests read.
const FIXTURES: [&str; 8] = [
    "__tests__",
    "__fixtures__",
    "__mocks__",
    "__snapshots__",
    "fixtures",
    "testdata",
    "test-fixtures",
    "test_fixtures",
];

/// Folders whose members are named freely, so that `skills/test` is a skill called "test".
const COLLECTIONS: [&str; 6] = ["skills", "plugins", "servers", "packages", "commands", "agents"];

/// True where a file lies in vendored code or among test fixtures. Its bytes belong to the capability around it. It
/// makes no capability of its own, and damage in it is no gap.
///
/// Folders called `test` or `tests` count only above another folder (`tests/skills/a`, but not `tests/AGENTS.md`).
/// `examples` never counts: people install examples.
pub fn is_foreign(path: &str) -> bool {
    let mut around = "";
    let (folders, _) = path.rsplit_once('/').unwrap_or(("", path));
    let mut folders = folders.split('/').peekable();
    while let Some(folder) = folders.next() {
        let named_freely = COLLECTIONS.contains(&around);
        // `tests/AGENTS.md` is a rule for the tests and is loaded; `tests/skills/a` is a sample.
        let sample = FIXTURES.contains(&folder) || (["test", "tests"].contains(&folder) && folders.peek().is_some());
        if folder == "node_modules" || (!named_freely && (sample || VENDORED.contains(&folder))) {
            return true;
        }
        around = folder;
    }
    false
}
