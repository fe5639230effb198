//! The words of the site: one list, shown as hover text where a word stands and as a page of its own.

use std::collections::BTreeMap;

use maud::{Markup, html};

use super::layout::{self, PageFrame, heading};
use super::site::Site;

/// The page.
pub(crate) const PATH: &str = "glossary.html";

/// The words with their meanings, as lines `word: meaning`.
fn words() -> impl Iterator<Item = (&'static str, &'static str)> {
    include_str!("assets/glossary.txt").lines().filter_map(|line| line.split_once(": "))
}

/// A word of the list, with its meaning as hover text.
///
/// # Panics
/// Where the list has no such word, which is a fault of ours.
pub(super) fn term(word: &str) -> Markup {
    let meaning = words().find(|(known, _)| *known == word).map(|(_, meaning)| meaning);
    html! { abbr title=(meaning.expect("the glossary has every word that is looked up")) { (word) } }
}

/// The meanings of some words, for the script that shows them.
pub(super) fn meanings(asked: &[&str]) -> BTreeMap<&'static str, &'static str> {
    words().filter(|(word, _)| asked.contains(word)).collect()
}

/// The page of all words.
pub(crate) fn page(site: &Site) -> String {
    let frame = PageFrame {
        title: "Glossary",
        part: "glossary",
        path: PATH,
        description: "What the words on these pages mean: verdict, finding, rubric, drift, gap and the others.",
    };
    let lead = html! { "One word for one thing, on these pages, in the dataset, in the API and on the command line." };
    layout::page(
        site,
        &frame,
        &html! {
            (heading("Glossary", &lead))
            dl class="glossary" { @for (word, meaning) in words() { dt id=(word.replace(' ', "-")) { (word) } dd { (meaning) } } }
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_a_word_with_its_meaning_in_order() {
        let text = include_str!("assets/glossary.txt");
        assert_eq!(words().count(), text.lines().count());
        let known: Vec<&str> = words().map(|(word, _)| word).collect();
        assert!(known.is_sorted(), "{known:?}");
        assert_eq!(
            term("gap").into_string(),
            format!("<abbr title=\"{}\">gap</abbr>", words().find(|(word, _)| *word == "gap").expect("there").1)
        );
    }
}
