//! secret-files-collected: an instruction has the keys and tokens of several programs read.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::Regex;

use crate::FactSink;
use capdex_evidence::lexicon::READ;
use capdex_evidence::subject::Subject;
use capdex_model::fact::{Confidence, Severity};

use super::{Passage, instructions, passages};
use crate::questions;

/// Stores of keys and tokens: the program whose they are, and what names them.
static STORES: LazyLock<Vec<(&str, Regex)>> = LazyLock::new(|| {
    let stores = [
        ("ssh", r"\.ssh/(?:id_\w+|\*|[\w-]*key|identity)(?:[^.\w]|$)|\bid_(?:rsa|dsa|ecdsa|ed25519)(?:[^.\w]|$)"),
        ("aws", r"\.aws/credentials|aws_secret_access_key|AWS_SECRET_ACCESS_KEY"),
        ("gcloud", r"gcloud/(?:credentials|application_default|access_tokens|legacy)|application_default_credentials"),
        ("azure", r"\.azure/(?:accesstokens|msal|service_principal)"),
        ("gnupg", r"\.gnupg/(?:private|secring)|secring\.gpg"),
        ("git", r"\.git-credentials|\.netrc|gh/hosts\.yml|\.config/gh/"),
        ("registry", r"\.npmrc|\.pypirc|\.cargo/credentials|\.gem/credentials"),
        ("kubernetes", r"\.kube/config"),
        ("docker", r"\.docker/config\.json"),
        (
            "wallet",
            r"wallet\.dat|\.bitcoin/|\.ethereum/|keystore/|solana/id\.json|\.electrum|exodus|metamask|\.bitmonero",
        ),
        ("browser", r"login data|cookies\.sqlite|logins\.json|key4\.db|local state"),
        ("keychain", r"\bkeychain|\.password-store|keepass|\.kdbx|1password|bitwarden"),
        ("environment", r"(?:^|[\s`*/'\x22(])\.env(?:\.\w+)?\b|\.env\*"),
        ("terraform", r"\.terraformrc|credentials\.tfrc|\.tfvars"),
        ("history", r"\.(?:bash|zsh)_history"),
    ];
    let read =
        |(name, pattern): (&'static str, &str)| (name, capdex_evidence::expression::of(&format!("(?i){pattern}")));
    stores.into_iter().map(read).collect()
});

/// Private material is to be shown as it is.
static REVEALS: LazyLock<Regex> = LazyLock::new(|| {
    capdex_evidence::expression::of(concat!(
        r"(?i)\b(?:output|include|display|show|print|list|dump|embed|return)\b[^.\n]{0,60}\b(?:raw|full|entire|complete|decrypted|plaintext)\b",
        r"[^.\n]{0,30}\b(?:key(?:store)?s?|wallets?|credentials?|secrets?|tokens?|passwords?|private)\b",
    ))
});

/// From how many programs on reading their keys is a collection.
const MANY: usize = 3;

pub(in super::super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    for document in instructions(subject).filter(|document| questions::PASSAGES_STORE.occurs(document)) {
        let mut read: BTreeMap<&str, usize> = BTreeMap::new();
        let (mut contents, mut revealed) = (false, false);
        for passage in passages(document) {
            let Some(said) = document.text.get(passage.bytes.clone()) else { continue };
            revealed |= REVEALS.is_match(said) && passage.binds() && !passage.is_mention();
            let named: Vec<&str> =
                STORES.iter().filter(|(_, pattern)| pattern.is_match(said)).map(|(name, _)| *name).collect();
            if named.is_empty() || !takes(&passage) || passage.is_mention() {
                continue;
            }
            contents |= takes_contents(&passage);
            for name in named {
                read.entry(name).or_insert(passage.bytes.start);
            }
        }
        let Some(first) = read.values().min() else { continue };
        // One tool's own key is read by whoever works with the tool.
        let grave = read.keys().filter(|name| !matches!(**name, "environment" | "history")).count();
        let severity = match (read.len() >= MANY && grave >= 2, contents) {
            (true, true) => Severity::High,
            // What is shown raw stands in the conversation, and in every log of it.
            (_, true) if revealed && grave >= 1 => Severity::High,
            (true, false) => Severity::Medium,
            (false, true) if grave >= 1 && read.contains_key("wallet") || (grave >= 2 && contents) => Severity::Medium,
            _ => continue,
        };
        let evidence = format!("reads keys of {}", read.keys().copied().collect::<Vec<_>>().join(", "));
        facts.found_as(severity, Confidence::Medium, document.place(*first), &evidence);
    }
}

/// True where a sentence has something read, and does not forbid it.
fn takes(passage: &Passage<'_>) -> bool {
    let sentence = &passage.sentence;
    passage.binds() && sentence.all(READ).any(|index| !sentence.negated(index))
}

/// True where what stands in the file is taken, not only looked for.
fn takes_contents(passage: &Passage<'_>) -> bool {
    passage.sentence.has(capdex_evidence::words![
        "contents", "content", "extract", "display", "include", "full", "parse", "print", "dump", "collect", "private",
        "copy", "output", "values", "read", "cat"
    ])
}
