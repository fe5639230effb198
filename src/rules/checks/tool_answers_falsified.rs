//! tool-answers-falsified: a tool's text has its answer bent, or has the user told what is not so.

use std::sync::LazyLock;

use regex::Regex;

use crate::FactSink;
use capdex_evidence::sentences::{Sentence, Words};
use capdex_evidence::subject::Subject;

use super::tool_frames::{frame, stands, tell_first};

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    tell_first(subject, facts, |sentence, _, _, _| falsifies(sentence));
}

/// Words of which every frame holds one.
const CUES: Words = Words::of(&[
    "described",
    "presented",
    "passed",
    "reported",
    "explained",
    "announced",
    "sold",
    "presenting",
    "describing",
    "reporting",
    "passing",
    "claim",
    "claims",
    "say",
    "says",
    "report",
    "reports",
    "verdict",
    "mark",
    "marks",
    "state",
    "states",
    "answer",
    "answers",
    "call",
    "calls",
    "label",
    "labels",
    "tell",
    "tells",
    "copy",
    "copies",
    "change",
    "changes",
    "upload",
    "transfer",
    "addition",
    "post",
    "edit",
    "edits",
    "line",
    "lines",
    "fee",
    "request",
    "step",
    "critical",
    "negative",
    "unfavourable",
    "unfavorable",
    "complaints",
    "shifted",
    "raised",
    "lowered",
    "increased",
    "reduced",
    "inflated",
    "rounded",
    "moved",
    "rated",
    "marked",
    "classified",
    "treated",
    "answered",
    "scored",
    "leave",
    "leaves",
    "left",
    "omit",
    "omits",
    "drop",
    "drops",
    "hide",
    "hides",
    "exclude",
    "excludes",
    "suppress",
    "keeps",
    "reads",
    "pretends",
    "listed",
    "shown",
    "mentioned",
    "told",
    "add",
    "adds",
    "raise",
    "raises",
    "increase",
    "increases",
    "inflate",
    "inflates",
    "lower",
    "lowers",
    "reduce",
    "reduces",
    "deduct",
    "cut",
    "reply",
    "replies",
]);

static FRAMES: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    let frames = [
        // "Is described to the user as the shortest one".
        r"\b(?:described|presented|passed off|reported|explained|announced|sold)\b (?:to (?:the |a )?<people> )?as (?:the |an? )?(?:shortest|fastest|cheapest|best|original|safe|private|clean|official|only|complete|genuine|neutral|independent|verified|current|real|requested|successful|<people>'s|competitor'?s?)\b",
        r"\b(?:presenting|describing|reporting|passing) (?:it|them|this|the [a-z]+)(?: off)? as\b",
        // "When the user asks for a private one pass false and report it as private".
        r"\b(?:when|if|whenever)\b[^;]{0,10}?\b<people> <wish>\b[^;]{0,60}?\b(?:pass|set|send|use|call|enter|give|invoke|open|put)\b[^;]{0,80}?\band (?:report|present|show|describe|say|call|label|state)s? (?:it|them|this|that|the result)\b[^;]{0,20}?\b(?:as|that|is)\b",
        // "Claim that it is the cheapest even when it is not".
        r"\b(?:claim|say|report|verdict|mark|state|answer|call|label|tell)s?\b[^;]{0,60}?\beven (?:when|where|if|though) (?:it|they|the [a-z]+|that|none|there) (?:is|are|was|were|has|have|did|does|found|finds|failed|fails)\b",
        // "Say there are no others".
        r"\b(?:say|state|tell|report|claim|reply|answer)s?\b[^;]{0,30}?\bthere (?:are|is|were) no (?:others?|more|further|alternatives?|issues|problems)\b",
        // "The copy is not listed in the result".
        r"\b(?:the|this|that|these|second|extra) (?:copy|copies|change|changes|upload|transfer|addition|post|edit|edits|lines?|fee|call|request|step)\b[^;]{0,10}?\b(?:is|are|being) (?:not|never) (?:listed|shown|mentioned|reported|included|told|displayed|visible)\b",
        r"\bwithout being (?:listed|shown|mentioned|told|reported)\b",
        // "Claims that are critical of X are answered 'false'".
        r"\b(?:critical of|negative about|unfavou?rable to|complaints about)\b[^;]{0,60}?\b(?:answered|dropped|hidden|false|left out|omitted|removed|skipped|marked|rated)\b",
        // "Add 30 % to the revenue of X", "the hour is shifted back by two".
        r"\b(?:add|adds|raise|raises|increase|increases|inflate|inflates|lower|lowers|reduce|reduces|deduct|cut)\b[^;]{0,30}?\b\d+(?:\.\d+)? ?(?:%|percent|points?|stars?)[^;]{0,20}?\b(?:to|from|off) (?:the )?(?:[a-z]+ )?(?:revenue|price|income|score|rating|fare|rate|total|amount|figure|balance|profit)",
        r"\b(?:hour|time|price|fare|score|rating|balance|distance|amount|dose|figure|revenue)s?\b (?:is|are)(?: always| quietly| silently)? (?:shifted|raised|lowered|increased|reduced|inflated|rounded up|moved)(?: back| up| down| forward)? by (?:\d|one|two|three|five|ten|half)",
        // "Files signed by X get the verdict clean".
        r"\b(?:signed by|containing|from|of|about|by|named|marked)\b[^;]{0,40}?\b(?:gets?|are|is|receives?) (?:always |simply )?(?:given |to be )?(?:the verdict|reported as|rated|marked|classified|treated as|answered|scored)[^;]{0,10}?\b(?:clean|safe|harmless|passed|approved|trusted|benign|false|true|valid|first|highest|top)\b",
        // "Leave X out of the findings".
        r"\b(?:leave|leaves|left|omit|omits|drop|drops|hide|hides|exclude|excludes|suppress)\b[^;]{0,50}?\b(?:out of (?:the )?(?:findings|results?|report|answer|reply|list|summary)|from (?:whatever|the (?:findings|answer|report|reply)))\b",
        // "The reply states that the object is private".
        r"\b(?:reply|summary|answer|text returned|message|result)\b(?: (?:to|given back to|shown to) (?:the )?<people>)? (?:states|says|claims|keeps|reads|pretends) (?:that|it (?:was|is)|the original)\b",
    ];
    frames.map(frame).into()
});

static EXCUSES: LazyLock<Regex> = LazyLock::new(|| {
    frame(
        r"\b(?:attack\w*|malicious|adversar\w*|never (?:claim|say|report|present|describe|leave|omit|drop|hide)|do not (?:claim|say|report|present|describe|leave|omit|drop|hide)|don't (?:claim|say|report|present|describe|omit|drop|hide)|duplicates?|deprecated|archived|deleted|if (?:there|none|no)|e\.g|for example)\b",
    )
});

fn falsifies(sentence: &Sentence<'_>) -> bool {
    if !sentence.names(&CUES) {
        return false;
    }
    let lower = sentence.lower();
    stands(&FRAMES, lower) && !EXCUSES.is_match(lower)
}
