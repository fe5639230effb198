//! Addresses in text: which hosts a text names, who runs them, and what is fetched from there.
//!
//! An address is suspicious only in its context, which callers know; nothing is judged here.

use std::sync::LazyLock;

use regex::Regex;

use capdex_evidence::site::site_of;

/// The longest address that is kept.
const LONGEST: usize = 200;
/// Addresses read of one text.
const MOST: usize = 2_000;

/// `http`, `https` and the spelling that hides them from scanners, then what an address may be made of.
static ADDRESS: LazyLock<Regex> = LazyLock::new(|| {
    // `hxxp` is how a report or an evasive text spells `http`; people still read it as an address.
    capdex_evidence::expression::of(
        r#"(?i)\bh(?:tt|xx)ps?://([^\s/?#"'<>()\[\]{}`\\|^,;]+)([^\s"'<>()\[\]{}`\\|^,;]*)"#,
    )
});

/// The kind of thing that lies at the end of an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum AddressTarget {
    /// A page, or something that does not say what it is.
    Page,
    /// A script that is meant to be run.
    Script,
    /// A program or an installer.
    Program,
    /// An archive.
    Archive,
}

/// One address of a text.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Address {
    /// The byte at which it begins.
    pub(crate) start: usize,
    /// The byte after it.
    pub(crate) end: usize,
    /// The host, in small letters.
    pub(crate) host: String,
    /// Host and path, without query and fragment.
    pub(crate) place: String,
    /// The one who answers for it: a registrable domain, or a host and an account where many share one.
    pub(crate) site: String,
    /// The kind of thing that it leads to, by the ending of the path.
    pub(crate) target: AddressTarget,
}

/// The addresses of a text that lead to a public host, in their order.
pub(crate) fn addresses(text: &str) -> Vec<Address> {
    // Most documents name no address: the plain search spares them the expression.
    if !text.contains("://") {
        return Vec::new();
    }
    ADDRESS.captures_iter(text).take(MOST).filter_map(|found| read(&found)).collect()
}

fn read(found: &regex::Captures<'_>) -> Option<Address> {
    let (whole, host, path) = (found.get(0)?, found.get(1)?.as_str(), found.get(2).map_or("", |path| path.as_str()));
    // `https://github.com@evil.test:8443/`: the user part before the `@` is bait, only the rest is the host.
    let host = host.rsplit('@').next()?.split(':').next()?.trim_end_matches('.').to_ascii_lowercase();
    if !is_public(&host) {
        return None;
    }
    // Prose puts a full stop or emphasis right behind an address.
    let path = path.split(['?', '#']).next().unwrap_or("").trim_end_matches(['.', ':', '*', '_', '!']);
    let place: String = format!("{host}{path}").chars().take(LONGEST).collect();
    let place = place.trim_end_matches('/').to_owned();
    let site = site(&host, path);
    Some(Address { start: whole.start(), end: whole.end(), target: target(path), host, place, site })
}

/// True where a host can be reached from everywhere: no example, no placeholder, nothing on the reader's own network.
fn is_public(host: &str) -> bool {
    let example = ["example.com", "example.org", "example.net"];
    let private = ["127.", "10.", "192.168.", "169.254.", "0."];
    // An address of four numbers has no labels to check, and a public one is the likeliest to belong to nobody.
    let is_address = host.split('.').count() == 4 && host.split('.').all(|part| part.parse::<u8>().is_ok());
    if is_address {
        return !private.iter().any(|start| host.starts_with(start));
    }
    let last = host.rsplit('.').next().unwrap_or_default();
    host.contains('.')
        && last.len() > 1
        && !matches!(last, "example" | "invalid" | "local" | "localhost" | "internal" | "lan")
        && !example.iter().any(|domain| host == *domain || host.ends_with(&format!(".{domain}")))
        && host.split('.').all(|label| {
            !label.is_empty() && label.chars().all(|letter| letter.is_alphanumeric() || letter == '-' || letter == '_')
        })
}

fn target(path: &str) -> AddressTarget {
    let name = path.rsplit('/').next().unwrap_or_default().to_ascii_lowercase();
    let ends = |endings: &[&str]| endings.iter().any(|ending| name.ends_with(ending));
    // An archive can be locked with a passphrase, which keeps scanners out.
    if ends(&[".zip", ".rar", ".7z", ".tar.gz", ".tgz", ".tar.xz", ".tar.bz2", ".gz", ".xz", ".iso", ".cab"]) {
        AddressTarget::Archive
    } else if ends(&[
        ".exe",
        ".msi",
        ".dmg",
        ".pkg",
        ".scr",
        ".appimage",
        ".deb",
        ".rpm",
        ".apk",
        ".jar",
        ".run",
        ".bin",
    ]) {
        AddressTarget::Program
    } else if ends(&[".sh", ".ps1", ".bat", ".cmd", ".command", ".vbs", ".py", ".js", ".pl"]) {
        AddressTarget::Script
    } else {
        AddressTarget::Page
    }
}

