//! `Host` and `Hosts`: host names, what of them somebody had to register, and which known one a host is taken for.
//!
//! A host is read as text and never looked up.

use super::buckets::{Buckets, of_text};
use super::drawn::{latin, shape};
use super::index::{ComparedName, DeletionIndex, Pool};
use super::kinds::TyposquatKind;
use super::punycode;
use super::targets::TargetMatch;
use super::words::HOST_AFFIXES;
use capdex_evidence::site::registered;

/// A host name of DNS is no longer.
const MOST_BYTES: usize = 253;
/// A label shorter than this is not looked for inside of others.
const BRAND_LEAST: usize = 5;
/// A label shorter than this has twins under other suffixes by accident.
const TWIN_LEAST: usize = 4;

const LABEL: u8 = 11;
const SHAPE: u8 = 12;

/// A host.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Host {
    /// The form that people are shown, in small letters.
    pub text: String,
    /// The part that somebody had to register: `acme.co.uk`.
    pub domain: String,
    /// The first label of it, as written.
    label: String,
    /// The labels before it.
    below: Vec<String>,
}

impl Host {
    /// Reads a host or the address of something at it. None for an address of numbers, for a name without a public suffix,
    /// and for a suffix itself.
    pub fn read(text: &str) -> Option<Self> {
        let rest = text.split_once("://").map_or(text, |(_, rest)| rest);
        let authority = rest.split(['/', '?', '#']).next()?;
        let host = authority.rsplit('@').next()?.split(':').next()?.trim_end_matches('.').to_lowercase();
        let is_odd = |letter: char| letter.is_whitespace() || letter.is_control() || "@[]{}<>_".contains(letter);
        if host.len() > MOST_BYTES || host.contains(is_odd) {
            return None;
        }
        let shown: Vec<String> = host.split('.').map(shown).collect();
        if shown.len() < 2 || shown.iter().any(String::is_empty) {
            return None;
        }
        let whole = shown.join(".");
        let part = registered(&whole).filter(|part| part.is_known)?;
        let at = whole.get(..part.from)?.matches('.').count();
        Some(Self {
            domain: whole.get(part.from..)?.to_owned(),
            label: shown.get(at)?.clone(),
            below: shown.get(..at)?.to_vec(),
            text: whole,
        })
    }

    /// True where a text is written as a host or address, and not as the name of a package that has a dot.
    pub fn is_written_as_one(text: &str) -> bool {
        text.contains("://") || (text.contains('.') && !text.contains(['/', '@', ' ', '_']))
    }

    /// The label in small Latin letters, as it looks.
    fn latin(&self) -> String {
        latin(&self.label)
    }

    fn compared(&self) -> ComparedName {
        let latin = self.latin();
        ComparedName { length: latin.chars().count(), letters: latin.chars().filter(|letter| *letter != '-').collect() }
    }
}

fn shown(label: &str) -> String {
    label.strip_prefix("xn--").and_then(punycode::decode).unwrap_or_else(|| label.to_owned())
}

/// Known hosts, one for each registrable domain, most popular first.
#[derive(Debug)]
pub struct Hosts {
    hosts: Vec<Host>,
    near: DeletionIndex,
    keys: Buckets,
}

impl Hosts {
    /// Indexes hosts.
    pub fn new(hosts: Vec<Host>) -> Self {
        let near = DeletionIndex::new(Pool::new(hosts.iter().map(Host::compared).collect()));
        let mut keys = Vec::new();
        for (number, host) in (0_u32..).zip(&hosts) {
            let latin = host.latin();
            keys.push((of_text(LABEL, &latin), number));
            keys.push((of_text(SHAPE, &shape(&latin)), number));
        }
        Self { hosts, near, keys: Buckets::new(keys) }
    }

    /// The host of a number.
    pub fn host(&self, number: u32) -> Option<&Host> {
        self.hosts.get(number as usize)
    }

    /// Which of them a host may be taken for, each in the way that says most. Those under the same registrable domain are
    /// not among them.
    pub fn of(&self, host: &Host) -> Vec<TargetMatch> {
        // Letters are compared after drawing them in Latin: `xn--` labels were decoded when the host was read.
        let latin = host.latin();
        let mut found = Vec::new();
        for target in self.labelled(&latin) {
            let is_drawn = self.host(target).is_some_and(|target| target.label != host.label);
            let kind = if is_drawn { TyposquatKind::HostConfusable } else { TyposquatKind::HostSuffix };
            // Short labels have twins under other suffixes by accident; other letters are no accident at any length.
            if is_drawn || latin.chars().count() >= TWIN_LEAST {
                found.push(TargetMatch { target, kind });
            }
        }
        let drawn = shape(&latin);
        let is_alike = |target: &Host| target.latin() != latin && shape(&target.latin()) == drawn;
        found.extend(
            self.under(SHAPE, &drawn, is_alike)
                .map(|target| TargetMatch { target, kind: TyposquatKind::HostConfusable }),
        );
        let near = self.near.near(&host.compared()).into_iter().filter(|(_, distance)| *distance > 0);
        found.extend(near.map(|(target, _)| TargetMatch { target, kind: TyposquatKind::HostEdit }));
        found.extend(self.combined(&latin));
        found.extend(self.below(host));
        // An owner may name hosts of his own as he likes.
        found.retain(|found| self.host(found.target).is_some_and(|target| target.domain != host.domain));
        // Sorted by target and then by kind, of which the first says most: that one stays.
        found.sort_unstable();
        found.dedup_by_key(|found| found.target);
        found
    }

