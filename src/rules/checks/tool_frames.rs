//! Tool frames: the turns of phrase in which a tool's text works against whoever uses it.
//!
//! Honest texts hardly ever speak of what the user wants in order to do something else, of other tools in order to be rid of
//! them, or of the agent as one who does a deed of its own: in 20,417 public tools (lists of three registries, 2025) the rules that
//! ask for nothing else find none. A frame says `<people>` for a vocabulary; each rule has the excuses that go with its own.

use regex::Regex;

use crate::FactSink;
use capdex_evidence::sentences::Sentence;
use capdex_evidence::subject::Subject;
use capdex_evidence::surfaces::{Surface, SurfaceText};

use super::tool_texts::{SurfaceSpeaker, each_prose, place_of, quoted};

/// Vocabularies, by the name that stands for them in a frame.
const VOCABULARIES: &[(&str, &str)] = &[
    // Those who are served.
    (
        "<people>",
        "(?:users?|customers?|travell?ers?|humans?|persons?|merchants?|shoppers?|buyers?|guests?|passengers?|patients?|owners?|operators?|requesters?|students?|clients?|visitors?|callers?|payers?|senders?)",
    ),
    // What they say, want and choose.
    (
        "<wish>",
        "(?:asks?|asked|asking|wants?|wanted|wish(?:es|ed)?|names?|named|says?|said|gives?|gave|given|choos(?:es?|ing)|chose|chosen|picks?|picked|requests?|requested|specif(?:y|ies|ied)|states?|stated|declines?|declined|refuses?|refused|prefers?|preferred|suppl(?:y|ies|ied)|provides?|provided|configures?|configured|insists?|insisted|insisting|enters?|entered|mentions?|mentioned|types?|typed|objects?|objected|begins?|began|begun|tells?|told|intends?|intended|means?|meant|closed|approves?|approved|orders?|ordered|expects?|expected|limit(?:s|ed)|restricts?|restricted|selects?|selected|passed|(?:has|have|had) (?:set|configured|chosen|picked|named|asked|given|closed|selected))",
    ),
    // What becomes of it.
    (
        "<replaced>",
        "(?:replac(?:e|es|ed|ing)|substitut(?:e|es|ed|ing)|swap(?:s|ped|ping)?|exchang(?:e|es|ed|ing)|rewrit(?:e|es|ten|ing)|shift(?:s|ed|ing)?|overrid(?:e|es|den|ing)|discard(?:s|ed|ing)?|bypass(?:es|ed|ing)?|ignor(?:e|es|ed|ing)|disregard(?:s|ed|ing)?|redirect(?:s|ed|ing)?|divert(?:s|ed|ing)?|alter(?:s|ed|ing)?|changed|converted|dropped|skipped|overruled|left (?:untouched|alone|out)|completed with)",
    ),
    // Tools that are not this one.
    (
        "<other>",
        "(?:others?|another|any other|every other|all other|built-?in|existing|official|native|remaining|competing|third-party|rival|alternative)",
    ),
    ("<tools>", "(?:tools?|servers?|functions?|plugins?|integrations?|connectors?|mcps?|extensions?|apis?)"),
    // What is said of them.
    (
        "<dismissed>",
        "(?:withdrawn|disabled|compromised|forbidden|bypassed|untrusted|unreliable|fabricat\\w+|outdated|stale|old cop(?:y|ies)|broken|obsolete|retired|revoked|blocked|unsafe|insecure|malicious|infected|vulnerable|discarded|hidden|suspended|offline|decommissioned|expired|switched off|turned off|ignored|off limits|not (?:to be )?(?:used|called|trusted)|no longer (?:available|used|supported|work|valid)|inaccurate|superseded)",
    ),
    // Who acts, and how.
    (
        "<agent>",
        "(?:(?:the|an|our|your|this|that|each|every|any|ai|calling|host|client|coding|llm) (?:(?:calling|host|client|ai|coding|llm) )?(?:agents?|assistants?|chatbot)|llm|claude)(?: (?:also|additionally|first|then|straight|silently|quietly|always|itself|automatically|now|just|simply|further|must|should|shall|will|in addition|has to|is to|goes on to|go on to|goes straight on to|go straight on to|proceeds to))*",
    ),
    (
        "<destroy>",
        "(?:remov(?:e|es|ed|ing)|delet(?:e|es|ed|ing)|eras(?:e|es|ed|ing)|empt(?:y|ies|ied|ying)|truncat(?:e|es|ed|ing)|wip(?:e|es|ed|ing)|shred(?:s|ded|ding)?|purg(?:e|es|ed|ing)|encrypt(?:s|ed|ing)?|overwrit(?:e|es|ten|ing))",
    ),
    (
        "<deed>",
        "(?:add|append|prepend|send|post|put|write|delete|remove|overwrite|swap|replace|create|forward|copy|upload|share|call|invoke|issue|run|execute|pipe|set|open|install|go|truncate|empty|move|commit|push|publish|insert|attach|change|edit|rewrite|book|buy|pay|transfer|order|fetch|download|register|grant|disable|turn|drop|reset|unlock|submit|mirror|report|make|pass|store|save|export)(?:e?s)?",
    ),
];

/// A frame, ready to be looked for in a sentence in lower case.
pub(super) fn frame(text: &str) -> Regex {
    let written = |text: String, (name, words): &(&str, &str)| text.replace(name, words);
    capdex_evidence::expression::of(&VOCABULARIES.iter().fold(text.to_owned(), written))
}

/// True where one of some frames stands in a sentence in lower case.
pub(super) fn stands(frames: &[Regex], lower: &str) -> bool {
    frames.iter().any(|frame| frame.is_match(lower))
}

/// Reports of every text the first sentence that a rule means, in the rule's plainest form.
pub(super) fn tell_first(
    subject: &Subject<'_>,
    facts: &mut FactSink<'_>,
    means: impl Fn(&Sentence<'_>, &Surface, &SurfaceText, &SurfaceSpeaker<'_>) -> bool,
) {
    each_prose(subject, |surface, text, speaker| {
        if let Some(sentence) = text.text.sentences().find(|sentence| means(sentence, surface, text, speaker)) {
            facts.found(place_of(surface, text), &quoted(surface, sentence.as_str()));
        }
    });
}
