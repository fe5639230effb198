//! The engine for data rules: every expression of every rule in one automaton, run once over each text.
//!
//! Expressions only anchor a find; what must stand near it is a condition, checked afterwards, so that the automaton
//! stays small. Matching is linear: expressions without Unicode classes in one set with a large cache (the default cache
//! is 25 times slower, Unicode classes 190 times), windows of bounded size around each find.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::LazyLock;

use regex::bytes::{RegexSet, RegexSetBuilder};

use crate::capability::Kind;
use crate::evidence::context::{Context, sentence_around};
use crate::evidence::document::{Document, FileRole, floor_char_boundary};
use crate::fact::{Confidence, Fact, Severity};

use super::{FactSink, Lifecycle, RuleMeta, Subject};

mod condition;
mod file;
#[cfg(test)]
mod tests;
mod view;

use condition::Around;
use file::DataRule;
use view::View;

/// The file names without their ending, and the texts, of every data rule.
const FILES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/data_rules.rs"));

/// The cache that the automaton may use for each thread.
const CACHE_BYTES: usize = 64 << 20;

struct Engine {
    rules: Vec<DataRule>,
    set: RegexSet,
    /// For each expression of the set, the place of its rule.
    owners: Vec<usize>,
}

static ENGINE: LazyLock<Engine> = LazyLock::new(|| {
    let rules = FILES.iter().map(|(_, text)| DataRule::parse(text).expect("a test parses every rule file"));
    Engine::new(rules.collect())
});

impl Engine {
    fn new(mut rules: Vec<DataRule>) -> Self {
        // Facts are kept in the order of their rules: reporting in that order leaves nothing to sort.
        rules.sort_by(|a, b| a.meta.id.cmp(&b.meta.id));
        let running = || rules.iter().enumerate().filter(|(_, rule)| rule.meta.lifecycle != Lifecycle::Retired);
        let owners = running().flat_map(|(at, rule)| rule.marks.iter().map(move |_| at)).collect();
        let patterns = running().flat_map(|(_, rule)| &rule.marks);
        let set = RegexSetBuilder::new(patterns)
            .unicode(false)
            .size_limit(CACHE_BYTES)
            .dfa_size_limit(CACHE_BYTES)
            .build()
            .expect("a test compiles every expression");
        Self { rules, set, owners }
    }
}

/// What is known of every data rule.
pub(super) fn metas() -> impl Iterator<Item = &'static RuleMeta> {
    ENGINE.rules.iter().map(|rule| &rule.meta)
}

/// The name and text of every rule file.
pub(super) fn texts() -> impl Iterator<Item = &'static (&'static str, &'static str)> {
    FILES.iter()
}

/// One find of one rule in one document.
#[derive(Debug)]
struct Find {
    rule: usize,
    offset: usize,
    severity: Severity,
    confidence: Confidence,
    evidence: String,
}

/// Runs every data rule over one capability. Each answers exactly once or, where it found something, once for each
/// find.
pub(super) fn evaluate(subject: &Subject<'_>, facts: &mut Vec<Fact>) {
    let kind = subject.capability.kind;
    let mut finds: BTreeMap<usize, Vec<(&Document, Find)>> = BTreeMap::new();
    for document in subject.documents().filter(|document| document.role != FileRole::Binary) {
        let mut here = Vec::new();
        for view in view::views(document) {
            scan(&ENGINE, document, &view, kind, &mut here);
        }
        for find in keep_worst(&ENGINE, document, here) {
            finds.entry(find.rule).or_default().push((document, find));
        }
    }
    for (at, rule) in ENGINE.rules.iter().enumerate().filter(|(_, rule)| rule.meta.lifecycle != Lifecycle::Retired) {
        let mut sink = FactSink::new(&rule.meta, facts);
        if !rule.meta.kinds.contains(&kind) {
            sink.not_applicable();
            continue;
        }
        match finds.get(&at) {
            None => sink.absent(),
            Some(finds) => {
                for (document, find) in finds {
                    sink.found_as(find.severity, find.confidence, document.place(find.offset), &find.evidence);
                }
            }
        }
    }
}

fn scan(engine: &Engine, document: &Document, view: &View<'_>, kind: Kind, finds: &mut Vec<Find>) {
    let text = view.text().as_bytes();
    let mut last = None;
    for at in engine.set.matches(text).into_iter().filter_map(|index| engine.owners.get(index).copied()) {
        // The expressions of one rule stand side by side.
        if last.replace(at) == Some(at) {
            continue;
        }
        if let Some(rule) = engine.rules.get(at).filter(|rule| rule.may_look_at(document, kind)) {
            rule.scan(at, document, view, kind, finds);
        }
    }
}

