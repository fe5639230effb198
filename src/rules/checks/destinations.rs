//! Destinations: whose host an address is of, as far as a capability's own files tell.
//!
//! Hosts are compared by the domain that somebody registered. Nothing is looked up.

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::LazyLock;

use regex::Regex;

use crate::vocab;
use capdex_evidence::code::sinks::{named, text_of};
use capdex_evidence::code::{Argument, Call};
use capdex_evidence::file_role::FileRole;
use capdex_evidence::language::Language;
use capdex_evidence::site::site_of;
use capdex_evidence::subject::Subject;

/// The owner of the host that an address names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Destination {
    /// The package's own: its manifest, its name or its documents for people say so.
    Own,
    /// This machine or a private network.
    Local,
    /// A service that programs tell how they are used.
    Measuring,
    /// None of these.
    Stranger,
    /// A host that takes whatever anybody sends: a request bin, a tunnel, a paste site, a chat webhook, a bare public
    /// address.
    Throwaway,
}

impl Destination {
    /// True for a host of somebody, whoever it is.
    pub(super) fn is_elsewhere(self) -> bool {
        matches!(self, Self::Own | Self::Stranger | Self::Throwaway)
    }

    /// True for a host that nothing of the capability accounts for.
    pub(super) fn is_foreign(self) -> bool {
        matches!(self, Self::Stranger | Self::Throwaway)
    }
}

static THROWAWAY: LazyLock<Vec<&str>> = LazyLock::new(|| vocab::entries(vocab::THROWAWAY));
static MEASURING: LazyLock<Vec<&str>> = LazyLock::new(|| vocab::entries(vocab::MEASURING));
static PUBLISHING: LazyLock<Vec<&str>> = LazyLock::new(|| vocab::entries(vocab::PUBLISHING));
static ISSUERS: LazyLock<Vec<(&str, Vec<&str>)>> = LazyLock::new(|| {
    let split = |line: &'static str| {
        let mut words = line.split_whitespace();
        (words.next().unwrap_or_default(), words.collect())
    };
    vocab::entries(vocab::TOKEN_ISSUERS).into_iter().map(split).collect()
});

/// What a capability says of itself, against which addresses are held.
pub(super) struct Destinations {
    /// The registered domains that its manifests and documents name.
    own: BTreeSet<String>,
    /// The names and descriptions of the package, its servers and skills, lower-case.
    names: Vec<String>,
    /// What its texts tell, once somebody asked.
    told: OnceCell<ToldWords>,
}

static ADDRESS: LazyLock<Regex> = LazyLock::new(|| {
    capdex_evidence::expression::of(
        r"(?i-u)\b(?:https?|wss?|ftps?)://(?:(?u:[^\s/@]){1,80}@)?(?:\{\}[.-])*(?P<host>\[[0-9a-f:.]+\]|[a-z0-9.-]+)",
    )
});

/// Keys of manifests by which a package says where it lives.
const HOMES: [&str; 9] =
    ["homepage", "repository", "bugs", "author", "url", "websiteUrl", "website", "documentation", "funding"];

impl Destinations {
    /// Reads what a capability says of itself.
    pub(super) fn of(subject: &Subject<'_>) -> Self {
        let (mut own, mut names) = (BTreeSet::new(), Vec::new());
        for manifest in subject.evidence.manifests.values() {
            for key in HOMES {
                let text = manifest.value.get(key).map(ToString::to_string).unwrap_or_default();
                own.extend(sites(&text));
            }
            names.extend(
                ["name", "description"].iter().filter_map(|key| manifest.text(key)).map(str::to_ascii_lowercase),
            );
        }
        // What a document for people names is told; the bytes of code and of tests tell nobody.
        for document in subject.evidence.documents.values() {
            let told = matches!(document.role, FileRole::Docs) || document.path.ends_with("pyproject.toml");
            if told && document.text.len() < 1 << 20 {
                own.extend(sites(&document.text));
            }
        }
        Self { own, names, told: OnceCell::new() }
    }

