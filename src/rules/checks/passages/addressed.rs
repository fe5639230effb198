//! stranger-addressed: an order names an address that nothing else in the package names, and has the user's work, or what
//! people are shown, go there.
//!
//! Honest instructions name hosts too: to read, to sign up, to install from. What sets an order apart is that something
//! of the user's goes to the address, or that the address is put in place of another, or into what others will read.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use crate::FactSink;
use capdex_evidence::context::Context;
use capdex_evidence::subject::Subject;
use capdex_model::fact::{Confidence, Severity};

use super::super::destinations::Destinations;
use super::sent::{Receiver, host_and_path, receiver};
use super::{PLACES, Passage, instructions, passages, touched};
use crate::questions;

static NAMED: LazyLock<Regex> = LazyLock::new(|| capdex_evidence::expression::of(questions::PASSAGES_NAMED.text()));

/// What stands for the address in a sentence whose deeds are read.
const ADDRESS: &str = "@@";
/// The shortest host that counts, in bytes: shorter words stand in many texts.
const SHORTEST: usize = 6;

/// Something is to be sent there, or somebody let in.
static GOES: LazyLock<Regex> = pattern!(
    r"(?i)\b(?:send|sends|sent|sending|forward|forwards|forwarded|mail|mails|mailed|e-?mails?|e-?mailed|uploads?|uploaded|uploading|posts?|posted|put|puts|transmit\w*|cop(?:y|ies|ied)|mirror(?:s|ed)?|sync(?:s|ed|ing)?|submit(?:s|ted)?|attach(?:es|ed)?|shar(?:e|es|ed)|deliver(?:s|ed)?|publish(?:es|ed)?|push(?:es|ed)?|hands?|handed|b?cc|goes|reports?|excerpted|exports?|exported|streams?|streamed|drops?|dropped|stores?|stored|write|writes|written|adds?|added|routes?|routed|relays?|relayed|moves?|moved|logged|pass(?:es|ed)?|subscribe[sd]?|invites?|guest|deposit(?:s|ed)?|g[ai]ven?|grants?|granted|permissions?)\b[^.\n]{0,200}?\b(?:to|at|on|with|into|via|through|under|sink)\s+(?:the\s+|our\s+|an?\s+)?(?:[\w.'-]+,?\s+){0,5}?[\x22\x27`<(\[*]*@@",
    r"|(?i)\b(?:invites?|add|put|cc|bcc)\s+[\x22\x27`<(\[*]*@@",
    r"|(?i)\bbcc\s*:\s*[\x22\x27`<(\[*]*@@",
    r"|(?i)@@[\x22\x27`>)\]*]*\s+(?:is|as)\s+an?\s+(?:\w+\s+)?(?:guest|attendee|participant|collaborator|recipient|editor|owner|admin\w*|member)\b",
);

/// It stands in place of another, or everything goes through it.
static STEERED: LazyLock<Regex> = pattern!(
    r"(?i)\b(?:replac\w*|swap\w*|substitut\w*|exchange|redirect\w*|re-?point\w*|re-?route\w*)\b[^.\n]{0,140}?\b(?:to|by|with|for|at|through|via|from|on)\s+(?:the\s+|our\s+|an?\s+)?(?:[\w.'-]+\s+){0,5}?[\x22\x27`<(\[*]*@@",
    r"|(?i)\b(?:open|visit|run|order|buy|register|sign\s+(?:him|her|them|the\s+user)\s+up)\b[^.\n]{0,100}\b(?:through|at|on|via)\s+(?:the\s+)?(?:gateway|proxy|relay|dealer|shop|\w+\s+broker)?\s*[\x22\x27`<(\[*]*@@",
);

/// It is put into what others will read, with words that have them log in, pay or install.
static SHOWN: LazyLock<Regex> = pattern!(
    r"(?i)\b(?:puts?|adds?|includes?|inserts?|appends?|ends?|close[sd]?|finish|pastes?|place[sd]?|states?|sentence|lines?|reminders?|remind|dm|tell|told|asks?|asked)\b[^\n]{0,200}\b(?:log\s?-?in|sign\s?-?in|passwords?|session|verify|confirm|acknowledge|card\s+numbers?|re-?enter|online-banking|unlock|expires?|expired|update|pay(?:ment)?|bank)\b[^\n]{0,160}@@",
    r"|(?i)@@[^\n]{0,120}\b(?:asks?\s+\w+\s+for|collects?|wants)\s+(?:their|his|her|the)\s+(?:\w+\s+)?(?:passwords?|logins?|card|pin|code)\b",
);

/// Secrets of the user's by their place, which an order takes along.
static SECRETS: LazyLock<Regex> = pattern!(
    r"(?i)(?:~/|\$HOME/|%USERPROFILE%\\)\.(?:ssh|aws|gnupg|kube|config/(?:gcloud|gh)|docker|netrc|npmrc|pypirc)\b|\bid_(?:rsa|ed25519)\b|/etc/shadow\b|\bapplication_default_credentials\b",
    r"|(?i)\b(?:contents?|text|values?|all)\s+of\s+(?:the\s+|every\s+|its\s+)?[`\x22]?(?:\.env\b|environment\s+variables)",
);

