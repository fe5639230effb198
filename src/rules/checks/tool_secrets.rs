//! Tool secrets: the files and values that are kept from others, and sentences that take or hand them over.
//!
//! The rules that read the cues decide how bad they are. Sources: SAFE-MCP T1001, T1501, T1502, T1503.

use std::sync::LazyLock;

use regex::Regex;

use capdex_evidence::lexicon::{ORDER, READ, SEND, SET};
use capdex_evidence::sentences::{Phrase, Sentence};
use capdex_evidence::words;

static FILES: LazyLock<Regex> = LazyLock::new(|| {
    capdex_evidence::expression::of(concat!(
        r#"(?-u)(?:^|[/~\\\s`'"(=:])(?:\.ssh\b|id_rsa\b|id_ed25519\b|id_ecdsa\b|[\w-]*(?:private|secret|ssh)[_-]key[\w-]*\.(?:txt|pem|key|json)\b|\.aws/|\.netrc\b|\.npmrc\b|\.pypirc\b|\.kube/|\.docker/config|\.gnupg|\.git-credentials"#,
        r"|~/\.[\w./-]{0,40}(?:credential|token|secret|password|passwd|_key\b|-key\b|apikey|session|cookie)[\w.-]*|\$\(\s*(?:cat|env|printenv|security|gpg|base64)\b|application_default_credentials|etc/environment\b",
        r"|\.config/gcloud|\.bash_history|\.zsh_history|etc/shadow\b|etc/passwd\b|etc/sudoers|wallet\.dat\b|keychain\b|login\.keychain|login data\b|cookies\.sqlite|\.env(?:\.\w+)?\b|(?:credentials?|secrets?|passwords?|api[_-]?keys?|tokens?)\.(?:txt|json|ya?ml|csv|ini|env)\b",
        r"|(?:\.cursor|\.claude|\.codeium|\.vscode|\.config|claude_desktop)[/\w.-]*mcp[\w.-]*\.json|mcp\.json|claude_desktop_config\.json|library/application support/[\w /-]*(?:claude|cursor|chrome|firefox))",
    ))
});

/// The offset in a sentence of the name of a file that holds secrets.
pub(super) fn secret_file(sentence: &Sentence<'_>) -> Option<usize> {
    let lower = sentence.lower();
    // A name has marks in it, but for two.
    let may = !sentence.is_bare() || sentence.names(words!["keychain", "login"]);
    may.then(|| FILES.find(lower).map(|found| found.start())).flatten()
}

/// Things worth stealing that are no files.
const VALUES: Phrase = Phrase::of(
    &[
        &[
            "ssh",
            "private",
            "api",
            "environment",
            "env",
            "seed",
            "recovery",
            "aws",
            "access",
            "session",
            "auth",
            "bearer",
            "saved",
            "stored",
            "user's",
        ],
        &[
            "key",
            "keys",
            "variables",
            "vars",
            "phrase",
            "credentials",
            "token",
            "tokens",
            "cookies",
            "passwords",
            "password",
            "secrets",
        ],
    ],
    0,
);
/// The whole conversation between user and model.
const TALK: Phrase = Phrase::of(
    &[
        &["conversation", "chat", "message", "system", "session", "dialogue"],
        &["history", "prompt", "log", "transcript", "context", "messages"],
    ],
    0,
);

/// The treatment of a secret by a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Taking {
    /// A secret file is read on an order.
    Read,
    /// Secret values or the conversation are handed over on an order.
    Value,
    /// A secret file is read or named, and handed over.
    File,
}

/// The treatment of a secret that a sentence orders; none where it orders none.
pub(super) fn taking(sentence: &Sentence<'_>) -> Option<Taking> {
    let names_file = secret_file(sentence).is_some();
    let names_value = || sentence.find(&VALUES).or_else(|| sentence.find(&TALK)).is_some();
    // Most sentences speak of neither, and some say what is left out.
    if (!names_file && !names_value()) || sentence.has(words!["excluded", "excludes", "ignored", "refuses", "skipped"])
    {
        return None;
    }
    // "Never read .env" orders the opposite.
    let said = |classes| sentence.all(classes).find(|index| !sentence.negated(*index));
    let hands_over = sentence.all(SEND.with(SET)).find(|index| {
        !sentence.negated(*index)
            && sentence.fits(
                *index,
                words![
                    "send",
                    "sends",
                    "sent",
                    "pass",
                    "passed",
                    "passing",
                    "upload",
                    "post",
                    "include",
                    "included",
                    "forward",
                    "append",
                    "attach",
                    "transmit",
                    "submit",
                    "exfiltrate",
                    "put",
                    "provide",
                    "provided",
                    "supply",
                    "return",
                    "insert",
                    "leak",
                    "add",
                    "share",
                    "hand",
                    "hands",
                    "give",
                    "deliver",
                    "paste"
                ],
            )
    });
    let runs = (0..sentence.words.len()).find(|index| sentence.fits(*index, words!["run", "execute"]));
    let reads = said(READ).or(runs);
    let ordered = sentence.classes.any(ORDER)
        || sentence.has(words!["first", "also", "before", "secretly", "silently", "then", "it's", "then"]);
    if names_file {
        let contents = sentence.has(words!["content", "contents", "full", "verbatim", "output"]);
        // One word cannot both read and hand over: "include .env" alone may speak of a deployment.
        let is_file = hands_over.is_some() && (reads.is_some_and(|read| Some(read) != hands_over) || contents);
        let file = is_file.then_some(Taking::File);
        return file.or_else(|| (ordered && reads.is_some() && !is_placement(sentence)).then_some(Taking::Read));
    }
    match (reads, hands_over) {
        (Some(read), Some(send)) if read != send && ordered => Some(Taking::Value),
        (_, Some(_))
            if sentence.has(words!["all", "every", "full", "contents"])
                && sentence.has(words!["argument", "parameter", "field", "payload", "tool"])
                // Without an order only a value that is worth stealing counts, never the conversation alone.
                && sentence.find(&VALUES).is_some() =>
        {
            Some(Taking::Value)
        }
        _ => None,
    }
}

/// A key that is to be put into a file is what the file is for.
fn is_placement(sentence: &Sentence<'_>) -> bool {
    sentence.has(words![
        "create",
        "place",
        "store",
        "save",
        "configure",
        "configured",
        "set",
        "exists",
        "located",
        "default",
        "defaults",
        "optional",
        "if",
        "automatically",
        "load",
        "loads",
        "loaded"
    ])
}
