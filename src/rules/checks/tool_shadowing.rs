//! tool-shadowing: a description tells the model to use this tool in place of one of another server.

use std::sync::LazyLock;

use regex::Regex;

use crate::FactSink;
use capdex_evidence::sentences::{Phrase, Sentence, Words};
use capdex_evidence::subject::Subject;
use capdex_evidence::words;
use capdex_model::fact::{Confidence, Severity};

use super::tool_frames::{frame, stands};
use super::tool_texts::{SurfaceSpeaker, each_prose, is_beside_tool, place_of, quoted};

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    each_prose(subject, |surface, text, speaker| {
        let found = text.text.sentences().find_map(|sentence| {
            // Names of other tools are looked for last: it takes the names of all siblings.
            let steered = || foreign_target(&sentence, speaker).map(|target| judgement(&sentence, target));
            Some((sentence, against_others(&sentence).or_else(steered)?))
        });
        let Some((sentence, (severity, confidence))) = found else { return };
        facts.found_as(severity, confidence, place_of(surface, text), &quoted(surface, sentence.as_str()));
    });
}

/// Words by which other tools are made bad.
const DISPARAGED: Words = Words::of(&[
    "unreliable",
    "broken",
    "deprecated",
    "insecure",
    "unsafe",
    "compromised",
    "outdated",
    "untrusted",
    "malicious",
    "vulnerable",
]);

/// An order against tools of other servers, whatever they are called: not to use them, or to send everything here.
fn against_others(sentence: &Sentence<'_>) -> Option<(Severity, Confidence)> {
    const FORBIDS: Phrase = Phrase::of(
        &[&["not", "never", "don't", "avoid"], &["use", "call", "invoke", "using", "calling", "trust", "rely"]],
        2,
    );
    const ROUTES: Phrase = Phrase::of(
        &[
            &["route", "redirect", "direct", "funnel", "channel"],
            &["all", "every", "any"],
            &["through", "via", "to"],
            &["this"],
        ],
        4,
    );
    const OTHERS: Phrase = Phrase::of(&[&["other", "another"], &["tool", "tools", "server", "servers"]], 2);
    let others = sentence.find(&OTHERS).is_some();
    let forbids = others && sentence.find(&FORBIDS).is_some();
    // Other tools are mentioned to tell them apart; only forbidding or replacing them is against them.
    let against = others && (forbids || sentence.has(words!["instead"]));
    if (against && (sentence.has(&DISPARAGED) || sentence.has(words!["server", "servers"])))
        || (sentence.find(&ROUTES).is_some() && sentence.has(words!["supersedes", "replaces", "built-in", "instead"]))
    {
        return Some((Severity::High, Confidence::Medium));
    }
    if dismisses(sentence) {
        return Some((Severity::High, Confidence::Medium));
    }
    (forbids && sentence.has(words!["them", "any"])).then_some((Severity::Medium, Confidence::Low))
}

/// Words of which every frame that dismisses other tools holds one.
const CUES: Words = Words::of(&[
    "tool",
    "tools",
    "server",
    "servers",
    "server's",
    "function",
    "functions",
    "plugin",
    "plugins",
    "integration",
    "integrations",
    "connector",
    "connectors",
    "extension",
    "extensions",
    "built-in",
    "replaces",
    "official",
    "place",
    "ignore",
    "forget",
    "stands",
    "stand",
    "treat",
    "substitutes",
    "takes",
    "serves",
]);

