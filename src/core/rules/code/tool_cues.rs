//! Cues: the clauses by which text in a tool speaks to the model instead of describing the tool.
//!
//! Shared by the rules about tools; must not decide how bad a cue is. Each looks at one sentence, outside quotations,
//! within a few words. Sources: SAFE-MCP T1001, T1401, T1404, T1501; measured against 14,000 public descriptions.

use std::sync::LazyLock;

use regex::Regex;

use crate::evidence::sentences::{Phrase, Sentence, is_one_of};

static TEMPLATE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?-u)<\|(?:im_start|im_end|system|user|assistant|begin_of_text|start_header_id|endoftext)\|>|\[/?INST\]|<</?SYS>>|(?m:^### ?(?:Instruction|System|Human|Assistant)s?:)")
        .expect("the pattern is fixed and valid")
});

static TAGS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i-u)</?(?:important|system|secret|hidden|instructions?|system[_-]?(?:prompt|message|instructions?)|hidden[_-]?instructions?|internal[_-]?instructions?|assistant|critical)>")
        .expect("the pattern is fixed and valid")
});

static LABELS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?-u)\[(?:(?:HIDDEN|SECRET|SYSTEM|INTERNAL|OVERRIDE|ADMIN|PRIORITY|EMERGENCY|ROLE|CONFIGURATION|METADATA)[ _](?:INSTRUCTION|DIRECTIVE|OVERRIDE|PROMPT|MESSAGE|COMMAND)S?|SYSTEM|OVERRIDE)\]",
        r"|(?m:^[ \t>*#-]{0,8}(?:SYSTEM|OVERRIDE|HIDDEN|INSTRUCTION|PRIORITY|ADMIN|SAFETY) (?:OVERRIDE|DIRECTIVE|INSTRUCTIONS?|PROMPT|BYPASS)\b)",
        r"|\bACT AS: ?[A-Z]",
    ))
    .expect("the pattern is fixed and valid")
});

/// Words of which a text needs one before its clauses are worth looking at.
static CLAUSES: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i-u)ignor|disregard|forget|overrid|supersede|bypass|disabl|circumvent|skip|trust|treat|mention|tell|inform|reveal|disclos|notify|alert|\b(?:key|variable|history|prompt|phrase)")
        .expect("the pattern is fixed and valid")
});

/// Whether a text may hold any of the clauses below: cheap, and never wrong where it says no.
pub(super) fn may_hold_clauses(text: &str) -> bool {
    CLAUSES.is_match(text) || SECRET.is_match(text)
}

/// A token of a chat template: nothing that a description needs.
pub(super) fn template_token(text: &str) -> Option<(usize, usize)> {
    TEMPLATE.find(text).map(|found| (found.start(), found.end()))
}

/// Whether a pseudo-tag is one that honest servers use to order their own text.
pub(super) fn is_common_tag(text: &str, (start, end): (usize, usize)) -> bool {
    text.get(start..end).is_some_and(|tag| tag.to_ascii_lowercase().contains("instruction"))
}

/// A pseudo-tag that sets text apart as an order: `<IMPORTANT>`. Honest servers use some, too.
pub(super) fn pseudo_tag(text: &str) -> Option<(usize, usize)> {
    TAGS.find(text).map(|found| (found.start(), found.end()))
}

/// A label that claims a rank above the user: `SYSTEM OVERRIDE`, `[HIDDEN INSTRUCTION]`, `ACT AS: Administrator`.
pub(super) fn authority_label(text: &str) -> Option<(usize, usize)> {
    LABELS.find(text).map(|found| (found.start(), found.end()))
}

const OVERRIDE: Phrase = Phrase {
    parts: &[
        &["ignore", "disregard", "forget", "override", "overrides", "overriding", "supersede", "supersedes"],
        &["previous", "prior", "above", "earlier", "preceding", "existing", "other"],
        &[
            "instruction",
            "instructions",
            "prompt",
            "prompts",
            "directive",
            "directives",
            "guidelines",
            "orders",
            "safety",
            "rules",
        ],
    ],
    gap: 3,
};

/// Setting earlier instructions aside: "ignore all previous instructions".
pub(super) fn overrides(sentence: &Sentence<'_>) -> Option<(usize, usize)> {
    sentence.find(&OVERRIDE).filter(|(first, _)| !sentence.negated(*first) && !names_an_option(sentence, *first))
}

/// "Ignore existing rules" as the name of a flag or a choice of the user is no order.
fn names_an_option(sentence: &Sentence<'_>, index: usize) -> bool {
    let before = sentence.words.iter().take(index).skip(index.saturating_sub(4));
    before.into_iter().any(|word| {
        is_one_of(
            &word.folded,
            &[
                "whether", "if", "to", "will", "option", "flag", "can", "may", "used", "detect*", "prevent*", "block*",
                "like",
            ],
        )
    })
}

const BYPASS: Phrase = Phrase {
    parts: &[
        &["ignore", "bypass", "disable", "disables", "circumvent", "override", "skip", "disregard"],
        &["safety", "security", "content", "access", "all"],
        &[
            "restriction",
            "restrictions",
            "filter",
            "filters",
            "filtering",
            "policies",
            "policy",
            "guidelines",
            "controls",
            "checks",
            "sanitization",
            "validation",
            "validations",
            "protocols",
            "safeguards",
            "guardrails",
        ],
    ],
    gap: 2,
};

