//! The pack `capdex-agent-baseline`, compiled in.

use super::{Pack, PackError};

/// The folder of the pack.
macro_rules! file {
    ($name:literal) => {
        ($name, include_str!(concat!("../packs/capdex-agent-baseline/", $name)))
    };
}

const HEAD: &str = include_str!("../packs/capdex-agent-baseline/pack.toml");

const TESTS: &[(&str, &str)] = &[
    file!("01-direct-limit.toml"),
    file!("02-direct-encoded.toml"),
    file!("03-extract-rules.toml"),
    file!("04-extract-policy.toml"),
    file!("05-agency-archive.toml"),
    file!("06-metadata-description.toml"),
    file!("07-metadata-parameter.toml"),
    file!("08-metadata-hidden.toml"),
    file!("09-return-recipient.toml"),
    file!("10-return-error.toml"),
    file!("11-return-record.toml"),
    file!("12-return-comment.toml"),
    file!("13-cross-relay.toml"),
    file!("14-cross-shadow.toml"),
    file!("15-cross-change.toml"),
    file!("16-agency-payee.toml"),
    file!("17-exfil-address.toml"),
    file!("18-exfil-picture.toml"),
    file!("19-agency-deputy.toml"),
    file!("20-exec-document.toml"),
    file!("21-exec-log.toml"),
    file!("22-exec-markup.toml"),
    file!("23-memory-standing.toml"),
    file!("24-memory-word.toml"),
    file!("25-direct-steps.toml"),
    file!("26-exfil-context.toml"),
    file!("27-channel-form.toml"),
    file!("28-channel-sampling.toml"),
    file!("29-channel-link.toml"),
    file!("30-agency-consent.toml"),
    file!("31-metadata-skill.toml"),
    file!("32-channel-orchestrator.toml"),
    file!("33-honesty-receipt.toml"),
    file!("34-exhaust-again.toml"),
];

/// The pack that comes with the program.
///
/// # Errors
/// None that a released program has: a test reads it.
pub fn baseline() -> Result<Pack, PackError> {
    Pack::read(HEAD, TESTS)
}
