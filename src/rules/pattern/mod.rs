//! The engine for data rules: one pass over each text tells which rules may match it at all, and only those look.
//!
//! The pass looks for the literals of all rules at once (`prefilter`), so that its cost does not grow with their number; a
//! text that a rule cannot match costs that rule nothing. Expressions only anchor a find; what must stand near it is a
//! condition, checked afterwards in windows of bounded size. Finds of one expression in one text are judged up to a
//! number; past it the rule says that it has not looked at everything.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::LazyLock;

use capdex_evidence::context::{Context, sentence_around};
use capdex_evidence::document::Document;
use capdex_evidence::file_role::FileRole;
use capdex_model::capability::Kind;
use capdex_model::fact::{Confidence, Severity};
use capdex_model::facts::NumberedFact;

use super::{FactSink, Lifecycle, RuleMeta};
use crate::questions;
use capdex_evidence::subject::Subject;

mod addresses;
mod anchored;
mod condition;
mod expression;
mod file;
mod finds;
mod look;
mod mildness;
mod prefilter;
mod question;
mod search_window;
mod sign;
#[cfg(test)]
mod tests;
mod view;
mod walk;

use expression::{Expression, note_scanned};
use file::DataRule;
use finds::{Find, Finds};
use look::ScannedText;
use mildness::FindContext;
use prefilter::{Candidates, Prefilter, PrefilterHits};
pub(super) use question::Question;
use search_window::{SearchWindow, find_in};
use view::TextView;

/// The file names without their ending, and the texts, of every data rule.
const FILES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/data_rules.rs"));

/// The tables of the prefilter before all rules, and of that before the secrets, as the build script worked them out.
const TABLES: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/engine_tables"));
const SECRET_TABLES: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/secret_tables"));

/// Room for the answers that all rules together give about a capability where they find little.
const TOLD: usize = 64;

/// The most matches of one expression in one text that are judged, each by its surroundings.
const JUDGED_MOST: usize = 10_000;

struct PatternEngine {
    rules: Vec<DataRule>,
    /// Every pattern of every running rule: the places of the rule and of the pattern in it.
    searches: Vec<(usize, usize)>,
    /// For each rule, where its marks begin among the expressions of the prefilter.
    marks: Vec<usize>,
    /// The questions of checks among them, behind all marks.
    questions: Range<usize>,
    /// Which of the searches a text can give a find at all and, after them, which marks it can hold.
    prefilter: Prefilter,
}

static ENGINE: LazyLock<PatternEngine> = LazyLock::new(|| {
    let rules = FILES.iter().map(|(_, text)| DataRule::parse(text).expect("a test parses every rule file"));
    PatternEngine::new(rules.collect())
});

impl PatternEngine {
    fn new(mut rules: Vec<DataRule>) -> Self {
        // Facts are kept in the order of their rules: reporting in that order leaves nothing to sort.
        rules.sort_by(|a, b| a.meta.id.cmp(&b.meta.id));
        // In the order of `CardNeeds::of_engine`: patterns, marks, questions.
        let running = |(_, rule): &(usize, &DataRule)| rule.meta.lifecycle != Lifecycle::Retired;
        let searches = rules.iter().enumerate().filter(running);
        let searches: Vec<(usize, usize)> =
            searches.flat_map(|(at, rule)| (0..rule.finders.len()).map(move |place| (at, place))).collect();
        let mut first = searches.len();
        let mut marks = Vec::with_capacity(rules.len());
        for rule in &rules {
            marks.push(first);
            first += rule.marks.len();
        }
        let questions = first..first + questions::ALL.len();
        Self { rules, searches, marks, questions, prefilter: Prefilter::read(TABLES) }
    }

    /// Looks at one text with every rule that may find something in it.
    fn scan(&self, look: &ScannedText<'_>, hits: &mut PrefilterHits, finds: &mut Finds) {
        note_scanned(look.text.len());
        // One pass for all rules, whatever their number.
        let candidates = self.prefilter.candidates(look.text, hits);
        // Questions are about the text as it is written: other views have other places.
        if matches!(look.view, TextView::Written(_)) {
            look.document.noted.get_or_init(|| question::answers(look.document, &candidates, self.questions.clone()));
        }
        // The patterns of a rule follow each other, and ask for the same marks.
        let mut marked = None;
        // The marks stand behind all patterns.
        for (search, (at, place)) in
            candidates.expressions().iter().map_while(|at| Some((*at, self.searches.get(*at)?)))
        {
            let rule = self.rules.get(*at).filter(|rule| rule.may_look_at(look.document, look.kind));
            let Some((rule, finder)) = rule.and_then(|rule| Some((rule, rule.finders.get(*place)?))) else { continue };
            let windows = candidates.windows(search);
            // The literals are there, but too far apart for one match.
            if windows.is_empty() {
                continue;
            }
            marked = marked.filter(|(rule, _)| rule == at);
            // Most texts have none of the marks, which is told without a search.
            let (_, is_marked) =
                *marked.get_or_insert_with(|| (*at, self.is_marked(*at, rule, &candidates, look.text)));
            if !is_marked {
                continue;
            }
            let finder = PatternFinder { rule: *at, search, expression: finder };
            rule.scan(&finder, &windows, look, finds);
        }
    }

