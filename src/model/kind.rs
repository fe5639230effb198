//! `Kind`: the kinds of things that an agent loads.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The five kinds of capability, and the rest of a package that none of them claims.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Instructions that an agent loads (`SKILL.md`).
    Skill,
    /// A Model Context Protocol server.
    McpServer,
    /// Scripts that run on an agent's events.
    Hook,
    /// A bundle that installs other capabilities.
    Plugin,
    /// A file of standing instructions for an editor or agent.
    Rules,
    /// The files of an input that no capability claims; exactly one for each input.
    Package,
}

impl Kind {
    /// Every kind, in their order.
    pub const ALL: [Self; 6] = [Self::Skill, Self::McpServer, Self::Hook, Self::Plugin, Self::Rules, Self::Package];

    /// The word that is stored and printed.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Skill => "skill",
            Self::McpServer => "mcp_server",
            Self::Hook => "hook",
            Self::Plugin => "plugin",
            Self::Rules => "rules",
            Self::Package => "package",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The text names no kind.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a kind (skill, mcp_server, hook, plugin, rules, package)")]
pub struct ParseKindError(String);

impl FromStr for Kind {
    type Err = ParseKindError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text).ok_or_else(|| ParseKindError(text.to_owned()))
    }
}