/// One find for each line, the worst ones first, as many as the rule allows.
fn keep_worst(engine: &Engine, document: &Document, mut finds: Vec<Find>) -> Vec<Find> {
    finds.sort_by(|a, b| (a.rule, b.severity, a.offset, &a.evidence).cmp(&(b.rule, a.severity, b.offset, &b.evidence)));
    let mut kept: Vec<Find> = Vec::new();
    for find in finds {
        let line = document.line_at(find.offset);
        let earlier = kept.iter().rev().take_while(|other| other.rule == find.rule);
        let (mut count, mut same) = (0, false);
        for other in earlier {
            count += 1;
            same |= other.evidence == find.evidence || line == document.line_at(other.offset);
        }
        let most = engine.rules.get(find.rule).map_or(0, |rule| rule.max_per_file);
        if !same && count < most {
            kept.push(find);
        }
    }
    kept
}

impl DataRule {
    fn scan(&self, at: usize, document: &Document, view: &View<'_>, kind: Kind, finds: &mut Vec<Find>) {
        let text = view.text().as_bytes();
        for finder in &self.finders {
            let mut settled = 0..0;
            for found in finder.find_iter(text).map(|found| found.range()) {
                // A second match in a sentence that already counts in full adds nothing.
                if settled.contains(&found.start) {
                    continue;
                }
                let Some(find) = self.judge(document, view, found.clone(), kind, at) else { continue };
                if find.severity == self.meta.severity {
                    settled = sentence_around(text, found);
                }
                finds.push(find);
            }
        }
    }

    fn may_look_at(&self, document: &Document, kind: Kind) -> bool {
        self.meta.kinds.contains(&kind)
            && self.roles.as_ref().map_or(document.role != FileRole::Lock, |roles| roles.contains(&document.role))
            && self.languages.as_ref().is_none_or(|languages| languages.contains(&document.language))
    }

    /// Whether a match is a find, and how bad.
    fn judge(
        &self,
        document: &Document,
        view: &View<'_>,
        found: Range<usize>,
        kind: Kind,
        rule: usize,
    ) -> Option<Find> {
        let text = view.text().as_bytes();
        let offset = view.origin(found.start);
        if self.zones.as_ref().is_some_and(|zones| !zones.contains(&document.zone_at(offset)))
            || !self.near.iter().all(|condition| condition.holds(document, text, &found))
            || self.unless.iter().any(|condition| condition.holds(document, text, &found))
        {
            return None;
        }
        let lowered = if self.lower.is_empty() {
            None
        } else {
            let context = Context::within(document, view.text(), found.clone(), offset);
            let around = Around { context: &context, document, text, found: &found, kind };
            self.lower.iter().filter_map(|lower| lower.severity(&around)).min()
        };
        let severity = lowered.map_or(self.meta.severity, |lowered| lowered.min(self.meta.severity));
        let milder = severity < self.meta.severity;
        let confidence = if milder { Confidence::Low } else { self.meta.confidence };
        Some(Find { rule, offset, severity, confidence, evidence: self.evidence(view, found) })
    }

    /// What people are shown: the secret masked, or the sentence from where the find is in sight.
    fn evidence(&self, view: &View<'_>, found: Range<usize>) -> String {
        let text = view.text();
        let part = |range: Range<usize>| {
            let (start, end) = (floor_char_boundary(text, range.start), floor_char_boundary(text, range.end));
            text.get(start..end).unwrap_or("")
        };
        if self.mask {
            return masked(part(found));
        }
        let sentence = sentence_around(text.as_bytes(), found.clone());
        let start = if found.end - sentence.start <= 180 { sentence.start } else { found.start };
        let quoted = part(start..sentence.end.min(start + 400)).trim();
        if view.label().is_empty() { quoted.to_owned() } else { format!("{}: {quoted}", view.label()) }
    }
}

/// The first four and the last two characters of a secret.
fn masked(secret: &str) -> String {
    let letters: Vec<char> = secret.trim().chars().collect();
    if letters.len() < 12 {
        return "…".to_owned();
    }
    let (first, last) = (letters.iter().take(4), letters.iter().skip(letters.len() - 2));
    first.chain(['…'].iter()).chain(last).collect()
}

/// Evidence with every secret that a rule here knows masked, so that no rule shows what another one hides.
pub(super) fn mask_secrets(evidence: &str) -> Cow<'_, str> {
    let mut shown = Cow::Borrowed(evidence);
    for finder in ENGINE.rules.iter().filter(|rule| rule.mask).flat_map(|rule| &rule.finders) {
        if finder.is_match(shown.as_bytes()) {
            let replaced = finder.replace_all(shown.as_bytes(), |found: &regex::bytes::Captures<'_>| {
                let secret = found.get(0).map_or(&b""[..], |whole| whole.as_bytes());
                masked(&String::from_utf8_lossy(secret)).into_bytes()
            });
            shown = Cow::Owned(String::from_utf8_lossy(&replaced).into_owned());
        }
    }
    shown
}
