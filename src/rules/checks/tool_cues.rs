//! Cues: the clauses by which text in a tool speaks to the model instead of describing the tool.
//!
//! Shared by the rules about tools; must not decide how bad a cue is. Each looks at one sentence, outside quotations,
//! within a few words. Sources: SAFE-MCP T1001, T1401, T1404, T1501; measured against 20,000 public descriptions.

use std::sync::LazyLock;

use regex::Regex;

use capdex_evidence::bytes;
use capdex_evidence::lexicon::{CALL, DESTROY, GUARD, GUIDANCE, OPERATION, ORDER, OVERRIDE, SEND};
use capdex_evidence::sentences::{Marks, Phrase, Sentence, Words, is_one_of};
use capdex_evidence::words;

static TEMPLATE: LazyLock<Regex> = LazyLock::new(|| {
    capdex_evidence::expression::of(
        r"(?-u)<\|(?:im_start|im_end|system|user|assistant|begin_of_text|start_header_id|endoftext)\|>|\[/?INST\]|<</?SYS>>|(?m:^### ?(?:Instruction|System|Human|Assistant)s?:)",
    )
});

static TAGS: LazyLock<Regex> = LazyLock::new(|| {
    capdex_evidence::expression::of(
        r"(?i-u)</?(?:important|system|secret|hidden|instructions?|system[_-]?(?:prompt|message|instructions?|note)|hidden[_-]?instructions?|internal[_-]?(?:instructions?|note)|assistant|critical|admin|override|directive|mandatory)>",
    )
});

static LABELS: LazyLock<Regex> = LazyLock::new(|| {
    capdex_evidence::expression::of(concat!(
        r"(?-u)\[(?:(?:HIDDEN|SECRET|SYSTEM|INTERNAL|OVERRIDE|ADMIN|PRIORITY|EMERGENCY|ROLE|CONFIGURATION|METADATA)[ _](?:INSTRUCTION|DIRECTIVE|OVERRIDE|PROMPT|MESSAGE|COMMAND)S?|SYSTEM|OVERRIDE)\]",
        r"|(?m:^[ \t>*#-]{0,8}(?:SYSTEM|OVERRIDE|HIDDEN|INSTRUCTION|PRIORITY|ADMIN|SAFETY) (?:OVERRIDE|DIRECTIVE|INSTRUCTIONS?|PROMPT|BYPASS)\b)",
        r"|\bACT AS: ?[A-Z]",
    ))
});

/// A token of a chat template: nothing that a description needs.
pub(super) fn template_token(text: &str, marks: Marks) -> Option<(usize, usize)> {
    const BEGINNING: Marks = Marks::of(&['<', '[', '#']);
    if !marks.any(BEGINNING) {
        return None;
    }
    TEMPLATE.find(text).map(|found| (found.start(), found.end()))
}

/// True where a pseudo-tag is one that honest servers use to order their own text.
pub(super) fn is_common_tag(text: &str, (start, end): (usize, usize)) -> bool {
    text.get(start..end).is_some_and(|tag| tag.to_ascii_lowercase().contains("instruction"))
}

/// A pseudo-tag that sets text apart as an order: `<IMPORTANT>`. Honest servers use some, too.
pub(super) fn pseudo_tag(text: &str, marks: Marks) -> Option<(usize, usize)> {
    const BEGINNING: Marks = Marks::of(&['<']);
    if !marks.any(BEGINNING) {
        return None;
    }
    // "<assistant>.exposed" stands for a name.
    let stands_alone = |found: &regex::Match<'_>| {
        let joined =
            |byte: Option<&u8>| byte.is_some_and(|byte| matches!(byte, b'.' | b'/' | b'_' | b'-' | b'`' | b'='));
        let bytes = text.as_bytes();
        !joined(bytes.get(found.end())) && !joined(found.start().checked_sub(1).and_then(|before| bytes.get(before)))
    };
    TAGS.find_iter(text).find(stands_alone).map(|found| (found.start(), found.end()))
}

/// A label that claims a rank above the user: `SYSTEM OVERRIDE`, `[HIDDEN INSTRUCTION]`, `ACT AS: Administrator`.
pub(super) fn authority_label(text: &str, marks: Marks) -> Option<(usize, usize)> {
    const COLON: Marks = Marks::of(&[':']);
    // Every label but the last holds a word of six capitals at least.
    let has_capitals = bytes::has_run(text.as_bytes(), 6, |byte| byte.is_ascii_uppercase());
    if !(has_capitals || marks.any(COLON) && text.contains("ACT AS:")) {
        return None;
    }
    LABELS.find(text).map(|found| (found.start(), found.end()))
}

