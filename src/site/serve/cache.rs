//! Answers that are kept ready, bounded by their bytes; all of them are dropped when the store changes.
//!
//! The oldest goes first. Keys are made of what routes understand, never of the raw request, so that nobody can fill it with
//! one answer under many names.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

use super::reply::HttpReply;

/// Bytes that one entry costs beside its answer and its key, roughly.
const OVERHEAD: usize = 256;

/// The answers of one generation.
pub(super) struct Cache {
    most: usize,
    held: Mutex<CachedReplies>,
}

#[derive(Default)]
struct CachedReplies {
    generation: u64,
    bytes: usize,
    answers: HashMap<Arc<str>, Arc<HttpReply>>,
    order: VecDeque<Arc<str>>,
}

impl Cache {
    pub(super) fn new(most: usize) -> Self {
        Self { most, held: Mutex::new(CachedReplies::default()) }
    }

    /// The answer for a key, if it is of this generation.
    pub(super) fn get(&self, generation: u64, key: &str) -> Option<Arc<HttpReply>> {
        let held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        // An answer of another generation would mix two nights on one screen.
        held.answers.get(key).filter(|_| held.generation == generation).cloned()
    }

    /// Keeps an answer. One of an earlier generation, or one that would fill an eighth of the room, is not kept.
    pub(super) fn put(&self, generation: u64, key: &str, answer: &Arc<HttpReply>) {
        let cost = cost(key, answer);
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        // The first answer of a new generation drops all others at once.
        if generation > held.generation {
            *held = CachedReplies { generation, ..CachedReplies::default() };
        }
        // Large answers would push out hundreds of small ones that are asked for more often.
        if generation < held.generation || cost > self.most / 8 || held.answers.contains_key(key) {
            return;
        }
        // In the order in which they came: cheaper than counting uses, and a night drops all anyway.
        while held.bytes + cost > self.most {
            let Some(oldest) = held.order.pop_front() else { break };
            if let Some(gone) = held.answers.remove(&oldest) {
                held.bytes -= self::cost(&oldest, &gone);
            }
        }
        let key: Arc<str> = key.into();
        held.bytes += cost;
        held.order.push_back(Arc::clone(&key));
        held.answers.insert(key, Arc::clone(answer));
    }

    /// Bytes held, and answers.
    pub(super) fn size(&self) -> (usize, usize) {
        let held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        (held.bytes, held.answers.len())
    }
}

fn cost(key: &str, answer: &HttpReply) -> usize {
    answer.body.len() + answer.gzip.as_ref().map_or(0, |gzip| gzip.len()) + key.len() + OVERHEAD
}

#[cfg(test)]
mod tests {
    use super::super::reply::{PLAIN, RouteReply};
    use super::*;

    fn answer(bytes: usize) -> Arc<HttpReply> {
        Arc::new(HttpReply::of(RouteReply::Found(PLAIN, vec![b'x'; bytes])))
    }

    #[test]
    fn the_oldest_goes_first_and_the_bound_holds() {
        let cache = Cache::new(20_000);
        for at in 0..100 {
            cache.put(1, &format!("{at:03}"), &answer(1_000));
            assert!(cache.size().0 <= 20_000, "{:?}", cache.size());
        }
        assert_eq!(cache.size(), (15 * (1_000 + 3 + OVERHEAD), 15));
        assert!(cache.get(1, "000").is_none());
        assert!(cache.get(1, "099").is_some());
        assert!(cache.get(1, "085").is_some());
        cache.put(1, "large", &answer(2_500));
        assert!(cache.get(1, "large").is_none(), "one answer does not drive out an eighth of the others");
    }

    #[test]
    fn a_new_generation_forgets_the_old_one() {
        let cache = Cache::new(20_000);
        cache.put(1, "a", &answer(10));
        assert!(cache.get(2, "a").is_none());
        cache.put(2, "b", &answer(10));
        assert!(cache.get(2, "a").is_none());
        assert!(cache.get(1, "a").is_none());
        assert!(cache.get(2, "b").is_some());
        cache.put(1, "late", &answer(10));
        assert_eq!(cache.size().1, 1, "an answer from before the change is not kept");
    }
}