    /// Whose the host of an address is; none where the text begins with no address.
    pub(super) fn judge(&self, address: &str) -> Option<Destination> {
        let found = ADDRESS.captures(address)?;
        let host = found.name("host")?.as_str().trim_matches('.').to_ascii_lowercase();
        let rest = address.get(found.get(0)?.end()..).unwrap_or_default();
        // Of `https://{}.example.test` the hole is a label; of `https://{}` it is the host, which somebody else chooses.
        if host.is_empty() || !host.contains('.') && host != "localhost" && !host.starts_with('[') {
            return None;
        }
        if is_local(&host) {
            return Some(Destination::Local);
        }
        if host.trim_matches(['[', ']']).parse::<IpAddr>().is_ok() || within(&THROWAWAY, &host, rest) {
            return Some(Destination::Throwaway);
        }
        if within(&MEASURING, &host, "") {
            return Some(Destination::Measuring);
        }
        let site = site_of(&host);
        let label = site.split('.').next().unwrap_or_default();
        // `acme` in `@acme/kit`: short labels stand in many names by chance.
        let is_named = label.len() >= 4 && self.names.iter().any(|name| name.contains(label));
        Some(if self.own.contains(&site) || is_named { Destination::Own } else { Destination::Stranger })
    }

    /// True where the words of a package's Markdown texts name the site of an address. Its domain in an address or in code
    /// names nobody; `Acme Sync` names `acme-sync.test`. Of short labels it is true, and of the interfaces of known services.
    pub(super) fn are_told_of(&self, subject: &Subject<'_>, address: &str) -> bool {
        let Some(site) = sites(address).next().filter(|_| !is_api_of_known(address)) else { return true };
        let label = folded(site.split('.').next().unwrap_or_default());
        label.len() < ToldWords::ENOUGH || self.told.get_or_init(|| ToldWords::of(subject)).name(&label)
    }

    /// True where a Markdown text of a capability writes the site of an address out, or it is the interface of a known
    /// service. A domain that is called after the skill proves nothing: whoever publishes it registers that one.
    pub(super) fn is_known(&self, subject: &Subject<'_>, address: &str) -> bool {
        let Some(site) = sites(address).next() else { return true };
        let mut texts = subject.documents().filter(|document| document.language == Language::Markdown);
        is_api_of_known(address) || texts.any(|document| document.text.contains(&site))
    }

    /// True where the Markdown texts of a skill name the site of an address, or tell that something is sent at all and
    /// name somebody like it. A skill that tells of no sending has no receiver, whatever the domain is called after.
    pub(super) fn are_told_of_sending(&self, subject: &Subject<'_>, address: &str) -> bool {
        let site = sites(address).next().unwrap_or_default();
        let mut texts = subject.evidence.documents.values().filter(|document| document.language == Language::Markdown);
        let is_named = |text: &str| text.contains(site.as_str()) || SENDING.is_match(text);
        is_api_of_known(address)
            || (texts.any(|document| is_named(&document.text)) && self.are_told_of(subject, address))
    }
}

/// Words by which a text tells that something leaves the machine.
static SENDING: LazyLock<Regex> = LazyLock::new(|| {
    capdex_evidence::expression::of(
        r"(?i)\b(?:up-?load|sen[dt]s?\b|sending|submit|publish|transmit|post(?:s|ed|ing)? (?:it|them|the|to|a|each|your)|synch?|share[ds]?\b|push(?:es|ed)? (?:it|them|the|to)|backs? ?up|backup|deliver|e?mail(?:s|ed)? (?:it|them|the|to)|telemetry|crash report|api\b|apis\b|web ?service|cloud|server|endpoint|webhook|hosted|online|saas|remote)|上传|发送|提交|接口|云端|hochlad|send(?:e|et)\b|übertr|subir|enví|env[ií]a",
    )
});

/// The address that a call asks, as far as it is written out.
pub(super) fn address_of(call: &Call) -> Option<String> {
    let whole = |text: &str| text.contains("://").then(|| text.to_owned());
    let by_name = || {
        ["url", "uri", "baseURL"].iter().find_map(|key| named(call, key).and_then(whole)).or_else(|| {
            let host = ["hostname", "host"].iter().find_map(|key| named(call, key))?;
            Some(format!("https://{host}{}", named(call, "path").unwrap_or_default()))
        })
    };
    let first = call.arguments.iter().take(2).find_map(|argument| match argument {
        Argument::Literal(_) | Argument::Composed(_) => text_of(argument).and_then(whole),
        _ => None,
    });
    // A connection is opened to a host without a scheme.
    let connects =
        matches!(call.callee.split('.').next(), Some("net" | "tls" | "ftplib" | "smtplib" | "http" | "socket"));
    let by_host = || {
        let mut texts = call.arguments.iter().filter_map(text_of).filter(|_| connects);
        let host = texts.find(|text| {
            text.contains('.') && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-".contains(&byte))
        })?;
        Some(format!("https://{host}"))
    };
    first.or_else(by_name).or_else(by_host)
}

