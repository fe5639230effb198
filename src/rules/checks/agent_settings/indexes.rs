//! package-index-redirected: packages are taken from an index that nobody vouches for.

use std::cell::LazyCell;
use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use crate::questions::SETTINGS_INDEXES;
use crate::{FactSink, vocab};
use capdex_evidence::document::Document;
use capdex_evidence::manifest::name_of;
use capdex_evidence::site::site_of;
use capdex_evidence::subject::Subject;
use capdex_evidence::voice::Voice;
use capdex_model::fact::{Confidence, Severity};

use super::super::destinations::{Destination, Destinations};
use super::setting::{Setting, Spot, Way, documents, foreign, is_plain, way_of};

/// The names of sites that hand out packages, with the endings that are theirs.
static INDEXES: LazyLock<Vec<(&str, Vec<&str>)>> = LazyLock::new(|| {
    let split = |line: &'static str| {
        let mut words = line.split_whitespace();
        (words.next().unwrap_or_default(), words.collect())
    };
    vocab::entries(vocab::PACKAGE_INDEXES).into_iter().map(split).collect()
});

/// An option of a package manager with an address.
static OPTION: LazyLock<Regex> = LazyLock::new(|| {
    capdex_evidence::expression::of(concat!(
        r#"(?i)\b(?:pip3?|uvx?|pipx|poetry|npm|npx|pnpm|yarn|bunx?|gem|cargo|python3?)\b[^\n|;]{0,200}?"#,
        r#"(?:--(?:extra-)?index-url|--(?:default-)?index|--registry|--find-links|--source|\s-i|\s-f|\bset\s+(?:registry|npmRegistryServer|global\.(?:extra-)?index-url)|\bsource\s+add\s+[\w-]+)[ =]+"#,
        r#"["']?(?P<address>https?://[^\s"'`<>|)\\,]+)"#,
    ))
});

/// A line of a package manager's file, or a variable that says the same.
static LINE: LazyLock<Regex> = LazyLock::new(|| {
    capdex_evidence::expression::of(concat!(
        r#"(?im)(?:^[ \t]*(?:-{0,2}(?:extra-|default-)?index[-_]url|(?:@[\w.-]+:)?registry|npmRegistryServer|--find-links|find-links|url)[ \t]*[:= ][ \t]*"#,
        r#"|\b(?:PIP_(?:EXTRA_)?INDEX_URL|UV_(?:DEFAULT_|EXTRA_)?INDEX(?:_URL)?|npm_config_registry|YARN_NPM_REGISTRY_SERVER|YARN_REGISTRY)["']?[ \t]*[:=][ \t]*"#,
        r#"|["'](?:@[\w.-]+:)?registry=)"#,
        r#"["']?(?P<address>https?://[^\s"'`<>|)\\,]+)"#,
    ))
});

/// An installer that believes a bare number.
static TRUSTED: LazyLock<Regex> = LazyLock::new(|| {
    capdex_evidence::expression::of(
        r"(?i)\b(?:pip3?|uv)\b[^\n]{0,120}--trusted-host[ =]+(?P<address>\d{1,3}(?:\.\d{1,3}){3})",
    )
});

pub(in super::super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    let destinations = LazyCell::new(|| Destinations::of(subject));
    for document in documents(subject, &SETTINGS_INDEXES) {
        /// A list of mirrors is as long as its author likes.
        const MOST: usize = 50;
        let is_config = is_config(document);
        for (words, index) in indexes(document, is_config).into_iter().take(MOST) {
            let way = match is_config {
                true => Some(Way::Shipped),
                false => way_of(document, &index).or(program_way(document, index.start)),
            };
            let (Some(way), Some(address)) = (way, document.text.get(index.clone())) else { continue };
            let Some(severity) = judged(&destinations, address, way) else { continue };
            // A page of links adds to an index and does not take its place.
            let is_page = words.contains("find-links") && !is_plain(address);
            let severity = if is_page { severity.min(Severity::Medium) } else { severity };
            let spot = Spot::Bytes(index);
            let setting = Setting { document, name: "index".into(), value: address.into(), spot, way };
            facts.found_as(setting.told(severity), Confidence::Medium, setting.place(), words);
        }
    }
}

