//! `Traits`: what a capability's documents ask people to fetch and run, kept once for each content.
//!
//! A *lure* is a passage that has something downloaded from an address and run or installed. Honest documents are full of
//! them; what makes one suspicious is who else says the same, which `judge` asks of all items together.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;
use serde::{Deserialize, Serialize};

use crate::MaskSecrets;
use crate::address::{Address, AddressTarget, addresses, is_drop};
use crate::clone::{Files, name_in};
use crate::wording::{hash_of, words, words_without_name};

/// Lures kept of one content.
const MOST_LURES: usize = 48;
/// Sites kept of one content.
const MOST_SITES: usize = 200;
/// Payment addresses kept of one content.
const MOST_WALLETS: usize = 16;
/// Bytes around an address that belong to its passage at most.
const REACH: usize = 600;
/// Words that a passage must have to be told from another by itself.
const PASSAGE_WORDS: usize = 10;
/// Lines of a frontmatter that are read.
const HEAD_LINES: usize = 60;
/// Letters of a passage that are shown.
const SHOWN: usize = 240;
/// The version of what is kept: traits of another version are read again.
pub const TRAITS_VERSION: u32 = 2;

/// The things that a capability's documents ask for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Traits {
    /// The passages that have something fetched and run.
    pub(super) lures: Vec<Lure>,
    /// The sites of the addresses that are named anywhere, sorted.
    pub(super) sites: Vec<String>,
    /// Addresses that money is to be sent to.
    pub(super) wallets: Vec<String>,
}

/// A passage that has something fetched and run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Lure {
    /// The words of the passage without its addresses and the capability's own name; none for a short one.
    pub(super) passage: Option<u64>,
    /// The site that answers for what is fetched.
    pub(super) site: String,
    /// Host and path of it.
    pub(super) place: String,
    /// The name of the file says that it is a program, a script or an archive.
    pub(super) is_file: bool,
    /// It lies where nobody answers for anything.
    pub(super) is_drop: bool,
    /// It is fetched and run by one command.
    pub(super) is_piped: bool,
    /// It is said to be needed for the capability to work.
    pub(super) is_required: bool,
    /// Whose site it is, stands in the capability's name or description.
    pub(super) is_subject: bool,
    /// The passphrase that opens it.
    pub(super) passphrase: Option<String>,
    /// The path of the document in which it stands.
    pub(super) file: String,
    /// The passage as people see it, secrets masked.
    pub(super) quote: String,
}

