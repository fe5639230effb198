//! Paths inside an input: folders, names, and the places whose contents are somebody else's.
//!
//! No file system is asked: paths are text with `/` between components, `outer!/inner` in nested archives.

/// The folder of a path, without a slash at the end; empty at the root.
pub fn folder_of(path: &str) -> &str {
    last_slash(path).and_then(|at| path.get(..at)).unwrap_or("")
}

/// The last component of a path.
pub fn name_of(path: &str) -> &str {
    last_slash(path).and_then(|at| path.get(at + 1..)).unwrap_or(path)
}

/// Paths are short and asked often: looking for a letter by way of `str` takes three times as long.
fn last_slash(path: &str) -> Option<usize> {
    path.bytes().rposition(|byte| byte == b'/')
}

/// True where a path is the folder itself or lies below it. Everything lies below the root.
pub fn is_within(folder: &str, path: &str) -> bool {
    folder.is_empty() || path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Folders beside a package's own code: tools that are registered there say nothing of the package.
pub(crate) const ASIDE: [&str; 12] = [
    "test",
    "tests",
    "spec",
    "e2e",
    "example",
    "examples",
    "samples",
    "docs",
    "demo",
    "demos",
    "templates",
    "template",
];

/// A folder and the folders around it, nearest first, the root last.
pub fn around(folder: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(folder), |folder| (!folder.is_empty()).then(|| folder_of(folder)))
}

/// Joins a folder and a relative path; `.` and `..` are resolved. None where it leaves the input or is absolute.
pub fn join(folder: &str, relative: &str) -> Option<String> {
    // A backslash is a separator on one system and a letter on another.
    if relative.starts_with('/') || relative.contains('\\') {
        return None;
    }
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in relative.split('/') {
        match part {
            "" | "." => {}
            // Refused and not stopped at the root: a path out of the input names nothing in it.
            ".." => _ = parts.pop()?,
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

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
    let mut folders = folder_of(path).split('/').peekable();
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
