//! sending-untold: a skill's program sends something to a stranger, and no text of the skill tells of a network at all.
//!
//! It asks for no source of what is sent: whoever hides where things go hides what they are as well. What it needs is the
//! sending call, an address that is written out, and texts without any word of a service.

use std::cell::LazyCell;
use std::net::Ipv4Addr;
use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::destinations::{Destination, Destinations, address_of, sites};
use super::shell_events::weighed_at;
use super::source_calls::report_calls;
use crate::FactSink;
use crate::questions;
use capdex_evidence::code::sinks::{named, sends};
use capdex_evidence::document::Document;
use capdex_evidence::language::Language;
use capdex_evidence::subject::Subject;
use capdex_evidence::voice::Voice;
use capdex_evidence::zones::ZoneKind;
use capdex_model::capability::Kind;
use capdex_model::fact::{Confidence, Severity};

/// Calls and commands by which something is given away, and not asked for.
static POSTS: LazyLock<Regex> = LazyLock::new(|| {
    capdex_evidence::expression::of(
        r"(?i-u)p(?:ost|ut|atch)|send|upload|stor|smtp|data|-d\b|-F\b|-T\b|--form|InFile|Body|push|copy|sync|rcat|Dial|connect|socket|publish|paho|mqtt",
    )
});

/// Words by which a text tells that its skill talks to anybody.
static NETWORK: LazyLock<Regex> = LazyLock::new(|| {
    capdex_evidence::expression::of(
        r"(?i)\b(?:apis?|web ?(?:page|service|hook|site)s?|online|internet|network|cloud|endpoints?|hosted|down-?load\w*|up-?load\w*|fetch(?:es|ed|ing)|sends|sent|sending|send (?:it|them|the|to|a|your)|submits? (?:it|them|the|to|a|your)|publish(?:es)? (?:it|them|the|to|a|your)|posts? (?:it|them|the|to|a|your)|synch?\w*|e-?mail\w*|smtp|ftp|telemetry|look(?:s|ed)? ?up|deploy\w*|slack|discord|telegram|jira|back(?:s|ed)? ?up\w*|saas|update checks?|checks? for (?:updates|a newer)|newer version)\b|\b(?:service|server)(?:\x27s)? (?:url|address|account)|上传|下载|发送|网络|接口|云|网址|服务|Netz|Dienst|hochlad|herunterlad|subir|descarg|servicio|servidor|correo|enví",
    )
});

/// The largest program that people write.
const LARGEST: usize = 128 << 10;

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    if subject.capability.kind != Kind::Skill {
        return;
    }
    let destinations = LazyCell::new(|| Destinations::of(subject));
    report_unused(subject, &destinations, facts);
    // Asked first: nearly every text with such a program has a word of a network at its beginning.
    let told = LazyCell::new(|| is_told(subject));
    let mut found = subject.documents().filter(|document| is_program(document)).filter_map(|document| {
        let at = sending(document)?;
        // No service lives at a bare number with a port, and nobody who wants an answer throws it away with its failure.
        let aside = is_aside(document, at);
        let counts = |address: &String| is_numbered(address) || aside || !*told;
        let foreign = receivers(document).find(|to| counts(to) && is_unnamed(subject, &destinations, to));
        let found = foreign.map(|foreign| (document, at, foreign));
        found.or_else(|| given_away(subject, document, &destinations))
    });
    let Some((document, at, foreign)) = found.next() else { return };
    let severity = weighed_at(document, at..at + 1, Severity::High);
    let severity = if is_switched(subject, document) { severity.min(Severity::Medium) } else { severity };
    let line = document.line_of(at).trim();
    facts.found_as(severity, Confidence::Low, document.place(at), &format!("to {foreign}: {line}"));
}

/// True where a text tells of counting its users, and names the variable by which this program is kept from it.
fn is_switched(subject: &Subject<'_>, document: &Document) -> bool {
    static COUNTED: LazyLock<Regex> = LazyLock::new(|| {
        capdex_evidence::expression::of(
            r"(?i)\b(?:telemetry|analytics|usage\s+(?:statistics|data|counts?)|counts?\s+how\s+often)\b(?s:.){0,400}?\b(?:off|disable[ds]?|opt(?:s|ed)?[ -]out|DO_NOT_TRACK)\b",
        )
    });
    static VARIABLE: LazyLock<Regex> =
        LazyLock::new(|| capdex_evidence::expression::of(r"\b[A-Z][A-Z0-9]*_[A-Z0-9_]{3,}\b"));
    /// The names of variables that are looked at around what is told.
    const MOST: usize = 20;
    let mut texts = subject.documents().filter(|text| text.language == Language::Markdown);
    texts.any(|text| {
        let Some(told) = COUNTED.find(&text.text) else { return false };
        let end = text.text.floor_char_boundary(told.end() + 200);
        let around = text.text.get(told.start()..end).unwrap_or_default();
        let mut named = VARIABLE.find_iter(around).take(MOST);
        named.any(|name| document.text.contains(name.as_str()))
    })
}