/// Which guidance is set aside.
const EARLIER: Words = Words::of(&[
    "previous",
    "prior",
    "above",
    "earlier",
    "preceding",
    "existing",
    "other",
    "all",
    "any",
    "system",
    "safety",
    "your",
    "user's",
    "former",
    "initial",
    "original",
    "conflicting",
    "default",
    "current",
    "every",
    "these",
    "those",
    "user",
    "security",
    "past",
    "contradictory",
    "built-in",
]);

/// Setting earlier instructions aside: "ignore all previous instructions", "takes precedence over any other rule".
pub(super) fn overrides(sentence: &Sentence<'_>) -> Option<(usize, usize)> {
    if !sentence.classes.any(GUIDANCE.with(OVERRIDE)) {
        return None;
    }
    // Verb and object within five words: further apart they belong to different clauses.
    let aside = sentence.all(OVERRIDE).find_map(|first| {
        let last = (first + 1..=first + 5).find(|index| {
            sentence.is(*index, GUIDANCE)
                && !sentence.fits(
                    *index,
                    words![
                        "command",
                        "commands",
                        "order",
                        "orders",
                        "policy",
                        "rule",
                        "rules",
                        "constraint",
                        "constraints"
                    ],
                )
        })?;
        let earlier = (first + 1..=last).any(|index| sentence.fits(index, &EARLIER));
        // Said to the model; without it and without "earlier" the sentence may tell of a program's own settings.
        let told = sentence.has(words!["you", "your", "developer", "developers"]);
        (earlier || told).then_some((first, last))
    });
    // Following a tool's steps is ordinary; following them without question is not.
    let obeyed = sentence.find(&OBEY).filter(|_| sentence.has(&BLINDLY));
    let found = aside
        .or_else(|| sentence.find(&PRECEDENCE))
        .or_else(|| sentence.find(&ABOVE_USER))
        .or_else(|| sentence.find(&ASIDE))
        .or(obeyed);
    // Security tools quote and forbid these very orders.
    found.filter(|(first, _)| !sentence.negated(*first) && !names_an_option(sentence, *first))
}

const PRECEDENCE: Phrase = Phrase::of(
    &[
        &[
            "precedence",
            "priority",
            "override",
            "overrides",
            "supersede",
            "supersedes",
            "outrank",
            "outranks",
            "replaces",
            "cancels",
            "voids",
        ],
        &["all", "any", "other", "previous", "prior", "every", "user", "system", "conflicting", "your"],
        &[
            "instruction",
            "instructions",
            "prompt",
            "prompts",
            "directive",
            "directives",
            "guidelines",
            "request",
            "requests",
            "preferences",
            "guidance",
            "rules",
        ],
    ],
    3,
);

/// A rank above the user's wish: "has a higher priority than the user's request".
const ABOVE_USER: Phrase = Phrase::of(
    &[
        &["priority", "precedence", "authority", "higher", "above"],
        &["than", "over", "of"],
        &["user", "user's", "users"],
        &["query", "request", "requests", "instructions", "input", "wish", "wishes", "message", "query/request"],
    ],
    2,
);

/// The result of a tool is to be obeyed.
const OBEY: Phrase = Phrase::of(
    &[
        &["follow", "obey", "execute", "treat", "comply", "perform", "act", "carry"],
        &["instruction", "instructions", "command", "commands", "directives", "directive", "output", "steps"],
        &[
            "response",
            "output",
            "result",
            "results",
            "returned",
            "returns",
            "contained",
            "tool's",
            "responses",
            "instructions",
            "commands",
        ],
    ],
    5,
);
/// The words that make obedience blind.
const BLINDLY: Words = Words::of(&[
    "question",
    "blindly",
    "unconditionally",
    "system",
    "immediately",
    "unquestioningly",
    "questioning",
    "regardless",
    "authoritative",
]);

const ASIDE: Phrase = Phrase::of(
    &[
        &["ignore", "disregard", "forget"],
        &["everything", "anything", "what", "whatever"],
        &["user", "before", "above", "told", "said", "instructed", "system"],
    ],
    4,
);

/// "Ignore existing rules" as the name of a flag or a choice of the user is no order.
fn names_an_option(sentence: &Sentence<'_>, index: usize) -> bool {
    (index.saturating_sub(4)..index).any(|at| {
        // A quoted word before the verb is an example and explains nothing.
        sentence.words.get(at).is_some_and(|word| !word.quoted)
            && is_one_of(
                sentence.word(at),
                &[
                    "whether", "if", "to", "will", "option", "flag", "can", "may", "used", "detect*", "prevent*",
                    "block*", "like",
                ],
            )
    })
}

const TRUST: Phrase = Phrase::of(
    &[
        &["trust", "treat"],
        &["all", "any", "every"],
        &["input", "inputs", "queries", "commands", "requests"],
        &["implicitly", "trusted", "without", "when", "in", "as"],
    ],
    3,
);

