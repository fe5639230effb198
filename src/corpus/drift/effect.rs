//! Effect: what a change brought, as a closed word with its class; and the class of a whole event.
//!
//! Whoever finds an effect says where and what; no text is looked at here.

use std::fmt;

use serde::{Deserialize, Serialize};

use capdex_model::fact::Severity;

/// The depth of a change, from what changes by itself to who answers for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DriftClass {
    /// Dates, versions and counts in texts.
    #[serde(rename = "d0")]
    Volatile,
    /// Words, documentation, layout.
    #[default]
    #[serde(rename = "d1")]
    Editorial,
    /// Code without a further effect; tools that came, went or got optional arguments.
    #[serde(rename = "d2")]
    Surface,
    /// Things that callers must give or get.
    #[serde(rename = "d3")]
    Contract,
    /// Things that it may do: permissions, programs, hosts, hooks, secrets.
    #[serde(rename = "d4")]
    Privilege,
    /// Things that only attacks do: hidden orders, harvested conversations, copies to strangers.
    #[serde(rename = "d5")]
    RuleCue,
    /// The party that answers for it, and the place where it is.
    #[serde(rename = "d6")]
    Identity,
    /// Other bytes under the same version.
    SameVersion,
}

impl DriftClass {
    /// Every class, from the least.
    pub const ORDER: [Self; 8] = [
        Self::Volatile,
        Self::Editorial,
        Self::Surface,
        Self::Contract,
        Self::Privilege,
        Self::RuleCue,
        Self::Identity,
        Self::SameVersion,
    ];

    /// The word that is stored and printed.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Volatile => "d0",
            Self::Editorial => "d1",
            Self::Surface => "d2",
            Self::Contract => "d3",
            Self::Privilege => "d4",
            Self::RuleCue => "d5",
            Self::Identity => "d6",
            Self::SameVersion => "same_version",
        }
    }

    /// The name that people give it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Volatile => "volatile",
            Self::Editorial => "editorial",
            Self::Surface => "surface",
            Self::Contract => "contract",
            Self::Privilege => "privilege",
            Self::RuleCue => "cue",
            Self::Identity => "identity",
            Self::SameVersion => "other bytes, same version",
        }
    }
}

/// The thing that appeared. In the order of the classes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EffectKind {
    /// Dates, versions or counts in a text changed.
    Volatile,
    /// A text for people or models changed.
    Text,
    /// The layout of source changed and nothing else.
    Layout,
    /// Source or data changed without a further effect.
    Code,
    /// A tool came.
    ToolAdded,
    /// A tool went.
    ToolRemoved,
    /// A tool has another name.
    ToolRenamed,
    /// A tool takes another optional argument.
    OptionalParameter,
    /// A tool demands, takes or gives something else.
    Contract,
    /// Another place for a file: sdist or wheel.
    Packaging,
    /// A host that was not named before.
    NewHost,
    /// Something is sent over the network where nothing was, or to a host that was not named before.
    NetworkSink,
    /// A secret or the whole environment is read where none was, or a file of secrets that was not named before.
    CredentialRead,
    /// Programs or text are run where none were.
    Exec,
    /// A script runs at installation.
    InstallScript,
    /// Something is built at installation that no script says.
    BuildStep,
    /// A compiled file came or has other bytes.
    Program,
    /// Something else is installed along.
    Dependency,
    /// A command runs on an agent's event.
    Hook,
    /// More is allowed: a tool that was read-only, a tool that a skill may call.
    PermissionWidened,
    /// A tool takes a command, an address or code.
    FreeFormParameter,
    /// A constant mail address in the code.
    NewAddress,
    /// Another way of proving who one is.
    AuthChanged,
    /// Code came under a version whose bytes were looked at without it.
    NewCode,
    /// Something of it cannot be read that could be.
    Unread,
    /// A tool takes the conversation.
    ConversationParameter,
    /// Words that order a model about.
    InjectedProse,
    /// Text that people do not see, or that orders a model to keep something from them.
    HiddenText,
    /// Code that does what only attacks do.
    AttackCode,
    /// Secrets are read and sent.
    CredentialSend,
    /// Something that is sent also goes to a constant address.
    Recipient,
    /// Something that is sent also goes to a host that was not there.
    CopiedSend,
    /// Somebody may publish who could not before.
    NewMaintainer,
    /// The named repository is another one, by its address.
    RepositoryMoved,
    /// Nobody who could publish before still can.
    OwnerReplaced,
    /// The repository under the same name is another one, by its number.
    RepositoryReplaced,
    /// Every address of the server is at another registrable domain.
    RemoteMoved,
    /// Every package of the server is another one.
    PackagesReplaced,
    /// Its registry took it down, or says that a version is malicious.
    TakenDown,
    /// It is not at its registry any more, and nobody says why.
    Withdrawn,
}

