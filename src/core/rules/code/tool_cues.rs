//! Cues: the clauses by which text in a tool speaks to the model instead of describing the tool.
//!
//! Shared by the rules about tools; must not decide how bad a cue is. Each looks at one sentence, outside quotations,
//! within a few words. Sources: SAFE-MCP T1001, T1401, T1404, T1501; measured against 14,000 public descriptions.

use std::sync::LazyLock;

use regex::Regex;

use crate::evidence::schema::{self, SchemaField};
use crate::evidence::sentences::{Phrase, Sentence, is_one_of};
use crate::evidence::tools::Tool;
use crate::fact::Place;

/// One string of a tool.
pub(super) struct ToolText<'a> {
    /// Which part: the pointer from the tool's object, such as `/description`.
    pub(super) pointer: String,
    /// Whether it stands in a schema.
    pub(super) field: Option<SchemaField>,
    /// The string.
    pub(super) text: &'a str,
}

/// The prose of a tool outside its schemas: title, description, the annotations' title.
pub(super) fn prose(tool: &Tool) -> Vec<ToolText<'_>> {
    let annotated =
        tool.annotations.as_ref().and_then(|annotations| annotations.get("title")).and_then(|title| title.as_str());
    let parts = [
        ("/description", tool.description.as_deref()),
        ("/title", tool.title.as_deref()),
        ("/annotations/title", annotated),
    ];
    parts
        .into_iter()
        .filter_map(|(pointer, text)| text.map(|text| ToolText { pointer: pointer.to_owned(), field: None, text }))
        .collect()
}

/// The strings of a tool's schemas.
pub(super) fn schema_texts(tool: &Tool) -> Vec<ToolText<'_>> {
    let mut texts = Vec::new();
    for (name, schema) in [("/inputSchema", &tool.input_schema), ("/outputSchema", &tool.output_schema)] {
        let Some(schema) = schema else { continue };
        for text in schema::walk(schema).texts {
            texts.push(ToolText {
                pointer: format!("{name}{}", text.pointer),
                field: Some(text.field),
                text: text.text,
            });
        }
    }
    texts
}

/// Prose and the schema strings that are prose: titles, descriptions, comments.
pub(super) fn all_prose(tool: &Tool) -> Vec<ToolText<'_>> {
    let mut texts = prose(tool);
    texts.extend(schema_texts(tool).into_iter().filter(|text| {
        matches!(
            text.field,
            Some(
                SchemaField::Title
                    | SchemaField::Description
                    | SchemaField::Comment
                    | SchemaField::Default
                    | SchemaField::Extension
            )
        )
    }));
    texts
}

/// The place of a string of a tool: exact in a tools list, that of the definition in source.
pub(super) fn place_of(tool: &Tool, text: &ToolText<'_>) -> Place {
    Place { pointer: format!("{}{}", tool.place.pointer, text.pointer), ..tool.place.clone() }
}

/// What a finding quotes: the tool's name and the sentence.
pub(super) fn quoted(tool: &Tool, sentence: &str) -> String {
    format!("{}: {}", tool.name, sentence.trim())
}

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

/// A token of a chat template: nothing that a description needs.
pub(super) fn template_token(text: &str) -> Option<(usize, usize)> {
    TEMPLATE.find(text).map(|found| (found.start(), found.end()))
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

/// Whether a word is written as an identifier: with a separator inside or a hump.
pub(super) fn is_identifier(raw: &str) -> bool {
    let inner = raw.get(1..raw.len().saturating_sub(1)).unwrap_or_default();
    let plain = raw.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'));
    let hump = raw
        .as_bytes()
        .windows(2)
        .any(|pair| matches!(pair, [low, high] if low.is_ascii_lowercase() && high.is_ascii_uppercase()));
    plain
        && raw.bytes().any(|byte| byte.is_ascii_lowercase())
        && (inner.contains('_') || hump || (inner.contains('-') && raw.len() > 5))
}

/// A name without case and separators, so that variants of one name are one.
pub(super) fn folded_name(name: &str) -> String {
    name.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// A name as lower-case words, split at separators and humps.
pub(super) fn name_words(name: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut lower = false;
    for letter in name.chars() {
        let hump = letter.is_uppercase() && lower;
        if !letter.is_alphanumeric() || hump {
            words.extend((!word.is_empty()).then(|| std::mem::take(&mut word)));
        }
        if letter.is_alphanumeric() {
            word.extend(letter.to_lowercase());
        }
        lower = letter.is_lowercase() || letter.is_ascii_digit();
    }
    words.extend((!word.is_empty()).then_some(word));
    words
}
