//! Documents for people: whether a folder has a README, a licence and so on, found by name without a walk over all
//! files.
//!
//! Their text is not read, but for the README that core metadata carries.

use crate::Evidence;

/// At most so many names with one beginning are looked at, so that an input full of them costs no more than others.
const NAMES: usize = 256;

/// The number of documents up to which all names are looked at: that costs less than to look each spelling up.
const FEW: usize = 16;

/// True where a folder directly holds a document with one of the stems (in lower case): `license`, `LICENSE.md`,
/// `License-MIT`. Stems are looked for in lower case, upper case and with a capital.
pub(super) fn has(evidence: &Evidence, folder: &str, stems: &[&str]) -> bool {
    if evidence.documents.len() <= FEW {
        let names = evidence.documents.keys().filter_map(|path| below(path, folder));
        return names.into_iter().any(|name| stems.iter().any(|stem| is_called(name, stem)));
    }
    stems.iter().any(|stem| {
        // Three spellings, so that a range in the sorted paths finds each without a walk.
        let (first, rest) = stem.split_at(1);
        let written = [(*stem).to_owned(), stem.to_ascii_uppercase(), format!("{}{rest}", first.to_ascii_uppercase())];
        written.iter().any(|written| has_named(evidence, folder, written))
    })
}

/// A path as it goes on below a folder.
fn below<'a>(path: &'a str, folder: &str) -> Option<&'a str> {
    if folder.is_empty() { Some(path) } else { path.strip_prefix(folder)?.strip_prefix('/') }
}

/// True where a name is a stem in one of the three spellings, with an ending or more words behind it.
fn is_called(name: &str, stem: &str) -> bool {
    let Some((written, rest)) = name.split_at_checked(stem.len()) else { return false };
    let is_spelt = written.eq_ignore_ascii_case(stem) && {
        let mut letters = written.bytes().filter(u8::is_ascii_alphabetic);
        // `README`, `Readme` and `readme`: the same three that the search by range knows.
        let begins_large = letters.next().is_some_and(|first| first.is_ascii_uppercase());
        let large = letters.clone().filter(u8::is_ascii_uppercase).count();
        large == 0 || (begins_large && large == letters.count())
    };
    is_spelt && is_document(rest)
}

/// True where what follows a stem leaves it the name of a document in the folder itself.
fn is_document(rest: &str) -> bool {
    !rest.contains('/') && (rest.is_empty() || rest.starts_with(['.', '-', '_'])) && !is_source(rest)
}

fn has_named(evidence: &Evidence, folder: &str, stem: &str) -> bool {
    let beginning = if folder.is_empty() { stem.to_owned() } else { format!("{folder}/{stem}") };
    let paths = evidence.documents.range(beginning.clone()..).map(|(path, _)| path);
    let mut rests = paths.map_while(|path| path.strip_prefix(&beginning)).take(NAMES);
    rests.any(is_document)
}

/// Program source of that name is no document.
fn is_source(name: &str) -> bool {
    const ENDINGS: [&str; 11] = [".js", ".ts", ".py", ".json", ".go", ".rs", ".tsx", ".jsx", ".mjs", ".cjs", ".sh"];
    ENDINGS.iter().any(|ending| name.ends_with(ending))
}

/// True where core metadata carries the project's README: as its body, or as a header in the oldest form.
pub(super) fn has_body(evidence: &Evidence, path: &str) -> bool {
    let in_header = evidence
        .manifests
        .get(path)
        .is_some_and(|manifest| manifest.text("description").is_some_and(|text| text != "UNKNOWN"));
    let text = evidence.documents.get(path).map(|document| document.text.as_str()).unwrap_or_default();
    // Core metadata has the README behind its first blank line.
    let body = text.split_once("\n\n").or_else(|| text.split_once("\r\n\r\n")).map(|(_, body)| body.trim());
    in_header || body.is_some_and(|body| !body.is_empty() && body != "UNKNOWN")
}
