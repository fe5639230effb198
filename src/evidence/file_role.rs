//! `FileRole`: the purpose of a file.

/// The purpose of a file. Decides which rules may look at it and how loudly they may speak.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FileRole {
    /// Text that an agent loads as instructions: SKILL.md, rules files, commands, agents.
    Instruction,
    /// Program source, bundled and minified source included.
    Source,
    /// A shell, batch or PowerShell script, or a hook.
    Script,
    /// A manifest or configuration file.
    Manifest,
    /// Tests and fixtures.
    Test,
    /// README, changelog, licence and other documents for people.
    Docs,
    /// A lock file.
    Lock,
    /// Other data: CSV, SVG, fonts as text.
    Data,
    /// Bytes that are not text.
    Binary,
}