/// Hosts on which many publish under names of their own in the path.
const SHARED: [&str; 17] = [
    "github.com",
    "raw.githubusercontent.com",
    "gist.github.com",
    "gist.githubusercontent.com",
    "gitlab.com",
    "bitbucket.org",
    "codeberg.org",
    "huggingface.co",
    "sourceforge.net",
    "hub.docker.com",
    "t.me",
    "sites.google.com",
    "storage.googleapis.com",
    "s3.amazonaws.com",
    "rentry.co",
    "telegra.ph",
    "medium.com",
];
/// The one who answers for what lies at a host and path.
fn site(host: &str, path: &str) -> String {
    let host = host.strip_prefix("www.").unwrap_or(host);
    if SHARED.contains(&host) {
        let account = path.trim_start_matches('/').split('/').next().unwrap_or_default().to_ascii_lowercase();
        // One account of GitHub answers for all four hosts, so that a lure cannot split its site over them.
        let forge = match host {
            "raw.githubusercontent.com" | "gist.github.com" | "gist.githubusercontent.com" => "github.com",
            other => other,
        };
        return if account.is_empty() { forge.to_owned() } else { format!("{forge}/{account}") };
    }
    site_of(host)
}

/// True where nobody answers for what lies at a site: short links, drops, pastes, and hosts without a name.
pub(crate) fn is_drop(address: &Address) -> bool {
    const DROPS: [&str; 38] = [
        "bit.ly",
        "tinyurl.com",
        "t.ly",
        "is.gd",
        "cutt.ly",
        "rb.gy",
        "shorturl.at",
        "rebrand.ly",
        "goo.su",
        "s.id",
        "ow.ly",
        "tiny.cc",
        "v.gd",
        "adf.ly",
        "rentry.co",
        "rentry.org",
        "telegra.ph",
        "mediafire.com",
        "mega.nz",
        "gofile.io",
        "anonfiles.com",
        "file.io",
        "transfer.sh",
        "catbox.moe",
        "discordapp.com",
        "pastebin.com",
        "paste.ee",
        "hastebin.com",
        "glot.io",
        "ghostbin.com",
        "dpaste.com",
        "termbin.com",
        "0x0.st",
        "trycloudflare.com",
        "ngrok.io",
        "ngrok-free.app",
        "ngrok.app",
        "serveo.net",
    ];
    // Only public addresses come here, so a host of numbers alone is a machine that nobody names.
    let is_number = address.host.split('.').all(|part| part.parse::<u8>().is_ok());
    is_number || DROPS.iter().any(|drop| address.host == *drop || address.host.ends_with(&format!(".{drop}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sites(text: &str) -> Vec<String> {
        addresses(text).into_iter().map(|address| address.site).collect()
    }

    #[test]
    fn an_address_has_somebody_who_answers_for_it() {
        let text = "See https://www.kit-depot.test/a, (https://get.kit.co.uk/x) <http://198.18.0.7:80/y> and \
                    [it](https://github.com/Acme/kit/releases). hxxps://a.vercel.app/b https://raw.githubusercontent.com/Bob/x/main/i.sh";
        let expected =
            ["kit-depot.test", "kit.co.uk", "198.18.0.7", "github.com/acme", "a.vercel.app", "github.com/bob"];
        assert_eq!(sites(text), expected);
    }

    #[test]
    fn what_is_nobodys_is_no_site() {
        assert!(
            sites("http://localhost:3000 https://api.example.com/x http://192.168.0.1 https://<host>/ http://x")
                .is_empty()
        );
    }

    #[test]
    fn what_is_fetched_shows_in_the_name() {
        let target = |text: &str| addresses(text).first().map(|address| (address.target, is_drop(address)));
        assert_eq!(target("https://a.test/x/setup.ZIP?y=1"), Some((AddressTarget::Archive, false)));
        assert_eq!(target("https://a.test/i.sh."), Some((AddressTarget::Script, false)));
        assert_eq!(target("http://198.18.0.7/a.exe"), Some((AddressTarget::Program, true)));
        assert_eq!(target("https://bit.ly/abc"), Some((AddressTarget::Page, true)));
    }
}