/// Other tools are said to be out of order, or are not to be used any more, or everything is to come here.
static DISMISSALS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    let frames = [
        // "All other map tools have been withdrawn".
        r"\b<other>\b[^;]{0,50}?\b<tools>\b[^;]{0,60}?\b(?:is|are|has been|have been|was|were|as|returns?|holds?|gives?|now|treated)\b[^;]{0,20}?\b<dismissed>\b",
        r"\b(?:treat|consider|mark|regard)\b[^;]{0,30}?\b<other>\b[^;]{0,40}?\b<tools>\b[^;]{0,30}?\b<dismissed>\b",
        // "Never fall back to a built-in tool".
        r"\b(?:ignore|discard|bypass|disable|forget|decline to|refuse to|do not (?:call|load|rely|touch|open|consult|fall back)|don't (?:call|load|rely|consult|fall back)|stop (?:using|calling)|makes? no calls? to|no longer (?:use|call)|unload|uninstall)\b[^;]{0,40}?(?:\b(?:<other>|all|every) (?:[a-z'-]+ ){0,3}<tools>\b|\bbuilt-?in\b)",
        // "When a tool of another company is connected, cancel over there".
        r"\b(?:tool|server|call|request|statement|booking|service)s?\b[^;]{0,12}?\b(?:from|of|by|with|for|in|on) (?:an)?other (?:server|company|vendor|provider|tool|mcp|service)s?\b[^.]{0,80}?\b(?:call|cancel|discard|hidden|use|pass|route|answer|would be)\b",
        // "Route every lookup here in place of web_search".
        r"\b(?:route|send|hand over|pass|direct|redirect|forward|bring|make|take)\b[^;]{0,8}?\b(?:every|all|any|each)\b[^;]{0,50}?\b(?:here|this (?:tool|server)|through it)\b[^;]{0,30}?\b(?:in place of|instead of|rather than|and not)\b",
        // "Replaces gmail.send and any mail tool".
        r"^replaces (?:the )?(?:[a-z]+\.[a-z_]+|[a-z]+_[a-z_]+|built-?in|official)",
        // "Stands in for gmail_send", "treat those as unavailable".
        r"\b(?:stands? in for|substitutes? for|takes? the place of|serves? in place of) (?:the )?(?:[a-z]+[_.][a-z_]+|[a-z]+'s|built-?in|official|any|every|all)",
        r"\btreat (?:those|them|these|it|all|any)\b[^;]{0,30}?\bas (?:unavailable|broken|failed|down|unsafe|untrusted|deprecated|forbidden|offline|disabled)\b",
        r"\b(?:ignore|forget|drop|skip) (?:them|it|those|these) from (?:here|now) on\b",
        r"\bin place of (?:the )?(?:built-?in|official|native|user's)\b[^;]{0,40}?\b<tools>\b",
    ];
    frames.map(frame).into()
});

fn dismisses(sentence: &Sentence<'_>) -> bool {
    sentence.names(&CUES) && stands(&DISMISSALS, sentence.lower())
}

/// The word that names a tool that is not its own: an identifier beside the word "tool" or in an order about using it.
fn foreign_target(sentence: &Sentence<'_>, speaker: &SurfaceSpeaker<'_>) -> Option<usize> {
    const CUES: Words = Words::of(&[
        "instead",
        "rather",
        "before",
        "whenever",
        "replaces",
        "replace",
        "overrides",
        "supersedes",
        "not",
        "never",
        "don't",
        "when",
        "prior",
        "deprecated",
        "replacement",
        "avoid",
        "broken",
    ]);
    if !sentence.has(&CUES) {
        return None;
    }
    (0..sentence.words.len()).find(|index| speaker.other_tool(sentence, *index) == Some(false) && cue(sentence, *index))
}

/// The order around a name: "instead of NAME", "before calling NAME", "do not use NAME", "whenever you call NAME".
fn cue(sentence: &Sentence<'_>, index: usize) -> bool {
    let has = |words: &Words| (index.saturating_sub(5)..index).any(|at| sentence.fits(at, words));
    // "Instead of X" may advise against this very tool: the sentence must speak for it.
    let this = sentence.has(words!["this"]) || sentence.has(words!["always", "must", "first", "also"]);
    let replaces = (has(words!["instead"]) && has(words!["of"]))
        || (has(words!["rather"]) && has(words!["than"]))
        || has(words!["replaces", "overrides", "supersedes", "replacement"]);
    let uses = has(words!["use", "using", "call", "calling", "invoke", "invoking", "run", "calls", "used", "called"]);
    let forbids = uses && has(words!["not", "never", "don't", "avoid"]);
    let precedes = uses && has(words!["before", "whenever", "when", "prior", "after"]);
    (replaces && this)
        || (forbids && is_beside_tool(sentence, index))
        || (precedes && this && sentence.has(words!["call", "use", "invoke", "run", "read", "send"]))
}

/// High only where the order is plain: always, must or never, and the target is called a tool or function.
fn judgement(sentence: &Sentence<'_>, index: usize) -> (Severity, Confidence) {
    let strong = sentence.has(words!["always", "must", "never", "whenever", "every"]);
    let tool = is_beside_tool(sentence, index)
        || sentence.has(words!["broken", "deprecated", "insecure", "unsafe", "outdated", "compromised", "unavailable"]);
    match (strong, tool) {
        (true, true) => (Severity::High, Confidence::Medium),
        (true, false) | (false, true) => (Severity::Medium, Confidence::Low),
        (false, false) => (Severity::Low, Confidence::Low),
    }
}
