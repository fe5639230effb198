//! Words that say what a thing is made of or for, and not whose it is. Put before or after a name, they make no new
//! one.
//!
//! The same words serve every directory. Some say what kind of thing it is (`mcp`, `server`), some only how it is dressed
//! (`js`, `new`): a vendor's word with one of the first is another thing of or for that vendor, and no likeness.

/// Words that are put around names of packages and servers, sorted.
pub(super) const AFFIXES: [&str; 80] = [
    "ai",
    "api",
    "app",
    "async",
    "auth",
    "beta",
    "bot",
    "browser",
    "cli",
    "client",
    "cloud",
    "common",
    "community",
    "core",
    "dev",
    "es",
    "es6",
    "esm",
    "extension",
    "fork",
    "framework",
    "free",
    "helper",
    "helpers",
    "install",
    "installer",
    "integration",
    "io",
    "java",
    "js",
    "kit",
    "lab",
    "latest",
    "lib",
    "library",
    "light",
    "lite",
    "local",
    "main",
    "mcp",
    "mod",
    "modelcontextprotocol",
    "module",
    "my",
    "new",
    "next",
    "node",
    "nodejs",
    "npm",
    "official",
    "org",
    "orm",
    "package",
    "pip",
    "pkg",
    "plugin",
    "plus",
    "pro",
    "py",
    "python",
    "python3",
    "real",
    "remote",
    "rs",
    "sdk",
    "server",
    "service",
    "skill",
    "skills",
    "stable",
    "team",
    "tool",
    "toolkit",
    "tools",
    "ts",
    "typescript",
    "unofficial",
    "util",
    "utils",
    "v2",
];

/// Those that say what kind of thing a name is the name of, sorted.
pub(super) const KINDS: [&str; 23] = [
    "ai",
    "api",
    "app",
    "auth",
    "bot",
    "browser",
    "cli",
    "client",
    "cloud",
    "extension",
    "integration",
    "io",
    "local",
    "mcp",
    "plugin",
    "remote",
    "sdk",
    "service",
    "skill",
    "skills",
    "tool",
    "toolkit",
    "tools",
];

/// Those that are written without anything between them and the name, before it.
pub(super) const GLUED_BEFORE: [&str; 5] = ["mcp", "node", "py", "python", "the"];

/// Those that are written so after it.
pub(super) const GLUED_AFTER: [&str; 12] =
    ["api", "cli", "dev", "io", "js", "lib", "mcp", "node", "official", "py", "sdk", "ts"];

/// Words put to a brand in the name of a host to be taken for it, sorted.
pub(super) const HOST_AFFIXES: [&str; 44] = [
    "account", "accounts", "ai", "api", "app", "apps", "auth", "billing", "checkout", "cloud", "connect", "dev",
    "docs", "download", "gateway", "get", "help", "hub", "id", "install", "login", "mail", "mcp", "my", "official",
    "online", "pay", "payment", "payments", "portal", "pro", "secure", "security", "server", "service", "sign",
    "signin", "sso", "support", "team", "update", "verify", "wallet", "web",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_that_are_searched_are_sorted() {
        assert!(AFFIXES.is_sorted());
        assert!(KINDS.is_sorted() && KINDS.iter().all(|word| AFFIXES.binary_search(word).is_ok()));
        assert!(HOST_AFFIXES.is_sorted());
    }
}