impl EffectKind {
    /// The class of a change that has it.
    pub const fn class(self) -> DriftClass {
        match self {
            Self::Volatile => DriftClass::Volatile,
            Self::Text | Self::Layout => DriftClass::Editorial,
            Self::Code
            | Self::ToolAdded
            | Self::ToolRemoved
            | Self::ToolRenamed
            | Self::OptionalParameter
            | Self::Packaging => DriftClass::Surface,
            Self::Contract => DriftClass::Contract,
            Self::NewHost
            | Self::NetworkSink
            | Self::CredentialRead
            | Self::Exec
            | Self::InstallScript
            | Self::BuildStep
            | Self::Program
            | Self::Dependency
            | Self::Hook
            | Self::PermissionWidened
            | Self::FreeFormParameter
            | Self::NewAddress
            | Self::AuthChanged
            | Self::NewCode
            | Self::Unread => DriftClass::Privilege,
            Self::ConversationParameter
            | Self::InjectedProse
            | Self::HiddenText
            | Self::AttackCode
            | Self::CredentialSend
            | Self::Recipient
            | Self::CopiedSend => DriftClass::RuleCue,
            Self::NewMaintainer
            | Self::RepositoryMoved
            | Self::OwnerReplaced
            | Self::RepositoryReplaced
            | Self::RemoteMoved
            | Self::PackagesReplaced
            | Self::TakenDown
            | Self::Withdrawn => DriftClass::Identity,
        }
    }

    /// The kind in words, for people.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Volatile => "dates, versions or counts changed",
            Self::Text => "a text changed",
            Self::Layout => "source was laid out anew",
            Self::Code => "source or data changed",
            Self::ToolAdded => "a tool came",
            Self::ToolRemoved => "a tool went",
            Self::ToolRenamed => "a tool has another name",
            Self::OptionalParameter => "a tool takes another optional argument",
            Self::Contract => "a tool demands, takes or gives something else",
            Self::Packaging => "it is packed in another way",
            Self::NewHost => "a host is named that was not before",
            Self::NetworkSink => "something is sent over the network where nothing was, or to somebody else",
            Self::CredentialRead => "secrets or the environment are read where none were, or others",
            Self::Exec => "programs are run where none were",
            Self::InstallScript => "a script runs at installation",
            Self::BuildStep => "something is built at installation",
            Self::Program => "a compiled file is new or has other bytes",
            Self::Dependency => "something else is installed along",
            Self::Hook => "a command runs on an agent's event",
            Self::PermissionWidened => "more is allowed than before",
            Self::FreeFormParameter => "a tool takes a command, an address or code",
            Self::NewAddress => "a constant mail address stands in the code",
            Self::AuthChanged => "it asks for other credentials",
            Self::NewCode => "code came that was not in what was looked at",
            Self::Unread => "something cannot be read that could be before",
            Self::ConversationParameter => "a tool asks for the conversation",
            Self::InjectedProse => "its text gives the model orders",
            Self::HiddenText => "text is hidden from people",
            Self::AttackCode => "its code does what known attacks do",
            Self::CredentialSend => "secrets are read and sent",
            Self::Recipient => "what is sent also goes to a constant address",
            Self::CopiedSend => "what is sent also goes to a new host",
            Self::NewMaintainer => "somebody else may publish too",
            Self::RepositoryMoved => "another repository is named",
            Self::OwnerReplaced => "nobody who could publish before still can",
            Self::RepositoryReplaced => "the repository under this name is another one",
            Self::RemoteMoved => "the server is at another domain",
            Self::PackagesReplaced => "the server is another package",
            Self::TakenDown => "taken down by the registry",
            Self::Withdrawn => "withdrawn from the registry",
        }
    }

    /// The word that is stored and printed.
    pub fn word(self) -> String {
        serde_json::to_value(self).ok().and_then(|word| word.as_str().map(str::to_owned)).unwrap_or_default()
    }
}

impl fmt::Display for EffectKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.word())
    }
}

/// The longest subject or detail, in code points.
const LENGTH: usize = 200;

/// One thing that a change brought.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Effect {
    /// The kind of the effect.
    pub kind: EffectKind,
    /// The severity of the effect in itself, whatever the version says.
    pub severity: Severity,
    /// The file, tool or declaration. Untrusted text.
    pub subject: String,
    /// The particulars: the host, the address, the quoted words, masked where secret. Untrusted text; may be empty.
    pub detail: String,
}

impl Effect {
    /// An effect; its texts are cut to 200 code points and one line.
    pub fn new(kind: EffectKind, severity: Severity, subject: &str, detail: &str) -> Self {
        let cut = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(LENGTH).collect();
        Self { kind, severity, subject: cut(subject), detail: cut(detail) }
    }

    /// One of those that are worth knowing and never an alert.
    pub fn info(kind: EffectKind, subject: &str, detail: &str) -> Self {
        Self::new(kind, Severity::Info, subject, detail)
    }
}