/// The words by which they are taken along.
static CARRIED: LazyLock<Regex> = pattern!(
    r"(?i)\b(?:includ\w+|append\w*|encod\w+|attach\w*|put|add|pass|send|post|upload|transmit|submit|copy|query|body|header|parameter|get\s+(?:request\s+)?to)\b"
);

/// A person decides, or the sentence tells how something is: no order.
static LEFT: LazyLock<Regex> = pattern!(
    r"(?i)\b(?:go\s+to|navigate\s+to|head\s+(?:over\s+)?to|see|refer\s+to|docs|documentation|sign\s+up|api\s+keys?\s+(?:at|from)|if\s+you\s+(?:want|need|have|find|prefer|would)|if\s+the\s+user\s+(?:wants|asks|agrees|confirms)|user\s+(?:asks|asked|wants|gave|gives|named|names|chose|confirms)|on\s+request|opt(?:s|ed)?[\s-]in|optional(?:ly)?|unless|e\.g\.|for\s+example|such\s+as|questions?|feedback|bugs?|issues?\s+(?:to|at)|vulnerabilit\w+|licen[cs]e|copyright|contact|support@|attribution|cite|credit|powered\s+by|instead\s+of\s+sending|never|do\s+not|don.t\s+(?:send|post|upload|use|add|put)|tests?|testing|sandbox|mock\w*|fictional|sample|placeholder|attackers?|malicious|phishing|detect\w*)\b"
);

pub(in super::super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    let mut own = None;
    for document in instructions(subject) {
        let mut places = questions::PASSAGES_NAMED.all_in(document, PLACES);
        places.retain(|place| may_have_deed(&document.text, place));
        // Nearly all end here, before the text is taken apart into sentences.
        if places.is_empty() {
            continue;
        }
        let own = own.get_or_insert_with(|| Destinations::of(subject));
        let passages = passages(document);
        for at in touched(&passages, &places) {
            let Some(passage) = passages.get(at) else { continue };
            if has_deed(subject, own, passage) {
                facts.found_as(
                    Severity::High,
                    Confidence::Medium,
                    document.place(passage.bytes.start),
                    passage.sentence.as_str(),
                );
                break;
            }
        }
    }
}

/// The distance from an address within which its words are looked for; what has no end within it may be anything.
const AROUND: usize = 2_000;

/// False for an address that no sentence can name as [`GOES`], [`STEERED`] and [`SHOWN`] ask, told by the few words beside it
/// and by those of its line. A property holds it to the expressions.
fn may_have_deed(text: &str, address: &Range<usize>) -> bool {
    static BEFORE: LazyLock<Regex> = pattern!(
        r"(?i)\b(?:log\s?-?in|sign\s?-?in|passwords?|session|verify|confirm|acknowledge|numbers?|re-?enter|online-banking|unlock|expires?|expired|update|pay(?:ment)?|bank)\b|^[ \t]*-?in\b"
    );
    static BEHIND: LazyLock<Regex> = pattern!(r"(?i)\b(?:asks?|collects?|wants)\b");
    static NEXT: LazyLock<Regex> = pattern!(r"(?i)^[\x22\x27`>)\]*]*\s+(?:is|as)\s");
    let low = text.floor_char_boundary(address.start.saturating_sub(AROUND));
    let high = text.floor_char_boundary(address.end + AROUND);
    let (Some(before), Some(behind)) = (text.get(low..address.start), text.get(address.end..high)) else { return true };
    let line = before.rfind('\n').map(|end| end + 1).or((low == 0).then_some(0));
    let rest = behind.find('\n').or((high == text.len()).then_some(behind.len()));
    let (Some(line), Some(rest)) = (line.and_then(|at| before.get(at..)), rest) else { return true };
    SECRETS.is_match(line)
        || is_led_to(before, low > 0)
        || BEFORE.is_match(line)
        || NEXT.is_match(behind)
        || BEHIND.is_match(behind.get(..rest).unwrap_or(behind))
}

/// True where the last words of a text lead to what stands behind it; `is_cut` where words before them are not in sight.
fn is_led_to(text: &str, is_cut: bool) -> bool {
    const LEADS: [&str; 18] = [
        "to", "at", "on", "with", "into", "via", "through", "under", "sink", "by", "for", "from", "invite", "invites",
        "add", "put", "cc", "bcc",
    ];
    const PLACES: [&str; 6] = ["gateway", "proxy", "relay", "dealer", "shop", "broker"];
    /// The word that leads, an article and five others.
    const MOST: usize = 7;
    let said = text.trim_end_matches(['"', '\'', '`', '<', '(', '[', '*']);
    let ends = |word: &str, any: &[&str]| {
        let last = word
            .trim_end_matches([':', ','])
            .rsplit(|sign: char| !sign.is_ascii_alphanumeric() && sign != '_')
            .next()
            .unwrap_or_default();
        any.iter().any(|other| last.eq_ignore_ascii_case(other))
    };
    if !said.ends_with(char::is_whitespace) {
        return ends(said, &PLACES);
    }
    let mut words = said.split_whitespace().rev();
    words.by_ref().take(MOST).any(|word| ends(word, &LEADS)) || is_cut && words.next().is_none()
}

