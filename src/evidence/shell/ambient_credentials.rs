//! Ambient credentials: tokens that programs, and the machine's own service, hand out to whoever asks on this machine.
//!
//! The tracer marks such output as secret; a token that goes back to its issuer is no theft.

use super::super::code::{hands_out_token, is_token_service};
use super::tainted_value::{AMBIENT_CREDENTIAL, TaintedValue};

/// The output of a program that hands out tokens or passwords.
pub(super) fn ambient_output(name: &str, words: &[&str]) -> Option<TaintedValue> {
    if !matches!(
        name,
        "gh" | "glab"
            | "security"
            | "gcloud"
            | "git"
            | "kubectl"
            | "op"
            | "vault"
            | "pass"
            | "aws"
            | "az"
            | "gpg"
            | "bw"
            | "doppler"
            | "secret-tool"
            | "heroku"
    ) {
        return None;
    }
    // The subcommands stand in front; later words are names and values.
    let command = format!("{name} {}", words.iter().take(5).copied().collect::<Vec<_>>().join(" "));
    hands_out_token(&command).then(|| TaintedValue {
        unknown: true,
        secret: Some(format!("{AMBIENT_CREDENTIAL}{command}")),
        ..TaintedValue::default()
    })
}

/// The answer of addresses. The machine's own service answers with its tokens.
pub(super) fn answer_of(addresses: Vec<String>) -> TaintedValue {
    // The service also tells the region and the like, which is no secret.
    let issues = addresses.first().is_some_and(|address| {
        is_token_service(address) && ["token", "credentials", "identity"].iter().any(|word| address.contains(word))
    });
    let secret = issues.then(|| format!("{AMBIENT_CREDENTIAL}{}", addresses.first().map_or("", String::as_str)));
    TaintedValue { secret, ..TaintedValue::of_network(addresses) }
}
