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