/// The call of a program that gives something away to somebody whom no word of the texts names, whatever else they tell of
/// networks: whoever uses a service says which. The address stands in the call, or the program has no other kind.
fn given_away<'a>(
    subject: &Subject<'_>,
    document: &'a Document,
    destinations: &Destinations,
) -> Option<(&'a Document, usize, String)> {
    /// The bytes of a call that hold its address.
    const REACH: usize = 200;
    let strange = |to: &String| is_unnamed(subject, destinations, to) && !destinations.are_told_of(subject, to);
    let foreign: Vec<String> = receivers(document).filter(strange).collect();
    let first = foreign.first()?;
    let is_alone = receivers(document).all(|to| foreign.contains(&to) || is_name(&to));
    let written = |found: &Range<usize>| document.text.get(found.clone()).unwrap_or_default();
    let mut calls = calls(document).filter(|found| POSTS.is_match(written(found)));
    calls.find_map(|found| {
        let end = document.text.floor_char_boundary(found.end + REACH);
        let call = document.text.get(found.start..end).unwrap_or_default();
        let names = |to: &&String| call.contains(to.rsplit('/').next().unwrap_or_default());
        let to = foreign.iter().find(names).or_else(|| is_alone.then_some(first))?;
        is_meant(document, found.start).then(|| (document, found.start, to.clone()))
    })
}

/// True where a place of a program is no remark of it.
pub(super) fn is_meant(document: &Document, at: usize) -> bool {
    document.zone_at(at) != ZoneKind::Comment && document.voice_at(at) == Voice::Program
}

/// True where a program throws away what a call answers, and hears of no failure.
fn is_aside(document: &Document, at: usize) -> bool {
    static UNHEARD: LazyLock<Regex> = LazyLock::new(|| {
        capdex_evidence::expression::of(
            r"\|\s*Out-Null\b|\bcatch\s*\{\s*\}|\brescue\s+(?:nil\b|StandardError\s*\n\s*nil\b|=>?\s*\w*\s*\n\s*(?:nil|end)\b)|>\s*/dev/null\s+2>&1|2>\s*/dev/null\s*\|\|\s*(?:true|:)|&>\s*/dev/null|\bsilent\s*=\s*TRUE\b|\bexcept(?:\s+\w+)?:\s*\n\s*pass\b|\.catch\(\s*\(\w*\)\s*=>\s*(?:\{\s*\}|null|undefined)\s*\)",
        )
    });
    /// The lines after a call that belong to its statement and to what waits for its failure.
    const LINES: usize = 7;
    let rest = document.text.get(at..).unwrap_or_default();
    let end = rest.match_indices('\n').nth(LINES).map_or(rest.len(), |(end, _)| end);
    rest.get(..end).is_some_and(|statement| UNHEARD.is_match(statement))
}

/// True for a host of somebody's that no text of the skill writes out.
pub(super) fn is_unnamed(subject: &Subject<'_>, destinations: &Destinations, address: &str) -> bool {
    // `https://yourfirm.crm.test` stands for a host that the user fills in.
    let is_filled_in = ["//your", "//my", "example.com", "example.org"].iter().any(|part| address.contains(part));
    !is_filled_in
        && !is_name(address)
        && destinations.judge(address).is_some_and(Destination::is_elsewhere)
        && !destinations.is_known(subject, address)
}

/// True for an address that names a format or a licence, and receives nothing.
fn is_name(address: &str) -> bool {
    const NAMES: [&str; 7] =
        ["w3.org", "json-schema.org", "//schemas.", "xmlsoap", "purl.org", "/licenses/", "opensource.org"];
    NAMES.iter().any(|name| address.contains(name))
}

/// True for the bare number of a host with a scheme or a port.
fn is_numbered(address: &str) -> bool {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    let (host, port) = rest.split_once(':').map_or((rest, None), |(host, port)| (host, Some(port)));
    host.parse::<Ipv4Addr>().is_ok() && (address.starts_with("http://") || port.is_some())
}

