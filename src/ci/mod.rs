//! The systems that run a gate in a project: the file that each reads, and the text that `capdex init --ci` writes into it.
//!
//! The texts are complete files in the words of each system. They name no place of capdex: variables of the project do.

use clap::ValueEnum;

/// A system that runs `capdex scan` before a change lands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CiSystem {
    /// GitHub Actions: `.github/workflows/capdex.yml`.
    Github,
    /// GitLab CI: `.gitlab-ci.yml`.
    Gitlab,
    /// pre-commit: `.pre-commit-config.yaml`.
    PreCommit,
}

impl CiSystem {
    /// The file below a project.
    pub const fn file(self) -> &'static str {
        match self {
            Self::Github => ".github/workflows/capdex.yml",
            Self::Gitlab => ".gitlab-ci.yml",
            Self::PreCommit => ".pre-commit-config.yaml",
        }
    }

    /// The text of the file.
    pub const fn text(self) -> &'static str {
        match self {
            Self::Github => include_str!("github.yml"),
            Self::Gitlab => include_str!("gitlab.yml"),
            Self::PreCommit => include_str!("pre-commit.yaml"),
        }
    }

    /// The word that names it on the command line.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Github => "github",
            Self::Gitlab => "gitlab",
            Self::PreCommit => "pre-commit",
        }
    }

    /// The next step of a person, after the file was written.
    pub const fn next(self) -> &'static str {
        match self {
            Self::Github => "; set the variables CAPDEX_ARCHIVE and CAPDEX_SHA256 of the repository, and commit it",
            Self::Gitlab => "; set the CI/CD variables CAPDEX_ARCHIVE and CAPDEX_SHA256 of the project, and commit it",
            Self::PreCommit => "; `pre-commit install` starts it before each commit",
        }
    }
}
