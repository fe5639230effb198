//! Parts of a text in which the matches of an expression may lie, and the search through them.
//!
//! The prefilter tells the parts. Must stay linear: where they overlap they are read together, because in a text of one
//! line each of thousands may reach to its end.

use std::ops::Range;

use super::anchored::{Anchored, SearchOutcome};
use super::expression::Expression;

/// A part of a text in which matches may lie.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SearchWindow {
    /// The places at which they may begin.
    pub(super) starts: Range<usize>,
    /// Their latest end, one byte more where the text has one: what follows a match counts too. Not before the end of a
    /// part that begins earlier.
    pub(super) end: usize,
}

/// The matches of an expression in a text that begin in some parts of it, which must be in order.
pub(super) fn find_in<'a>(
    windows: &'a [SearchWindow],
    expression: &'a Expression,
    text: &'a [u8],
) -> impl Iterator<Item = Range<usize>> {
    let overlapping = windows.chunk_by(|one, next| next.starts.start < one.end);
    overlapping.filter_map(move |windows| WindowSearch::new(windows, expression, text)).flatten()
}

/// The search through windows of which each overlaps the next one.
struct WindowSearch<'a> {
    expression: &'a Expression,
    way: Way<'a>,
    /// The text up to the end of the last one.
    held: &'a [u8],
    /// Those that are not done with.
    windows: &'a [SearchWindow],
    /// The place at which the next match may begin, in the first of them or behind its beginnings.
    from: usize,
    /// The first match of the expression that was not yet asked for; none inside where there are no more.
    ahead: Option<Option<Range<usize>>>,
}

/// The way in which an expression is looked for.
enum Way<'a> {
    /// Walked: little was asked of it until now.
    Walked,
    /// Only where it can begin, as long as that pays: by so many bytes more.
    Anchored(&'a Anchored, usize),
    /// With the tables for long texts.
    Plain,
}

impl<'a> WindowSearch<'a> {
    /// None where nothing can be found.
    fn new(windows: &'a [SearchWindow], expression: &'a Expression, text: &'a [u8]) -> Option<Self> {
        let from = windows.first().map_or(0, |first| first.starts.start);
        let end = windows.last().map_or(0, |last| last.end);
        let held = text.get(..end).unwrap_or(text);
        let mut search = Self { expression, way: Way::Walked, held, windows, from, ahead: None };
        let may_find = search.walk() || expression.may_occur_behind(held, from);
        // Nothing in all windows together: nearly always so.
        (may_find && search.ahead != Some(None)).then_some(search)
    }

    /// Walks to the first match that begins at `from` or later; false, and on another way, where that cannot be.
    fn walk(&mut self) -> bool {
        let length = self.held.len().saturating_sub(self.from);
        self.ahead = self.expression.walk(length).and_then(|walk| walk.find(self.held, self.from));
        let is_walked = self.ahead.is_some();
        if !is_walked {
            let anchored = self.expression.anchored();
            self.way = anchored.map_or(Way::Plain, |anchored| Way::Anchored(anchored, Anchored::budget(length)));
        }
        is_walked
    }

    /// The first match that begins at `from` or later; once there is none that begins before `end` it may be any later one.
    fn find(&mut self, end: usize) -> Option<Range<usize>> {
        let is_behind = |ahead: &Option<Range<usize>>| ahead.as_ref().is_some_and(|found| found.start < self.from);
        let is_known = !self.ahead.as_ref().is_none_or(is_behind);
        if is_known || matches!(self.way, Way::Walked) && self.walk() {
            return self.ahead.clone().flatten();
        }
        if let Way::Anchored(anchored, budget) = &mut self.way {
            match anchored.find(self.held, self.from..end, budget) {
                SearchOutcome::Found(found) => return Some(found),
                SearchOutcome::Nothing => return None,
                SearchOutcome::GaveUp(at) => (self.way, self.from) = (Way::Plain, at),
            }
        }
        self.ahead = Some(self.expression.regex().find_at(self.held, self.from).map(|found| found.range()));
        self.ahead.clone().flatten()
    }
}

impl Iterator for WindowSearch<'_> {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Range<usize>> {
        while let Some((window, later)) = self.windows.split_first() {
            let is_here = window.starts.contains(&self.from) && self.from <= self.held.len();
            let found = if is_here { self.find(window.starts.end) } else { None };
            if let Some(found) = found.filter(|found| window.starts.contains(&found.start)) {
                self.from = found.end.max(found.start + 1);
                return Some(found);
            }
            self.windows = later;
            self.from = later.first().map_or(self.from, |next| next.starts.start);
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(pattern: &str, windows: &[SearchWindow], text: &str) -> Vec<Range<usize>> {
        let find = |expression: &Expression| find_in(windows, expression, text.as_bytes()).collect();
        let (seldom, often) = (Expression::from(format!("(?:{pattern})")), Expression::from(pattern.to_owned()));
        // With so much behind it, it is walked no more.
        often.walk(usize::MAX >> 1);
        let found: Vec<Range<usize>> = find(&often);
        assert_eq!(found, find(&seldom), "{pattern}");
        found
    }

    /// An expression that is looked for as it is, and one that is looked for where it can begin.
    const PATTERNS: [&str; 2] = [r"stop (?:the )*wall", r"stop (?:the ){0,9}wall"];

    #[test]
    fn matches_that_begin_in_a_part_are_found_to_their_end() {
        for pattern in PATTERNS {
            assert_eq!(Expression::from(pattern.to_owned()).anchored().is_some(), pattern.contains(','));
            let text = "stop wall stop the wall stop the the wall";
            let at = |starts: Range<usize>, end| SearchWindow { starts, end };
            assert_eq!(found(pattern, &[at(0..42, 41)], text), [0..9, 10..23, 24..41]);
            assert_eq!(found(pattern, &[at(1..12, 23), at(24..25, 41)], text), [10..23, 24..41]);
            assert_eq!(found(pattern, &[at(1..12, 30), at(24..25, 41)], text), [10..23, 24..41]);
            assert_eq!(found(pattern, &[at(0..1, 41), at(2..3, 41), at(24..42, 41)], text), [0..9, 24..41]);
            assert!(found(pattern, &[at(1..3, 41), at(11..12, 41)], text).is_empty());
            assert!(found(pattern, &[], text).is_empty());
        }
    }

    #[test]
    fn an_empty_match_may_stand_at_the_end() {
        assert_eq!(found("x*", &[SearchWindow { starts: 0..3, end: 2 }], "ax"), [0..0, 1..2, 2..2]);
    }

    #[test]
    fn parts_that_reach_to_the_end_are_read_once() {
        // Each by itself would read some 30 billion bytes: nobody waits for that.
        let text = format!("{}stop the wall", "stop it now ".repeat(100_000));
        let starts = (0..text.len()).step_by(12).map(|at| at..at + 2);
        let windows: Vec<SearchWindow> = starts.map(|starts| SearchWindow { starts, end: text.len() }).collect();
        for pattern in PATTERNS {
            assert_eq!(found(pattern, &windows, &text), vec![Range { start: 1_200_000, end: 1_200_013 }]);
        }
        // From each beginning to the end of the text.
        assert!(found(r"stop (?:it ){0,9}[^\n]*walls", &windows, &text).is_empty());
    }
}
