//! Tool steering cues: their names and weights, and which sentence holds which.
//!
//! Weights were set by hand, by how seldom 20,000 public tools have a cue beside others; a sum is judged elsewhere. Must
//! not judge a sentence.

use capdex_evidence::lexicon::{READ, SEND, SET};
use capdex_evidence::sentences::{Sentence, Words};
use capdex_evidence::words;

use super::tool_directives::{decided, obliges};
use super::tool_steering_consent::{sets_request_aside, skips_consent};
use super::tool_steering_pretext::{disguises, gives_pretext};
use super::tool_steering_scope::{
    claims_authority, destination, disables_guard, monitors_people, names_foreign_tools, outside_tool,
};
use super::tool_steering_secrecy::{acts_silently, demands_secrecy, keeps_user_unaware, omits_from_reply};
use super::tool_steering_secrets::{holds_secret, secret, secret_path, talk};
use super::tool_texts::{SurfaceSpeaker, is_identifier};

/// A set of cues.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct SteeringCues(u32);

macro_rules! cues {
    ($($(#[$text:meta])* $name:ident = $bit:literal, $weight:literal;)*) => {
        $($(#[$text])* const $name: SteeringCues = SteeringCues(1 << $bit);)*
        /// Each cue with its weight.
        const WEIGHTS: &[(SteeringCues, u32)] = &[$(($name, $weight)),*];
    };
}

cues! {
    /// Something is not to be told.
    SECRECY = 0, 4;
    /// Something is left out of what people read.
    OMISSION = 1, 4;
    /// An act is done out of sight.
    SILENT_ACT = 2, 3;
    /// Something is to look like something else.
    DISGUISE = 3, 4;
    /// A story is ready for who asks.
    PRETEXT = 4, 4;
    /// Somebody is not to know.
    UNAWARE = 5, 6;
    /// What the user wanted is set aside.
    REQUEST_SET_ASIDE = 6, 4;
    /// Nobody is asked.
    NO_CONSENT = 7, 4;
    /// Tools of other servers.
    FOREIGN_TOOLS = 8, 4;
    /// A file that holds secrets.
    FILE = 9, 5;
    /// A guard is taken down.
    GUARD_DISABLED = 10, 7;
    /// Somebody in authority speaks to the model.
    AUTHORITY = 11, 4;
    /// People are watched.
    MONITORING = 12, 4;
    /// A tool by name that is none of the server's.
    NAMED = 13, 3;
    /// An address to which something goes.
    DESTINATION = 14, 4;
    /// A secret that is no file.
    SECRET = 15, 2;
    /// What was said, or what others gave, whole.
    TALK = 16, 3;
    /// The model is spoken of.
    MODEL = 17, 1;
    /// Something is handed over.
    CARRIED = 18, 1;
    /// Somebody has to.
    DUTY = 19, 1;
    /// An argument has a value.
    DECIDED = 20, 1;
}

/// Cues that honest texts seldom need.
const LOUD: SteeringCues = SECRECY
    .with(OMISSION)
    .with(SILENT_ACT)
    .with(DISGUISE)
    .with(PRETEXT)
    .with(UNAWARE)
    .with(REQUEST_SET_ASIDE)
    .with(NO_CONSENT)
    .with(FOREIGN_TOOLS)
    .with(FILE)
    .with(GUARD_DISABLED)
    .with(AUTHORITY)
    .with(MONITORING);
/// What they are worth something for.
const WORTH: SteeringCues = DESTINATION.with(SECRET).with(TALK);

impl SteeringCues {
    /// Both sets together.
    pub(super) const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether there is none.
    pub(super) const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether one is there that honest texts seldom need: without any they are not judged.
    pub(super) const fn are_loud(self) -> bool {
        self.0 & LOUD.0 != 0
    }

    /// Whether they may be judged together: two that honest texts seldom need, or one beside
    /// what it is worth it for or an order about a tool by name.
    pub(super) const fn is_joint(self) -> bool {
        let loud = (self.0 & LOUD.0).count_ones();
        let ordered = self.0 & NAMED.0 != 0 && self.0 & DUTY.with(DECIDED).0 != 0;
        loud > 1 || (loud == 1 && (self.0 & WORTH.0 != 0 || ordered))
    }

    fn of(found: &[(Self, bool)]) -> Self {
        found.iter().filter(|(_, holds)| *holds).fold(Self::default(), |all, (cue, _)| all.with(*cue))
    }
}

/// The weights of some cues, summed.
pub(super) fn weight(cues: SteeringCues) -> u32 {
    WEIGHTS.iter().filter(|(cue, _)| cues.0 & cue.0 != 0).map(|(_, weight)| weight).sum()
}

/// The cues of a sentence that its words alone tell: most texts have none, and what costs more is asked of the others.
pub(super) fn cues_of_words(sentence: &Sentence<'_>, speaker: &SurfaceSpeaker<'_>) -> SteeringCues {
    let is_secret = secret(sentence);
    SteeringCues::of(&[
        (SECRECY, demands_secrecy(sentence)),
        (OMISSION, omits_from_reply(sentence)),
        (SILENT_ACT, acts_silently(sentence)),
        (DISGUISE, disguises(sentence)),
        (PRETEXT, gives_pretext(sentence)),
        (UNAWARE, !is_secret && keeps_user_unaware(sentence)),
        (REQUEST_SET_ASIDE, sets_request_aside(sentence)),
        (NO_CONSENT, !is_secret && skips_consent(sentence)),
        (FOREIGN_TOOLS, names_foreign_tools(sentence, speaker)),
        (AUTHORITY, claims_authority(sentence)),
        (MONITORING, monitors_people(sentence)),
        (SECRET, is_secret),
        (TALK, talk(sentence)),
    ])
}

/// Whether one of its other cues is one that honest texts seldom need.
pub(super) fn is_loud(sentence: &Sentence<'_>, speaker: &SurfaceSpeaker<'_>) -> bool {
    secret_path(sentence, speaker) || disables_guard(sentence)
}

/// Its other cues.
pub(super) fn costly_cues(sentence: &Sentence<'_>, speaker: &SurfaceSpeaker<'_>) -> SteeringCues {
    SteeringCues::of(&[
        (FILE, secret_path(sentence, speaker)),
        (GUARD_DISABLED, disables_guard(sentence)),
        (SECRET, holds_secret(sentence)),
        (NAMED, outside_tool(sentence, speaker)),
        (DESTINATION, destination(sentence)),
        (MODEL, sentence.has(words!["assistant", "assistants", "assistant's", "agent", "agents"])),
        (CARRIED, carries(sentence)),
        (DUTY, obliges(sentence)),
        (DECIDED, decides(sentence)),
    ])
}

/// Whether something is handed over or taken in.
fn carries(sentence: &Sentence<'_>) -> bool {
    const MOVED: Words = Words::of(&[
        "hold",
        "holds",
        "contain",
        "contains",
        "carry",
        "carries",
        "relay",
        "zip",
        "hand",
        "hands",
        "handed",
        "execute",
        "streaming",
        "encode",
        "transcribe",
        "read",
        "reading",
        "open",
        "put",
        "fill",
        "supply",
        "provide",
    ]);
    sentence.has(&MOVED)
        || sentence.all(SEND.with(SET).with(READ)).any(|index| {
            let everyday = sentence.fits(
                index,
                words![
                    "use", "using", "used", "return", "returns", "get", "gets", "list", "view", "find", "as", "to",
                    "set"
                ],
            );
            !everyday && !sentence.negated(index)
        })
}

/// Whether an argument is given a value: "account_number must be", "`to` takes".
fn decides(sentence: &Sentence<'_>) -> bool {
    const GIVEN: Words = Words::of(&[
        "must", "should", "is", "are", "has", "have", "take", "takes", "becomes", "become", "shall", "gets", "carry",
    ]);
    let named =
        |index: usize| is_identifier(sentence.raw(index)) || sentence.words.get(index).is_some_and(|word| word.quoted);
    decided(sentence).is_some()
        || (sentence.may_have(&GIVEN)
            && (1..sentence.words.len()).any(|index| sentence.fits(index, &GIVEN) && named(index - 1)))
}