/// The indexes that a document names, each with the words that set it, in the order of the text.
fn indexes(document: &Document, is_config: bool) -> Vec<(&str, Range<usize>)> {
    /// Longer lines are bundles and data, in which nobody writes commands.
    const LONGEST: usize = 4_000;
    let mut found: Vec<(&str, Range<usize>)> = Vec::new();
    // Line by line, because expressions with gaps are slow on whole texts.
    let lines: Vec<(usize, &str)> = match is_config {
        true => document.lines_within(0, document.text.len()).collect(),
        false => SETTINGS_INDEXES.lines(document).collect(),
    };
    for (start, line) in lines {
        let is_worth = !is_config || line.contains("url") || SETTINGS_INDEXES.first_in(line).is_some();
        if line.len() > LONGEST || !is_worth {
            continue;
        }
        let options = OPTION.captures_iter(line).chain(TRUSTED.captures_iter(line));
        let lines = LINE.captures_iter(line).filter(|found| {
            // `url:` and `registry:` are words of many files.
            is_config || found.get(0).is_some_and(|whole| is_of_manager(whole.as_str())) || writes_config(line)
        });
        for captures in options.chain(lines) {
            let Some((whole, address)) = captures.get(0).zip(captures.name("address")) else { continue };
            let bytes = start + address.start()..start + address.end();
            if found.iter().all(|(_, known)| *known != bytes) {
                found.push((whole.as_str(), bytes));
            }
        }
    }
    found
}

/// True for a file by which a package manager is told where packages come from.
fn is_config(document: &Document) -> bool {
    let name = name_of(&document.path);
    matches!(
        name,
        ".npmrc"
            | ".yarnrc"
            | ".yarnrc.yml"
            | "pip.conf"
            | "pip.ini"
            | "uv.toml"
            | "bunfig.toml"
            | "Pipfile"
            | ".pypirc"
            | ".condarc"
    ) || name.starts_with("requirements") && name.ends_with(".txt")
        || document.path.ends_with(".cargo/config.toml")
}

/// True for a line that no other program has.
fn is_of_manager(line: &str) -> bool {
    let lower = line.to_ascii_lowercase();
    ["pip_", "uv_", "npm_config", "yarn_"].iter().any(|name| lower.contains(name))
}

/// True where a line is written to a package manager's file.
fn writes_config(line: &str) -> bool {
    [".npmrc", "pip.conf", ".yarnrc", "uv.toml"].iter().any(|name| line.contains(name))
}

/// Programs install as their authors tell them to.
fn program_way(document: &Document, at: usize) -> Option<Way> {
    (document.voice_at(at) == Voice::Program).then_some(Way::Set)
}

fn judged(destinations: &Destinations, address: &str, way: Way) -> Option<Severity> {
    let addressed = if address.contains("://") { address.to_owned() } else { format!("http://{address}") };
    if is_known(&addressed) {
        return None;
    }
    let foreign = foreign(destinations, &addressed)?;
    let open = is_plain(&addressed) || foreign == Destination::Throwaway;
    Some(match way {
        Way::Told | Way::Sample if open => Severity::Medium,
        Way::Told | Way::Sample => Severity::Low,
        _ if open => Severity::High,
        // An order has the packages of this very skill taken from there; a file may be a team's own.
        Way::Set | Way::Kept => Severity::High,
        Way::Shipped | Way::Variables => Severity::Medium,
    })
}

/// True for an index that answers for what it hands out.
fn is_known(address: &str) -> bool {
    let host = address.split_once("://").map_or(address, |(_, rest)| rest);
    let host = host.split(['/', '?', '#']).next().unwrap_or_default();
    let host = host.rsplit('@').next().unwrap_or_default().split(':').next().unwrap_or_default();
    let site = site_of(host);
    let Some((label, ending)) = site.split_once('.') else { return false };
    // Names below a cloud are its customers', who have signed for them.
    let tail = |(label, endings): &(&str, Vec<&str>)| {
        endings.iter().any(|ending| host.ends_with(&format!(".{label}.{ending}")))
    };
    INDEXES.iter().any(|known| known.0 == label && known.1.contains(&ending) || tail(known))
}
