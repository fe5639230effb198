//! `AppealEvent`: one thing that happened to an appeal, bound to the one before it.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::AppealId;
use crate::digest::Digest;
use crate::time::{AsOf, Timestamp};

/// Declares words that are stored and printed.
macro_rules! words {
    ($(#[$meta:meta])* $name:ident { $($(#[$about:meta])* $variant:ident = $word:literal),+ $(,)? }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
        pub enum $name { $($(#[$about])* #[serde(rename = $word)] $variant),+ }

        impl $name {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$variant),+];

            /// The word that is stored and printed.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }
        }

        impl std::str::FromStr for $name {
            type Err = super::AppealFault;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                let known = Self::ALL.iter().copied().find(|one| one.as_str() == text);
                known.ok_or_else(|| super::AppealFault(format!("{text:?} is not one of {}", [$($word),+].join(", "))))
            }
        }
    };
}

words! {
    /// Who did something.
    Actor {
        /// Who filed it.
        Vendor = "vendor",
        /// A person of the operator's.
        Operator = "operator",
        /// The program, by its clocks and its answers.
        Capdex = "capdex",
    }
}

words! {
    /// What a person decided.
    Outcome {
        /// The finding is right.
        Upheld = "upheld",
        /// The finding is wrong.
        Overturned = "overturned",
        /// The rule was changed for it.
        RuleChanged = "rule_changed",
        /// The thing is not the vendor's.
        NotMine = "not_mine",
    }
}

words! {
    /// The place by which control is proved.
    ProofMethod {
        /// A file on the default branch of the repository.
        Repository = "repository",
        /// A file or a field of the manifest in a published version.
        Package = "package",
        /// The publisher's own field of a registry's row.
        RegistryRow = "registry_row",
        /// A file under the well-known path of the host.
        WellKnown = "well_known",
        /// A TXT record of the domain, on which two resolvers agree.
        Dns = "dns",
    }
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum AppealDeed {
    /// It was filed, or filed again after it lapsed.
    Filed,
    /// A token was given out.
    Challenged {
        /// From when on the token counts no more.
        expires: Timestamp,
        /// The name of the key that made it.
        key: String,
    },
    /// A proof was looked for and refused.
    Refused {
        /// Where.
        method: ProofMethod,
        /// Why.
        reason: String,
    },
    /// The token was where only who controls the thing can put it.
    Proven {
        /// Where.
        method: ProofMethod,
        /// The place; untrusted.
        locator: String,
        /// The digest of the bytes that held it.
        content: Digest,
        /// The content of what is appealed about in the version that holds the token; none where that holds no version. A token
        /// in a new version makes other content of the same finding, and the appeal is about that too.
        subject: Option<Digest>,
    },
    /// The token's time is over.
    Lapsed,
    /// The machine answered.
    Answered {
        /// The answer, as it is published.
        answer: Value,
    },
    /// A person took it up.
    Taken,
    /// A person decided.
    Decided {
        /// What.
        outcome: Outcome,
        /// Why, in the words that are published.
        reason: String,
    },
    /// It was taken up again, once.
    Reopened {
        /// The vendor's new words.
        text: String,
    },
    /// The mark by which control was proved is gone.
    Lost {
        /// Why.
        reason: String,
    },
    /// Its vendor took it back.
    Withdrawn {
        /// Why; may be empty.
        reason: String,
    },
}

impl AppealDeed {
    /// The word that is stored and printed.
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Filed => "filed",
            Self::Challenged { .. } => "challenged",
            Self::Refused { .. } => "refused",
            Self::Proven { .. } => "proven",
            Self::Lapsed => "lapsed",
            Self::Answered { .. } => "answered",
            Self::Taken => "taken",
            Self::Decided { .. } => "decided",
            Self::Reopened { .. } => "reopened",
            Self::Lost { .. } => "lost",
            Self::Withdrawn { .. } => "withdrawn",
        }
    }
}

/// One thing that happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AppealEvent {
    /// The appeal.
    pub appeal: AppealId,
    /// Its place, from 0.
    pub seq: u32,
    /// When.
    pub at: AsOf,
    /// Who, by role.
    pub actor: Actor,
    /// Who, by name; empty where the role says all.
    pub by: String,
    /// What.
    #[serde(flatten)]
    pub deed: AppealDeed,
    /// The digest of the event before it; none for the first.
    pub previous: Option<Digest>,
}

impl AppealEvent {
    /// The digest that the next event names.
    pub fn digest(&self) -> Digest {
        Digest::of_json(self)
    }
}