    /// True where a text holds one of the marks without which the patterns of a rule are not tried.
    fn is_marked(&self, at: usize, rule: &DataRule, candidates: &Candidates<'_>, text: &[u8]) -> bool {
        let numbers = self.marks.get(at).map_or(0, |first| *first)..;
        rule.marks.is_empty()
            || rule.marks.iter().zip(numbers).any(|(mark, number)| candidates.holds(number, mark, text))
    }
}

/// One pattern of a rule, with its places in the engine.
struct PatternFinder<'a> {
    rule: usize,
    search: usize,
    expression: &'a Expression,
}

/// The descriptions of all data rules.
pub(super) fn metas() -> impl Iterator<Item = &'static RuleMeta> {
    ENGINE.rules.iter().map(|rule| &rule.meta)
}

/// The name and text of every rule file.
pub(super) fn texts() -> impl Iterator<Item = &'static (&'static str, &'static str)> {
    FILES.iter()
}

/// The finds of one rule in the documents of a capability.
#[derive(Default)]
struct RuleFinds<'a> {
    finds: Vec<(&'a Document, Find)>,
    /// The documents in which it has not looked at everything.
    cut: Vec<&'a Document>,
}

/// Runs every data rule over some capabilities; what is told of each. Rules that found nothing tell nothing; the others
/// tell once for each find.
pub(super) fn evaluate(subjects: &[Subject<'_>]) -> Vec<Vec<NumberedFact>> {
    let mut hits = PrefilterHits::default();
    subjects.iter().map(|subject| told_of(subject, &mut hits)).collect()
}

fn told_of(subject: &Subject<'_>, hits: &mut PrefilterHits) -> Vec<NumberedFact> {
    let mut told = Vec::with_capacity(TOLD);
    let kind = subject.capability.kind;
    let mut found: BTreeMap<usize, RuleFinds<'_>> = BTreeMap::new();
    for document in subject.documents().filter(|document| document.role != FileRole::Binary) {
        let mut here = Finds::default();
        for view in view::views(document) {
            ENGINE.scan(&ScannedText::new(document, &view, kind, subject.evidence.own_domains()), hits, &mut here);
        }
        for rule in here.cut() {
            found.entry(rule).or_default().cut.push(document);
        }
        for find in here.worst(document, |rule| ENGINE.rules.get(rule).map_or(0, |rule| rule.max_per_file)) {
            found.entry(find.rule).or_default().finds.push((document, find));
        }
    }
    for (at, RuleFinds { finds, cut }) in found {
        let Some(rule) = ENGINE.rules.get(at) else { continue };
        let mut sink = FactSink::new(&rule.meta);
        for (document, find) in finds {
            sink.found_as(find.severity, find.confidence, document.place(find.offset), &find.evidence);
        }
        // Said and not left out: a text that floods a rule must not look clean.
        for document in cut {
            sink.unavailable(&format!("more than {JUDGED_MOST} places to look at in {}", document.path));
        }
        told.extend(sink.facts);
    }
    told
}

impl DataRule {
    fn scan(&self, finder: &PatternFinder<'_>, windows: &[SearchWindow], look: &ScannedText<'_>, finds: &mut Finds) {
        let mut settled = 0..0;
        let kept = finds.of_search(finder.search, look.view.kind(), self.max_per_file);
        for found in find_in(windows, finder.expression, look.text) {
            // A second match in a sentence that already counts in full adds nothing.
            if settled.contains(&found.start) {
                continue;
            }
            if !kept.may_judge(JUDGED_MOST) {
                // Where the worst is known there is nothing left to learn.
                if !kept.has(self.meta.severity) {
                    finds.note_cut(finder.rule);
                }
                break;
            }
            let offset = look.view.origin(found.start);
            let Some((severity, confidence)) = self.judge(look, &found, offset) else { continue };
            if severity == self.meta.severity {
                settled = sentence_around(look.text, found.clone());
            }
            let (line, _) = look.document.line_at(offset);
            if kept.wants(severity, line) {
                let evidence = self.evidence(look.document, look.view, found);
                kept.keep(Find { rule: finder.rule, offset, severity, confidence, evidence }, line);
            } else if severity == self.meta.severity && kept.is_full(severity) {
                // Nothing worse can come, and nothing as bad can be reported any more.
                break;
            }
        }
    }

    fn may_look_at(&self, document: &Document, kind: Kind) -> bool {
        self.meta.kinds.contains(&kind)
            && self.roles.as_ref().map_or(document.role != FileRole::Lock, |roles| roles.contains(&document.role))
            && self.languages.as_ref().is_none_or(|languages| languages.contains(&document.language))
    }

    /// The severity and confidence of a match; none where it is no find.
    fn judge(&self, look: &ScannedText<'_>, found: &Range<usize>, offset: usize) -> Option<(Severity, Confidence)> {
        if self.zones.as_ref().is_some_and(|zones| !zones.contains(&look.document.zone_at(offset)))
            || !self.near.iter().all(|condition| look.meets(condition, found))
            || self.unless.iter().any(|condition| look.meets(condition, found))
        {
            return None;
        }
        let lowered = if self.lower.is_empty() {
            None
        } else {
            let context = Context::within(look.document, look.view.text(), found.clone(), offset);
            let around = FindContext::new(&context, look, found);
            self.lower.iter().filter_map(|lower| lower.severity(&around)).min()
        };
        let severity = lowered.map_or(self.meta.severity, |lowered| lowered.min(self.meta.severity));
        let severity = self.voices.weigh(look.document, offset, severity)?;
        // A find that its surroundings excuse is a weak sign.
        let confidence = if severity < self.meta.severity { Confidence::Low } else { self.meta.confidence };
        Some((severity, confidence))
    }

    /// The evidence that people are shown: the secret masked, or the sentence from where the find is in sight.
    fn evidence(&self, document: &Document, view: &TextView<'_>, found: Range<usize>) -> String {
        let text = view.text();
        let part = |range: Range<usize>| {
            let (start, end) = (text.floor_char_boundary(range.start), text.floor_char_boundary(range.end));
            text.get(start..end).unwrap_or("")
        };
        if self.mask {
            return masked(part(found));
        }
        let sentence = sentence_around(text.as_bytes(), found.clone());
        // Evidence is cut at 200 code points: the find itself must be in sight.
        let start = if found.end - sentence.start <= 180 { sentence.start } else { found.start };
        let quoted = part(start..sentence.end.min(start + 400)).trim();
        // Nobody finds in the file what stands in the plain spelling alone.
        if let Some(written) = view.written(document, found.clone()) {
            let written: String = written.chars().take(100).collect();
            return format!("{written} (that is: {})", part(found).trim());
        }
        if view.label().is_empty() { quoted.to_owned() } else { format!("{}: {quoted}", view.label()) }
    }
}

/// The first four and the last two characters of a secret.
fn masked(secret: &str) -> String {
    let letters: Vec<char> = secret.trim().chars().collect();
    // Six shown characters would be half of it or more.
    if letters.len() < 12 {
        return "…".to_owned();
    }
    let (first, last) = (letters.iter().take(4), letters.iter().skip(letters.len() - 2));
    first.chain(['…'].iter()).chain(last).collect()
}

/// The patterns whose finds are secrets, and the prefilter before them.
static SECRETS: LazyLock<(Vec<&Expression>, Prefilter)> = LazyLock::new(|| {
    let secrets: Vec<&Expression> =
        ENGINE.rules.iter().filter(|rule| rule.mask).flat_map(|rule| &rule.finders).collect();
    (secrets, Prefilter::read(SECRET_TABLES))
});

/// Evidence with every secret that a rule here knows masked, so that no rule shows what another one hides.
pub(super) fn mask_secrets(evidence: &str) -> Cow<'_, str> {
    let mut shown = Cow::Borrowed(evidence);
    let (secrets, prefilter) = &*SECRETS;
    // Nearly no evidence holds any piece of a secret; telling which rule's is the costly part.
    if !prefilter.is_touched(evidence.as_bytes()) {
        return shown;
    }
    let mut hits = PrefilterHits::default();
    for secret in
        prefilter.candidates(evidence.as_bytes(), &mut hits).expressions().iter().filter_map(|at| secrets.get(*at))
    {
        if secret.occurs_in(shown.as_bytes()) {
            let replaced = secret.regex().replace_all(shown.as_bytes(), |found: &regex::bytes::Captures<'_>| {
                let secret = found.get(0).map_or(&b""[..], |whole| whole.as_bytes());
                masked(&String::from_utf8_lossy(secret)).into_bytes()
            });
            shown = Cow::Owned(String::from_utf8_lossy(&replaced).into_owned());
        }
    }
    shown
}