/// True where a domain is called after the skill: its publisher's, whatever else that is.
fn is_named_after(subject: &Subject<'_>, address: &str) -> bool {
    const ENOUGH: usize = 5;
    let folded =
        |text: &str| -> String { text.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_lowercase() };
    let label =
        sites(address).next().map(|site| folded(site.split('.').next().unwrap_or_default())).unwrap_or_default();
    let name = folded(&subject.capability.name);
    label.len() >= ENOUGH && name.len() >= ENOUGH && (name.contains(&label) || label.contains(&name))
}

/// Reports the calls that send to somebody whom the texts do not name, and want no answer: who asks a service uses what
/// it says.
fn report_unused(subject: &Subject<'_>, destinations: &Destinations, facts: &mut FactSink<'_>) {
    report_calls(subject, facts, |file, call| {
        let method = call.callee.rsplit('.').next().unwrap_or_default();
        let posts = matches!(method, "post" | "put" | "urlopen" | "request" | "sendBeacon" | "storbinary")
            || (method == "fetch" && named(call, "method").is_some_and(|verb| verb != "GET"));
        // What is asked for at an address that something was put into tells whoever answers there.
        let is_filled = || address_of(call).is_some_and(|address| address.contains("{}"));
        if !call.is_unused || !(posts || (sends(call) && is_filled())) {
            return None;
        }
        let address = address_of(call).or_else(|| {
            // The request that is opened was made before, with the address in it.
            let before = file.view.calls.iter().take_while(|other| !std::ptr::eq(*other, call));
            before.filter_map(address_of).last()
        })?;
        let is_untold = is_unnamed(subject, destinations, &address)
            && (is_named_after(subject, &address) || !destinations.are_told_of(subject, &address));
        is_untold.then_some((Severity::High, Confidence::Low))
    });
}

pub(super) fn is_program(document: &Document) -> bool {
    let is_data = matches!(
        document.language,
        Language::Markdown | Language::Json | Language::Yaml | Language::Toml | Language::Markup | Language::None
    );
    document.voice == Voice::Program && !is_data && document.text.len() <= LARGEST
}

/// The place of a call that sends.
pub(super) fn sending(document: &Document) -> Option<usize> {
    calls(document).map(|found| found.start).find(|at| is_meant(document, *at))
}

/// The first calls of a document that send.
fn calls(document: &Document) -> impl Iterator<Item = Range<usize>> {
    questions::SENDING_CALLS.all_in(document, 20).into_iter()
}

/// The addresses that stand in a program outside of its comments.
pub(super) fn receivers(document: &Document) -> impl Iterator<Item = String> {
    let found = questions::SENDING_RECEIVERS.all_in(document, 60).into_iter();
    let said = found.filter(|found| document.voice_at(found.start) == Voice::Program);
    said.map(|found| {
        let text = document.text.get(found).unwrap_or_default();
        // A host in parts that are joined: whoever writes it so hides it.
        if text.starts_with('[') {
            let inside = text.split(']').next().unwrap_or_default();
            let parts: Vec<&str> = inside.split(['"', '\'']).skip(1).step_by(2).collect();
            return format!("https://{}", parts.join("."));
        }
        let bare = text.rsplit(['"', '\'', '`', '(', '@', '/']).find(|part| part.contains('.')).unwrap_or(text);
        let bare = bare.trim_start_matches('.');
        let is_web = ["http", "ws", "ftp"].iter().any(|scheme| text.starts_with(scheme));
        if text.contains("://") && is_web { text.to_owned() } else { format!("https://{bare}") }
    })
}

fn is_told(subject: &Subject<'_>) -> bool {
    let mut texts = subject.documents().filter(|document| document.language == Language::Markdown);
    texts.any(|document| speaks_of(&NETWORK, &document.text))
}

/// True where a text has words that tell of something, and does not deny it.
pub(super) fn speaks_of(words: &Regex, text: &str) -> bool {
    /// A bound on the words that are weighed: a text with more of them speaks of it.
    const MOST: usize = 60;
    words.find_iter(text).take(MOST).any(|found| !DENIED.is_match(clause_before(text, found.start())))
}

/// What stands before a place in its clause.
fn clause_before(text: &str, at: usize) -> &str {
    const REACH: usize = 50;
    text.get(text.floor_char_boundary(at.saturating_sub(REACH))..at).unwrap_or_default()
}

/// The end of a clause that says of what follows that it is not done.
static DENIED: LazyLock<Regex> = LazyLock::new(|| {
    capdex_evidence::expression::of(
        r"(?i)\b(?:no|not|never|nothing|without|doesn.t|don.t|isn.t|neither|nor|kein\w*|nicht|nie|sin|no se|ningún|不|无需)\b[^.;:\n]{0,36}$",
    )
});
