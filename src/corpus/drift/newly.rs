//! `Newly`: what an effect of a change lets an agent do, in one word, by which people read a change.

use serde::Serialize;

use super::{Effect, EffectKind};
use capdex_model::fact::Severity;

/// What an agent could newly do, or be told. In the order in which people are shown it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Newly {
    /// Read secrets, the environment or the conversation.
    Read,
    /// Send something somewhere.
    Send,
    /// Run programs or code.
    Run,
    /// Run a step at installation.
    Install,
    /// Do without a question what was asked about before, or ask for other credentials.
    Allow,
    /// Call a tool that was not there, or give a tool something else.
    Tool,
    /// Read words that order it about.
    Text,
    /// Get it from somebody else.
    Source,
    /// Get what nobody can read any more.
    Unread,
}

impl Newly {
    /// The word that is printed.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Send => "send",
            Self::Run => "run",
            Self::Install => "install",
            Self::Allow => "allow",
            Self::Tool => "tool",
            Self::Text => "text",
            Self::Source => "source",
            Self::Unread => "unread",
        }
    }

    /// The word of an effect; none for changes of files and texts that let nobody do anything new.
    pub const fn of(kind: EffectKind) -> Option<Self> {
        Some(match kind {
            EffectKind::CredentialRead | EffectKind::ConversationParameter => Self::Read,
            EffectKind::NewHost
            | EffectKind::NetworkSink
            | EffectKind::NewAddress
            | EffectKind::CredentialSend
            | EffectKind::Recipient
            | EffectKind::CopiedSend => Self::Send,
            EffectKind::Exec
            | EffectKind::Program
            | EffectKind::Hook
            | EffectKind::NewCode
            | EffectKind::AttackCode => Self::Run,
            EffectKind::InstallScript | EffectKind::BuildStep | EffectKind::Dependency => Self::Install,
            EffectKind::PermissionWidened | EffectKind::AuthChanged => Self::Allow,
            EffectKind::ToolAdded
            | EffectKind::ToolRemoved
            | EffectKind::ToolRenamed
            | EffectKind::OptionalParameter
            | EffectKind::Contract
            | EffectKind::FreeFormParameter => Self::Tool,
            EffectKind::InjectedProse | EffectKind::HiddenText => Self::Text,
            EffectKind::NewMaintainer
            | EffectKind::RepositoryMoved
            | EffectKind::OwnerReplaced
            | EffectKind::RepositoryReplaced
            | EffectKind::RemoteMoved
            | EffectKind::PackagesReplaced
            | EffectKind::TakenDown
            | EffectKind::Withdrawn => Self::Source,
            EffectKind::Unread => Self::Unread,
            EffectKind::Volatile | EffectKind::Text | EffectKind::Layout | EffectKind::Code | EffectKind::Packaging => {
                return None;
            }
        })
    }
}

/// The effects that let an agent do something new: by word, then the gravest first, each once.
pub fn newly<'a>(effects: impl Iterator<Item = &'a Effect>) -> Vec<(Newly, &'a Effect)> {
    let mut all: Vec<(Newly, &Effect)> = effects.filter_map(|effect| Some((Newly::of(effect.kind)?, effect))).collect();
    all.sort_by_key(|(word, effect)| {
        let gravest_first: std::cmp::Reverse<Severity> = std::cmp::Reverse(effect.severity);
        (*word, gravest_first, *effect)
    });
    all.dedup();
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn effects_are_told_by_word_the_gravest_first_and_each_once() {
        let effect = |kind, severity, subject: &str| Effect::new(kind, severity, subject, "");
        let effects = [
            effect(EffectKind::Exec, Severity::High, "a.js"),
            effect(EffectKind::Text, Severity::Info, "README.md"),
            effect(EffectKind::NewHost, Severity::Low, "b.js"),
            effect(EffectKind::NetworkSink, Severity::High, "b.js"),
            effect(EffectKind::NewHost, Severity::Low, "b.js"),
        ];
        let told: Vec<(&str, EffectKind)> =
            newly(effects.iter()).into_iter().map(|(word, effect)| (word.as_str(), effect.kind)).collect();
        let expected = [("send", EffectKind::NetworkSink), ("send", EffectKind::NewHost), ("run", EffectKind::Exec)];
        assert_eq!(told, expected);
    }
}