static FETCHED: LazyLock<Regex> = LazyLock::new(|| {
    capdex_evidence::expression::of(r"(?i)\b(?:download\w*|install\w*|fetch|obtain|grab|curl|wget|get\s+the)\b")
});
static RUN: LazyLock<Regex> = LazyLock::new(|| {
    capdex_evidence::expression::of(
        r"(?i)\b(?:run|runs|running|execut\w+|launch\w*|start\s+(?:it|the)|double-?click|extract|unzip|unpack|paste|installer|set\s*up|setup|chmod)\b",
    )
});
static REQUIRED: LazyLock<Regex> = LazyLock::new(|| {
    capdex_evidence::expression::of(
        r"(?i)\b(?:required?|requires|prerequisites?|must|mandatory|before\s+(?:using|you|running|continuing|first|the\s+first)|(?:will|does|do|can)\s*(?:not|n.t)\s+(?:work|function|start|run)|won.t\s+work|companion|depends\s+on|relies\s+on|needs?\s+(?:the|a|an|to|this)|only\s+works?\s+with|first)\b",
    )
});
static PIPED: LazyLock<Regex> = LazyLock::new(|| {
    capdex_evidence::expression::of(
        r"(?i)\b(?:curl|wget|irm|iwr|invoke-webrequest|invoke-restmethod)\b[^\n]{0,300}(?:\||&&|;|\n)\s*(?:sudo\s+)?(?:(?:ba|z|da)?sh|iex|invoke-expression|python3?|node|perl|chmod|\./)",
    )
});
/// Words for what is fetched to be read or looked at, not run.
static HARMLESS: LazyLock<Regex> = LazyLock::new(|| {
    capdex_evidence::expression::of(
        r"(?i)\b(?:datasets?|sample\s+data|corpus|weights|checkpoints?|fonts?|templates?|icons?|images?|screenshots?|papers?|slides?|articles?)\b",
    )
});
static PASSPHRASE: LazyLock<Regex> = LazyLock::new(|| {
    capdex_evidence::expression::of(
        r#"(?i)\b(?:pass(?:word|phrase|code)?|pwd)\s*(?:is\s+|[:=]\s*|\(\s*)[`"'*(]*([\w.!@#$%&+-]{3,32})"#,
    )
});
static OPENED_WITH: LazyLock<Regex> = LazyLock::new(|| {
    capdex_evidence::expression::of(
        r#"(?i)\b(?:extract|unzip|unpack|decompress|unlock|open)\b[^\n.]{0,60}\b(?:using|with)\b[^\n.`"']{0,30}[`"']([\w.!@#$%&+-]{3,32})[`"']"#,
    )
});
static UNZIP: LazyLock<Regex> = LazyLock::new(|| {
    capdex_evidence::expression::of(r"(?i)\b(?:unzip\s+(?:-\w+\s+)*-P\s*|7z\s+x\s+(?:\S+\s+)*-p)([\w.!@#$%&+-]{3,32})")
});
static WALLET: LazyLock<Regex> = LazyLock::new(|| {
    capdex_evidence::expression::of(
        r"\b(0x[0-9a-fA-F]{40}|bc1[0-9a-z]{25,60}|T[1-9A-HJ-NP-Za-km-z]{33}|[13][1-9A-HJ-NP-Za-km-z]{25,34})\b",
    )
});
static PAID: LazyLock<Regex> = LazyLock::new(|| {
    capdex_evidence::expression::of(r"(?i)\b(?:send|transfer|pay|deposit|donate|tip|forward|withdraw)\b")
});

/// Words that stand after "password:" without being one, and programs that unpack.
const NO_PASSPHRASE: [&str; 24] = [
    "your",
    "the",
    "for",
    "required",
    "protected",
    "str",
    "string",
    "none",
    "null",
    "true",
    "false",
    "password",
    "optional",
    "tar",
    "unzip",
    "gunzip",
    "7zip",
    "winrar",
    "bsdtar",
    "python",
    "keka",
    "and",
    "process.env",
    "not",
];

impl Traits {
    /// Reads the documents of a capability, with the secrets of quoted passages hidden by `mask`.
    pub fn of(files: &Files<'_>, mask: MaskSecrets) -> Self {
        let mut traits = Self::default();
        let mut sites = BTreeSet::new();
        let mut wallets = BTreeSet::new();
        let subject = subject(files);
        for (path, (_, text)) in files {
            let Some(text) = text.filter(|_| is_read_by_people(path)) else { continue };
            let found = addresses(text);
            sites.extend(found.iter().map(|address| address.site.clone()));
            // Sites are read of all documents; only lures are bounded, or a flood of them would hide whose sites are named.
            if traits.lures.len() < MOST_LURES {
                let page = Page {
                    path,
                    text,
                    addresses: &found,
                    name: words(name_in(text).unwrap_or_default()),
                    subject: &subject,
                    mask,
                };
                let room = MOST_LURES - traits.lures.len();
                traits.lures.extend(found.iter().filter_map(|address| page.lure(address)).take(room));
            }
            wallets.extend(wallets_in(text));
        }
        // Cut after sorting, so that the same content always keeps the same ones.
        traits.sites = sites.into_iter().take(MOST_SITES).collect();
        traits.wallets = wallets.into_iter().take(MOST_WALLETS).collect();
        traits
    }
}

