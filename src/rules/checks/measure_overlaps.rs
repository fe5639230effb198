//! Overlaps: how much of what one tool's description says another tool's says as well.
//!
//! Source: the public engine of SpiderRating, version 0.3.4, which compares every two tools.

use super::numbered::{Headed, Numbered};

/// The most words that are compared between tools in all: the comparison of every pair is quadratic.
const COMPARISON_BUDGET: usize = 5_000_000;

/// For each tool the largest overlap of its words with another tool's, as (common words, words of the smaller set), and
/// whether every pair could be compared. Words of at most two letters and words of more than half of the tools do not
/// count.
pub(super) fn overlaps(lower: &[String]) -> (Vec<Option<(usize, usize)>>, bool) {
    let mut best: Vec<Option<(usize, usize)>> = vec![None; lower.len()];
    if lower.len() < 2 {
        return (best, true);
    }
    let words = content_words(lower);
    let holders = Holders::of(&words);
    let mut budget = COMPARISON_BUDGET;
    let mut common = vec![0; lower.len()];
    for (index, mine) in words.iter().enumerate() {
        common.fill(0);
        holders.count(index, mine, &mut common);
        for ((other, theirs), common) in words.iter().enumerate().zip(&common).skip(index + 1) {
            // Charged by the words of both sets: a faster way of counting must not change which servers are cut off.
            let Some(left) = budget.checked_sub(mine.count + theirs.count + 1) else { return (best, false) };
            budget = left;
            let smaller = mine.count.min(theirs.count);
            // The share is of the smaller set: of an empty one there is none.
            if smaller == 0 {
                continue;
            }
            let overlap = (*common, smaller);
            for tool in [index, other] {
                if let Some(known) = best.get_mut(tool) {
                    *known = Some(known.map_or(overlap, |old| larger(old, overlap)));
                }
            }
        }
    }
    (best, true)
}

fn larger(one: (usize, usize), two: (usize, usize)) -> (usize, usize) {
    // Compared as fractions in whole numbers: a rounded quotient could choose another pair on another machine.
    if two.0 * one.1 > one.0 * two.1 { two } else { one }
}

/// The words of one tool.
#[derive(Clone, Default)]
struct Own {
    /// The number of words that count.
    count: usize,
    /// Those that another tool has as well, as numbers.
    shared: Vec<usize>,
}

/// The words of each tool.
fn content_words(lower: &[String]) -> Vec<Own> {
    let texts: Vec<Vec<Headed>> = lower.iter().map(|text| text.split_whitespace().map(Headed::of).collect()).collect();
    let all = texts.iter().map(Vec::len).sum();
    let mut known = Numbered::with_room(all);
    // For each word how many tools have it, and the last of them.
    let mut had: Vec<(usize, Option<usize>)> = Vec::with_capacity(all);
    let mut words = vec![Own::default(); lower.len()];
    for ((tool, text), own) in texts.iter().enumerate().zip(&mut words) {
        own.shared.reserve(text.len());
        for word in text {
            let number = known.add(*word);
            if number == had.len() {
                had.push((0, None));
            }
            let Some((tools, last)) = had.get_mut(number) else { continue };
            // A word counts once for each tool, however often it stands there.
            if *last != Some(tool) {
                (*tools, *last) = (*tools + 1, Some(tool));
                own.shared.push(number);
            }
        }
    }
    let half = (lower.len() / 2).max(1);
    let tools = |number: usize| had.get(number).map_or(0, |(tools, _)| *tools);
    let counts = |number: usize| {
        let is_long = known.words.get(number).is_some_and(|word| word.text.chars().nth(2).is_some());
        is_long && tools(number) <= half
    };
    for own in &mut words {
        own.shared.retain(|number| counts(*number));
        own.count = own.shared.len();
        // After the count: a word of one tool alone adds to the size of its set and to no overlap.
        own.shared.retain(|number| tools(*number) > 1);
    }
    words
}

/// For each shared word the tools that have it, one word's behind another's. Most words are shared by few: going through
/// the tools that have a word is much less work than comparing the words of every two.
struct Holders {
    /// The begin of those of each word, by its number, and the end of the last.
    starts: Vec<usize>,
    tools: Vec<usize>,
}

impl Holders {
    fn of(words: &[Own]) -> Self {
        let shared =
            || words.iter().enumerate().flat_map(|(tool, own)| own.shared.iter().map(move |word| (tool, *word)));
        let words = shared().map(|(_, word)| word + 1).max().unwrap_or(0);
        let mut starts = vec![0; words + 1];
        shared().for_each(|(_, word)| starts.get_mut(word + 1).into_iter().for_each(|count| *count += 1));
        let mut end = 0;
        for start in &mut starts {
            end += *start;
            *start = end;
        }
        let (mut next, mut tools) = (starts.clone(), vec![0; end]);
        for (tool, word) in shared() {
            let Some(place) = next.get_mut(word) else { continue };
            tools.get_mut(*place).into_iter().for_each(|held| *held = tool);
            *place += 1;
        }
        Self { starts, tools }
    }

    /// Adds for each tool behind one how many words it has in common with that.
    fn count(&self, tool: usize, own: &Own, common: &mut [usize]) {
        for bounds in own.shared.iter().filter_map(|word| self.starts.get(*word..word + 2)) {
            let [start, end] = *bounds else { continue };
            let holders = self.tools.get(start..end).unwrap_or_default().iter().rev();
            for holder in holders.take_while(|holder| **holder > tool) {
                common.get_mut(*holder).into_iter().for_each(|count| *count += 1);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// Pair by pair, as the reference does it.
    fn by_pairs(lower: &[String]) -> Vec<Option<(usize, usize)>> {
        let sets: Vec<BTreeSet<&str>> = lower.iter().map(|text| text.split_whitespace().collect()).collect();
        let tools = |word: &str| sets.iter().filter(|set| set.contains(word)).count();
        let counts = |word: &&str| word.chars().count() > 2 && tools(word) <= (lower.len() / 2).max(1);
        let sets: Vec<BTreeSet<&str>> = sets.iter().map(|set| set.iter().copied().filter(counts).collect()).collect();
        let best = |(index, mine): (usize, &BTreeSet<&str>)| {
            let others = sets.iter().enumerate().filter(|(other, theirs)| *other != index && !theirs.is_empty());
            let overlaps = others.map(|(_, theirs)| (mine.intersection(theirs).count(), mine.len().min(theirs.len())));
            overlaps.filter(|_| !mine.is_empty()).reduce(larger)
        };
        sets.iter().enumerate().map(best).collect()
    }

    proptest::proptest! {
        #[test]
        fn every_two_tools_are_compared(texts in proptest::collection::vec("([a-e]{2,3} ){0,12}", 0..9)) {
            proptest::prop_assert_eq!(overlaps(&texts), (by_pairs(&texts), true));
        }
    }
}
