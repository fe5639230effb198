//! The finds of all data rules in one document: at most as many as can be shown, the worst and first ones.
//!
//! A file with a million matches costs no more memory than one with twenty: of each expression only those finds are
//! kept that could still be among the few that its rule reports.

use std::collections::{BTreeMap, BTreeSet};

use capdex_evidence::document::Document;
use capdex_model::fact::{Confidence, Severity};

/// One find of one rule in one document.
#[derive(Debug)]
pub(super) struct Find {
    pub(super) rule: usize,
    pub(super) offset: usize,
    pub(super) severity: Severity,
    pub(super) confidence: Confidence,
    pub(super) evidence: String,
}

/// The finds so far.
#[derive(Debug, Default)]
pub(super) struct Finds {
    searches: BTreeMap<(usize, u8), SearchFinds>,
    /// The rules that have not looked at every match.
    cut: BTreeSet<usize>,
}

/// The finds of one expression in one kind of text.
#[derive(Debug, Default)]
pub(super) struct SearchFinds {
    /// Each with the beginning of its line.
    kept: Vec<(Find, usize)>,
    judged: usize,
    most: usize,
}

impl Finds {
    /// The finds of one search in one kind of text, of whose rule `most` are reported.
    pub(super) fn of_search(&mut self, search: usize, kind: u8, most: usize) -> &mut SearchFinds {
        let found = self.searches.entry((search, kind)).or_default();
        found.most = most;
        found
    }

    /// Notes that a rule has not looked at every match.
    pub(super) fn note_cut(&mut self, rule: usize) {
        self.cut.insert(rule);
    }

    /// The rules that have not looked at every match.
    pub(super) fn cut(&self) -> impl Iterator<Item = usize> {
        self.cut.iter().copied()
    }

    /// One find for each line, the worst ones first, as many as each rule allows.
    pub(super) fn worst(self, document: &Document, most: impl Fn(usize) -> usize) -> Vec<Find> {
        let mut finds: Vec<Find> =
            self.searches.into_values().flat_map(|search| search.kept).map(|kept| kept.0).collect();
        // By severity before place, so that what is cut off is never worse than what is kept.
        finds.sort_by(|a, b| {
            (a.rule, b.severity, a.offset, &a.evidence).cmp(&(b.rule, a.severity, b.offset, &b.evidence))
        });
        let mut kept: Vec<Find> = Vec::new();
        for find in finds {
            let line = document.line_at(find.offset);
            let earlier = kept.iter().rev().take_while(|other| other.rule == find.rule);
            let (mut count, mut same) = (0, false);
            for other in earlier {
                count += 1;
                // The same words again, or a second find on one line, tell a reader nothing new.
                same |= other.evidence == find.evidence || line == document.line_at(other.offset);
            }
            if !same && count < most(find.rule) {
                kept.push(find);
            }
        }
        kept
    }
}

impl SearchFinds {
    /// Counts a match that is judged; whether it is still within the number.
    pub(super) fn may_judge(&mut self, most: usize) -> bool {
        self.judged += 1;
        self.judged <= most
    }

    /// True where a find of a severity on a line may still be reported. One that shares its line or its evidence with
    /// another is reported only where that other one is not, and fewer than `most` are, so that more than `most` of
    /// each are never needed.
    pub(super) fn wants(&self, severity: Severity, line: usize) -> bool {
        !self.is_full(severity) && self.of(severity).filter(|(_, other)| *other == line).count() < self.most
    }

    /// True where no further find of a severity can be reported. Each line and each text stands at most `most` times
    /// among those kept, so that 2 × `most` − 1 of them share neither; each one that is reported stands in the way of
    /// two of those, and fewer than `most` do.
    pub(super) fn is_full(&self, severity: Severity) -> bool {
        self.of(severity).count() >= self.most * (2 * self.most).saturating_sub(1)
    }

    /// True where there is any find of a severity.
    pub(super) fn has(&self, severity: Severity) -> bool {
        self.of(severity).next().is_some()
    }

    /// Keeps a find that is wanted.
    pub(super) fn keep(&mut self, find: Find, line: usize) {
        let same = || self.of(find.severity).filter(|(other, _)| other.evidence == find.evidence);
        // One more of the same evidence could not be reported anyway.
        if same().count() < self.most && same().all(|(_, other)| *other != line) {
            self.kept.push((find, line));
        }
    }

    fn of(&self, severity: Severity) -> impl Iterator<Item = &(Find, usize)> {
        self.kept.iter().filter(move |(find, _)| find.severity == severity)
    }
}
