//! `Sketch`: a kilobyte that stands for all texts of a capability, from which the likeness of any two is read off.
//!
//! Every run of three words is hashed. The hashes fall into 256 bins, and each bin keeps its least. This is the MinHash
//! of one permutation (Li, Owen and Zhang 2012), a uniform sample over the union of any two texts. A text of few words
//! keeps nearly all its hashes, so that small texts compare exactly. Families are made of sketches alone, without
//! publishers.

use std::collections::BTreeMap;

use crate::wording::{hash_of, mix, words, words_without_name};
use capdex_model::digest::Digest;

/// Bins of a sketch.
pub(super) const BINS: usize = 256;
/// A bin into which nothing fell.
pub(super) const EMPTY: u32 = u32::MAX;
/// Words of a run.
const RUN: usize = 3;
/// Bytes of text that are read of one capability: what lies beyond is compared by digest only.
const MAX_TEXT_BYTES: usize = 16 << 20;
/// The version of what is kept: sketches of another version are made again.
pub const SKETCH_VERSION: u32 = 2;

/// The sketch of the content of a capability.
#[derive(Clone, PartialEq, Eq)]
pub struct Sketch {
    /// The digest over its files, by their paths below its folder.
    pub(super) exact: Digest,
    /// The number of different runs of words.
    pub(super) runs: u32,
    pub(super) bins: Box<[u32; BINS]>,
}

impl std::fmt::Debug for Sketch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sketch").field("exact", &self.exact).field("runs", &self.runs).finish_non_exhaustive()
    }
}

/// The files of a capability by their paths below its folder. Bytes that are no text have none.
pub type Files<'a> = BTreeMap<&'a str, (Digest, Option<&'a str>)>;

impl Sketch {
    /// Sketches files.
    pub fn of(files: &Files<'_>) -> Self {
        let exact = Digest::of_tree(files.iter().map(|(path, (digest, _))| (*path, *digest)));
        let runs = runs_of(files);
        let mut bins = Box::new([EMPTY; BINS]);
        for run in &runs {
            // The low half is the value and the top byte the bin: the two must not share bits, or bins would hold alike values.
            let value = u32::try_from(run & 0xffff_ffff).unwrap_or(EMPTY);
            if let Some(bin) = bins.get_mut(usize::try_from(run >> 56).unwrap_or(0)) {
                *bin = value.min(*bin);
            }
        }
        Self { exact, runs: u32::try_from(runs.len()).unwrap_or(u32::MAX), bins }
    }

    /// The bytes that the store keeps.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(36 + 4 * BINS);
        bytes.extend_from_slice(self.exact.as_bytes());
        bytes.extend_from_slice(&self.runs.to_le_bytes());
        self.bins.iter().for_each(|bin| bytes.extend_from_slice(&bin.to_le_bytes()));
        bytes
    }

    /// Reads what [`Sketch::to_bytes`] wrote; none for anything else.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (exact, rest) = bytes.split_first_chunk::<32>()?;
        let (runs, rest) = rest.split_first_chunk::<4>()?;
        let (words, odd) = rest.as_chunks::<4>();
        let bins: Vec<u32> = words.iter().map(|word| u32::from_le_bytes(*word)).collect();
        // A truncated or foreign row is made again, not read as a smaller sketch.
        if !odd.is_empty() {
            return None;
        }
        let bins: Box<[u32; BINS]> = bins.into_boxed_slice().try_into().ok()?;
        Some(Self { exact: Digest::from_bytes(*exact), runs: u32::from_le_bytes(*runs), bins })
    }
}

/// The hashes of all runs of words, sorted, each once.
pub(super) fn runs_of(files: &Files<'_>) -> Vec<u64> {
    let name = own_name(files);
    let mut runs = Vec::new();
    let mut left = MAX_TEXT_BYTES;
    let telling = files.iter().filter(|(path, _)| says_something(path));
    let mut texts: Vec<(usize, &str, &str)> =
        telling.filter_map(|(path, (_, text))| text.map(|text| (text.len(), *path, text))).collect();
    // Small ones first, so that one large text cannot keep all others from being read.
    texts.sort_unstable();
    for (length, _, text) in texts {
        // Sorted by size, so that nothing after the first that does not fit would fit either.
        let Some(rest) = left.checked_sub(length) else { break };
        left = rest;
        // Mixed once more, since the top byte chooses the bin and the low half is the value.
        runs.extend(words_without_name(text, &name).windows(RUN).map(|run| mix(hash_of(run))));
    }
    runs.sort_unstable();
    // A run that a text repeats must not weigh more: likeness is over sets.
    runs.dedup();
    runs
}

