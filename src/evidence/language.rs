//! `Language`: the language that a file is written in.

/// The language of a file, by its name and, for scripts, by its first line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Language {
    /// Markdown, MDC included.
    Markdown,
    /// JavaScript, JSX included.
    JavaScript,
    /// TypeScript, TSX included.
    TypeScript,
    /// Python.
    Python,
    /// POSIX-like shells.
    Shell,
    /// PowerShell.
    PowerShell,
    /// JSON, with or without comments.
    Json,
    /// YAML.
    Yaml,
    /// TOML.
    Toml,
    /// Go.
    Go,
    /// Rust.
    Rust,
    /// HTML, XML, SVG.
    Markup,
    /// Anything else that is text.
    Plain,
    /// Not text.
    None,
}
