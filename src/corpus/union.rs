//! Sets of places that are put together bit by bit (union-find); each set goes by its least place.
//!
//! Campaigns join items by it, `identity` joins listings.

/// Places from 0, each in a set of its own at first.
pub(crate) struct Union(Vec<usize>);

impl Union {
    /// So many sets of one place each.
    pub(crate) fn of(places: usize) -> Self {
        Self((0..places).collect())
    }

    /// One more place, in a set of its own.
    pub(crate) fn add(&mut self) -> usize {
        self.0.push(self.0.len());
        self.0.len() - 1
    }

    /// The least place of the set that holds a place. Halves the way there for whoever asks next.
    pub(crate) fn root(&mut self, mut at: usize) -> usize {
        // Path halving: every second place on the way is hung up higher, which keeps later walks short.
        while let Some(up) = self.0.get(at).copied().filter(|up| *up != at) {
            let above = self.0.get(up).copied().unwrap_or(up);
            self.0.get_mut(at).into_iter().for_each(|own| *own = above);
            at = above;
        }
        at
    }

    /// Makes the sets of two places one.
    pub(crate) fn join(&mut self, one: usize, other: usize) {
        let (one, other) = (self.root(one), self.root(other));
        // The lesser root stays root, so that the name of a set does not depend on the order of the joins.
        self.0.get_mut(one.max(other)).into_iter().for_each(|own| *own = one.min(other));
    }
}
