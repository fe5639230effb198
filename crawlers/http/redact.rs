//! `Secret` and `redact`: what may be printed of credentials and addresses.
//!
//! Errors, gaps and logs print addresses in this form.

use std::fmt;

use url::Url;

/// Text that is never printed: both its text forms are `***`.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Takes the text.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The same with a word before it, such as `Bearer `.
    #[must_use]
    pub fn with_prefix(&self, prefix: &str) -> Self {
        Self([prefix, &self.0].concat())
    }

    /// The text itself, for the header that carries it and for nothing else.
    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}

impl fmt::Display for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}

/// An address in its printable form: without user name, password and fragment, and with `***` for every value of its
/// query. Nobody can tell which of the values is a token. Text that is not an address gives `(not an address)`, because
/// it may hold anything.
pub fn redact(address: &str) -> String {
    Url::parse(address).map_or_else(|_| "(not an address)".to_owned(), redact_url)
}

/// [`redact`] for what is parsed already.
pub(crate) fn redact_url(mut url: Url) -> String {
    // Both fail only for addresses that can hold neither.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url.set_fragment(None);
    // Names of parameters stay, so that a person can tell which request it was.
    let keys: Vec<String> = url.query_pairs().map(|(key, _)| key.into_owned()).collect();
    url.set_query(None);
    let mut text = url.to_string();
    for (index, key) in keys.iter().enumerate() {
        text.push(if index == 0 { '?' } else { '&' });
        text.extend(url::form_urlencoded::byte_serialize(key.as_bytes()));
        text.push_str("=***");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_print_as_stars() {
        let secret = Secret::new("canary");
        assert_eq!(format!("{secret} {secret:?}"), "*** ***");
        assert_eq!(secret.reveal(), "canary");
    }

    #[test]
    fn addresses_lose_users_query_values_and_fragments() {
        let address = "https://canary:canary@registry.example/a?token=canary&page=canary#canary";
        assert_eq!(redact(address), "https://registry.example/a?token=***&page=***");
        assert_eq!(redact("canary"), "(not an address)");
        assert_eq!(redact("https://registry.example/@a%2Fb"), "https://registry.example/@a%2Fb");
    }
}
