//! Install scripts that use the network, change a registry, or run code that stands in the command line.
//!
//! Severity follows what is run: fetching and running is critical; the network, a registry or inline code in the
//! command itself is high; the network in a script inside the package, which is how prebuilt binaries arrive, is medium.
//! Sources: AgentScore's published checks ("install scripts with network calls or registry modification"); the tiers
//! below high are ours.

use std::sync::LazyLock;

use regex::bytes::{Regex, RegexBuilder};

use crate::FactSink;
use capdex_evidence::document::Document;
use capdex_evidence::language::Language;
use capdex_evidence::signals::{InstallScript, install_scripts};
use capdex_evidence::subject::Subject;
use capdex_evidence::zones::ZoneKind;
use capdex_model::fact::{Confidence, Place, Severity};

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    for script in install_scripts(subject) {
        if let Some(danger) = danger_of(subject, &script) {
            facts.found_as(danger.severity, danger.confidence, danger.place, &danger.evidence);
        }
    }
}

/// The worst that an install script does.
pub(super) struct Danger {
    severity: Severity,
    confidence: Confidence,
    place: Place,
    evidence: String,
}

/// Looks at an install script's command lines and at the files that they start; none where nothing reaches outside.
pub(super) fn danger_of(subject: &Subject<'_>, script: &InstallScript) -> Option<Danger> {
    // `npm run build` hides what runs one script further on, so commands that it reaches count as well.
    let commands = std::iter::once(&script.command).chain(&script.reached);
    let in_command = commands.filter_map(|command| {
        let severity = danger_of_command(command)?;
        let evidence = format!("{}: {command}", script.name);
        Some(Danger { severity, confidence: Confidence::High, place: script.place.clone(), evidence })
    });
    let files = script.files.iter().filter_map(|path| subject.evidence.documents.get(path));
    let mut dangers: Vec<Danger> = in_command.chain(files.filter_map(danger_of_file)).collect();
    // The worst is told; by place among equals, so that a fact does not depend on an order of files.
    dangers.sort_by(|a, b| b.severity.cmp(&a.severity).then_with(|| a.place.cmp(&b.place)));
    dangers.into_iter().next()
}

fn danger_of_command(command: &str) -> Option<Severity> {
    // Over the whole line, since a pipe or `&&` joins what `segments` would part.
    if FETCH_AND_RUN.is_match(command.as_bytes()) || FETCH_THEN_RUN.is_match(command.as_bytes()) {
        return Some(Severity::Critical);
    }
    let reaches_out = segments(command).any(|segment| {
        let bytes = segment.as_bytes();
        NETWORK_COMMAND.is_match(bytes) || REGISTRY.is_match(bytes)
    });
    (reaches_out || runs_inline_code(command)).then_some(Severity::High)
}

/// The commands of a command line, without those that only print; printing into npm's settings is not only that.
fn segments(command: &str) -> impl Iterator<Item = &str> {
    let parts = command.split([';', '&', '|', '\n']).map(str::trim);
    let prints = |part: &str| ["echo ", "printf "].iter().any(|print| part.starts_with(print));
    parts.filter(move |part| !prints(part) || part.contains(".npmrc"))
}

/// Code in the command line, unless it only prints or only loads a file of the package, which is looked at itself.
fn runs_inline_code(command: &str) -> bool {
    if !INLINE_CODE.is_match(command.as_bytes()) {
        return false;
    }
    // Whatever call is left when the harmless ones are gone does something else.
    let left = HARMLESS_CALL.replace_all(command.as_bytes(), &b""[..]);
    left.iter().any(|byte| b"(`".contains(byte)) || !HARMLESS_CALL.is_match(command.as_bytes())
}

fn danger_of_file(document: &Document) -> Option<Danger> {
    let network = first_hit(document, &NETWORK_CODE, |_| true);
    let run = first_hit(document, &FETCH_AND_RUN, |line| runs_here(document, line));
    // Reading a key is no theft while nothing leaves: asked only beside a request.
    let secrets = network.and_then(|_| first_hit(document, &SECRETS, |_| true));
    // Fetching alone is how prebuilt binaries arrive; fetching and running at once is not.
    let (at, severity) = match (run.or(secrets), network) {
        (Some(at), _) => (at, Severity::Critical),
        (None, Some(at)) => (at, Severity::Medium),
        (None, None) => return None,
    };
    let (start, end) = document.line_at(at);
    // On a long line the hit would lie beyond what a fact quotes.
    let start = if at - start > LONG_LINE { at } else { start };
    let evidence = document.text.get(start..end).unwrap_or_default().to_owned();
    Some(Danger { severity, confidence: Confidence::Medium, place: document.place(at), evidence })
}

/// Further into its line than this a hit is quoted from where it begins, in bytes.
const LONG_LINE: usize = 100;

/// The first match of a pattern outside comments and printed advice, on a line that counts. Each line is asked once.
fn first_hit(document: &Document, pattern: &Regex, counts: impl Fn(&str) -> bool) -> Option<usize> {
    let (mut line_end, mut talk_end) = (0, 0);
    for hit in pattern.find_iter(document.text.as_bytes()) {
        let at = hit.start();
        // Hits come in order: the line and its talk are worked out once for all hits on it.
        if at >= line_end {
            let (start, end) = document.line_at(at);
            let line = document.text.get(start..end).unwrap_or_default();
            line_end = end.max(at + 1);
            talk_end = if counts(line) { start + talk_length(&document.path, line) } else { line_end };
        }
        if at >= talk_end && document.zone_at(at) != ZoneKind::Comment {
            return Some(at);
        }
    }
    None
}