/// True where a file's text is the publisher's own: licences are everybody's, and lock files are made by programs.
pub(super) fn says_something(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
    let stem = name.split('.').next().unwrap_or_default();
    let is_licence = ["license", "licence", "copying", "notice", "unlicense", "code_of_conduct", "security"]
        .contains(&stem)
        || stem.starts_with("license-")
        || stem.starts_with("licence-");
    let is_lock = name.ends_with(".lock") || name.contains("-lock.") || name.ends_with(".lockb") || name == "go.sum";
    // Vendored files are other people's, and would make any two users of one library look alike.
    !is_licence && !is_lock && !path.split('/').any(|part| matches!(part, "node_modules" | ".git"))
}

/// The words of the name that the frontmatter of the capability's own document gives it.
pub(super) fn own_name(files: &Files<'_>) -> Vec<u64> {
    let documents = files.iter().filter(|(path, _)| !path.contains('/') || path.ends_with("/SKILL.md"));
    let named = documents.filter_map(|(_, (_, text))| name_in(text.as_ref()?)).next();
    let name = named.map(words).unwrap_or_default();
    // A name of one short word is likelier to be a word of the language than a name.
    if name.len() > 1 || named.is_some_and(|name| name.trim().len() > 5) { name } else { Vec::new() }
}

/// The `name:` of a frontmatter.
pub(crate) fn name_in(text: &str) -> Option<&str> {
    let text = text.trim_start_matches('\u{feff}');
    // Frontmatter is short; a document that never closes it must not be read to its end.
    let mut lines = text.lines().take(40);
    if lines.next()?.trim_end() != "---" {
        return None;
    }
    let named = lines.take_while(|line| line.trim_end() != "---").find_map(|line| line.strip_prefix("name:"))?;
    // A name of sentences would blank out much of the text.
    Some(named.trim().trim_matches(['"', '\''])).filter(|name| !name.is_empty() && name.len() <= 100)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sketch(texts: &[(&str, &str)]) -> Sketch {
        Sketch::of(&texts.iter().map(|(path, text)| (*path, (Digest::of(text.as_bytes()), Some(*text)))).collect())
    }

    #[test]
    fn a_sketch_comes_back_from_its_bytes_and_nothing_else_does() {
        let sketch = sketch(&[("SKILL.md", "one two three four five")]);
        let bytes = sketch.to_bytes();
        assert_eq!(sketch.runs, 3);
        assert_eq!(Sketch::from_bytes(&bytes), Some(sketch));
        assert_eq!(Sketch::from_bytes(&bytes[1..]), None);
        assert_eq!(Sketch::from_bytes(&[bytes.as_slice(), &[0; 4]].concat()), None);
        assert_eq!(Sketch::from_bytes(&[]), None);
    }

    #[test]
    fn one_large_text_does_not_keep_the_others_out() {
        let large = " ".repeat(MAX_TEXT_BYTES);
        let own = ("SKILL.md", "one two three four five");
        assert_eq!(sketch(&[("0.txt", &large), own]).bins, sketch(&[own]).bins);
    }

    #[test]
    fn licences_and_lock_files_say_nothing() {
        let own = [("SKILL.md", "one two three four five")];
        let more =
            [own[0], ("LICENSE.txt", "permission is hereby granted free of charge"), ("a/package-lock.json", "x y z")];
        assert_eq!(sketch(&own).bins, sketch(&more).bins);
        assert_ne!(sketch(&own).exact, sketch(&more).exact);
    }

    #[test]
    fn a_copy_under_another_name_is_the_same() {
        let text =
            |name: &str| format!("---\nname: {name}\ndescription: {name} sorts.\n---\n\nRun {name} now and then.\n");
        let (one, other) = (text("tidy-files"), text("best-sorter-pro"));
        assert_eq!(sketch(&[("SKILL.md", &one)]).bins, sketch(&[("SKILL.md", &other)]).bins);
    }
}
