//! Vocabularies: lists of words and hosts that rules share, as data in `vocab/`.

/// What settings of agents are for, and their names.
pub(crate) const AGENT_SETTINGS: &str = include_str!("vocab/agent_settings.txt");
/// Hosts where anybody publishes under a name of the host's.
pub(crate) const FREE_HOSTING: &str = include_str!("vocab/free_hosting.txt");
/// Hosts of widely used installers, with the beginning of a path where only that counts.
pub(crate) const INSTALLERS: &str = include_str!("vocab/installers.txt");
/// Services that programs tell how they are used.
pub(crate) const MEASURING: &str = include_str!("vocab/measuring_services.txt");
/// The makers of models, and gateways to them.
pub(crate) const MODEL_HOSTS: &str = include_str!("vocab/model_hosts.txt");
/// Sites that hand out packages and answer for them.
pub(crate) const PACKAGE_INDEXES: &str = include_str!("vocab/package_indexes.txt");
/// Hosts at which programs are published.
pub(crate) const PUBLISHING: &str = include_str!("vocab/publishing_hosts.txt");
/// Hosts that take whatever anybody sends.
pub(crate) const THROWAWAY: &str = include_str!("vocab/throwaway_hosts.txt");
/// The domains of services, behind the word with which the names of their tokens begin.
pub(crate) const TOKEN_ISSUERS: &str = include_str!("vocab/token_issuers.txt");

/// All of them: they are part of the rule set.
pub(crate) const ALL: [&str; 9] = [
    AGENT_SETTINGS,
    FREE_HOSTING,
    INSTALLERS,
    MEASURING,
    MODEL_HOSTS,
    PACKAGE_INDEXES,
    PUBLISHING,
    THROWAWAY,
    TOKEN_ISSUERS,
];

/// The entries of a vocabulary: one a line, blank lines and comments left out.
pub(crate) fn entries(text: &'static str) -> Vec<&'static str> {
    text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')).collect()
}
