//! harm-on-trigger: a program destroys or falsifies something on a date, by chance, or where nobody has paid.
//!
//! Such a program works while it is looked at. No honest one waits for a date to delete, or changes a figure by chance,
//! unless its texts tell of a simulation.

use std::sync::LazyLock;

use regex::Regex;

use super::shell_events::weighed_at;
use crate::FactSink;
use capdex_evidence::document::Document;
use capdex_evidence::language::Language;
use capdex_evidence::subject::Subject;
use capdex_evidence::voice::Voice;
use capdex_evidence::zones::ZoneKind;
use capdex_model::capability::Kind;
use capdex_model::fact::{Confidence, Severity};

static TRIGGERS: LazyLock<Regex> = LazyLock::new(|| {
    capdex_evidence::expression::of(
        r#"(?i-u)(?P<date>[<>]=?\s*(?:[\w.]{0,30}\.)?(?:date|datetime|Date)\(\s*["']?20\d\d\b|[<>]=?\s*["']?20\d\d-?\d\d-?\d\d\b|-(?:ge|gt|eq)\s+["']?20\d{2}-?\d{2}|\bTime\.(?:new|gm|utc)\(20\d\d|time\.Date\(20\d\d)|(?P<unpaid>\b(?:if|unless|while|elif|and|or|&&|\|\||\[\[?)(?u:[^\n]){0,60}(?:\b|_)(?:paid|licen[cs]ed?|licen[cs]e_?(?:key|ok|valid)|premium|subscri(?:bed|ption)|trial|free_?(?:plan|tier)|team_?plan|seats|sponsors?|pro_?(?:key|user|plan))(?:\b|_))|(?P<age>[<>]=?\s*\(?\d{1,3}\s*\*\s*(?:24\s*\*\s*(?:3_?600|60\s*\*\s*60)|86_?400))|(?P<chance>\b(?:random|rand|Random|rng)(?:\.random|\.Float64)?\(\)\s*[<>]|\bMath\.random\(\)\s*[<>]|\$RANDOM\s*%|\$\(\(\s*RANDOM\s*%|%\s*\d{1,3}\s*={2,3}\s*0)"#,
    )
});

/// What destroys, whatever it is given.
static DESTROYS: LazyLock<Regex> = LazyLock::new(|| {
    capdex_evidence::expression::of(
        r#"(?i)\brmtree\(|\brm\s+-(?:rf|fr)\b|\brmSync\(|Remove-Item\b[^\n]{0,60}-Recurse|\brm_rf\b|\bRemoveAll\(|\b(?:DROP|TRUNCATE)\s+(?:TABLE|DATABASE|SCHEMA)\b|\bDELETE\s+FROM\b|\bgit["',\s]{1,4}push\b[^\n]{0,60}(?:-q?f\b|--force\b|--delete\b|--mirror\b)|\bterraform["',\s]{1,4}destroy|\bkubectl["',\s]{1,4}delete\b|\bshred\s|\bmkfs\b|\.encrypt\(|\bcreateCipheriv\(|\breset["',\s]{1,4}--hard"#,
    )
});

/// What changes a figure in its place.
static FALSIFIES: LazyLock<Regex> = LazyLock::new(|| {
    capdex_evidence::expression::of(
        r"(?i)[*]=\s*(?:\(?\s*)?(?:[01]\.\d|1\s*[+-])|\b(?:total|sum|amount|price|value|qty|dose|score|result|balance|rate|[a-z]{1,2})\s*[+-]=\s*(?:random|rand|Math\.random|0\.\d)",
    )
});

/// What gives a figure a little more or less, as a tax does as well.
static SCALES: LazyLock<Regex> =
    LazyLock::new(|| capdex_evidence::expression::of(r"[*]\s*(?:0\.[5-9]\d*|1\.[0-4]\d*)\b"));

/// The user's own folders, which no clearing of old files is about.
static OWN_FOLDERS: LazyLock<Regex> =
    LazyLock::new(|| capdex_evidence::expression::of(r#"(?:["'/])(?:Documents|Pictures|Desktop)\b"#));

/// Words of programs that make data up.
static SIMULATED: LazyLock<Regex> = LazyLock::new(|| {
    capdex_evidence::expression::of(
        r"(?i)simulat|synthetic|mock|random|sampl|noise|noisy|jitter|augment|fake|dummy|test data|monte|perturb|chaos|fuzz|generat\w* (?:data|rows|records)|seed|demo|procedural|\bgame|shuffle|backoff|retry|mutat|genetic|anneal|bootstrap|dropout|training",
    )
});

/// The lines behind a trigger that it governs, and the largest program that people write.
const LINES: usize = 7;
const LARGEST: usize = 128 << 10;

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    if subject.capability.kind != Kind::Skill {
        return;
    }
    for document in subject.documents().filter(|document| is_program(document)) {
        let Some(at) = harm(subject, document) else { continue };
        let severity = weighed_at(document, at..at + 1, Severity::High);
        let (start, end) = document.line_at(at);
        let line = document.text.get(start..end).unwrap_or_default().trim();
        facts.found_as(severity, Confidence::Medium, document.place(at), line);
    }
}

fn is_program(document: &Document) -> bool {
    document.voice == Voice::Program
        && !matches!(document.language, Language::Markdown | Language::Json | Language::Yaml | Language::Toml)
        && document.text.len() <= LARGEST
}

/// The place of a trigger whose lines do harm.
fn harm(subject: &Subject<'_>, document: &Document) -> Option<usize> {
    let text = document.text.as_str();
    // A bound on the windows: each is a few lines.
    TRIGGERS.captures_iter(text).take(60).find_map(|found| {
        let at = found.get(0)?.start();
        if document.zone_at(at) == ZoneKind::Comment {
            return None;
        }
        let (start, _) = document.line_at(at);
        let governed: String = text.get(start..)?.split_inclusive('\n').take(LINES).collect();
        let destroys = || DESTROYS.is_match(&governed);
        let next: String = governed.split_inclusive('\n').take(3).collect();
        let falsifies = || FALSIFIES.is_match(&next);
        let does = if found.name("date").is_some() {
            destroys()
        } else if found.name("unpaid").is_some() {
            destroys() || falsifies()
        } else if found.name("age").is_some() {
            // Old files are cleared by their age everywhere; the user's documents are nobody's to clear.
            OWN_FOLDERS.is_match(&governed)
        } else {
            destroys() || ((falsifies() || SCALES.is_match(&next)) && !is_simulated(subject, document))
        };
        does.then_some(at)
    })
}

/// True where a skill's texts, or the program's own words, tell of data that is made up.
fn is_simulated(subject: &Subject<'_>, document: &Document) -> bool {
    let mut texts = subject.documents().filter(|other| other.language == Language::Markdown);
    let name = document.path.rsplit('/').next().unwrap_or_default();
    SIMULATED.is_match(name) || texts.any(|text| SIMULATED.is_match(&text.text))
}