/// True for a file of prose that somebody follows: programs are judged by rules.
fn is_read_by_people(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
    let is_prose = [".md", ".mdc", ".mdx", ".txt", ".rst", ".adoc"].iter().any(|ending| name.ends_with(ending));
    // Files without an ending are often `README` or agents' own instructions (`.cursorrules`).
    (is_prose || !name.contains('.') || name.starts_with('.')) && !path.split('/').any(|part| part == "node_modules")
}

/// One document with its addresses.
struct Page<'a> {
    path: &'a str,
    text: &'a str,
    addresses: &'a [Address],
    name: Vec<u64>,
    /// The subject of the capability, in small letters.
    subject: &'a str,
    mask: MaskSecrets,
}

impl Page<'_> {
    /// The lure around an address, if it is one.
    fn lure(&self, address: &Address) -> Option<Lure> {
        let around = self.passage(address);
        let passage = self.text.get(around.clone())?;
        // A passphrase often stands in a line of its own below the paragraph with the link.
        let wide = self.text.get(self.widened(&around))?;
        let is_piped = PIPED.is_match(passage);
        let passphrase = passphrase(wide, address);
        // Fetching alone is no lure: every reference links to downloads that nobody is told to run.
        let is_fetched = is_piped || FETCHED.is_match(passage) && (RUN.is_match(passage) || passphrase.is_some());
        let is_file = address.target != AddressTarget::Page;
        // A data set under a passphrase is no honest data set.
        if !is_fetched || (HARMLESS.is_match(passage) && passphrase.is_none()) {
            return None;
        }
        Some(Lure {
            passage: self.hash(&around, &address.site),
            site: address.site.clone(),
            place: address.place.clone(),
            is_file,
            is_drop: is_drop(address),
            is_piped,
            is_required: REQUIRED.is_match(wide),
            is_subject: is_named(self.subject, &address.site),
            passphrase,
            file: self.path.chars().take(SHOWN).collect(),
            // The quotation is shown to people and stored: white space and secrets go first.
            quote: (self.mask)(
                &passage.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(SHOWN).collect::<String>(),
            )
            .into_owned(),
        })
    }

    /// The paragraph around an address, its reach bounded.
    fn passage(&self, address: &Address) -> Range<usize> {
        let low = self.text.floor_char_boundary(address.start.saturating_sub(REACH));
        let high = self.text.floor_char_boundary(address.end + REACH);
        let before = self.text.get(low..address.start).unwrap_or_default();
        let after = self.text.get(address.end..high).unwrap_or_default();
        // A paragraph ends at an empty line; without one, the reach bounds it.
        let start = before.rfind("\n\n").map_or(low, |at| low + at + 2);
        let end = after.find("\n\n").map_or(high, |at| address.end + at);
        start..end
    }

    /// The paragraph with what stands right before and after it: headings, and a passphrase in a line of its own.
    fn widened(&self, around: &Range<usize>) -> Range<usize> {
        let start = self.text.floor_char_boundary(around.start.saturating_sub(160));
        start..self.text.floor_char_boundary(around.end + 160)
    }

    fn hash(&self, around: &Range<usize>, site: &str) -> Option<u64> {
        let inside = self.addresses.iter().filter(|address| around.contains(&address.start));
        let mut said = Vec::new();
        let mut from = around.start;
        for address in inside {
            // Addresses and the name differ from item to item of a campaign; the words around them do not.
            said.extend(words_without_name(self.text.get(from..address.start).unwrap_or_default(), &self.name));
            from = address.end.max(from);
        }
        said.extend(words_without_name(self.text.get(from..around.end).unwrap_or_default(), &self.name));
        // The site is hashed too: the same sentence about another download is another passage.
        (said.len() >= PASSAGE_WORDS).then(|| hash_of(&said) ^ hash_of(&words(site)))
    }
}

