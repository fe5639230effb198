//! The names that a scope binds, held small: a bundle has a scope for each of its functions, and most bind a name or two.

use std::collections::BTreeMap;

use super::outline::Binding;

/// Up to so many names stand in a list, which takes no more room than they do; a map takes room for eleven at once.
const FEW: usize = 8;

/// Names by the alphabet, each with its bindings in the order of the text. A name that is only declared has none.
#[derive(Clone, Debug)]
pub(super) enum BoundNames {
    /// A list in order.
    Few(Vec<(String, Vec<Binding>)>),
    /// A map, where a list would be slow.
    Many(BTreeMap<String, Vec<Binding>>),
}

impl Default for BoundNames {
    fn default() -> Self {
        Self::Few(Vec::new())
    }
}

impl BoundNames {
    /// True where the name is bound or declared.
    pub(super) fn contains(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// The bindings of a name; none where it is neither bound nor declared.
    pub(super) fn get(&self, name: &str) -> Option<&[Binding]> {
        match self {
            Self::Few(list) => {
                let at = place(list, name).ok()?;
                list.get(at).map(|(_, bindings)| bindings.as_slice())
            }
            Self::Many(map) => map.get(name).map(Vec::as_slice),
        }
    }

    /// The names in order.
    pub(super) fn names(&self) -> impl Iterator<Item = &String> {
        self.both().map(|(name, _)| name)
    }

    /// All bindings, by the order of their names.
    pub(super) fn bindings(&self) -> impl Iterator<Item = &Binding> {
        self.both().flat_map(|(_, bindings)| bindings)
    }

    /// Declares a name.
    pub(super) fn declare(&mut self, name: &str) {
        self.of(name);
    }

    /// Adds a binding of a name.
    pub(super) fn bind(&mut self, name: &str, binding: Binding) {
        if let Some(bindings) = self.of(name) {
            // Nearly each name is bound once, and a list has room for four otherwise.
            if bindings.is_empty() {
                bindings.reserve_exact(1);
            }
            bindings.push(binding);
        }
    }

    fn both(&self) -> impl Iterator<Item = (&String, &Vec<Binding>)> {
        let (few, many) = match self {
            Self::Few(list) => (Some(list), None),
            Self::Many(map) => (None, Some(map)),
        };
        few.into_iter().flatten().map(|(name, bindings)| (name, bindings)).chain(many.into_iter().flatten())
    }

    fn of(&mut self, name: &str) -> Option<&mut Vec<Binding>> {
        if let Self::Few(list) = self
            && list.len() == FEW
            && place(list, name).is_err()
        {
            *self = Self::Many(std::mem::take(list).into_iter().collect());
        }
        match self {
            Self::Few(list) => {
                let at = place(list, name).unwrap_or_else(|at| {
                    list.reserve_exact(1);
                    list.insert(at, (name.to_owned(), Vec::new()));
                    at
                });
                list.get_mut(at).map(|(_, bindings)| bindings)
            }
            Self::Many(map) => Some(map.entry(name.to_owned()).or_default()),
        }
    }
}

fn place(list: &[(String, Vec<Binding>)], name: &str) -> Result<usize, usize> {
    list.binary_search_by(|(known, _)| known.as_str().cmp(name))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::program::outline::Origin;

    proptest! {
        #[test]
        fn a_few_names_and_many_read_as_a_map_does(steps in prop::collection::vec(("[a-e]{1,2}", any::<bool>()), 0..60)) {
            let mut names = BoundNames::default();
            let mut map: BTreeMap<String, Vec<u32>> = BTreeMap::new();
            for (at, (name, binds)) in (0..).zip(&steps) {
                if *binds {
                    names.bind(name, Binding { origin: Origin::Expression(at), path: Vec::new(), default: None });
                    map.entry(name.clone()).or_default().push(at);
                } else {
                    names.declare(name);
                    map.entry(name.clone()).or_default();
                }
            }
            let numbers = |bindings: &[Binding]| -> Vec<u32> {
                let number = |binding: &Binding| match binding.origin {
                    Origin::Expression(at) => at,
                    _ => u32::MAX,
                };
                bindings.iter().map(number).collect()
            };
            prop_assert!(names.names().eq(map.keys()));
            prop_assert_eq!(names.bindings().count(), map.values().flatten().count());
            for (name, bound) in &map {
                prop_assert!(names.contains(name));
                prop_assert_eq!(names.get(name).map(numbers), Some(bound.clone()));
            }
            prop_assert!(!names.contains("z"));
        }
    }
}
