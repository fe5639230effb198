//! source-planted-command: a program writes a command or an order to where it starts by itself or an agent obeys it.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::deed_untold::{in_program_fence, may_run};
use super::shell_events::weighed_at;
use crate::FactSink;
use crate::questions;
use capdex_evidence::document::Document;
use capdex_evidence::language::Language;
use capdex_evidence::payload;
use capdex_evidence::subject::Subject;
use capdex_evidence::voice::Voice;
use capdex_evidence::zones::ZoneKind;
use capdex_model::fact::{Confidence, Severity};

/// Places that run or are obeyed later. Those of the first group are an agent's.
static PLACES: LazyLock<Regex> =
    LazyLock::new(|| capdex_evidence::expression::of(&format!("(?-u){}", questions::STORES_PLANTED.text())));

/// Calls that write something at all.
static WRITES: LazyLock<Regex> = LazyLock::new(|| {
    capdex_evidence::expression::of(
        r#"(?i-u)write_?text|write_?file|append_?file|\.write(?:lines|_bytes|Sync)?\(|json\.dump\(|plistlib\.dump|SetValueEx|["']crontab["']|\bcrontab\s+-|Set-Content|Add-Content|Out-File|\breg\s+add\b|\bschtasks\b|New-ItemProperty|file_put_contents|File\.(?:write|open)|git\s+config|copyFile"#,
    )
});

/// Settings that switch an agent's questions to the user off.
static PERMITS: LazyLock<Regex> = LazyLock::new(|| {
    capdex_evidence::expression::of(r"bypassPermissions|skipDangerousModePermissionPrompt|Bash\(\*(?::\*)?\)")
});

/// A file is fetched, from elsewhere than where programs are published.
static FETCHED: LazyLock<Regex> = LazyLock::new(|| {
    capdex_evidence::expression::of(
        r#"(?i-u)\burlretrieve\(\s{0,8}["']https?://|\b(?:iwr|invoke-webrequest)\b(?u:[^\n]){0,160}https?://(?u:[^\n]){0,160}-outfile"#,
    )
});

static KNOWN: LazyLock<Regex> = LazyLock::new(|| {
    capdex_evidence::expression::of(
        r"(?i-u)https?://(?:[\w-]+\.)*(?:github\.com|githubusercontent\.com|gitlab\.com|microsoft\.com|googleapis\.com|cloudflare\.com|npmjs\.org|python\.org|nodejs\.org)/",
    )
});

/// A whole public key.
static KEY: LazyLock<Regex> =
    LazyLock::new(|| capdex_evidence::expression::of(r"ssh-(?:ed25519|rsa|dss) AAAA[A-Za-z0-9+/]{40,}"));

fn find(expression: &Regex, text: &str) -> Option<usize> {
    expression.find(text).map(|found| found.start())
}

/// Words that hand a program's output to an agent.
static ADDRESSED: LazyLock<Regex> =
    LazyLock::new(|| capdex_evidence::expression::of(r"(?i-u)\b(?:assistant|agent|claude|the\s+model|llm|copilot)\b"));

/// The largest distance of a place and the text written to it, and the most of either that are looked at.
const REACH: usize = 1_200;
const MOST: usize = 40;
const LARGEST: usize = 2 << 20;

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    for document in subject.documents().filter(|document| is_program(document)) {
        // One find for each file: who plants one command plants more, and a reader has seen enough.
        if let Some(at) = planted(document).or_else(|| printed_order(document)) {
            report(document, at, Severity::High, facts);
        }
    }
    for document in subject.documents().filter(|document| may_run(document)) {
        if let Some(at) = planted(document) {
            report(document, at, weighed_at(document, at..at + 1, Severity::High), facts);
        }
    }
}

fn report(document: &Document, at: usize, severity: Severity, facts: &mut FactSink<'_>) {
    let (start, end) = document.line_at(at);
    let text = document.text.get(start..end.min(at + REACH)).unwrap_or_default();
    facts.found_as(severity, Confidence::Medium, document.place(at), text.trim());
}

