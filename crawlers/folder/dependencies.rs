//! Which folders of a working tree are installed dependencies or caches, and which are read last.

use std::path::Path;

/// Folders that package managers and tools fill, by name. `__pycache__` is none of them: Python runs what lies there in the
/// place of a source.
const FOLDERS: [&str; 16] = [
    "node_modules",
    "bower_components",
    "jspm_packages",
    ".pnpm-store",
    ".pnpm",
    ".npm",
    ".venv",
    "site-packages",
    "__pypackages__",
    ".tox",
    ".nox",
    ".mypy_cache",
    ".pytest_cache",
    ".ruff_cache",
    ".cache",
    ".eggs",
];

/// The file that every virtual environment has in its root (PEP 405).
const VENV_MARK: &str = "pyvenv.cfg";

/// Folders that are read after all others: what is built or vendored is large, and the capability lies elsewhere.
const BULKY: [&str; 11] =
    ["dist", "build", "out", "target", "coverage", "vendor", "third_party", ".next", ".nuxt", ".turbo", ".yarn"];

/// True where a folder holds installed dependencies or a cache.
pub(super) fn is_dependencies(name: &str, path: &Path) -> bool {
    FOLDERS.contains(&name) || path.join(VENV_MARK).is_file()
}

/// True where a folder is read after all others.
pub(super) fn is_bulky(name: &str, path: &Path) -> bool {
    BULKY.contains(&name) || is_dependencies(name, path)
}
