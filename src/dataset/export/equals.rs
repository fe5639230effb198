//! `order_equals`: of what is equal in all else, the one in fewer different words stands first, then the one nearer to its package's root.
//!
//! Bytes tell nearly everything apart; what is left are texts that happen to be of one length, and copies. Texts are read for these alone.

use std::collections::{BTreeMap, BTreeSet};

use capdex_db::{CurrentCapability, Reader, StoreError};
use capdex_model::digest::Digest;
use capdex_rubrics::rank::{Merit, RankKey};

/// Files with more bytes are not read for their words: that two of them are of one length is no chance.
const MOST_BYTES: u64 = 1 << 20;

/// Orders by the different words of their files, then by depth, what `key` holds for equal. `order` is sorted by `key` already; `current`
/// gives the capability of an entry. Copies of one content have the same words, which are not counted then: that one which lies nearest to
/// its package's root is what clients load, the deeper ones are templates and builds of it.
///
/// # Errors
/// Errors of the store.
pub fn order_equals<T>(
    reader: &Reader,
    order: &mut [(Merit, T)],
    key: impl Fn(&Merit) -> RankKey,
    current: impl Fn(&T) -> Result<CurrentCapability, StoreError>,
) -> Result<(), StoreError> {
    let mut known: BTreeMap<Digest, Option<u64>> = BTreeMap::new();
    for equals in order.chunk_by_mut(|(one, _), (other, _)| key(one) == key(other)).filter(|equals| equals.len() > 1) {
        let of_each: Vec<CurrentCapability> =
            equals.iter().map(|(_, entry)| current(entry)).collect::<Result<_, _>>()?;
        let mut contents = of_each.iter().map(|current| current.capability.content);
        let first = contents.next();
        let are_copies = contents.all(|content| Some(content) == first);
        for ((merit, _), current) in equals.iter_mut().zip(&of_each) {
            let content = current.capability.content;
            let words = match known.get(&content) {
                _ if are_copies => None,
                Some(words) => *words,
                None => {
                    let found = words_of(reader, current)?;
                    known.insert(content, found);
                    found
                }
            };
            *merit = merit.clone().with_words(words).with_depth(depth_of(&current.capability.path));
        }
        equals.sort_by_key(|(merit, _)| key(merit));
    }
    Ok(())
}

/// The folders between the package's root and a path in it.
pub fn depth_of(path: &str) -> usize {
    path.matches('/').count()
}

/// The different words of a capability's files together, in lower case; none where one of the files is long or is not kept any more.
fn words_of(reader: &Reader, current: &CurrentCapability) -> Result<Option<u64>, StoreError> {
    let mut words = BTreeSet::new();
    for file in reader.files_of(current.snapshot)? {
        if current.capability.files.contains(&file.path) {
            let Some(bytes) = reader.small_blob(&file.digest, MOST_BYTES)? else { return Ok(None) };
            let text = String::from_utf8_lossy(&bytes);
            let found = text.split(|sign: char| !sign.is_alphanumeric()).filter(|word| !word.is_empty());
            words.extend(found.map(str::to_lowercase));
        }
    }
    Ok(Some(words.len() as u64))
}