/// True where a sentence has something go to a stranger's address that it names.
fn has_deed(subject: &Subject<'_>, own: &Destinations, passage: &Passage<'_>) -> bool {
    let said = passage.document.text.get(passage.bytes.clone()).unwrap_or_default();
    let context = Context::at(passage.document, passage.bytes.clone());
    static HIDDEN: LazyLock<Regex> = pattern!(r"(?i)\bhidden\b|\bbcc\b|\bwithout\s+(?:notice|a\s+mail)\b");
    // A row of a table names things, unless it keeps one from sight.
    if passage.is_aside() && !HIDDEN.is_match(said) || context.defensive || context.security_topic {
        return false;
    }
    // What readers are shown stands in quotes, and has them confirm; an order does neither.
    let is_mention = passage.is_mention();
    let named: Vec<Range<usize>> = NAMED.find_iter(said).map(|found| found.range()).collect();
    named.iter().take(8).any(|address| {
        let written = said.get(address.clone()).unwrap_or_default();
        // Asked first: most addresses end here, and a long sentence has many.
        if is_anybodys(written) {
            return false;
        }
        let plain = plain(said, &named, address);
        let takes_secrets = || SECRETS.is_match(&plain) && CARRIED.is_match(&plain) && passage.binds();
        let is_deed = SHOWN.is_match(&plain)
            || !is_mention && (GOES.is_match(&plain) || STEERED.is_match(&plain) || takes_secrets());
        is_deed && !LEFT.is_match(&plain) && is_strange(subject, own, written)
    })
}

/// A sentence with a word in place of the address, and another in place of all others.
fn plain(said: &str, named: &[Range<usize>], address: &Range<usize>) -> String {
    let mut plain = String::with_capacity(said.len());
    let mut end = 0;
    for range in named {
        plain.push_str(said.get(end..range.start).unwrap_or_default());
        plain.push_str(if range == address { ADDRESS } else { "it" });
        end = range.end;
    }
    plain.push_str(said.get(end..).unwrap_or_default());
    plain
}

/// True for an address that is nobody's in particular, and for a mailbox that packages name for people to write to.
fn is_anybodys(address: &str) -> bool {
    const OFFICES: [&str; 14] = [
        "support", "contact", "feedback", "help", "security", "abuse", "sales", "press@", "info@", "noreply",
        "no-reply", "git@", "hello@", "privacy",
    ];
    const ANYBODY: [&str; 12] =
        ["example", "your", "<", "{", "$", "localhost", "my-", "mybucket", "acme", "company.", "contoso", "test"];
    let lower = address.to_ascii_lowercase();
    OFFICES.iter().any(|office| lower.starts_with(office))
        || ANYBODY.iter().any(|word| lower.contains(word))
        || host_and_path(&lower).0.len() < SHORTEST
}

/// True for an address that is a stranger's and stands in the whole capability once.
fn is_strange(subject: &Subject<'_>, own: &Destinations, address: &str) -> bool {
    let lower = address.to_ascii_lowercase();
    let is_bucket = lower.starts_with("s3://") || lower.starts_with("gs://");
    let (host, _) = host_and_path(&lower);
    let is_foreign = || {
        receiver(subject, own, &lower) == Some(Receiver::Stranger)
            && !own.are_told_of(subject, &format!("https://{host}/"))
    };
    // All texts are read last.
    (is_bucket || is_foreign()) && named_in(subject, host) <= 1
}

/// In how many places the texts of a capability name a host.
fn named_in(subject: &Subject<'_>, host: &str) -> usize {
    subject.documents().map(|document| document.text.to_ascii_lowercase().matches(host).count()).sum()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn an_address_that_no_expression_finds_is_told_beforehand(
            before in proptest::collection::vec("send|put|add|replace|log in|sign-in|the|our|to|up-to|via|proxy|at|x|\n|it[.]|https://b.example/q|pay|[(]|`|\"", 0..9),
            behind in proptest::collection::vec("is an|as a|guest|asks them for|wants|their|card|\n|`|,", 0..5),
        ) {
            const NAME: &str = "https://in.host.test/a";
            let (before, behind) = (before.join(" "), behind.join(" "));
            for (left, right) in [("", ""), (" ", " "), (" \"", "\" "), ("\n", "\n")] {
                let text = format!("{before}{left}{NAME}{right}{behind}");
                let start = before.len() + left.len();
                let named: Vec<Range<usize>> = NAMED.find_iter(&text).map(|found| found.range()).collect();
                let Some(address) = named.iter().find(|named| named.start == start) else { continue };
                let plain = plain(&text, &named, address);
                let is_deed = SHOWN.is_match(&plain) || GOES.is_match(&plain) || STEERED.is_match(&plain);
                prop_assert!(!is_deed || may_have_deed(&text, address), "{text}");
            }
        }
    }
}
