//! Lists that grow by the night, as pages that stay: one for each day, cut where a day has many entries.
//!
//! A list that is numbered from its newest entry moves all of its pages with every entry. The page of a day is written once.

use std::collections::BTreeMap;

use capdex_model::time::AsOf;
use maud::{Markup, html};

use super::layout;
use super::page_text::{day, number};

/// Days that the page of the newest names; the others are found from day to day.
const DAYS: usize = 60;

/// A page: its day, which page of that day it is, from 1, and the places of its entries in the list.
#[derive(Debug)]
pub(crate) struct DatedPart {
    pub(crate) day: String,
    pub(crate) number: usize,
    pub(crate) places: Vec<usize>,
}

impl DatedPart {
    /// Its path.
    pub(crate) fn path(&self, list: &str) -> String {
        match self.number {
            1 => format!("{list}-{}.html", self.day),
            number => format!("{list}-{}-{number}.html", self.day),
        }
    }
}

/// The pages of a list with so many entries on each, the newest day first; in a day entries keep their order.
pub(super) fn parts(instants: impl Iterator<Item = AsOf>, each: usize) -> Vec<DatedPart> {
    let mut days: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (at, instant) in instants.enumerate() {
        days.entry(day(instant)).or_default().push(at);
    }
    let cut = |(day, places): (String, Vec<usize>)| {
        let pages: Vec<DatedPart> = (1..)
            .zip(places.chunks(each.max(1)))
            .map(|(number, places)| DatedPart { day: day.clone(), number, places: places.to_vec() })
            .collect();
        pages
    };
    days.into_iter().rev().flat_map(cut).collect()
}

/// The newest days as a way to their pages.
pub(super) fn days(list: &str, parts: &[DatedPart]) -> Markup {
    let firsts = parts.iter().filter(|part| part.number == 1);
    let of_day = |day: &str| parts.iter().filter(|part| part.day == day).map(|part| part.places.len()).sum::<usize>();
    html! {
        @if !parts.is_empty() {
            nav class="nights" aria-label="Nights" {
                h2 { "By night" }
                ul { @for part in firsts.take(DAYS) { li { a href=(part.path(list)) { (part.day) } " " span class="quiet" { (number(of_day(&part.day) as u64)) } } } }
            }
        }
    }
}

/// The way from one page to its neighbours.
pub(super) fn beside(list: &str, parts: &[DatedPart], at: usize) -> Markup {
    let path = |part: Option<&DatedPart>| part.map(|part| part.path(list));
    let newer = at.checked_sub(1).and_then(|at| parts.get(at));
    layout::neighbours((path(newer), "Newer"), (path(parts.get(at + 1)), "Older"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_later_leaves_the_pages_of_before_as_they_are() {
        let instants =
            |texts: &[&str]| texts.iter().map(|text| text.parse().expect("an instant")).collect::<Vec<AsOf>>();
        let first = ["2026-11-20T03:00:00Z", "2026-11-20T02:00:00Z", "2026-11-20T01:00:00Z", "2026-11-19T01:00:00Z"];
        let paths = |texts: &[&str]| {
            let parts = parts(instants(texts).into_iter(), 2);
            parts.iter().map(|part| (part.path("drift"), part.places.len())).collect::<Vec<_>>()
        };
        let before = paths(&first);
        let expected = [("drift-2026-11-20.html", 2), ("drift-2026-11-20-2.html", 1), ("drift-2026-11-19.html", 1)];
        assert_eq!(before, expected.map(|(path, entries)| (path.to_owned(), entries)));
        let after = paths(&[&["2026-11-21T01:00:00Z"], &first[..]].concat());
        assert_eq!(after.get(1..), Some(&before[..]));
    }
}