/// The words of a package's Markdown texts without addresses and hosts, which name nobody.
struct ToldWords {
    /// The texts in small letters and figures alone, a line each.
    folded: String,
    /// Their words that are long enough to say anything, in small letters.
    words: BTreeSet<String>,
}

impl ToldWords {
    /// Letters of a word or a label that says anything: short ones stand in others by chance.
    const ENOUGH: usize = 5;

    fn of(subject: &Subject<'_>) -> Self {
        let (mut folded_texts, mut words) = (String::new(), BTreeSet::new());
        let mut common = BTreeSet::new();
        let texts = subject.evidence.documents.values().filter(|document| document.language == Language::Markdown);
        for document in texts {
            let said = NO_WORDS.replace_all(&document.text, " ");
            folded_texts.push_str(&folded(&said));
            folded_texts.push('\n');
            let long =
                said.split(|letter: char| !letter.is_ascii_alphanumeric()).filter(|word| word.len() >= Self::ENOUGH);
            words.extend(long.map(str::to_ascii_lowercase));
            common.extend(common_words(&said));
        }
        // What running text writes in small letters is no name: "invoice" names no `invoicegrid.test`.
        words.retain(|word| !common.contains(word));
        Self { folded: folded_texts, words }
    }

    /// True where a label stands in the texts, or one of their words begins it.
    fn name(&self, label: &str) -> bool {
        let begins = |end: usize| label.get(..end).is_some_and(|begin| self.words.contains(begin));
        self.folded.contains(label) || (Self::ENOUGH..=label.len()).any(begins)
    }
}

/// True for the interface of a service that hands out tokens, which nobody else can stand behind. Where it rents places to
/// anybody, somebody else does.
fn is_api_of_known(address: &str) -> bool {
    const RENTED: [&str; 7] = ["s3", "storage", "blob", "bucket", "amazonaws", "workers.dev", "hf.space"];
    is_known_service(address) && !host_of(address).is_some_and(|host| RENTED.iter().any(|word| host.contains(word)))
}

/// True for a host of a service that hands out tokens.
pub(super) fn is_known_service(address: &str) -> bool {
    host_of(address).is_some_and(|host| ISSUERS.iter().any(|(_, domains)| within(domains, &host, "")))
}

/// The longer words in small letters that stand behind others in running text, and not in code.
fn common_words(said: &str) -> impl Iterator<Item = String> {
    static CODE: LazyLock<Regex> = LazyLock::new(|| capdex_evidence::expression::of(r"(?s)```.*?(?:```|$)|`[^`\n]*`"));
    let prose = CODE.replace_all(said, " ");
    let mut common = BTreeSet::new();
    for line in prose.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        for pair in words.windows(2) {
            let [before, word] = pair else { continue };
            let word = word.trim_end_matches(['.', ',', ';', ':', ')']);
            let is_behind = before.trim_end_matches(',').ends_with(|sign: char| sign.is_ascii_lowercase());
            if is_behind && word.len() >= ToldWords::ENOUGH && word.bytes().all(|byte| byte.is_ascii_lowercase()) {
                common.insert(word.to_owned());
            }
        }
    }
    common.into_iter()
}

/// What is an address or a host, and no word.
static NO_WORDS: LazyLock<Regex> = LazyLock::new(|| {
    capdex_evidence::expression::of(r"(?i-u)https?://(?u:\S)+|[\w-]+(?:\.[\w-]+)*\.(?:com|io|dev|net|org|co|app|ai)\b")
});

/// A text in small letters and figures alone.
pub(super) fn folded(text: &str) -> String {
    text.chars().filter(char::is_ascii_alphanumeric).map(|letter| letter.to_ascii_lowercase()).collect()
}

/// The services whose tokens a variable holds, by the word its name begins with: their domains.
pub(super) fn issuers(variable: &str) -> Option<&'static [&'static str]> {
    let word = variable.split('_').next().unwrap_or_default();
    ISSUERS.iter().find(|(known, _)| *known == word).map(|(_, domains)| domains.as_slice())
}

