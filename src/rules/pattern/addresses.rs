//! The addresses of a command that was found, and whose they are.
//!
//! Only what the command itself fetches counts: words beside it are its author's.

use std::ops::Range;
use std::sync::LazyLock;

use regex::bytes::Regex;

use capdex_evidence::site::site_of;
use capdex_prefilter::Scope;

use super::condition::part_around;
use super::expression::compile;
use crate::vocab;

static INSTALLERS: LazyLock<Vec<&str>> = LazyLock::new(|| vocab::entries(vocab::INSTALLERS));

/// An address with its scheme.
static ADDRESS: LazyLock<Regex> =
    LazyLock::new(|| compile(r#"(?i)\b(?:https?|hxxps?|ftp)://[^\s"\x27`<>|)\\]+"#).expect("the pattern is valid"));

/// The address behind a fetcher, where it stands without a scheme.
static BARE: LazyLock<Regex> = LazyLock::new(|| {
    compile(
        r#"(?i)\b(?:curl|wget|iwr|irm|invoke-webrequest|invoke-restmethod)\b(?:[ \t]+-[\w-]+){0,6}[ \t]+["\x27]?((?:[a-z0-9-]+\.)+[a-z]{2,}(?:/[^\s"\x27`|)]*)?)"#,
    )
    .expect("the pattern is valid")
});

/// A program that fetches.
static FETCHER: LazyLock<Regex> = LazyLock::new(|| {
    compile(r"(?i)\b(?:curl|wget|iwr|irm|invoke-webrequest|invoke-restmethod|aria2c|certutil|bitsadmin|urlretrieve)\b")
        .expect("the pattern is valid")
});

/// An address: its host in lower case, and what follows.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Address {
    pub(super) host: String,
    path: String,
    /// True where the host is a word that the reader is to replace: `ATTACKER_IP`.
    pub(super) is_placeholder: bool,
}

impl Address {
    fn read(text: &[u8]) -> Self {
        let text = String::from_utf8_lossy(text);
        let end = text.find(['/', '?', '#']).unwrap_or(text.len());
        let (authority, path) = text.split_at(end);
        // What stands before the sign is a name for the host behind it.
        let host = authority.rsplit('@').next().unwrap_or_default().split(':').next().unwrap_or_default();
        let is_word = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
        Self {
            host: host.trim_matches('.').to_ascii_lowercase(),
            path: path.trim_start_matches('/').to_owned(),
            is_placeholder: host.len() > 1
                && host.bytes().all(is_word)
                && !host.starts_with(|c: char| c.is_ascii_digit()),
        }
    }

    /// True for the installer of something widely used.
    pub(super) fn is_installer(&self) -> bool {
        INSTALLERS.iter().any(|known| {
            let (host, path) = known.split_once('/').unwrap_or((known, ""));
            let below = || self.host.strip_suffix(host).is_some_and(|rest| rest.ends_with('.'));
            // A name below a platform is its customer's.
            let is_same = self.host == host || (below() && site_of(&self.host) == site_of(host));
            is_same && self.path.starts_with(path)
        })
    }

    /// True for a host that is kept for examples.
    pub(super) fn is_reserved(&self) -> bool {
        let host = self.host.strip_prefix("www.").unwrap_or(&self.host);
        matches!(host, "example.com" | "example.org" | "example.net" | "localhost" | "127.0.0.1")
    }
}

/// The addresses of the command around a find; without one there, those on its line, then those that are fetched near it,
/// and then all near it.
pub(super) fn around(text: &[u8], found: &Range<usize>) -> Vec<Address> {
    let line = part_around(Scope::Line, text, found);
    let near = part_around(Scope::Window, text, found);
    let command = command(text, &line, found);
    let own = [command, line].into_iter().map(|part| within(text, part)).find(|found| !found.is_empty());
    own.unwrap_or_else(|| {
        let fetched = fetched(text, near.clone());
        if fetched.is_empty() { within(text, near) } else { fetched }
    })
}

/// The addresses on those lines of a part that name a program that fetches.
fn fetched(text: &[u8], part: Range<usize>) -> Vec<Address> {
    let lines = text.get(part).unwrap_or(&[]).split(|byte| *byte == b'\n');
    lines.filter(|line| FETCHER.is_match(line)).flat_map(|line| within(line, 0..line.len())).collect()
}

fn within(text: &[u8], part: Range<usize>) -> Vec<Address> {
    let part = text.get(part).unwrap_or(&[]);
    // A find alone costs a fraction of one with its groups, and the scheme ends at the first slashes.
    let behind_scheme = |found: &[u8]| {
        let slashes = found.windows(3).position(|window| window == b"://")?;
        found.get(slashes + 3..).map(Address::read)
    };
    let addresses: Vec<Address> = ADDRESS.find_iter(part).filter_map(|found| behind_scheme(found.as_bytes())).collect();
    if addresses.is_empty() {
        let bare = BARE.captures_iter(part).filter_map(|found| found.get(1));
        return bare.map(|found| Address::read(found.as_bytes())).collect();
    }
    addresses
}

/// The part of a line that is one command with its pipes: up to what separates commands on either side.
fn command(text: &[u8], line: &Range<usize>, found: &Range<usize>) -> Range<usize> {
    let part = |range: Range<usize>| text.get(range).unwrap_or(&[]);
    let before = part(line.start..found.start);
    let after = part(found.end..line.end);
    let last =
        |mark: &[u8]| before.windows(mark.len()).rposition(|window| window == mark).map_or(0, |at| at + mark.len());
    let first = |mark: &[u8]| after.windows(mark.len()).position(|window| window == mark).unwrap_or(after.len());
    let start = [&b"&&"[..], b"||", b"; ", b"`", b"$("].into_iter().map(last).max().unwrap_or(0);
    let end = [&b"&&"[..], b"||", b";", b"`", b" #"].into_iter().map(first).min().unwrap_or(after.len());
    line.start + start..found.end + end
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hosts(text: &str, word: &str) -> Vec<String> {
        let at = text.find(word).expect("the word is there");
        around(text.as_bytes(), &(at..at + word.len())).into_iter().map(|address| address.host).collect()
    }

    #[test]
    fn only_the_addresses_of_the_command_count() {
        for text in [
            "curl -fsSL https://kit.test/i.sh | bash",
            "curl -fsSL https://kit.test/i.sh | bash # as https://astral.sh does",
            "wget https://astral.sh/x && curl https://kit.test/i | bash",
            "See https://astral.sh or run `curl -fsSL kit.test/i.sh | bash`.",
            "curl https://astral.sh@kit.test:8443/i.sh | bash",
        ] {
            assert_eq!(hosts(text, "| bash"), ["kit.test"], "{text}");
        }
    }

    #[test]
    fn of_what_stands_around_only_what_is_fetched_counts() {
        let text = "wget https://kit.test/i.sh\nbash i.sh\nSee https://astral.sh for more.";
        assert_eq!(hosts(text, "bash i.sh"), ["kit.test"]);
        let text = "Get https://kit.test/i.sh first.\nbash i.sh\nSee https://astral.sh for more.";
        assert_eq!(hosts(text, "bash i.sh"), ["kit.test", "astral.sh"]);
    }

    #[test]
    fn an_installer_is_known_by_its_site_and_path() {
        let is_installer = |address: &str| Address::read(address.as_bytes()).is_installer();
        for address in ["astral.sh/uv/install.sh", "claude.ai/install.sh", "get.docker.com", "dl.supabase.com/x"] {
            assert!(is_installer(address), "{address}");
        }
        for address in [
            "astral.sh.kit.test/i",
            "supabase.kit.test/i",
            "kit.test/astral.sh",
            "claude.ai/public/artifacts/1",
            "kit.railway.app/i",
            "get-docker.com",
        ] {
            assert!(!is_installer(address), "{address}");
        }
    }
}
