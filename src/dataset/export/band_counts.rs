//! `BandCounts`: how many capabilities have each verdict, and what became of the counts since an earlier dataset.

use std::fmt;

use capdex_model::score::Band;
use serde::{Deserialize, Serialize};

/// The bands from the one that most wants a person to the one that least does.
const WORST_FIRST: [Band; 5] = [Band::Block, Band::Caution, Band::Unknown, Band::Watch, Band::Ok];

/// The place of a band among them, from 0: lists begin with what most wants a person.
pub fn place(band: Band) -> usize {
    WORST_FIRST.iter().position(|other| *other == band).unwrap_or(WORST_FIRST.len())
}

/// Capabilities by their verdict's band. Prints worst first: `8 block · 9 caution · 3 unknown · 19 watch · 132 ok`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BandCounts([u64; WORST_FIRST.len()]);

impl BandCounts {
    /// Counts one.
    pub fn add(&mut self, band: Band) {
        for (count, of) in self.0.iter_mut().zip(WORST_FIRST) {
            *count += u64::from(of == band);
        }
    }

    /// Counts one by its word; a word that is no band is not counted.
    pub(super) fn add_word(&mut self, word: &str) {
        if let Some(band) = WORST_FIRST.into_iter().find(|band| band.as_str() == word) {
            self.add(band);
        }
    }

    /// The differences from earlier counts, worst first, as in `+4 block, -1 caution`. None where there is none.
    pub fn since(&self, before: &Self) -> Option<String> {
        let differs = self.0.iter().zip(before.0).zip(WORST_FIRST).filter(|((now, before), _)| **now != *before);
        let differences: Vec<String> = differs
            .map(|((now, before), band)| {
                let (sign, by) = if *now > before { ('+', now - before) } else { ('-', before - now) };
                format!("{sign}{by} {}", band.as_str())
            })
            .collect();
        (!differences.is_empty()).then(|| differences.join(", "))
    }
}

impl fmt::Display for BandCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, (count, band)) in self.0.iter().zip(WORST_FIRST).enumerate() {
            let between = if at == 0 { "" } else { " · " };
            write!(f, "{between}{count} {}", band.as_str())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(words: &[&str]) -> BandCounts {
        let mut counts = BandCounts::default();
        words.iter().for_each(|word| counts.add_word(word));
        counts
    }

    #[test]
    fn counts_stand_worst_first_and_every_band_has_one() {
        let now = counts(&["ok", "block", "ok", "watch", "unknown", "caution", "ok", "no band"]);
        assert_eq!(now.to_string(), "1 block · 1 caution · 1 unknown · 1 watch · 3 ok");
        assert_eq!(BandCounts::default().to_string(), "0 block · 0 caution · 0 unknown · 0 watch · 0 ok");
    }

    #[test]
    fn only_what_became_more_or_fewer_is_told() {
        let before = counts(&["ok", "ok", "caution"]);
        assert_eq!(counts(&["ok", "block", "block"]).since(&before).as_deref(), Some("+2 block, -1 caution, -1 ok"));
        assert_eq!(before.since(&before), None);
    }
}