/// The part of a line that is a comment or only prints, for files without zones. A printing command ends where the next
/// begins, and a line that starts a process prints nothing that counts.
fn talk_length(path: &str, line: &str) -> usize {
    let program = [".js", ".cjs", ".mjs", ".ts"].iter().any(|end| path.ends_with(end));
    let (comment, prints) =
        if program { ("//", &["console."][..]) } else { ("#", &["echo ", "printf ", "print("][..]) };
    let text = line.trim_start();
    if text.starts_with(comment) {
        return line.len();
    }
    // A line that also starts a process is no advice, whatever it prints.
    if !prints.iter().any(|print| text.starts_with(print)) || STARTS_PROCESS.is_match(line.as_bytes()) {
        return 0;
    }
    end_of_command(line)
}

/// The end of the first command of a shell line: at what separates commands outside quotation marks, or at what a shell
/// runs even inside double ones.
fn end_of_command(line: &str) -> usize {
    let mut quote = None;
    for (at, byte) in line.bytes().enumerate() {
        match (byte, quote) {
            (b'\'' | b'"', None) => quote = Some(byte),
            (b'\'' | b'"', Some(open)) if open == byte => quote = None,
            // Single quotation marks are the only ones within which a shell runs nothing.
            (b'`' | b'$', None | Some(b'"')) | (b';' | b'&' | b'|', None) => return at,
            _ => {}
        }
    }
    line.len()
}

/// In a shell script a command line runs; in a program only what stands in a call that starts a process.
fn runs_here(document: &Document, line: &str) -> bool {
    let shell = matches!(document.language, Language::Shell | Language::PowerShell)
        || [".sh", ".bash", ".ps1"].iter().any(|end| document.path.ends_with(end));
    shell || STARTS_PROCESS.is_match(line.as_bytes())
}

fn pattern(text: &str) -> Regex {
    let built = RegexBuilder::new(text).unicode(false).case_insensitive(true).build();
    built.expect("a fixed pattern, which tests compile")
}

/// A download that is piped or substituted into an interpreter, or a decoded text into a shell.
static FETCH_AND_RUN: LazyLock<Regex> = LazyLock::new(|| {
    let fetch = r"\b(curl|wget|iwr|irm|invoke-webrequest|invoke-restmethod)\b";
    let shell = r"(sudo\s+)?([a-z0-9_./]*/)?(ba|z|da|k|fi|a)?sh\b";
    let interpreter = r"(node|python[0-9.]*|perl|ruby|php|iex|invoke-expression|pwsh|powershell)\b";
    pattern(&format!(
        r#"{fetch}[^\n]{{0,400}}?\|\s*({shell}|{interpreter})|\b(ba|z|da)?sh\s+(-c\s+)?["'\\]*(<\(|\$\(|`)\s*(curl|wget)\b|\beval\s+["'\\]*(\$\(|`)\s*(curl|wget)\b|\b(iex|invoke-expression)\b[^\n]{{0,200}}(downloadstring|irm|iwr|invoke-webrequest|invoke-restmethod)|\bbase64\s+(-d|--decode)\b[^\n]{{0,80}}\|\s*{shell}"#
    ))
});

/// A download that is made executable or handed to a shell later in the same command line.
static FETCH_THEN_RUN: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"\b(curl|wget|iwr|invoke-webrequest)\b[^\n]{0,400}(&&|;)\s*(sudo\s+)?(chmod\s+(a|u)?\+x|(ba|z)?sh\s|\./)")
});

static NETWORK_COMMAND: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"(^|[\s(`'"])(curl|wget|iwr|irm|invoke-webrequest|invoke-restmethod|nc|ncat|scp|sftp|ftp|ssh|telnet|nslookup|dig)\s|\bhttps?://"#,
    )
});

static REGISTRY: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(npm|yarn|pnpm|pip)\s+config\s+set\b|\bnpm\s+set\b|\.npmrc\b|--registry\b|\bregistry\s*=|--(extra-)?index-url\b",
    )
});

static INLINE_CODE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(node|nodejs|bun)\s+(-\S+\s+)*(-e|--eval|-p|--print|-pe)\b|\bdeno\s+eval\b|\bpython[0-9.]*\s+-c\b|\b(perl|ruby)\s+-e\b|\b(powershell|pwsh)(\.exe)?\s[^\n]*-e(nc|ncodedcommand)?\s",
    )
});

static HARMLESS_CALL: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"\bconsole\.[a-z]+\([^()]*\)|\brequire\(\s*[\\"'`]+\.{1,2}/[^()]*\)|\bimport\(\s*[\\"'`]+\.{1,2}/[^()]*\)|\bprocess\.exit\([0-9]*\)|\bcatch\s*\([a-z_]*\)"#,
    )
});

static NETWORK_CODE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"\bhttps?\.(get|request)\(|\bfetch\(|\b(require|import)\(\s*["'](node:)?(https?|net|dgram|dns|axios|got|node-fetch|request|undici)["']|\bfrom\s+["'](node:)?(https?|net|dgram|dns|axios|got|node-fetch|undici)["']|\burllib\.request|\brequests\.(get|post)\(|(^|[\s("'`;&|])(curl|wget)\s+(-|["']?https?:)|\binvoke-webrequest\b"#,
    )
});

/// Reads of keys, and of the whole environment at once.
static SECRETS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\.ssh/|\.aws/credentials|\bid_(rsa|ed25519)\b|json\.stringify\(\s*process\.env\s*[,)]|\bdict\(\s*os\.environ|\bprintenv\b|object\.(entries|assign)\([^)]{0,20}process\.env",
    )
});

static STARTS_PROCESS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"\b(exec|execsync|execfile|spawn|spawnsync|system|popen|run|check_call|check_output)\s*\(")
});