    fn under(&self, tag: u8, key: &str, is_it: impl Fn(&Host) -> bool) -> impl Iterator<Item = u32> {
        self.keys.under(of_text(tag, key)).filter(move |number| self.host(*number).is_some_and(&is_it))
    }

    fn labelled(&self, latin: &str) -> impl Iterator<Item = u32> {
        self.under(LABEL, latin, move |target| target.latin() == latin)
    }

    /// A brand with words such as `pay` and `login`, with dashes or without.
    fn combined(&self, label: &str) -> Vec<TargetMatch> {
        let is_affix = |word: &str| HOST_AFFIXES.binary_search(&word).is_ok();
        // The runs below grow with the square of the words.
        let words: Vec<&str> = label.split('-').filter(|word| !word.is_empty()).take(8).collect();
        let mut brands: Vec<String> = Vec::new();
        for from in 0..words.len() {
            for to in from + 1..=words.len() {
                let rest = words.iter().take(from).chain(words.iter().skip(to));
                if to - from < words.len() && rest.clone().all(|word| is_affix(word)) {
                    let run = words.get(from..to).unwrap_or_default();
                    brands.extend([run.join("-"), run.concat()]);
                }
            }
        }
        // Without dashes a word can only be taken off at either end.
        if let [word] = words.as_slice() {
            let glued = HOST_AFFIXES.iter().flat_map(|affix| [word.strip_prefix(affix), word.strip_suffix(affix)]);
            brands.extend(glued.flatten().map(str::to_owned));
        }
        brands.retain(|brand| brand.len() >= BRAND_LEAST && !is_affix(brand));
        brands.sort_unstable();
        brands.dedup();
        let numbers = brands.iter().flat_map(|brand| self.labelled(brand).collect::<Vec<_>>());
        numbers.map(|target| TargetMatch { target, kind: TyposquatKind::HostCombosquat }).collect()
    }

    /// A brand among the labels below the domain of somebody else.
    fn below(&self, host: &Host) -> Vec<TargetMatch> {
        let brands = host.below.iter().map(|label| latin(label)).filter(|label| label.len() >= BRAND_LEAST);
        let numbers = brands.flat_map(|brand| self.labelled(&brand).collect::<Vec<_>>());
        numbers.map(|target| TargetMatch { target, kind: TyposquatKind::HostSubdomain }).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn domain(text: &str) -> Option<String> {
        Host::read(text).map(|host| host.domain)
    }

    fn kind(host: &str, of: &str) -> &'static str {
        let hosts = Hosts::new(vec![Host::read(of).expect("a host")]);
        hosts.of(&Host::read(host).expect("a host")).first().map_or("none", |found| found.kind.as_str())
    }

    #[test]
    fn what_was_registered_is_read_off_the_public_suffix_list() {
        for (text, expected) in [
            ("https://mcp.acme.com:443/sse?x=1", Some("acme.com")),
            ("api.acme.co.uk", Some("acme.co.uk")),
            ("acme.github.io", Some("acme.github.io")),
            ("tenant.zendesk.com", Some("tenant.zendesk.com")),
            ("zendesk.com", Some("zendesk.com")),
            ("xn--80ak6aa92e.com", Some("аррӏе.com")),
            ("127.0.0.1", None),
            ("github.io", None),
            ("localhost", None),
            ("discord.js", None),
            ("[::1]", None),
            ("", None),
        ] {
            assert_eq!(domain(text).as_deref(), expected, "{text}");
        }
        assert_eq!(domain(&"a.".repeat(5_000)), None);
    }

    #[test]
    fn every_way_is_found_and_named() {
        for (host, of, expected) in [
            ("xn--80ak6aa92e.com", "apple.com", "host_confusable"),
            ("paypa1.com", "paypal.com", "host_confusable"),
            ("rnodern.io", "modern.io", "host_confusable"),
            ("strpie.com", "stripe.com", "host_edit"),
            ("stripe.dev", "stripe.com", "host_suffix"),
            ("stripe-pay.com", "stripe.com", "host_combosquat"),
            ("stripelogin.com", "mcp.stripe.com", "host_combosquat"),
            ("stripe.mcp.evil.example.com", "stripe.com", "host_subdomain"),
            ("mcp.stripe.com", "api.stripe.com", "none"),
            ("acme.github.io", "stripe.github.io", "none"),
            ("pinstripe.com", "stripe.com", "none"),
        ] {
            assert_eq!(kind(host, of), expected, "{host} against {of}");
        }
    }
}
