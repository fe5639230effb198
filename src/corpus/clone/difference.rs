//! The difference that a copy makes to the original: files, lines, hosts.
//!
//! Compares the texts themselves, and so gives the exact likeness too; `verdict` judges what was added.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::sketch::{Files, own_name, runs_of, says_something};
use crate::MaskSecrets;
use crate::address::addresses;
use crate::wording::{hash_of, words_without_name};
use capdex_model::digest::Digest;

/// Lines that are kept.
const KEPT: usize = 40;
/// Paths and hosts that are kept of each. Those beyond count as new, so that nobody hides behind many.
const MOST: usize = 1_000;
/// Letters of a line that are kept.
const LINE: usize = 200;

/// The things that a copy has and the original has not. Everything here is untrusted text; secrets are masked.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Difference {
    /// Jaccard's coefficient over runs of three words, in thousandths.
    pub likeness: u32,
    /// Files that the original has not, by path below the capability's folder, sorted.
    pub files_added: Vec<String>,
    /// Files that have other bytes there, sorted.
    pub files_changed: Vec<String>,
    /// Files that only the original has, sorted.
    pub files_removed: Vec<String>,
    /// Files among those added or changed that are no text.
    pub binaries: Vec<String>,
    /// Lines whose words the original does not have anywhere, each with its file before it.
    pub lines: Vec<(String, String)>,
    /// Lines that are not kept here.
    pub lines_more: u64,
    /// Hosts that the original does not name, sorted.
    pub hosts: Vec<String>,
    /// Those of them that a program names, and not only a document.
    pub program_hosts: Vec<String>,
}

impl Difference {
    /// True where the copy has nothing that the original has not.
    pub fn adds_nothing(&self) -> bool {
        self.files_added.is_empty() && self.files_changed.is_empty()
    }

    /// True where a file of the copy, by its path below the capability's folder, has bytes that the original has not.
    pub fn is_new(&self, path: &str) -> bool {
        let mut new = [&self.files_added, &self.files_changed].into_iter();
        // A full list may have left out this file: it counts as new rather than as known.
        new.any(|files| files.len() >= MOST || files.iter().any(|file| file == path))
    }
}

/// Compares a copy with the original.
pub fn difference(original: &Files<'_>, copy: &Files<'_>, mask: MaskSecrets) -> Difference {
    // By bytes and not by path: a file that was only moved is nothing new.
    let bytes: BTreeSet<Digest> = original.values().map(|(digest, _)| *digest).collect();
    let is_new = |digest: &Digest| !bytes.contains(digest);
    let new: BTreeMap<&str, (Digest, Option<&str>)> =
        copy.iter().filter(|(_, (digest, _))| is_new(digest)).map(|(path, file)| (*path, *file)).collect();
    let (changed, added): (Vec<&str>, Vec<&str>) = new.keys().copied().partition(|path| original.contains_key(path));
    let removed = original.keys().filter(|path| !copy.contains_key(*path)).copied();
    let binaries = new.iter().filter(|(_, (_, text))| text.is_none()).map(|(path, _)| *path);
    let (lines, lines_more) = new_lines(original, copy, &new, mask);
    let texts = |files: &Files<'_>| files.values().filter_map(|(_, text)| *text).flat_map(hosts_in).collect();
    let known: BTreeSet<String> = texts(original);
    let new_hosts = |is_read: fn(&str) -> bool| -> Vec<String> {
        // Hosts are read of new files only, for those that stayed name none that the original does not.
        let files = new.iter().filter(|(path, _)| is_read(path)).filter_map(|(_, (_, text))| *text);
        let hosts: BTreeSet<String> = files.flat_map(hosts_in).filter(|host| !known.contains(host)).collect();
        hosts.into_iter().take(MOST).collect()
    };
    Difference {
        likeness: likeness(&runs_of(original), &runs_of(copy)),
        files_added: kept(added),
        files_changed: kept(changed),
        files_removed: kept(removed),
        binaries: kept(binaries),
        lines,
        lines_more,
        hosts: new_hosts(|_| true),
        program_hosts: new_hosts(|path| !is_document(path)),
    }
}

fn hosts_in(text: &str) -> impl Iterator<Item = String> {
    addresses(text).into_iter().map(|address| address.host)
}

fn kept<'a>(paths: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    paths.into_iter().take(MOST).map(str::to_owned).collect()
}

fn shortened(text: &str) -> String {
    text.chars().take(LINE).collect()
}

/// Jaccard's coefficient of two sorted sets in thousandths; two empty ones are equal.
fn likeness(one: &[u64], other: &[u64]) -> u32 {
    let (mut both, mut rest) = (0_u64, other.iter().peekable());
    for run in one {
        // Both lists are sorted and without repetition, so that one walk counts what both have.
        while rest.next_if(|other| *other < run).is_some() {}
        both += u64::from(rest.next_if(|other| *other == run).is_some());
    }
    let either = (one.len() + other.len()) as u64 - both;
    // Two empty texts divide by nothing and are equal.
    (both * 1000).checked_div(either).and_then(|share| u32::try_from(share).ok()).unwrap_or(1000)
}

/// The lines of new files whose words stand in no line of the original, programs before documents.
fn new_lines(
    original: &Files<'_>,
    copy: &Files<'_>,
    new: &Files<'_>,
    mask: MaskSecrets,
) -> (Vec<(String, String)>, u64) {
    // Each text is compared without its own name: a copy that only calls itself something else adds no line.
    let line = |text: &str, name: &[u64]| hash_of(&words_without_name(text, name));
    let name = own_name(original);
    let texts = original.values().filter_map(|(_, text)| *text);
    let mut known: Vec<u64> = texts.flat_map(str::lines).map(|text| line(text, &name)).collect();
    known.sort_unstable();
    known.dedup();
    let name = own_name(copy);
    let mut order: Vec<(&str, &str)> = new.iter().filter_map(|(path, (_, text))| Some((*path, (*text)?))).collect();
    order.retain(|(path, _)| says_something(path));
    // Programs first: a copy could fill the lines that are kept with prose.
    order.sort_by_key(|(path, _)| (is_document(path), *path));
    let (mut lines, mut more) = (Vec::new(), 0);
    for (path, text) in order {
        for added in
            text.lines().filter(|text| !text.trim().is_empty() && known.binary_search(&line(text, &name)).is_err())
        {
            if lines.len() < KEPT {
                // Masked after the cut, so that what is stored passed the mask as it stands.
                lines.push((shortened(path), mask(&shortened(added.trim())).into_owned()));
            } else {
                more += 1;
            }
        }
    }
    (lines, more)
}

/// True for a file that is read and not run.
fn is_document(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
    [".md", ".mdc", ".mdx", ".txt", ".rst", ".adoc"].iter().any(|ending| name.ends_with(ending)) || !name.contains('.')
}