const TRUST: Phrase = Phrase {
    parts: &[
        &["trust", "treat"],
        &["all", "any", "every"],
        &["input", "inputs", "queries", "commands", "requests"],
        &["implicitly", "trusted", "without", "when", "in", "as"],
    ],
    gap: 3,
};

/// Switching protection off: "disable content filtering", "trust all user input implicitly".
pub(super) fn unguards(sentence: &Sentence<'_>) -> Option<(usize, usize)> {
    let first = sentence.find(&BYPASS).or_else(|| sentence.find(&TRUST))?;
    (!sentence.negated(first.0) && !names_an_option(sentence, first.0)).then_some(first)
}

const CONCEAL: Phrase = Phrase {
    parts: &[
        &["not", "never", "don't", "dont", "without", "avoid"],
        &[
            "mention",
            "mentioning",
            "tell",
            "telling",
            "inform",
            "informing",
            "reveal",
            "revealing",
            "disclose",
            "disclosing",
            "notify",
            "notifying",
            "alert",
            "alerting",
        ],
        &["user", "users", "user's", "human", "humans", "anyone", "policy", "this", "operator", "customer"],
    ],
    gap: 4,
};

/// Keeping something from the user: "do not mention this to the user".
pub(super) fn conceals(sentence: &Sentence<'_>) -> Option<(usize, usize)> {
    let (first, last) = sentence.find(&CONCEAL)?;
    // "Do not tell the user to …" and "… that you cannot" steer an answer, they hide nothing.
    let steers = sentence.words.get(last + 1).is_some_and(|word| {
        is_one_of(
            &word.folded,
            &[
                "to", "they", "how", "what", "which", "you", "it", "there", "until", "unless", "if", "when", "before",
                "can",
            ],
        )
    });
    let object_is_text = sentence.fits(last, &["this", "policy"]);
    (!steers || object_is_text).then_some((first, last))
}

static SECRET: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?i-u)(?:^|[/~\\\s`'(])(?:\.ssh/|id_rsa\b|id_ed25519\b|\.aws/|\.netrc\b|\.npmrc\b|\.pypirc\b|\.kube/config|\.docker/config|\.gnupg|\.git-credentials",
        r"|\.config/gcloud|\.bash_history|\.zsh_history|etc/shadow|etc/passwd|wallet\.dat|keychain\b|(?:\.cursor|\.claude|\.codeium|\.vscode|\.config|claude_desktop)[/\w.-]*mcp[\w.-]*\.json|mcp\.json|claude_desktop_config\.json)"
    ))
    .expect("the pattern is fixed and valid")
});

const SECRET_WORDS: Phrase = Phrase {
    parts: &[
        &["ssh", "private", "api", "environment", "conversation", "chat", "system", "seed", "aws", "access", "session"],
        &["key", "keys", "variables", "history", "prompt", "phrase", "credentials", "token", "tokens", "cookies"],
    ],
    gap: 0,
};

const READ_VERBS: [&str; 14] = [
    "read", "reads", "open", "cat", "access", "load", "get", "retrieve", "fetch", "collect", "include", "copy", "grab",
    "extract",
];
const SEND_VERBS: [&str; 18] = [
    "send",
    "sends",
    "pass",
    "upload",
    "post",
    "include",
    "forward",
    "append",
    "attach",
    "transmit",
    "submit",
    "exfiltrate",
    "put",
    "provide",
    "supply",
    "return",
    "insert",
    "leak",
];

/// A secret file named together with an order to read or hand it over.
pub(super) fn takes_secret(sentence: &Sentence<'_>) -> Option<(usize, usize)> {
    let file = SECRET.is_match(sentence.text);
    let named = sentence.find(&SECRET_WORDS);
    let send = (0..sentence.words.len()).find(|index| sentence.fits(*index, &SEND_VERBS) && !sentence.negated(*index));
    let read = (0..sentence.words.len()).find(|index| sentence.fits(*index, &READ_VERBS) && !sentence.negated(*index));
    match (file, named, read, send) {
        (true, _, Some(read), Some(send)) => Some((read.min(send), read.max(send))),
        (false, Some((_, last)), Some(read), Some(send))
            if read != send && sentence.fits(last, &["key", "keys", "variables", "history", "prompt", "phrase"]) =>
        {
            let ordered = sentence.has(&["must", "always", "first", "also", "please", "secretly", "silently"]);
            ordered.then_some((read.min(send), read.max(send)))
        }
        _ => None,
    }
}

/// Whether a sentence names a secret file with a verb of reading: half of [`takes_secret`].
pub(super) fn reads_secret_file(sentence: &Sentence<'_>) -> Option<(usize, usize)> {
    if !SECRET.is_match(sentence.text) {
        return None;
    }
    let verb = (0..sentence.words.len())
        .find(|index| sentence.fits(*index, &["read", "cat", "open", "copy"]) && !sentence.negated(*index))?;
    Some((verb, verb))
}
