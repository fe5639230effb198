//! `Unanswered`: why a unit has no answer that counts. Each failure has its own word, and all of them add nothing.

use std::fmt;
use std::str::FromStr;

macro_rules! reasons {
    ($($(#[doc = $about:literal])+ $name:ident = $word:literal,)+) => {
        /// Why there is no answer that counts.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Unanswered {
            $($(#[doc = $about])+ $name,)+
        }

        impl Unanswered {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$name),+];

            /// The word that is stored and printed.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$name => $word,)+
                }
            }
        }
    };
}

reasons! {
    /// Nobody was asked yet.
    NotAsked = "not_asked",
    /// A request went out, and the program ended before the answer was kept.
    Interrupted = "interrupted",
    /// The night's budget had no room for it.
    Budget = "budget",
    /// A single text of the tool is larger than a request may be; nothing is ever cut.
    TooLong = "too_long",
    /// There was no whole answer within the time.
    Timeout = "timeout",
    /// There was no connection, or it broke off.
    Unreachable = "unreachable",
    /// The endpoint refuses the key (401, 403).
    Denied = "denied",
    /// There is nothing at the address (404, 410).
    Gone = "gone",
    /// The endpoint asks to be left alone (429).
    RateLimited = "rate_limited",
    /// The endpoint has a fault of its own (5xx).
    ServerFault = "server_fault",
    /// The endpoint does not take the request (another status of 4xx).
    Rejected = "rejected",
    /// The endpoint sends elsewhere, which nobody follows: it would carry the key.
    Redirect = "redirect",
    /// The answer is not called JSON.
    MediaType = "media_type",
    /// The answer is larger than any answer may be.
    TooLarge = "too_large",
    /// The answer is not UTF-8, or holds NUL.
    Encoding = "encoding",
    /// The answer is nested deeper than any answer may be.
    Depth = "depth",
    /// The answer, or the text in it, is not one JSON object.
    Json = "json",
    /// The answer has no choice, or several.
    Choices = "choices",
    /// The answer has no text.
    Empty = "empty",
    /// The model was cut at its most tokens.
    Truncated = "truncated",
    /// The model or its filter refused.
    Refused = "refused",
    /// The model called a tool, though it has none.
    ToolCall = "tool_call",
    /// Another model answered than the one that was asked for.
    ModelMismatch = "model_mismatch",
    /// The text has not the form that was asked for.
    Schema = "schema",
    /// A tool has no row, two rows, or is none of the tools.
    Rows = "rows",
    /// The tag is not the one that was asked for.
    Tag = "tag",
    /// A planted tool was not told: whatever the model did, it was not this work.
    Controls = "controls",
    /// So much was said to be bad, or so little of it stands in the texts, that none of it counts.
    Unreliable = "unreliable",
}

impl Unanswered {
    /// True where asking again another day may help, and the unit stays in the queue.
    pub const fn is_passing(self) -> bool {
        matches!(
            self,
            Self::NotAsked
                | Self::Interrupted
                | Self::Budget
                | Self::Timeout
                | Self::Unreachable
                | Self::Denied
                | Self::Gone
                | Self::RateLimited
                | Self::ServerFault
                | Self::Rejected
                | Self::Redirect
                | Self::MediaType
        )
    }
}

impl Unanswered {
    /// True where the endpoint may have done the work all the same, so that the unit is left alone for that day.
    pub const fn may_have_cost(self) -> bool {
        matches!(self, Self::Interrupted | Self::Timeout | Self::Unreachable | Self::MediaType)
    }
}

impl fmt::Display for Unanswered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Unanswered {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let found = Self::ALL.iter().copied().find(|reason| reason.as_str() == text);
        found.ok_or_else(|| format!("there is no reason {text:?}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read_back_and_stand_once() {
        let words: std::collections::BTreeSet<&str> = Unanswered::ALL.iter().map(|reason| reason.as_str()).collect();
        assert_eq!(words.len(), Unanswered::ALL.len());
        for reason in Unanswered::ALL {
            assert_eq!(reason.as_str().parse(), Ok(*reason));
        }
        assert!("fine".parse::<Unanswered>().is_err());
    }
}
