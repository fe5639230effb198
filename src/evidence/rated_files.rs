//! The files of a server that SpiderRating's public engine counts and rates.
//!
//! Source: that engine, version 0.3.4. A measure counts them and a rubric goes by them: both must mean the same files.

/// Folders of which it counts nothing.
const SKIPPED: [&str; 11] =
    ["node_modules", "__pycache__", ".venv", "venv", ".git", "dist", "build", ".tox", ".mypy_cache", ".next", ".nuxt"];
/// Folders whose code the reference's scanner does not rate, beside those of which it counts nothing.
const UNRATED: [&str; 28] = [
    "__tests__",
    "tests",
    "test",
    "examples",
    "example",
    "benchmarks",
    "benchmark",
    "fixtures",
    "fixture",
    "vendor",
    "third_party",
    "third-party",
    "external",
    "docs",
    "doc",
    "documentation",
    "spec",
    "e2e",
    "integration_tests",
    ".cache",
    "coverage",
    "scripts",
    "migrations",
    "migration",
    "seeds",
    "seed",
    "ingest",
    "electron",
];

/// True for a file in a folder of which the engine counts nothing.
pub fn is_skipped(path: &str) -> bool {
    path.split('/').any(|part| SKIPPED.contains(&part))
}

/// True for a source file that the engine counts.
pub fn is_source(path: &str) -> bool {
    [".py", ".ts", ".js"].iter().any(|ending| path.ends_with(ending)) && !is_skipped(path)
}

/// True where the reference's code scanner rates a file: by its ending, its folders and its name.
pub fn is_rated(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    // The reference's own list for its scanner: its counts are to be met, whatever the list is worth.
    let unrated = path.split('/').any(|part| UNRATED.contains(&part))
        || [".test.ts", ".test.js", ".spec.ts", ".spec.js", ".d.ts", ".min.js"].iter().any(|end| name.ends_with(end))
        || ["test_", "_test."].iter().any(|begin| name.starts_with(begin));
    is_source(path) && !unrated
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_examples_and_built_code_are_not_rated() {
        assert!(is_rated("src/a.py"));
        assert!(is_rated("server.ts"));
        assert!(is_rated("a/testing.js"));
        for path in ["dist/a.js", "docs/a.py", "a/test_b.py", "a.d.ts", "a.spec.ts", "a.min.js", "a.go", "e2e/x/a.ts"] {
            assert!(!is_rated(path), "{path}");
        }
    }
}
