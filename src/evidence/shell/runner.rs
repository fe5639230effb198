//! `Runner`: the program that runs a file or text.

use super::super::language::Language;

/// The runner of a file or text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Runner {
    /// A shell, `source` included.
    Shell,
    /// Python.
    Python,
    /// Node, Deno, Bun.
    JavaScript,
    /// The file itself, by its path.
    Direct,
    /// Another interpreter, or the program that the system opens it with.
    Other,
}

impl Runner {
    /// The runner by the name of its program.
    pub(super) fn of(name: &str) -> Self {
        match name {
            "./" => Self::Direct,
            "source" | "." => Self::Shell,
            "open" => Self::Other,
            "node" | "nodejs" | "deno" | "bun" => Self::JavaScript,
            _ if name.starts_with("python") || name.starts_with("pypy") => Self::Python,
            // `bash`, `zsh` and `dash` take the same text; PowerShell does not.
            _ if name.ends_with("sh") && name != "pwsh" => Self::Shell,
            _ => Self::Other,
        }
    }

    /// The language in which it reads a file whose name promises none.
    pub const fn language(self) -> Language {
        match self {
            Self::Python => Language::Python,
            Self::JavaScript => Language::JavaScript,
            Self::Shell | Self::Direct => Language::Shell,
            Self::Other => Language::Plain,
        }
    }
}