/// The subject by a capability's own words, in small letters and without addresses: the names and descriptions of its
/// frontmatters. The first headings of its documents stand in where none has one. A word elsewhere in the text costs
/// nothing and says nothing.
fn subject(files: &Files<'_>) -> String {
    // Only the capability's own documents introduce it; a reference below may be about anything.
    let own = files.iter().filter(|(path, _)| !path.contains('/') || path.ends_with("/SKILL.md"));
    let texts: Vec<&str> = own.filter(|(path, _)| is_read_by_people(path)).filter_map(|(_, (_, text))| *text).collect();
    let said: Vec<String> = texts.iter().map(|text| introduction(text)).collect();
    let said = said.join("\n");
    if !said.is_empty() {
        return said;
    }
    let headings = texts.iter().filter_map(|text| text.lines().find(|line| line.starts_with("# ")));
    headings.map(without_addresses).collect::<Vec<_>>().join("\n")
}

/// The name and the description of a frontmatter.
fn introduction(text: &str) -> String {
    let mut lines = text.trim_start_matches('\u{feff}').lines().take(HEAD_LINES);
    // Frontmatter stands at the very start; a `---` further down is a rule across the page.
    if lines.next().is_none_or(|line| line.trim_end() != "---") {
        return String::new();
    }
    let mut is_wanted = false;
    let mut said = Vec::new();
    for line in lines.take_while(|line| line.trim_end() != "---") {
        // A description may go on over indented lines.
        if !line.starts_with(char::is_whitespace) {
            is_wanted = line.starts_with("name:") || line.starts_with("description:");
        }
        said.extend(is_wanted.then_some(line));
    }
    without_addresses(&said.join("\n"))
}

fn without_addresses(text: &str) -> String {
    // Case is folded in bytes, so that the offsets of the addresses still hold.
    let mut prose = text.as_bytes().to_ascii_lowercase();
    for address in addresses(text) {
        prose.get_mut(address.start..address.end).into_iter().for_each(|bytes| bytes.fill(b' '));
    }
    String::from_utf8(prose).unwrap_or_default()
}

/// True where the subject of a capability names whose site it is.
fn is_named(subject: &str, site: &str) -> bool {
    // Prose writes `acme-tools` as two words.
    labels(site).any(|label| subject.contains(label) || subject.contains(&label.replace('-', " ")))
}

/// The names that a site goes by: the first label of its domain, or the account on a shared host.
pub(super) fn labels(site: &str) -> impl Iterator<Item = &str> {
    let (host, account) = site.split_once('/').map_or((site, None), |(host, account)| (host, Some(account)));
    let first = host.split('.').next().filter(|_| account.is_none());
    // Labels of one or two letters stand in any text.
    account.or(first).into_iter().filter(|label| label.len() > 2)
}

fn passphrase(wide: &str, address: &Address) -> Option<String> {
    // Documents speak of passwords for databases and accounts; only one beside something to open locks a download.
    let opens = address.target == AddressTarget::Archive || is_drop(address) || OPENS.is_match(wide);
    let found = [&*PASSPHRASE, &*OPENED_WITH, &*UNZIP].into_iter().find_map(|regex| regex.captures(wide)?.get(1));
    // Prose puts marks right behind a passphrase.
    let word = found.filter(|_| opens)?.as_str().trim_end_matches(['.', '*', ')', '`']);
    let is_word = NO_PASSPHRASE.contains(&word.to_ascii_lowercase().as_str());
    (!is_word && word.len() > 2).then(|| word.to_owned())
}

static OPENS: LazyLock<Regex> = LazyLock::new(|| {
    capdex_evidence::expression::of(r"(?i)\b(?:extract|unzip|unpack|decompress|archive|\.zip|\.rar|\.7z)\b")
});

/// Addresses in sentences that have money sent.
fn wallets_in(text: &str) -> Vec<String> {
    let near = |found: &regex::Match<'_>| {
        // Addresses of contracts and examples abound; one counts where the words before it have money sent.
        let start = text.floor_char_boundary(found.start().saturating_sub(120));
        PAID.is_match(text.get(start..found.start()).unwrap_or_default())
    };
    WALLET.find_iter(text).take(200).filter(near).map(|found| found.as_str().to_owned()).collect()
}
