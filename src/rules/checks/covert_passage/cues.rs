//! The cues of a passage that acts behind the user's back, each of which honest text has too.
//!
//! Must not know how they are weighed together. The weight of a cue says how rarely honest text has it: 3 hardly ever, 2
//! now and then, 1 often. Expressions are ASCII; gaps are bounded, so that the prefilter can tell where they may match.

use crate::pattern::Question;

/// What a cue speaks for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum CueSide {
    /// Something is kept from people.
    Concealed,
    /// What is done harms, or hands out what is private.
    Grave,
}

/// One cue.
pub(super) struct PassageCue {
    pub(super) side: CueSide,
    pub(super) weight: u8,
    pub(super) question: Question,
}

pub(super) const fn concealed(weight: u8, text: &'static str) -> PassageCue {
    PassageCue { side: CueSide::Concealed, weight, question: Question::new(text) }
}

pub(super) const fn grave(weight: u8, text: &'static str) -> PassageCue {
    PassageCue { side: CueSide::Grave, weight, question: Question::new(text) }
}

/// The same of which every match holds some signs on its line.
pub(super) const fn signed(weight: u8, text: &'static str, signs: &'static [&'static str]) -> PassageCue {
    PassageCue { side: CueSide::Grave, weight, question: Question::signed(text, signs) }
}

/// What every [`away`] holds, as plain letters, which are looked for many bytes at a time.
pub(super) const AWAY: &str =
    r#"://|@|[Gg]ist|[Pp]astebin|[Pp]ages|[Tt]elegram|[Dd]iscord|[Ww]hats[Aa]pp|[ \n\t("'*_>][Oo]ur"#;

/// A mailbox, from the last letter before the sign on.
macro_rules! mailbox {
    () => {
        r"\w@[\w-]{1,40}(?:\.[\w-]{1,40}){0,3}\.[a-z]{2}"
    };
}
/// An address outside: a host, a mailbox, a bucket.
macro_rules! address {
    () => {
        concat!(r"(?:https?://(?:\d|[\w.-]{1,80}?\.[a-z]{2})|", mailbox!(), r"|\bs3://|\bgs://)")
    };
}
/// A secret, or what opens as much as one.
macro_rules! secret {
    () => {
        r"(?:~/\.(?:ssh|aws|gnupg|kube|netrc|npmrc|docker|config|git-credentials|pypirc)|(?:^|[\s`'\x22/(])\.env\b|_(?:TOKEN|SECRET|API_KEY|PRIVATE_KEY|ACCESS_KEY)\b|\b(?:id_(?:rsa|ed25519)|id\.json|wallet\.dat|credentials?|secrets?|(?:access|private|secret|api|ssh)[ _-]?keys?|(?:refresh|access|oauth|session|bearer|auth|bot)\s+tokens?|token\s+cache|(?:seed|recovery|mnemonic|secret)\s+(?:phrases?|words)|mnemonic|passwords?|keychain|cookies?|environment\s+(?:variables|values)|browser\s+profile|database\s+url|connection\s+strings?|session\s+of\s+\w+|printenv|card\s+numbers?|CVC|(?:verification|one-time|2FA|MFA|login)\s+codes?|aws_(?:access|secret)\w*)\b)"
    };
}
/// What people wrote or keep, as a whole.
macro_rules! whole {
    () => {
        r"(?:~/(?:Pictures|Documents|Desktop|Downloads)\b|\b(?:(?:whole|entire|complete|full|raw|verbatim|all|every|each|opened|latest|last)\s+(?:of\s+)?(?:the\s+)?(?:[\w-]{1,20}\s+){0,3}?(?:conversations?|dialogues?|chats?|transcripts?|sessions?|histor(?:y|ies)|messages?|threads?|e?-?mails?|diffs?|source|code|repositor(?:y|ies)|documents?|contracts?|databases?|records?|customers?|contacts?|prompts?|attachments?|inbox|workspace|project|invoices?|photos?)|screenshots?|(?:customer|patient|employee|personnel|client|payroll|student)(?:s|.{1,3}s|s.{1,3})?\s+(?:records?|data|files?|lists?|rows|names|addresses)|summary\s+of\s+the\s+(?:conversation|chat|session)|hostname|public\s+ip|installed\s+(?:apps|software|programs)|names\s+of\s+(?:the\s+)?files|user.{1,3}s\s+question|contents?\s+of\s+(?:each|every|all|the|any)|user.{1,3}s\s+(?:full\s+)?(?:name|e-?mail|files|messages|photos|(?:own\s+)?words)|salar(?:y|ies)|home\s+addresses|(?:shell|browser|browsing|search|location)\s+history|git\s+config|copy\s+of\s+(?:each|every|all|the))\b)"
    };
}
/// Where something is handed to: an address outside, a chat, a public place.
macro_rules! away {
    () => {
        concat!("(?:", address!(), r"|\bpublic\s+gist\b|\bpastebin\b|\bgithub\s+pages\b|\b(?:telegram|discord|whatsapp)\s+(?:chat|channel|bot|group|webhook)\b|@\w{4,}\s+on\s+telegram|\bour\s+(?:\w+\s+)?(?:servers?|buckets?|bot|cloud|endpoint|api|service)\b)")
    };
}
/// Verbs of handing over.
macro_rules! hand {
    () => {
        r"\b(?:send|sends|sent|sending|posts?|put|uploads?|submit|submits|forwards?|syncs?|push|pushes|mirrors?|deliver|transmit|shares?|publish|register|pass|curl|wget|cop(?:y|ies|ied)|reports?|hand|relay|e?-?mail|append|embed|include|attach|go|goes|create|message|saved|stored|paste|bcc|cc|ping|route|routed|dispatch|stream|contains?|request)\b"
    };
}
pub(super) use {address, away, hand, mailbox, secret, whole};

/// What is kept out of sight for everybody's good: an anchor with it in its sentence conceals nothing.
pub(super) static CARE: Question = Question::new(
    r"(?i)\b(?:secrets?|credentials?|passwords?|tokens?|api[ _-]?keys?|private\s+keys?|pii|personal|sensitive|confidential|redact\w*|mask\w*|boilerplate|jargon|filler|duplicates?|noise|raw)\b",
);

/// Something is handed to an address.
pub(super) const HANDED: &str = concat!(r"(?i)", hand!(), r"[^\n]{0,200}?", away!());

/// The same, asked of a sentence.
pub(super) static HANDED_OUT: Question = Question::new(HANDED);

/// What forbids the words right after it.
pub(super) static FORBIDDEN: Question =
    Question::new(r"(?i)\b(?:never|do\s+not|don.{1,3}t|must\s+not|should\s+not|avoid)\s+(?:\w+\s+)?$");

/// A secret is used as one, or goes nowhere else.
pub(super) static LOGIN: Question = Question::new(
    r"(?i)\bauthorization\b|\bbearer\b|\s-H\s|--?api-key\b|\bx-api-key\b|\bheaders?\b|\blog(?:ged)?[- ]?in\b|\bonly\s+to\b|\bget\s+(?:one|it|yours)\b|--netrc|\.pub\b|\bquery\s+string\b|\bnever\b|\bdo\s+not\b|\bdon.{1,3}t\b|\x22password\x22|\bsign\s+up\b|\bdirect\s+them\b|\bwrong\b|\bdocs?\b|\bget\s+(?:an?|your)\s+(?:\w+\s+)?key\b|\bcreate\s+(?:an?|your)\s+(?:\w+\s+)?(?:key|token)\b",
);
