//! `Check`: the five questions, each with the code of the published catalogue that it answers.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// One question about one tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Check {
    /// The text gives the assistant an order beyond how to call this tool.
    InstructionControl,
    /// The text uses urgency or importance to get attention.
    AttentionControl,
    /// A text of a schema is an order rather than the description of a value.
    SchemaImperative,
    /// The tool claims to be of a company that server name and host do not support.
    OriginMismatch,
    /// The text advises to put a secret where others can read it.
    CredentialSetup,
}

impl Check {
    /// All, in the order of the marks of an answer.
    pub const ALL: [Self; 5] = [
        Self::InstructionControl,
        Self::AttentionControl,
        Self::SchemaImperative,
        Self::OriginMismatch,
        Self::CredentialSetup,
    ];

    /// The word that answers, tables and commands use.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::InstructionControl => "instruction-control",
            Self::AttentionControl => "attention-control",
            Self::SchemaImperative => "schema-imperative",
            Self::OriginMismatch => "origin-mismatch",
            Self::CredentialSetup => "credential-setup",
        }
    }

    /// The name of its findings.
    pub const fn finding(self) -> &'static str {
        match self {
            Self::InstructionControl => "judge:instruction-control",
            Self::AttentionControl => "judge:attention-control",
            Self::SchemaImperative => "judge:schema-imperative",
            Self::OriginMismatch => "judge:origin-mismatch",
            Self::CredentialSetup => "judge:credential-setup",
        }
    }

    /// The code of MCPBundles' catalogue under which it counts.
    pub const fn code(self) -> &'static str {
        match self {
            Self::InstructionControl => "E001",
            Self::AttentionControl => "W001",
            Self::SchemaImperative => "SAFE-T1501",
            Self::OriginMismatch => "SAFE-T1004",
            Self::CredentialSetup => "SAFE-T1007",
        }
    }
}

impl fmt::Display for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Check {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let found = Self::ALL.into_iter().find(|check| check.as_str() == text);
        found.ok_or_else(|| format!("there is no check {text:?}"))
    }
}