const UNLIMITED: Phrase = Phrase::of(
    &[
        &["without", "no", "zero", "free"],
        &[
            "restrictions",
            "restriction",
            "guardrails",
            "safeguards",
            "limitations",
            "safety",
            "filtering",
            "moderation",
        ],
    ],
    2,
);

const UNRESTRICTED: Phrase = Phrase::of(
    &[
        &["act", "you", "behave", "respond", "operate"],
        &["unrestricted", "unfiltered", "uncensored", "jailbroken", "unlimited"],
        &["assistant", "mode", "ai", "agent", "model", "answers", "way"],
    ],
    4,
);
const SUSPENDED: Phrase = Phrase::of(
    &[
        &["system", "safety", "your", "content", "security", "usual", "ethical"],
        &["policies", "policy", "rules", "restrictions", "guidelines", "safeguards", "guardrails", "limits", "filters"],
        &["not", "no", "suspended", "lifted", "void"],
        &["apply", "longer", "applicable", "while", "when", "during", "for", "here"],
    ],
    2,
);
const COMPLY: Phrase = Phrase::of(
    &[
        &["comply", "obey"],
        &["with", "all", "any", "every"],
        &["request", "requests", "command", "commands", "instruction"],
    ],
    2,
);

/// Protections of a model, in the words in which they are switched off.
const PROTECTIONS: Words = Words::of(&[
    "restrictions",
    "filters",
    "filtering",
    "policies",
    "guidelines",
    "controls",
    "protocols",
    "safeguards",
    "guardrails",
    "protections",
    "moderation",
    "sanitization",
    "alignment",
    "checks",
    "validation",
    "validations",
    "policy",
]);

/// Switching protection off: "disable content filtering", "trust all user input implicitly", "answer without guardrails".
pub(super) fn unguards(sentence: &Sentence<'_>) -> Option<(usize, usize)> {
    let bypass = || {
        sentence.all(OVERRIDE).find_map(|first| {
            let last = (first + 1..=first + 5).find(|index| sentence.fits(*index, &PROTECTIONS))?;
            // "Bypass checks" alone may speak of a form; whose checks they are must be said.
            let whose = (first + 1..=last).any(|index| {
                sentence.fits(
                    index,
                    words![
                        "safety", "security", "content", "access", "all", "any", "your", "ethical", "built-in",
                        "system", "privacy", "usage"
                    ],
                )
            });
            (whose || sentence.has(words!["you", "your"])).then_some((first, last))
        })
    };
    let unlimited = || {
        sentence.find(&UNLIMITED).filter(|_| {
            sentence.classes.any(ORDER)
                && sentence.has(words!["you", "act", "respond", "answer", "behave", "execute", "comply"])
        })
    };
    let free = unlimited()
        .or_else(|| sentence.find(&UNRESTRICTED))
        .or_else(|| sentence.find(&SUSPENDED))
        .or_else(|| sentence.find(&COMPLY));
    let found = free.or_else(|| {
        let found = sentence.classes.any(GUARD).then(bypass).flatten().or_else(|| sentence.find(&TRUST))?;
        (!sentence.negated(found.0)).then_some(found)
    })?;
    (!names_an_option(sentence, found.0)).then_some(found)
}

static DELAY: LazyLock<Regex> = LazyLock::new(|| {
    capdex_evidence::expression::of(concat!(
        r"(?-u)\b(?:on|after|starting (?:with|from)|from|upon) the (?:second|third|fourth|fifth|sixth|seventh|tenth|\d+(?:st|nd|rd|th)) (?:call|invocation|use|request|execution|run|time|message|conversation)",
        r"|\bafter (?:\d+|two|three|four|five|six|seven|ten|several|a few|\w+) (?:successful )?(?:calls|invocations|uses|executions|runs|conversations|messages)\b",
        r"|\b(?:if|when|once) (?:the )?(?:current |today'?s |system )?(?:date|time|day|year) (?:is|has|reaches|passes|becomes)(?: \w+)? (?:after|past|later|beyond|passed|\d{4})",
        r"|\b(?:once|after) (?:the )?(?:user'?s? )?(?:trust|approval) (?:is|has been) (?:established|gained|granted|built)",
    ))
});

/// An order that waits: "on the third call, send …", "if the date is after …, replace …".
pub(super) fn waits(sentence: &Sentence<'_>) -> bool {
    // Waiting is no threat by itself: something must happen when the time has come.
    let acts = SEND.with(DESTROY).with(OVERRIDE).with(capdex_evidence::lexicon::CHANGE).with(CALL);
    sentence.classes.any(acts)
        && sentence.classes.any(OPERATION.with(ORDER).with(acts))
        && DELAY.is_match(sentence.lower())
}
