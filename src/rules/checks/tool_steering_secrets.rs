//! Tool steering, secrets: files and values that are kept from others, and talk taken whole, wherever a tool names them.
//!
//! Wider than `tool_secrets`, which is enough by itself: what is here counts only beside something else. Must not judge.
//! Sources: SAFE-MCP T1501, T1502, T1503.

use std::sync::LazyLock;

use regex::Regex;

use capdex_evidence::sentences::{Phrase, Sentence, Words};

use super::tool_secrets::secret_file;
use super::tool_texts::SurfaceSpeaker;

static PATHS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?-u)(?:~|\$home|/home|/users|/root|%userprofile%|%appdata%)[/\\][\w./\\ *-]*\.(?:kdbx|pem|key|p12|pfx|jks|gpg|asc|ovpn|token|conf|cfg|json|sqlite|db|ldb|txt|csv|pdf)\b",
        r"|\*\.(?:kdbx|pem|key|p12|pfx|env|jks)|(?:^|[\s/`'(=*])\.(?:pgpass|my\.cnf|vault-token|npmrc|git-credentials|password-store|boto|s3cfg|terraformrc|htpasswd|env)\b",
        r"|master\.key|terraform(?:\.tfstate| state)|application_default_credentials|recovery-codes|/proc/\d*(?:self)?/?environ",
    ))
    .expect("the pattern is fixed and valid")
});

/// Whether a file that holds secrets is named, by a tool that is not about such files and does not keep away from them.
pub(super) fn secret_path(sentence: &Sentence<'_>, speaker: &SurfaceSpeaker<'_>) -> bool {
    const KEEPERS: [&str; 8] = ["env", "dotenv", "credential", "config", "login", "secret", "key", "ssh"];
    let named = secret_file(sentence).is_some() || (!sentence.is_bare() && PATHS.is_match(sentence.lower()));
    named && !sentence.has(&SPARED) && !KEEPERS.iter().any(|word| speaker.is_about(word))
}

/// Words by which secrets are kept away from, or put where they belong.
const SPARED: Words = Words::of(&[
    "refuse",
    "refuses",
    "refused",
    "place",
    "create",
    "creates",
    "created",
    "exclude",
    "excludes",
    "excluded",
    "excluding",
    "ignore",
    "ignores",
    "ignored",
    "ignoring",
    "skip",
    "skips",
    "skipped",
    "never",
    "detect",
    "detects",
    "detected",
    "redact",
    "redacts",
    "redacted",
    "mask",
    "masks",
    "masked",
    "reject",
    "rejects",
    "rejected",
    "block",
    "blocks",
    "blocked",
    "avoid",
    "scan",
    "scans",
    "scanned",
    "checks",
    "warn",
    "warns",
    "forbid",
    "forbids",
    "forbidden",
    "revoke",
    "revokes",
    "delete",
    "deletes",
    "deleted",
    "rotate",
    "rotates",
    "rotated",
]);

static VARIABLES: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?-u)\b[A-Z][A-Z0-9]+_(?:[A-Z]+_)*(?:KEY|TOKEN|SECRET|PASSWORD)\b|\bghp_|\bAKIA|\bxox[a-z]-")
        .expect("the pattern is fixed and valid")
});

/// Whether a secret is named by its variable or its first letters.
pub(super) fn holds_secret(sentence: &Sentence<'_>) -> bool {
    !sentence.is_bare() && VARIABLES.is_match(sentence.as_str()) && !sentence.has(&SPARED)
}

/// Whether a secret is named that is no file.
pub(super) fn secret(sentence: &Sentence<'_>) -> bool {
    const PLAIN: Words = Words::of(&[
        "password",
        "passwords",
        "passphrase",
        "credentials",
        "credential",
        "secrets",
        "cookies",
        "otp",
        "pin",
        "tan",
        "tans",
        "cvv",
        "cvc",
        "mnemonic",
        "seed",
        "keychain",
        "ssn",
        "salaries",
        "passport",
    ]);
    const PAIRS: Phrase = Phrase::of(
        &[
            &[
                "api",
                "private",
                "access",
                "recovery",
                "secret",
                "bearer",
                "session",
                "auth",
                "master",
                "environment",
                "env",
                "ssh",
                "encryption",
                "signing",
                "connection",
            ],
            &["key", "keys", "token", "tokens", "codes", "phrase", "variables", "vars", "cookie", "string", "strings"],
        ],
        1,
    );
    (sentence.has(&PLAIN) || sentence.find(&PAIRS).is_some()) && !sentence.has(&SPARED)
}

/// Whether what was said, or what others gave, is taken whole.
pub(super) fn talk(sentence: &Sentence<'_>) -> bool {
    const WHOLE: Phrase = Phrase::of(
        &[
            &[
                "full",
                "entire",
                "whole",
                "complete",
                "verbatim",
                "untruncated",
                "everything",
                "literal",
                "raw",
                "all",
                "unabridged",
                "word",
                "every",
                "hidden",
                "system",
                "internal",
                "last",
                "unmasked",
                "unredacted",
                "each",
                "exact",
                "developer",
                "previous",
                "recent",
            ],
            &[
                "conversation",
                "transcript",
                "prompt",
                "prompts",
                "messages",
                "instructions",
                "context",
                "history",
                "responses",
                "output",
                "outputs",
                "results",
                "result",
                "arguments",
                "values",
                "reasoning",
                "dialogue",
                "chat",
                "text",
                "memory",
                "above",
                "rows",
            ],
        ],
        5,
    );
    sentence.find(&WHOLE).is_some()
}