/// True where an address is of a host at which programs are published.
pub(super) fn is_published(address: &str) -> bool {
    is_at(address, &PUBLISHING)
}

/// True where an address is of one of some domains.
pub(super) fn is_at(address: &str, domains: &[&str]) -> bool {
    host_of(address).is_some_and(|host| within(domains, &host, ""))
}

/// The host in an address, in small letters.
fn host_of(address: &str) -> Option<String> {
    Some(ADDRESS.captures(address)?.name("host")?.as_str().to_lowercase())
}

fn within(list: &[&str], host: &str, rest: &str) -> bool {
    list.iter().any(|entry| {
        let (domain, path) = entry.find('/').map_or((*entry, ""), |at| entry.split_at(at));
        let below = host.strip_suffix(domain).is_some_and(|before| before.is_empty() || before.ends_with('.'));
        // Where a hole stands behind the path, the receiver comes from the program's user.
        let fits = |rest: &str| path.is_empty() || !rest.trim_start_matches('/').starts_with("{}");
        below && rest.strip_prefix(path).is_some_and(fits)
    })
}

fn is_local(host: &str) -> bool {
    let bare = host.trim_matches(['[', ']']);
    match bare.parse::<IpAddr>() {
        Ok(IpAddr::V4(four)) => is_private(four),
        Ok(IpAddr::V6(six)) => six.is_loopback() || six.is_unspecified() || (six.segments()[0] & 0xfe00) == 0xfc00,
        Err(_) => {
            host == "localhost" || [".localhost", ".local", ".internal", ".lan"].iter().any(|end| host.ends_with(end))
        }
    }
}

fn is_private(four: Ipv4Addr) -> bool {
    four.is_loopback() || four.is_private() || four.is_link_local() || four.is_unspecified() || four.is_broadcast()
}

/// The registered domains of the addresses in a text.
pub(super) fn sites(text: &str) -> impl Iterator<Item = String> {
    // Bounded: a document may list thousands.
    ADDRESS.captures_iter(text).take(2_000).filter_map(|found| found.name("host").map(|host| site_of(host.as_str())))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(address: &str) -> Option<Destination> {
        let own = BTreeSet::from(["acme.test".to_owned()]);
        Destinations { own, names: vec!["@widgets/mcp".to_owned()], told: OnceCell::new() }.judge(address)
    }

    #[test]
    fn a_host_is_judged_by_who_registered_it() {
        use Destination::{Local, Measuring, Own, Stranger, Throwaway};
        for (address, expected) in [
            ("https://api.acme.test/v1", Some(Own)),
            ("https://api.widgets.example/v1", Some(Own)),
            ("https://acme.test.collector.example/v1", Some(Stranger)),
            ("https://{}.collector.example/", Some(Stranger)),
            ("http://127.0.0.1:8080/", Some(Local)),
            ("http://192.168.1.4/", Some(Local)),
            ("http://[::1]:80/", Some(Local)),
            ("http://printer.local/", Some(Local)),
            ("http://203.0.113.9/in", Some(Throwaway)),
            ("https://discord.com/api/webhooks/1/x", Some(Throwaway)),
            ("https://discord.com/developers", Some(Stranger)),
            ("https://discord.com/api/webhooks/{}/{}", Some(Stranger)),
            ("https://api.telegram.org/bot{}/sendMessage", Some(Stranger)),
            ("https://a.ngrok-free.app/x", Some(Throwaway)),
            ("https://us.i.posthog.com/capture", Some(Measuring)),
            ("https://{}/x", None),
            ("no address", None),
        ] {
            assert_eq!(judged(address), expected, "{address}");
        }
    }

    #[test]
    fn tokens_belong_to_who_issued_them() {
        assert!(issuers("STRIPE_SECRET_KEY").is_some_and(|domains| is_at("https://api.stripe.com/v1", domains)));
        assert!(issuers("STRIPE_SECRET_KEY").is_some_and(|domains| !is_at("https://stripe.com.example/v1", domains)));
        assert_eq!(issuers("KIT_TOKEN"), None);
    }

    #[test]
    fn an_everyday_word_names_no_host() {
        let words: Vec<String> =
            common_words("Read each invoice, then Dropbox.\nname: ledger\n`the larkvault`\n").collect();
        assert_eq!(words, ["invoice"]);
    }
}
