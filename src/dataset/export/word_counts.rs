//! `order_by_words`: of what is equal in all else, the one in fewer words stands first.
//!
//! Bytes tell nearly everything apart; what is left are texts that happen to be of one length. Texts are read for these alone.

use std::collections::BTreeMap;

use capdex_db::{CurrentCapability, Reader, StoreError};
use capdex_model::digest::Digest;
use capdex_rubrics::rank::{Merit, RankKey};

/// Files with more bytes are not read for their words: that two of them are of one length is no chance.
const MOST_BYTES: u64 = 1 << 20;

/// Orders by the words of their files what `key` holds for equal. `order` is sorted by `key` already; `current` gives the capability of an
/// entry. Copies of one content have nothing that tells them apart, and are left as they stand.
///
/// # Errors
/// Errors of the store.
pub fn order_by_words<T>(
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
        if contents.all(|content| Some(content) == first) {
            continue;
        }
        for ((merit, _), current) in equals.iter_mut().zip(&of_each) {
            let content = current.capability.content;
            let words = match known.get(&content) {
                Some(words) => *words,
                None => {
                    let found = words_of(reader, current)?;
                    known.insert(content, found);
                    found
                }
            };
            *merit = merit.clone().with_words(words);
        }
        equals.sort_by_key(|(merit, _)| key(merit));
    }
    Ok(())
}

/// The words of a capability's files together; none where one of them is long or is not kept any more.
fn words_of(reader: &Reader, current: &CurrentCapability) -> Result<Option<u64>, StoreError> {
    let mut sum = 0;
    for file in reader.files_of(current.snapshot)? {
        if current.capability.files.contains(&file.path) {
            let Some(bytes) = reader.small_blob(&file.digest, MOST_BYTES)? else { return Ok(None) };
            sum += bytes.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).count() as u64;
        }
    }
    Ok(Some(sum))
}