/// Source in which text is told from code.
fn is_program(document: &Document) -> bool {
    let known = matches!(
        document.language,
        Language::Python
            | Language::JavaScript
            | Language::TypeScript
            | Language::Go
            | Language::Rust
            | Language::PowerShell
    );
    // Elsewhere literals are not told from code, and a text about start files would look like a program.
    known && document.text.len() <= LARGEST && document.voice == Voice::Program
}

/// The place of a payload in a literal near one of the places, in a file that writes.
fn planted(document: &Document) -> Option<usize> {
    // Asked first: nearly all files name none of the places.
    if !questions::STORES_PLANTED.may_occur(document) {
        return None;
    }
    let text = document.text.as_str();
    let mut places = PLACES.captures_iter(text).take(MOST).peekable();
    if places.peek().is_none() || !WRITES.is_match(text) {
        return None;
    }
    let mut read_to = 0;
    places.find_map(|place| {
        let whole = place.get(0)?;
        // Never before the last place: text full of places is read once and not once for each.
        let low = text.floor_char_boundary(whole.start().saturating_sub(REACH).max(read_to));
        let high = text.floor_char_boundary(whole.end() + REACH);
        read_to = whole.start();
        let window = text.get(low..high)?;
        if !WRITES.is_match(window) {
            return None;
        }
        // Of a text the fences alone are programs, and there a fetched program alone tells that somebody else is let in.
        if document.language == Language::Markdown {
            let found = low + payload::fetches_program(window)?;
            let between = text.get(found.min(whole.start())..found.max(whole.start()))?;
            // A payload that begins with `#!` is taken for a remark of the fence, and is of the same fence all the same.
            let is_one = in_program_fence(document, whole.start()) && !between.contains("\n```");
            return is_one.then_some(found);
        }
        let of_agent = place.name("agent").is_some();
        // Each payload counts where it takes effect: orders in an agent's files, fetched programs in start files.
        let hidden = if of_agent { payload::covert_order(window) } else { None };
        let fetched = if of_agent { None } else { find(&FETCHED, window).filter(|_| !KNOWN.is_match(window)) };
        let permitted = if of_agent { find(&PERMITS, window) } else { None };
        // A public key anywhere else is how people share theirs.
        let key = find(&KEY, window).filter(|_| whole.as_str().ends_with("authorized_keys"));
        let found = payload::fetches_program(window)
            .or_else(|| payload::sends_data(window))
            .or(hidden)
            .or(permitted)
            .or(key)
            .or(fetched)?;
        is_said(document, low + found).then_some(low + found)
    })
}

/// The place where a program prints an order to an agent that it is to hide.
fn printed_order(document: &Document) -> Option<usize> {
    let text = document.text.as_str();
    ADDRESSED.find_iter(text).take(MOST).find_map(|found| {
        if document.zone_at(found.start()) != ZoneKind::Literal {
            return None;
        }
        // What is printed is a sentence or two.
        let end = text.floor_char_boundary(found.end() + 500);
        let range: Range<usize> = found.start()..end;
        let at = range.start + payload::covert_order(text.get(range.clone())?)?;
        let literal = is_said(document, at) && prints(text, range.start);
        literal.then_some(at)
    })
}

/// True where a statement that prints begins shortly before a place.
fn prints(text: &str, at: usize) -> bool {
    let low = text.floor_char_boundary(at.saturating_sub(160));
    let before = text.get(low..at).unwrap_or_default();
    ["print(", "console.log(", "echo ", "stdout.write(", "Println(", "Write-Output", "Write-Host"]
        .iter()
        .any(|call| before.contains(call))
}

/// True where a place stands in a literal that is no expression to search by.
fn is_said(document: &Document, at: usize) -> bool {
    let text = document.text.as_str();
    let low = text.floor_char_boundary(at.saturating_sub(60));
    let around = text.get(low..text.floor_char_boundary(at + 200)).unwrap_or_default();
    let line = around.split('\n').next().unwrap_or_default();
    // Scanners hold the same words as expressions to search by.
    let searched = ["\\s", "\\b", "[^", "(?:", "re.compile", ".test(", "\\w"]
        .iter()
        .any(|sign| line.contains(sign) || around.contains(sign));
    let zone = document.zone_at(at);
    let said = zone == ZoneKind::Literal || FETCHED.is_match(around) || document.language == Language::PowerShell;
    said && zone != ZoneKind::Comment && !searched
}
